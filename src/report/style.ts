/** Emphasis in text reports. Plain by default; the command line passes terminal colours where they are wanted. */

export interface Style {
  /** Column heads and titles. */
  readonly strong: (text: string) => string;
  /** What may be read last: notes, labels. */
  readonly faint: (text: string) => string;
  /** What must not be overlooked. */
  readonly warn: (text: string) => string;
}

const same = (text: string): string => text;

/** No escape codes at all: files, pipes, NO_COLOR. */
export const PLAIN: Style = { strong: same, faint: same, warn: same };

/** Columns that every text report fits, whatever the terminal. */
export const WIDTH = 80;

/** Emphasis in text reports. Plain by default; the command line passes terminal colours where they are wanted. */

export interface Style {
  /** Columns that every line fits. */
  readonly width: number;
  /** Column heads and titles. */
  readonly strong: (text: string) => string;
  /** What may be read last: notes, labels. */
  readonly faint: (text: string) => string;
  /** What must not be overlooked. */
  readonly warn: (text: string) => string;
}

const same = (text: string): string => text;

/** Columns of a text report in a file, a pipe or a narrow terminal. */
export const WIDTH = 80;

/** Columns beyond which a wider terminal makes lines no easier to read. */
export const MOST_WIDTH = 120;

/** No escape codes at all: files, pipes, NO_COLOR. */
export const PLAIN: Style = { width: WIDTH, strong: same, faint: same, warn: same };

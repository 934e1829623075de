/** The block of `label  value` lines above every table. */

import { PLAIN, type Style } from './style.js';
import { pad, wrap } from './text.js';

/** A label and its text; a long text is wrapped under itself. `warn` marks what must not be overlooked. */
export interface Fact {
  label: string;
  text: string;
  warn?: boolean;
}

const LABEL_WIDTH = 11;

/** Lines of a fact block, none wider than `width` columns. */
export function factLines(facts: readonly Fact[], style: Style = PLAIN, width = style.width): string[] {
  const lines: string[] = [];
  for (const { label, text, warn } of facts) {
    const paint = warn ? style.warn : (s: string) => s;
    wrap(text, width - LABEL_WIDTH).forEach((line, i) => {
      const head = pad(i === 0 ? label : '', LABEL_WIDTH);
      lines.push((warn ? style.warn(head) : style.faint(head)) + paint(line));
    });
  }
  return lines.map((line) => line.trimEnd());
}

/** Text that must fit a column: width, shortening, wrapping. */

import stringWidth from 'string-width';
import { printable } from '../printable.js';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Columns that a text takes in a terminal, as the table library counts them (it pads by the same function). */
export function displayWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}

/** Where a text that is too long is cut: the part that goes. */
export type Cut = 'middle' | 'start' | 'end';

/** Shortened to `width` columns, in the middle: both the family and the index at the end of a name tell it apart. */
export function shorten(text: string, width: number, cut: Cut = 'middle'): string {
  const clean = printable(text);
  if (displayWidth(clean) <= width) return clean;
  if (width <= 1) return '…'.slice(0, width);
  const parts = split(clean);
  const tailWidth = { middle: Math.floor((width - 1) / 2), start: width - 1, end: 0 }[cut];
  const tail = take(parts.slice().reverse(), tailWidth).reverse().join('');
  const head = cut === 'start' ? '' : take(parts, width - 1 - displayWidth(tail)).join('');
  return `${head}…${tail}`;
}

/** Texts shortened to `width` columns, all in the place that leaves the most of them distinct; the middle where that is as good. */
export function shortenAll(texts: readonly string[], width: number): string[] {
  let best = texts.map((text) => shorten(text, width));
  if (best.every((text, i) => text === printable(texts[i]))) return best;
  let most = new Set(best).size;
  for (const cut of ['start', 'end'] as const) {
    const shortened = texts.map((text) => shorten(text, width, cut));
    const distinct = new Set(shortened).size;
    if (distinct > most) [best, most] = [shortened, distinct];
  }
  return best;
}

/** Characters that are cut up at a time: each part that the segmenter hands out keeps a copy of all that it was given. */
const STRETCH = 1000;

function split(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const isPair = /[\ud800-\udbff]/.test(text[at + STRETCH - 1] ?? '');
    const end = at + STRETCH + (isPair ? 1 : 0);
    for (const { segment } of graphemes.segment(text.slice(at, end))) parts.push(segment);
    at = end;
  }
  return parts;
}

function take(parts: readonly string[], width: number): string[] {
  const taken: string[] = [];
  let used = 0;
  for (const part of parts) {
    used += displayWidth(part);
    if (used > width) break;
    taken.push(part);
  }
  return taken;
}

/** Words on lines of at most `width` columns; a word longer than a line is cut, and no line breaks at a no-break space. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ').flatMap((w) => cut(printable(w), width))) {
      if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines.map((line) => line.replaceAll('\u00a0', ' '));
}

function cut(word: string, width: number): string[] {
  if (displayWidth(word) <= width) return [word];
  const pieces: string[] = [];
  let rest = split(word);
  while (rest.length > 0) {
    const piece = take(rest, width);
    pieces.push(piece.join(''));
    rest = rest.slice(Math.max(1, piece.length));
  }
  return pieces;
}

/** A line with a command to copy, of which half would be another command. */
const COMMAND = /(?:^|\s)hindcast [a-z]/;

/** Lines that are too long go on below, under the text behind their label (`  needed: `); all others, and commands, stay as they are. */
export function wrapLines(text: string, width: number): string {
  const fitted = (line: string): string => {
    if (displayWidth(line) <= width || COMMAND.test(line)) return line;
    const [head] = /^ *(?:\w+: +)?/.exec(line) ?? [''];
    const lines = wrap(line.slice(head.length), width - head.length);
    return lines.map((part, i) => (i === 0 ? head : ' '.repeat(head.length)) + part).join('\n');
  };
  return text.split('\n').map(fitted).join('\n');
}

/** Padded to `width` columns. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + fill : fill + text;
}

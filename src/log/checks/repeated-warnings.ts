/** What to say of rows that are there again. */

import { plural } from '../../words.js';
import type { RepeatedRows } from './repeated-rows.js';

/** Events whose rows the warnings name. */
export function namedEvents({ repeated, doubled }: RepeatedRows): number[] {
  return [
    ...(repeated === null ? [] : [repeated.first, repeated.before]),
    ...(doubled === null ? [] : [doubled.first]),
  ];
}

/** @param rowOf row, over all files, of each of `namedEvents`. */
export function repeatedWarnings({ repeated, doubled }: RepeatedRows, rowOf: (event: number) => number): string[] {
  const count = (events: number): string => Math.floor(events).toLocaleString('en');
  const come = (events: number, one: string, many: string): string =>
    `${plural(Math.floor(events), 'event')} ${Math.floor(events) === 1 ? one : many}`;
  const again =
    'counts again; a log that has rows twice makes intervals too narrow, so leave the repetition out of the files';
  const warnings: string[] = [];
  if (repeated !== null) {
    const { events, first, before } = repeated;
    warnings.push(
      `about ${come(events, 'comes', 'come')} again in the very order that they had before, as where a part of the log was appended twice or files overlap: those from row ${count(rowOf(first))} on are those from row ${count(rowOf(before))} on (same arms and contexts, which cannot be chance); each ${again}`,
    );
  }
  if (doubled !== null) {
    const { events, times, first } = doubled;
    warnings.push(
      times === null
        ? `${come(events, 'is', 'are')} the same as the one before, down to the time, more often than chance makes them (the first: row ${count(rowOf(first))}), as where a join doubles rows; each ${again}`
        : `every row is there ${count(times)} times in a row (or a multiple of that), as where a join repeats rows: ${come(events, 'is a repetition', 'are repetitions')}, the first in row ${count(rowOf(first))}; each ${again}`,
    );
  }
  return warnings;
}

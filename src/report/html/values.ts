/** Values of a report as people read them. */

import { decimalsFor, fixed, nonzero } from '../numbers.js';
import { learnerDecimals } from '../replay-table.js';
import { type Range, type Report, type Row, widest } from './model.js';

/** Decimals for values of these rows. */
export function decimalsOf(rows: readonly Row[]): number {
  const known = rows.filter(({ value }) => value !== null);
  return decimalsFor(known.flatMap((row) => halfWidth(widest(row))));
}

/** Decimals of a whole report: those of its tables as text. */
export function reportDecimals({ rows, result }: Pick<Report, 'rows' | 'result'>): number {
  return 'learners' in result ? learnerDecimals(result.learners) : decimalsOf(rows.slice(0, 100));
}

/** `0.0783`; `none` where nothing is known. */
export function valueText(decimals: number): (value: number | null) => string {
  return (value) => (value === null ? 'none' : nonzero(value, decimals));
}

/** `0.0731 to 0.0838`. */
export function rangeText(range: Range | null, decimals: number): string {
  return range === null ? '–' : `${fixed(range[0], decimals)} to ${fixed(range[1], decimals)}`;
}

function halfWidth(range: Range | null): number[] {
  return range === null ? [] : [(range[1] - range[0]) / 2];
}

/** What a user of a log must be told of the rows that were dropped from it. */

import { faultInOneLine } from '../errors.js';
import type { BadRows } from './event-log.js';

/** Share of rows from which on their loss is worth a warning, whatever was wrong with them. */
const SHARE = 0.01;

/**
 * Warnings of rows that were dropped on request: the rest stands for all only where rows are dropped whatever they earned.
 *
 * @param events rows that are left.
 */
export function droppedWarnings(badRows: readonly BadRows[], events: number): string[] {
  const dropped = badRows.filter(({ lost = 'row' }) => lost === 'row');
  const total = dropped.reduce((sum, { count }) => sum + count, 0);
  const payoffs = dropped.filter(({ kind }) => /^(payoff|cost) /.test(kind));
  const rows = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;
  const of = `of ${(total + events).toLocaleString('en')}`;
  const warnings: string[] = [];
  if (payoffs.length > 0) {
    const count = payoffs.reduce((sum, bad) => sum + bad.count, 0);
    warnings.push(
      `${rows(count)} ${of} ${count === 1 ? 'was' : 'were'} dropped for ${count === 1 ? 'its' : 'their'} payoff (the first: ${faultInOneLine(payoffs[0].first)}); if payoffs are missing more often for some arms or outcomes than for others, as where only successes are written, every value is biased; write the payoffs that these rows earned (0 where nothing came is a payoff too)`,
    );
  }
  const others = total - payoffs.reduce((sum, { count }) => sum + count, 0);
  if (others > SHARE * (total + events)) {
    const kinds = dropped.filter((bad) => !payoffs.includes(bad)).map(({ kind, count }) => `${kind}: ${rows(count)}`);
    const percent = ((100 * others) / (total + events)).toPrecision(3);
    warnings.push(
      `${rows(others)} ${of} (${percent} %) were dropped (${kinds.join('; ')}); values are those of the rows that are left, which stand for all only where rows are bad by chance; correct the log if they are not`,
    );
  }
  return warnings;
}

/** The same as a part of a log's source. */
export function sourceWarnings(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings };
}

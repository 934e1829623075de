/** What a user of a log must be told of the rows that were dropped from it. */

import { faultInOneLine } from '../../errors.js';
import { plural } from '../../words.js';
import type { BadRows } from '../event-log.js';

/** Share of rows from which on their loss is worth a warning, whatever was wrong with them. */
const SHARE = 0.01;

/**
 * Warnings of rows that were dropped on request: the rest stands for all only where rows are dropped whatever they earned.
 *
 * @param events rows that are left.
 */
export function droppedWarnings(badRows: readonly BadRows[], events: number): string[] {
  const broken = badRows.filter(({ lost }) => lost === 'stretch');
  // An event that is left out because it was there before is no loss.
  const dropped = badRows.filter(({ lost = 'row', kind }) => lost === 'row' && !/^event ?id is repeated$/i.test(kind));
  const total = dropped.reduce((sum, { count }) => sum + count, 0);
  const payoffs = dropped.filter(({ kind }) => /^(payoff|cost) /.test(kind));
  const rows = (count: number) => plural(count, 'row');
  const of = `of ${(total + events).toLocaleString('en')}`;
  const warnings = broken.map(
    ({ first }) =>
      `a file broke off, and what comes after is lost (${faultInOneLine(first)}); values are those of the rows before; copy the file again`,
  );
  if (payoffs.length > 0) {
    const count = payoffs.reduce((sum, bad) => sum + bad.count, 0);
    const advice = payoffs.some(({ kind }) => kind === 'payoff is missing')
      ? 'where nothing written means that nothing was earned, --missing-payoff 0 (in code: missingPayoff) keeps these rows'
      : 'write the payoffs that these rows earned (0 where nothing came is a payoff too)';
    warnings.push(
      `${rows(count)} ${of} ${count === 1 ? 'was' : 'were'} dropped for ${count === 1 ? 'its' : 'their'} payoff (the first: ${faultInOneLine(payoffs[0].first)}); if payoffs are missing more often for some arms or outcomes than for others, as where only successes are written, every value is biased; ${advice}`,
    );
  }
  const others = total - payoffs.reduce((sum, { count }) => sum + count, 0);
  if (others > SHARE * (total + events)) {
    const kinds = dropped.filter((bad) => !payoffs.includes(bad)).map(({ kind, count }) => `${kind}: ${rows(count)}`);
    const percent = ((100 * others) / (total + events)).toPrecision(3);
    warnings.push(
      `${rows(others)} ${of} (${percent} %) ${others === 1 ? 'was' : 'were'} dropped (${kinds.join('; ')}); values are those of the rows that are left, which stand for all only where rows are bad by chance; correct the log if they are not`,
    );
  }
  return warnings;
}

/** The same as a part of a log's source. */
export function sourceWarnings(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings };
}

/** What makes a value bad, said once for logs made in code and logs read from files. */

import { type Fault, InputError } from '../../errors.js';

export const PROPENSITY_NEEDED = 'a probability greater than 0 and at most 1';

/** NaN is bad too: every comparison with it is false. */
export function propensityIsBad(p: number): boolean {
  return !(p > 0 && p <= 1);
}

/** A payoff outside the declared range. */
export function outsideRange(got: string, range: readonly [number, number]): Fault {
  return {
    problem: 'payoff is outside the declared range',
    got,
    needed: `${range[0]} to ${range[1]}`,
    hint: 'declare the range that payoffs can have, or correct the value',
  };
}

/** The declared range, checked: two finite numbers, low below high. */
export function checkedRange(range: readonly [number, number] | undefined): readonly [number, number] | undefined {
  if (range === undefined) return undefined;
  const [low, high] = range;
  if (range.length === 2 && Number.isFinite(low) && Number.isFinite(high) && low < high) return range;
  throw new InputError({
    column: 'payoffRange',
    problem: 'not a range',
    got: JSON.stringify(range),
    needed: 'two finite numbers, the lower one first, e.g. [0, 1]',
  });
}

/** What makes a value bad, said once for logs made in code and logs read from files. */

import { type Fault, InputError } from '../../errors.js';

/** A propensity that is none; of each, `propensityGuess` may know more. */
export const BAD_PROPENSITY = {
  problem: 'propensity is outside (0, 1]',
  needed: 'a probability greater than 0 and at most 1',
} as const;

/** NaN is bad too: every comparison with it is false. */
export function propensityIsBad(p: number): boolean {
  return !(p > 0 && p <= 1);
}

/** What a number that is no propensity may be instead, as a next step; `undefined`: anything. */
export function propensityGuess(p: number): string | undefined {
  const as = (probability: number): string => String(Number(probability.toPrecision(3)));
  const weight = `a weight 1/p, of the probability ${as(1 / p)}`;
  const log = `the logarithm of ${as(Math.exp(p))}`;
  if (p < 0 && Number.isFinite(p)) return `it looks like a log-probability, ${log}: take exp of the column`;
  if (!(p > 1 && p < Number.POSITIVE_INFINITY)) return undefined;
  if (p < 1.001) return 'it looks like a probability that rounding put above 1: make it 1';
  if (p < 10)
    return `it looks like a density (of a continuous action, which has no propensity), or like ${weight}: the column must be the probability of the logged arm`;
  if (p <= 100) return `it looks like a percentage, of the probability ${as(p / 100)}, or like ${weight}`;
  return `it looks like ${weight}, or like a density, which is no probability`;
}

/** The fault of one that `propensityIsBad`. */
export function propensityFault(p: number): Fault {
  return { ...BAD_PROPENSITY, got: String(p), hint: propensityGuess(p) };
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

/**
 * What `npm test` leaves to `npm run test:long`: tests under vitest's tag `long` (vitest.config.mjs). A test is long where it
 * repeats, with more draws or in more shapes, what a short one beside it shows; or where what it shows takes seconds and
 * hardly ever breaks. A whole file is long by a first line `/** @module-tag long *\/`.
 */
import { it } from 'vitest';

export const LONG = { tags: ['long'] };

/** A test in two sizes, such as numbers of random inputs: few in every run, all in the long one. */
export function inTwoSizes<Size>(
  name: string,
  [few, all]: readonly [Size, Size],
  run: (size: Size) => void | Promise<void>,
): void {
  it(name, () => run(few));
  it(`${name}: all of it`, LONG, () => run(all));
}

/** One test per case of a table; cases that say `long` are left to the long run. */
export function eachCase<Case extends { readonly name: string; readonly long?: boolean }>(
  cases: readonly Case[],
  run: (one: Case) => void | Promise<void>,
  timeout?: number,
): void {
  const within = timeout === undefined ? {} : { timeout };
  it.each(cases.filter(({ long }) => long !== true))('$name', within, run);
  it.each(cases.filter(({ long }) => long === true))('$name', { ...within, ...LONG }, run);
}

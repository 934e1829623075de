/** An entry of the table of algorithms, and of a learner set as code writes it. Entries are checked where they are used, as JSON is. */

import type { Algorithm } from '../learner.js';

/** Parameters, each a value or a list that spans a grid; what has a default may be left out. */
export type Grid<P> = {
  readonly [K in keyof P]?: NonNullable<P[K]> extends readonly unknown[] ? P[K] : P[K] | readonly P[K][];
};

/** An entry as JSON or code writes it. */
export type EntryOf<Name extends string, P> = {
  /** Name of the algorithm. */
  readonly algorithm: Name;
} & Grid<P>;

/** Makes an entry of one algorithm. */
export type Entry<Name extends string, P> = (parameters?: Grid<P>) => EntryOf<Name, P>;

const listed: Algorithm[] = [];

/** The algorithms that have an entry, in the order of the table. */
export const LISTED: readonly Algorithm[] = listed;

/** Puts an algorithm into the table. */
export function entry<Name extends string, P extends object>(name: Name, algorithm: Algorithm<P>): Entry<Name, P> {
  listed.push(algorithm as Algorithm);
  return (parameters) => ({ algorithm: name, ...(parameters as Grid<P>) });
}

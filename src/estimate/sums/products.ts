/**
 * Products of whole numbers of the event, such as weight · weight · payoff, as match columns: exact, and shared by all that asks for
 * them. With weights in whole steps, everything that an estimator needs of a policy is a sum of such products.
 */

import type { BlockStatistics } from './block-statistics.js';
import type { ColumnKind, MatchColumn } from './summands.js';
import { multiply, newWords, type WholeColumn, wordsOf } from './whole-numbers.js';

/** Whole numbers ≥ 0 of which products are made. */
export interface Factor {
  readonly name: string;
  /** The largest of the whole log. */
  readonly most: bigint;
}

/** What a column of the statistics comes to for a policy: over all blocks, some, or blocks drawn anew. */
export type ColumnSum = (column: Float64Array) => bigint;

/** One that was asked for, by which its sum is had. */
export interface Product {
  readonly factors: readonly Factor[];
  readonly words: number;
  /** Its first column. */
  readonly at: number;
}

export class Products {
  private readonly made = new Map<string, Product>();
  private count = 0;

  /** @param first columns of the statistics that are not these. */
  constructor(private readonly first: number) {}

  /** Asks for the product of one or more factors. */
  add(...factors: Factor[]): Product {
    const kept = reduced(factors);
    const key = keyOf(kept);
    let product = this.made.get(key);
    if (product === undefined) {
      const words = wordsOf(kept.reduce((all, { most }) => all * most, 1n));
      product = { factors: kept, words, at: this.first + this.count };
      this.made.set(key, product);
      this.count += words;
    }
    return product;
  }

  get kinds(): ColumnKind[] {
    return [...this.made].flatMap(([key, { words }]) =>
      Array.from({ length: words }, (_, word) => ({ name: `${key}, word ${word}`, reduce: 'sum' as const })),
    );
  }

  /** @param valuesOf a factor's numbers of each event. */
  columns(valuesOf: (factor: Factor) => WholeColumn): MatchColumn[] {
    const known = new Map<string, WholeColumn>();
    const made = (factors: readonly Factor[]): WholeColumn => {
      if (factors.length === 1) return valuesOf(factors[0]);
      const key = keyOf(factors);
      let column = known.get(key);
      if (column === undefined) {
        const words = wordsOf(factors.reduce((product, { most }) => product * most, 1n));
        column = multiply(made(factors.slice(0, -1)), valuesOf(factors[factors.length - 1]), words);
        known.set(key, column);
      }
      return column;
    };
    const { kinds } = this;
    return [...this.made.values()]
      .flatMap(({ factors, words }) => {
        const column = made(factors);
        const none = (): Uint32Array => newWords(column[0].length);
        return Array.from({ length: words }, (_, word) => column[word] ?? none());
      })
      .map((words, c) => ({ ...kinds[c], words }));
  }
}

/** Σ of a product over the matches of a policy. */
export function productSum({ at, words }: Product, { columns }: BlockStatistics, sumOf: ColumnSum): bigint {
  let sum = 0n;
  for (let word = words - 1; word >= 0; word--) sum = (sum << 32n) + sumOf(columns[at + word]);
  return sum;
}

/** Numbers that are 0 or 1 are their own squares. */
function reduced(factors: readonly Factor[]): Factor[] {
  return factors.filter((factor, i) => factor.most > 1n || factors.indexOf(factor) === i);
}

function keyOf(factors: readonly Factor[]): string {
  return factors.map(({ name }) => name).join(' · ');
}

/** Collected names, arms and candidate sets → columns of features and the tables of an event log. */

import { totalmem } from 'node:os';
import { InputError } from '../../errors.js';
import { type BuiltPools, PoolBuilder } from '../../log/build/pool-builder.js';
import { compareCodePoints } from '../../names/order.js';
import { plural } from '../../words.js';
import { ALL_ARMS, type DecisionCollector } from './collector.js';
import { eachFeature } from './feature-bag.js';
import type { Vocabulary } from './vocabulary.js';

/** Features as columns. */
export interface FeatureColumns {
  /** In code-point order. */
  readonly names: string[];
  /** Column of a feature by number, or −1. */
  readonly of: Int32Array;
}

export function columnsOf(vocabulary: Vocabulary, isUsed: readonly boolean[]): FeatureColumns {
  const numbers = vocabulary.names.map((_, number) => number).filter((number) => isUsed[number] === true);
  numbers.sort((a, b) => compareCodePoints(vocabulary.names[a], vocabulary.names[b]));
  const of = new Int32Array(vocabulary.names.length).fill(-1);
  for (const [column, number] of numbers.entries()) of[number] = column;
  return { names: numbers.map((number) => vocabulary.names[number]), of };
}

/** Sparse features are dense in a log: say so before the memory runs out. @param copies of the table that exist at once. */
export function checkSize(what: string, rows: number, columns: number, copies: number): void {
  const bytes = rows * columns * 8 * copies;
  if (bytes <= totalmem()) return;
  const gib = (size: number) => `${(size / 2 ** 30).toFixed(1)} GiB`;
  throw new InputError({
    problem: `the ${what} features do not fit into memory as columns`,
    got: `${plural(rows, 'row')} of ${plural(columns, 'column')}: ${gib(bytes)}`,
    needed: `at most ${gib(totalmem())}`,
    hint: "select columns with --features, e.g. --features 'User^*' (in code: features)",
  });
}

/** Writes features as a row of zeros and values. */
export function writeRow(
  { names, of }: FeatureColumns,
  words: ArrayLike<number>,
  values: Float32Array | Float64Array,
  row: number,
): void {
  const at = row * names.length;
  eachFeature(words, 0, (number, value) => {
    if (of[number] >= 0) values[at + of[number]] = value;
  });
}

/** True where f32 holds every value of features that may be columns. */
export function fitsF32({ isColumn }: Vocabulary, words: ArrayLike<number>): boolean {
  let fits = true;
  eachFeature(words, 0, (number, value) => {
    if (isColumn[number] && Math.fround(value) !== value) fits = false;
  });
  return fits;
}

/** Arms, candidate sets and arm features, from the collector's numbers. */
export class ArmTables {
  private readonly builder: PoolBuilder;
  /** Number of each candidate set in the builder. */
  private readonly poolNumber: Uint32Array;
  private all: number | null = null;

  /** @throws InputError where action features do not fit into memory. */
  constructor(private readonly collector: DecisionCollector) {
    const { action, actionColumns, versions, pools, armIds } = collector;
    const { names, of } = columnsOf(action.vocabulary, actionColumns.isUsed);
    checkSize('action', versions.count, names.length, 2);
    const builder = new PoolBuilder(names);
    // Arms keep the collector's numbers.
    for (const id of armIds) builder.arm(id);
    const values = new Float64Array(names.length);
    const versionOf = new Uint32Array(versions.count);
    for (let v = 0; v < versions.count; v++) {
      values.fill(0);
      const words = versions.list(v);
      eachFeature(words, 1, (number, value) => {
        if (of[number] >= 0) values[of[number]] = value;
      });
      versionOf[v] = builder.version(words[0], values);
    }
    this.builder = builder;
    this.poolNumber = new Uint32Array(pools.count);
    for (let s = 0; s < pools.count; s++) this.poolNumber[s] = builder.pool(pools.list(s).map((v) => versionOf[v]));
  }

  /** The log's number of a candidate set that the next event has. */
  pool(collected: number): number {
    return this.builder.use(collected === ALL_ARMS ? this.allArms() : this.poolNumber[collected]);
  }

  private allArms(): number {
    const { builder, collector } = this;
    const { options, armIds, actionColumns } = collector;
    const none = new Float64Array(actionColumns.count);
    this.all ??= builder.pool(
      (options.arms?.map(String) ?? armIds).map((id) => builder.version(builder.arm(id), none)),
    );
    return this.all;
  }

  /** @param pool of each event, or nothing. */
  finish(pool: Uint32Array): BuiltPools {
    const { all, builder, poolNumber } = this;
    // A set that lists all arms is not told from one that is not listed: then neither is known.
    builder.allArms = all !== null && poolNumber.includes(all) ? undefined : all;
    return builder.finishUsed(pool, this.collector.options.arms);
  }
}

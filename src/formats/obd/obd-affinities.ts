/**
 * User-item affinities of the Open Bandit Dataset: how often the event's user clicked each item before. As an arm
 * feature that differs by event, an item has a version per value, and events with the same affinities share a candidate
 * set: nearly all values are 0, so there are few of either.
 */

import { InputError } from '../../errors.js';
import type { Items as Numbers, RowBatch } from '../../files/duckdb.js';
import { WordInterner } from '../../log/build/interner.js';
import { u32Column } from '../../log/build/memory.js';
import { PoolBuilder } from '../../log/build/pool-builder.js';
import type { ArmDictionary, ArmFeatureTable, PoolTable } from '../../log/event-log.js';
import { plural } from '../../words.js';
import type { SourceColumn, SourceFile } from '../format.js';
import type { Marks } from '../table/read/marks.js';
import { NumberCheck } from '../table/read/number-check.js';
import type { ColumnTask } from '../table/read/tasks.js';
import { isText, numberOrNanSql } from '../table/read/values.js';

/** Name of the arm feature. */
export const AFFINITY = 'user-item_affinity';

/** Column of an item's affinities. */
export function affinityColumn(id: string): string {
  return `${AFFINITY}_${id}`;
}

/** Collects the affinities of every event. */
export class AffinityTask implements ColumnTask {
  private readonly vectors = new WordInterner();
  private readonly vector: Float64Array;
  private readonly words: Int32Array;
  private readonly checks: readonly NumberCheck[];
  private readonly of: Uint32Array;
  private columns: Numbers[] = [];
  private isTyped: boolean[] = [];
  private count = 0;

  constructor(
    capacity: number,
    private readonly arms: ArmDictionary,
  ) {
    this.vector = new Float64Array(arms.ids.length);
    this.words = new Int32Array(this.vector.buffer);
    this.checks = arms.ids.map((id) => new NumberCheck(affinityColumn(id), 'affinity', null));
    this.of = u32Column(capacity);
  }

  bind(source: SourceFile): string[] {
    const columns = this.arms.ids.map((id) => findAffinity(source, id));
    this.isTyped = columns.map((column) => !isText(column));
    return columns.map((column) => numberOrNanSql(source, column));
  }

  check(batch: RowBatch, first: number, marks: Marks): void {
    this.columns = this.checks.map((check, a) =>
      check.check(batch.items(first + a), this.isTyped[a], batch.rows, marks),
    );
  }

  append(rows: Uint32Array, count: number): void {
    const { columns, vector, words } = this;
    for (let k = 0; k < count; k++) {
      // −0 and 0 are one value.
      for (let a = 0; a < vector.length; a++) vector[a] = columns[a][rows[k]] + 0;
      this.of[this.count++] = this.vectors.intern(words, 0, words.length);
    }
  }

  /** Candidate sets, each of all arms, and the versions of `features` that they show, with the affinity last. */
  finish(features: ArmFeatureTable): { pools: PoolTable; armFeatures: ArmFeatureTable } | null {
    if (this.count === 0) return null;
    const { dimension } = features;
    const builder = new PoolBuilder([...features.columns, AFFINITY]);
    const values = new Float64Array(dimension + 1);
    const pools = new Uint32Array(this.vectors.count);
    const versions = this.arms.ids.map((id) => builder.arm(id));
    for (let v = 0; v < pools.length; v++) {
      this.words.set(this.vectors.list(v));
      for (let a = 0; a < versions.length; a++) {
        values.set(features.values.subarray(a * dimension, (a + 1) * dimension));
        values[dimension] = this.vector[a];
        versions[a] = builder.version(a, values);
      }
      pools[v] = builder.pool(versions);
    }
    const of = this.of.subarray(0, this.count);
    for (let t = 0; t < of.length; t++) of[t] = pools[of[t]];
    const built = builder.finish(of, this.arms.ids);
    return built.armFeatures === null ? null : { pools: built.pools, armFeatures: built.armFeatures };
  }
}

function findAffinity(source: SourceFile, id: string): SourceColumn {
  const name = affinityColumn(id);
  const column = source.columns.find((candidate) => candidate.name === name);
  if (column !== undefined) return column;
  const found = source.columns.filter((candidate) => candidate.name.startsWith(`${AFFINITY}_`)).length;
  throw new InputError({
    file: source.file,
    problem: `no column ${JSON.stringify(name)}, although there is an item ${JSON.stringify(id)}`,
    got: `${plural(found, 'column')} ${AFFINITY}_…`,
    needed: 'one for every item',
    hint: 'leave --affinities out, or take the whole log',
  });
}

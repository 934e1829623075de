/**
 * Arms, candidate sets and versions of arm features that a reader finds as it goes. Numbers are provisional, in order of
 * first appearance, until `finish` puts arms in the order of identifiers.
 */

import type { ArmDictionary, ArmFeatureTable, PoolTable } from '../event-log.js';
import { everyArm } from '../pools.js';
import { armDictionary } from './arms.js';
import { WordInterner } from './interner.js';
import { f64Column, u32Column } from './memory.js';

/** Arm of a provisional number that no event's candidate set holds. */
export const UNUSED_ARM = 0xffffffff;

/** What a log's events refer to. */
export interface BuiltPools {
  readonly arms: ArmDictionary;
  readonly pools: PoolTable;
  /** `null` where the builder has no features, and for a log of no events. */
  readonly armFeatures: ArmFeatureTable | null;
  /** Arm index of each provisional arm, or {@link UNUSED_ARM}. */
  readonly armOf: Uint32Array;
}

export class PoolBuilder {
  /** Provisional number of the pool that stands for all arms; `null`: every set was named. Not known unless it is set. */
  allArms: number | null | undefined = undefined;
  private readonly ids: string[] = [];
  private readonly numbers = new Map<string, number>();
  /** Versions as lists of words: the arm, then the bits of its features. */
  private readonly versions = new WordInterner();
  private readonly pools = new WordInterner();
  /** Pools in use, by their final numbers. */
  private readonly used: number[] = [];
  private readonly finalOf: number[] = [];
  private readonly bits: Float64Array;
  private readonly words: Uint32Array;

  /** @param columns names of the arm features; empty: arms have none. */
  constructor(private readonly columns: readonly string[] = []) {
    this.bits = new Float64Array(columns.length);
    this.words = new Uint32Array(1 + 2 * columns.length);
  }

  /** Provisional number of an arm. */
  arm(id: string): number {
    let number = this.numbers.get(id);
    if (number === undefined) {
      number = this.ids.push(id) - 1;
      this.numbers.set(id, number);
    }
    return number;
  }

  /** Ids by provisional numbers, a list that grows. */
  get armIds(): readonly string[] {
    return this.ids;
  }

  /** Provisional number of arm `arm` with the finite features `values[from ..]` (−0 counts as 0). */
  version(arm: number, values: ArrayLike<number> = [], from = 0): number {
    const { bits, words } = this;
    for (let j = 0; j < bits.length; j++) bits[j] = values[from + j] + 0;
    words[0] = arm;
    words.set(new Uint32Array(bits.buffer), 1);
    return this.versions.intern(words, 0, words.length);
  }

  /** Arm of a version. */
  armOfVersion(version: number): number {
    return this.versions.list(version)[0];
  }

  /** Provisional number of the candidate set `versions[from .. to)`, in any order; no arm may be in it twice. */
  pool(versions: ArrayLike<number>, from = 0, to = versions.length): number {
    const sorted = new Uint32Array(to - from);
    for (let i = from; i < to; i++) sorted[i - from] = versions[i];
    sorted.sort();
    return this.pools.intern(sorted, 0, sorted.length);
  }

  /** Final number of a pool that the next event has: pools are numbered by first appearance among the events. */
  use(pool: number): number {
    const { finalOf, used } = this;
    finalOf[pool] ??= used.push(pool) - 1;
    return finalOf[pool];
  }

  /**
   * The tables. Only what events have is in them, and what `explicit` names.
   *
   * @param pool provisional pool of each event; renumbered in place, and kept in the table.
   * @param explicit arms in the order of their indices, which hold all that events have.
   */
  finish(pool: Uint32Array, explicit?: readonly (string | number)[]): BuiltPools {
    for (let t = 0; t < pool.length; t++) pool[t] = this.use(pool[t]);
    return this.finishUsed(pool, explicit);
  }

  /**
   * `finish` for events whose pools were told to `use`.
   *
   * @param pool final pool of each event, or nothing where these are kept elsewhere.
   */
  finishUsed(pool: Uint32Array, explicit?: readonly (string | number)[]): BuiltPools {
    const { used } = this;
    const isUsed = new Uint8Array(this.ids.length);
    for (const p of used) for (const version of this.pools.list(p)) isUsed[this.armOfVersion(version)] = 1;
    const arms = armDictionary(
      this.ids.filter((_, number) => isUsed[number] === 1),
      explicit,
    );
    const armOf = Uint32Array.from(this.ids, (id, number) =>
      isUsed[number] === 1 ? (arms.index.get(id) ?? UNUSED_ARM) : UNUSED_ARM,
    );
    const rows = this.rows(used, armOf);
    const offsets = u32Column(used.length + 1);
    for (const [s, p] of used.entries()) offsets[s + 1] = offsets[s] + this.pools.list(p).length;
    const members = u32Column(offsets[used.length]);
    const row = u32Column(offsets[used.length]);
    for (const [s, p] of used.entries()) {
      // Rows are ordered by arm.
      const sorted = Uint32Array.from(this.pools.list(p), (version) => rows.of[version]).sort();
      row.set(sorted, offsets[s]);
      for (let i = 0; i < sorted.length; i++)
        members[offsets[s] + i] = armOf[this.armOfVersion(rows.version[sorted[i]])];
    }
    const { allArms } = this;
    const all = typeof allArms === 'number' ? used.indexOf(allArms) : -1;
    const table = {
      count: used.length,
      offsets,
      arms: members,
      pool: used.length === 1 ? null : pool,
      ...(allArms === undefined ? {} : { allArms: all < 0 ? null : all }),
    };
    return {
      arms,
      // An empty log has one pool, of all arms.
      pools: used.length === 0 ? everyArm(arms.ids.length) : table,
      armFeatures:
        this.columns.length === 0 || used.length === 0 ? null : this.features(rows.version, arms, armOf, row),
      armOf,
    };
  }

  /** Versions in use, by arm and then by appearance, and the place of each. */
  private rows(used: readonly number[], armOf: Uint32Array): { version: Uint32Array; of: Uint32Array } {
    const isUsed = new Uint8Array(this.versions.count);
    for (const p of used) for (const version of this.pools.list(p)) isUsed[version] = 1;
    const versions: number[] = [];
    for (let v = 0; v < isUsed.length; v++) if (isUsed[v] === 1) versions.push(v);
    const arm = Uint32Array.from(isUsed, (_, v) => armOf[this.armOfVersion(v)]);
    versions.sort((a, b) => arm[a] - arm[b] || a - b);
    const of = new Uint32Array(isUsed.length);
    for (const [row, version] of versions.entries()) of[version] = row;
    return { version: Uint32Array.from(versions), of };
  }

  private features(version: Uint32Array, arms: ArmDictionary, armOf: Uint32Array, row: Uint32Array): ArmFeatureTable {
    const { columns, bits } = this;
    const dimension = columns.length;
    const values = f64Column(version.length * dimension);
    for (let r = 0; r < version.length; r++) {
      new Uint32Array(bits.buffer).set(this.versions.list(version[r]).subarray(1));
      values.set(bits, r * dimension);
    }
    const onePerArm = version.length === arms.ids.length && version.every((v, r) => armOf[this.armOfVersion(v)] === r);
    return { dimension, rows: version.length, values, row: onePerArm ? null : row, columns };
  }
}

/** Candidate sets and arm features of several files. */

import { f64Column, u32Column } from '../../log/build/memory.js';
import { PoolBuilder } from '../../log/build/pool-builder.js';
import type { ArmDictionary, ArmFeatureTable, EventLog, PoolTable } from '../../log/event-log.js';
import type { PackedFile } from '../packed-file.js';
import { type Codes, simplified } from '../recoding.js';
import { firstDifference, placed, unlike } from './parts.js';

/** A file's sets by the builder's numbers. */
interface FileSets {
  readonly file: PackedFile;
  /** K of the file. */
  readonly arms: number;
  readonly pools: Uint32Array;
  /** The pool that stands for all arms, or may do so; −1: none. */
  readonly all: number;
  readonly isKnown: boolean;
}

/**
 * Merges sets by content, versions of arms included, and numbers them by first appearance. A set that stands for all arms
 * becomes the set of all arms of all files.
 */
export class SetMerger {
  private builder: PoolBuilder | null = null;
  private readonly sets: FileSets[] = [];
  private columns: { readonly names: readonly string[]; readonly file: PackedFile } | null = null;
  /** Features by the id of an arm, while every arm has the same in every file. */
  private single: Map<string, Float64Array> | null = new Map();

  constructor(private readonly files: readonly PackedFile[]) {}

  /** The next file's sets. @param speaks whether it says what columns the log has. */
  add(file: PackedFile, { arms, pools, armFeatures }: EventLog, speaks: boolean): void {
    if (armFeatures !== null || speaks) this.checkColumns(file, armFeatures?.columns ?? []);
    this.addSingle(arms, armFeatures);
    if (file.header.events === 0) {
      this.sets.push({ file, arms: arms.ids.length, pools: u32Column(0), all: -1, isKnown: true });
      return;
    }
    this.builder ??= new PoolBuilder(armFeatures?.columns ?? []);
    const { builder } = this;
    const numbers = arms.ids.map((id) => builder.arm(id));
    const versionOf = versions(builder, numbers, pools, armFeatures);
    const numbered = u32Column(pools.count);
    const row = armFeatures?.row ?? pools.arms;
    let full = -1;
    for (let s = 0; s < pools.count; s++) {
      const from = pools.offsets[s];
      const to = pools.offsets[s + 1];
      const members = Uint32Array.from(row.subarray(from, to), (r) => versionOf[r]);
      numbered[s] = builder.pool(members);
      if (to - from === arms.ids.length) full = s;
    }
    const isKnown = pools.allArms !== undefined || full < 0;
    const all = isKnown ? (pools.allArms ?? -1) : full;
    this.sets.push({ file, arms: arms.ids.length, pools: numbered, all, isKnown });
  }

  private checkColumns(file: PackedFile, names: readonly string[]): void {
    this.columns ??= { names, file };
    const first = this.columns;
    const at = firstDifference(first.names, names);
    if (at === null) return;
    throw unlike(this.files, {
      file: file.name,
      column: 'arm features',
      problem: `the features of arms are not those of ${first.file.name}`,
      got: placed(names, at, 'feature'),
      needed: placed(first.names, at, 'feature'),
    });
  }

  private addSingle({ ids }: ArmDictionary, features: ArmFeatureTable | null): void {
    if (features === null) return;
    const { dimension, values, row } = features;
    if (row !== null) this.single = null;
    for (let a = 0; a < ids.length && this.single !== null; a++) {
      const known = this.single.get(ids[a]);
      const one = values.subarray(a * dimension, (a + 1) * dimension);
      if (known === undefined) this.single.set(ids[a], one);
      else if (known.some((value, j) => value !== one[j])) this.single = null;
    }
  }

  /**
   * The tables, and what the pools of each file become.
   *
   * @throws InputError where a file does not say whether a set of all its arms was named, or what others' arms show.
   */
  finish(arms: ArmDictionary): { pools: PoolTable; armFeatures: ArmFeatureTable | null; codes: Codes[] } {
    const { sets } = this;
    const builder = this.builder ?? new PoolBuilder(this.columns?.names ?? []);
    const single = this.singleTable(arms);
    const lists = sets.map((one) => this.widened(one, arms, builder));
    builder.allArms = allArms(sets, lists);
    const column = u32Column(lists.reduce((sum, list) => sum + list.length, 0));
    let at = 0;
    const parts = lists.map((list) => {
      column.set(list, at);
      at += list.length;
      return column.subarray(at - list.length, at);
    });
    const { pools, armFeatures } = builder.finish(column, arms.ids.length === 0 ? undefined : arms.ids);
    return {
      pools: { ...pools, pool: pools.pool === null ? null : u32Column(0) },
      armFeatures: single ?? armFeatures,
      codes: parts.map((part) => simplified(part.slice())),
    };
  }

  /** A file's pools, its set of all arms with those of the other files. */
  private widened({ file, arms: own, pools, all, isKnown }: FileSets, arms: ArmDictionary, builder: PoolBuilder) {
    if (all < 0 || own === arms.ids.length) return pools;
    if (!isKnown) {
      throw unlike(this.files, {
        file: file.name,
        column: 'candidates',
        problem: 'the packed log does not say whether its events have all arms as candidates, or name them',
        got: `a set of all of its ${own} arms, where the files have ${arms.ids.length} in all`,
        needed: `a packed log of version 2, which says so`,
        hint: 'convert its original file again, or all original files together',
      });
    }
    const { single } = this;
    const features = arms.ids.map((id) => single?.get(id));
    const hasFeatures = (this.columns?.names.length ?? 0) > 0;
    if (hasFeatures && features.includes(undefined)) {
      throw unlike(this.files, {
        file: file.name,
        column: 'candidates',
        problem: 'all arms are candidates, and what arms of the other files show to its events is not known',
        got: `${own} arms with features, where the files have ${arms.ids.length} in all`,
        needed: 'the same arms in every file, or one row of features for each',
      });
    }
    const widened = pools.slice();
    widened[all] = builder.pool(arms.ids.map((id, a) => builder.version(builder.arm(id), features[a] ?? [])));
    return widened;
  }

  /** A row per arm, where every arm has one and the same in every file. */
  private singleTable({ ids }: ArmDictionary): ArmFeatureTable | null {
    const { single, columns } = this;
    if (single === null || columns === null || single.size === 0) return null;
    const dimension = columns.names.length;
    const values = f64Column(ids.length * dimension);
    for (const [a, id] of ids.entries()) {
      const row = single.get(id);
      if (row === undefined) return null;
      values.set(row, a * dimension);
    }
    return { dimension, rows: ids.length, values, row: null, columns: columns.names };
  }
}

/** The builder's version of each row of a file's features (of each arm, where it has none). */
function versions(
  builder: PoolBuilder,
  numbers: readonly number[],
  pools: PoolTable,
  features: ArmFeatureTable | null,
): Uint32Array {
  if (features === null) return Uint32Array.from(numbers, (arm) => builder.version(arm));
  const { dimension, rows, values, row } = features;
  if (row === null) return Uint32Array.from(numbers, (arm, a) => builder.version(arm, values, a * dimension));
  // Rows that no set shows are left out.
  const armOf = new Int32Array(rows).fill(-1);
  for (let i = 0; i < row.length; i++) armOf[row[i]] = numbers[pools.arms[i]];
  return Uint32Array.from(armOf, (arm, r) => (arm < 0 ? 0 : builder.version(arm, values, r * dimension)));
}

/** The pool that stands for all arms, as `PoolBuilder` takes it. */
function allArms(sets: readonly FileSets[], lists: readonly Uint32Array[]): number | null | undefined {
  const standing = new Set<number>();
  const named = new Set<number>();
  for (const [i, { all, isKnown }] of sets.entries()) {
    if (!isKnown) return undefined;
    for (const [s, pool] of lists[i].entries()) (s === all ? standing : named).add(pool);
  }
  const [first] = standing;
  if (first === undefined) return null;
  return standing.size === 1 && !named.has(first) ? first : undefined;
}

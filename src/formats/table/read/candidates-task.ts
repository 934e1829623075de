/** Candidate sets: lists of a list column, lists written as text, or the ids of sets given in the mapping. */

import { isValid, type ListColumn, type RowBatch } from '../../../files/duckdb.js';
import type { ArmDictionary, PoolTable } from '../../../log/event-log.js';
import { badCandidates, outsideCandidates } from '../../../log/from-columns/column-candidates.js';
import { PoolPacker, type PoolResult } from '../../../log/pools.js';
import type { SourceFile } from '../../format.js';
import type { CodeReader, Dictionary } from './dictionary.js';
import type { BadKind, Marks } from './marks.js';
import { type PlannedCandidates, parseList } from './plan.js';
import type { CodeTask, ColumnTask } from './tasks.js';
import { elementOf, findColumn } from './values.js';

/** Pairs of pool and arm that are remembered as members, less one: a power of two. */
const PAIRS = 4095;

/** Code of an element that is no candidate. */
const EMPTY = -2;

const NEEDED = 'a list of arms that holds the logged one';

/** The arm ids that a planned candidate column can name. */
export function candidateArms(planned: PlannedCandidates, dictionary: Dictionary, isList: boolean): Iterable<string> {
  if (planned.kind === 'id') return [...planned.sets.values()].flat();
  const ids = isList ? dictionary.levels : dictionary.levels.flatMap((text) => parseList(text, planned.separator));
  return new Set(ids.filter((id) => id !== ''));
}

/** Reads candidates and checks that the logged arm is one of them. */
export class CandidatesTask implements ColumnTask {
  private readonly packer: PoolPacker;
  private readonly missing: BadKind;
  private readonly unknownSet: BadKind;
  private readonly unknownArm: BadKind;
  private readonly noCandidate: BadKind;
  private readonly badList: BadKind;
  private readonly outside: BadKind;
  private reader: CodeReader | null = null;
  private isList = false;
  /** Pool of each level of the dictionary, where lists are text or ids. */
  private readonly results: (PoolResult | 'unknown set' | 'unknown arm' | 'no candidate' | undefined)[] = [];
  private pools = new Int32Array(0);
  /** Pool times arms plus arm of pairs known to be members, each at its remainder. */
  private readonly members = new Float64Array(PAIRS + 1).fill(-1);
  /** Pools that rows have which are not dropped. */
  private readonly seen = new Set<number>();

  constructor(
    capacity: number,
    private readonly planned: PlannedCandidates,
    private readonly dictionary: Dictionary,
    private readonly arms: ArmDictionary,
    private readonly logged: CodeTask,
  ) {
    this.packer = new PoolPacker(capacity);
    const { column } = planned;
    this.missing = { kind: 'candidates are missing', column, needed: NEEDED };
    this.unknownSet = {
      kind: 'candidate set is unknown',
      column,
      needed: 'the id of a set in the mapping (candidates.sets)',
      known: planned.kind === 'id' ? [...planned.sets.keys()] : undefined,
    };
    this.unknownArm = {
      kind: 'a candidate is not in the given list of arms',
      column,
      needed: 'candidates from the list of arms',
      known: planned.kind === 'list' ? arms.ids : undefined,
    };
    this.noCandidate = { kind: 'a candidate is empty', column, needed: 'a list of arms, each of them named' };
    this.badList = { kind: 'candidates are no set', column, needed: 'each candidate once, and at least one' };
    this.outside = { kind: "arm is not among the event's candidates", column: null, needed: NEEDED };
  }

  bind(source: SourceFile): string[] {
    const column = findColumn(source, this.planned.column, 'candidates');
    const element = this.planned.kind === 'list' ? elementOf(column, 'e') : null;
    this.isList = element !== null;
    if (element !== null) {
      this.reader = this.dictionary.elementReader(source, column, element, (level) =>
        level === '' ? EMPTY : (this.arms.index.get(level) ?? -1),
      );
    } else {
      this.reader = this.dictionary.reader(source, column, (_, index) => index);
      for (const [i, level] of this.dictionary.levels.entries()) this.results[i] ??= this.poolOfLevel(level);
    }
    return [this.reader.sql];
  }

  private poolOfLevel(level: string): PoolResult | 'unknown set' | 'unknown arm' | 'no candidate' {
    const ids = this.planned.kind === 'id' ? this.planned.sets.get(level) : parseList(level, this.planned.separator);
    if (ids === undefined) return 'unknown set';
    if (ids.includes('')) return 'no candidate';
    const indices = ids.map((id) => this.arms.index.get(id) ?? -1);
    return indices.includes(-1) ? 'unknown arm' : this.packer.intern(indices, 0, indices.length);
  }

  check(batch: RowBatch, first: number, marks: Marks): void {
    if (this.pools.length < batch.rows) this.pools = new Int32Array(batch.rows);
    if (this.isList) this.checkLists(batch.lists(first), batch.rows, marks);
    else this.checkCodes(batch, first, marks);
    const { pools, packer, members } = this;
    const { codes } = this.logged;
    const count = this.arms.ids.length;
    for (let i = 0; i < batch.rows; i++) {
      const arm = codes[i];
      const pool = pools[i];
      if (pool < 0 || arm < 0) continue;
      const pair = pool * count + arm;
      if (members[pair & PAIRS] === pair) continue;
      if (packer.has(pool, arm)) members[pair & PAIRS] = pair;
      else marks.mark(i, this.outside, () => outsideCandidates(this.arms, arm, packer.members(pool)));
    }
  }

  private checkCodes(batch: RowBatch, first: number, marks: Marks): void {
    const { items, valid } = batch.items(first);
    const { pools, reader, results } = this;
    if (reader === null) return;
    const { table, offset } = reader;
    for (let i = 0; i < batch.rows; i++) {
      pools[i] = -1;
      if (valid !== null && !isValid(valid, i)) {
        marks.mark(i, this.missing);
        continue;
      }
      const result = results[table[items[i] - offset]];
      // Lists that only dropped rows have are not in the dictionary any more.
      if (result === 'unknown set' || result === undefined) marks.mark(i, this.unknownSet);
      else if (result === 'no candidate') marks.mark(i, this.noCandidate);
      else if (result === 'unknown arm') marks.mark(i, this.unknownArm);
      else if ('pool' in result) pools[i] = result.pool;
      else this.take(i, result, marks);
    }
  }

  private checkLists({ child, valid, entries }: ListColumn, rows: number, marks: Marks): void {
    const { reader, pools } = this;
    if (reader === null) return;
    const { items } = child;
    const { table, offset } = reader;
    const arms: number[] = [];
    let previous = -1;
    let previousLength = -1;
    let previousPool = -1;
    for (let i = 0; i < rows; i++) {
      pools[i] = -1;
      if (!isValid(valid, i)) {
        marks.mark(i, this.missing);
        continue;
      }
      const start = Number(entries[2 * i]);
      const length = Number(entries[2 * i + 1]);
      // Events mostly repeat the list of the event before.
      let same = child.valid === null && length === previousLength && previousPool >= 0;
      for (let j = 0; same && j < length; j++) same = items[start + j] === items[previous + j];
      if (same) {
        pools[i] = previousPool;
        continue;
      }
      arms.length = length;
      let known = true;
      let named = true;
      for (let j = 0; j < length; j++) {
        const a = isValid(child.valid, start + j) ? table[items[start + j] - offset] : EMPTY;
        if (a === EMPTY) named = false;
        arms[j] = a;
        if (a < 0) known = false;
      }
      if (!named) marks.mark(i, this.noCandidate);
      else if (known) this.take(i, this.packer.intern(arms, 0, length), marks);
      else marks.mark(i, this.unknownArm);
      [previous, previousLength, previousPool] = [start, length, pools[i]];
    }
  }

  private take(i: number, result: PoolResult, marks: Marks): void {
    if ('pool' in result) this.pools[i] = result.pool;
    else marks.mark(i, this.badList, () => badCandidates(this.arms, result));
  }

  see(rows: Uint32Array, count: number): void {
    for (let k = 0; k < count; k++) this.seen.add(this.pools[rows[k]]);
  }

  /** The dictionary without the lists, or elements of lists, that only rows have which are dropped. */
  left(): Dictionary {
    const { seen, packer, results, arms } = this;
    const shown = new Set([...seen].flatMap((pool) => packer.members(pool)));
    return this.dictionary.keep((level, index) => {
      const result = results[index];
      const isSeen = typeof result === 'object' && 'pool' in result && seen.has(result.pool);
      return isSeen || shown.has(arms.index.get(level) ?? -1);
    });
  }

  append(rows: Uint32Array, count: number): void {
    for (let k = 0; k < count; k++) this.packer.push(this.pools[rows[k]]);
  }

  /** Pools since the last call; valid until the next `append`. */
  takePools(): Uint32Array {
    return this.packer.take();
  }

  finish(): PoolTable {
    return this.packer.finish(this.arms.ids.length);
  }
}

/** Second pass over the files: streams the columns of a log, batch by batch, through the tasks. */

import { EngineError, type Fault, InputError } from '../../errors.js';
import type { BadRows } from '../event-log.js';
import { type Batch, type Database, DatabaseFailure, duckdbMessage, sqlName } from '../formats/duckdb.js';
import type { Reject, SourceFile } from '../formats/source.js';
import { u32Column } from '../memory.js';
import { ROW_NAME } from './filter-nodes.js';
import { BadRowCounter, type FirstBad, Marks } from './marks.js';
import type { ColumnTask } from './tasks.js';
import { findColumn } from './values.js';
import { type Filter, filterError, naturalColumns } from './where.js';

/** Name of the row number in a query; no source column is called so. */
const ROW = '__hindcast_row';
const IS_RECORD = '__hindcast_is_record';

/** Most rows of a batch. */
export const MOST_BATCH_ROWS = 2048;

/** What a second pass needs. */
export interface SecondPassInput {
  readonly database: Database;
  readonly sources: readonly SourceFile[];
  /** Rows of each file, without rejects. */
  readonly rows: readonly number[];
  readonly types: ReadonlyMap<string, string>;
  readonly filter: Filter | null;
  readonly skipBadRows: boolean;
  readonly tasks: readonly ColumnTask[];
  /** Has what the tasks collect handed on whenever it is at least so many events, and at the end. */
  readonly stretches?: { readonly events: number; take(events: number, sourceRow: Uint32Array): Promise<void> };
  readonly onProgress?: (fraction: number, rows: number) => void;
  readonly signal?: AbortSignal;
}

/** What came out, beside the columns in the tasks. */
export interface SecondPassResult {
  readonly events: number;
  readonly totalRows: number;
  /** Row of each event over all files, or of none where they were handed on in stretches; `null`: event t is row t. */
  readonly sourceRow: Uint32Array | null;
  readonly badRows: readonly BadRows[];
}

/** Streams all files. @throws InputError for the first bad row, unless bad rows are skipped. */
export async function secondPass(input: SecondPassInput): Promise<SecondPassResult> {
  const { sources, rows, skipBadRows } = input;
  const capacity = rows.reduce((a, b) => a + b, 0);
  const run: Run = {
    input,
    capacity,
    rows: input.stretches === undefined ? new RowNumbers(capacity) : new RowStretches(input.stretches.events),
    seen: 0,
    counter: new BadRowCounter(),
  };
  let base = 0;
  for (const [f, source] of sources.entries()) {
    const rejects = await source.rejects();
    const fatal = rejects.find((reject) => reject.fatal === true);
    if (fatal !== undefined) throw new InputError(rejectFault(source, fatal));
    for (const reject of rejects) {
      if (run.counter.add(reject.kind, 1)) run.counter.describe(reject.kind, rejectFault(source, reject));
    }
    await passFile(run, source, rejects, base, rows[f]);
    base += rows[f] + rejects.length;
  }
  if (run.rows instanceof RowStretches && run.rows.pending > 0) await handOn(input, run.rows);
  input.onProgress?.(1, run.seen);
  const badRows = run.counter.finish();
  if (!skipBadRows && badRows.length > 0)
    throw new InputError({ problem: 'bad rows were found', got: badRows[0].first });
  return { events: run.rows.count, totalRows: base, sourceRow: run.rows.finish(), badRows };
}

function handOn({ stretches }: SecondPassInput, rows: RowStretches): Promise<void> {
  const sourceRow = rows.take();
  return stretches?.take(sourceRow.length, sourceRow) ?? Promise.resolve();
}

/** Collects row numbers; touches no memory while event t is row t. */
class RowNumbers {
  count = 0;
  private column: Uint32Array | null = null;

  constructor(private readonly capacity: number) {}

  push(row: number): void {
    if (this.column === null && row !== this.count) {
      this.column = u32Column(this.capacity);
      for (let t = 0; t < this.count; t++) this.column[t] = t;
    }
    if (this.column !== null) this.column[this.count] = row;
    this.count++;
  }

  /** Rows `first .. first + count`. */
  pushRun(first: number, count: number): void {
    if (this.column === null && first === this.count) this.count += count;
    else for (let i = 0; i < count; i++) this.push(first + i);
  }

  finish(): Uint32Array | null {
    return this.column?.subarray(0, this.count) ?? null;
  }
}

/** Collects the row numbers of a stretch. */
class RowStretches {
  count = 0;
  /** Events since the last `take`. */
  pending = 0;
  private isIdentity = true;
  private readonly column: Uint32Array;

  constructor(events: number) {
    this.column = u32Column(events + MOST_BATCH_ROWS);
  }

  push(row: number): void {
    if (row !== this.count) this.isIdentity = false;
    this.column[this.pending++] = row;
    this.count++;
  }

  pushRun(first: number, count: number): void {
    for (let i = 0; i < count; i++) this.push(first + i);
  }

  /** Valid until the next `push`. */
  take(): Uint32Array {
    const taken = this.column.subarray(0, this.pending);
    this.pending = 0;
    return taken;
  }

  finish(): Uint32Array | null {
    return this.isIdentity ? null : u32Column(0);
  }
}

interface Run {
  readonly input: SecondPassInput;
  readonly capacity: number;
  readonly rows: RowNumbers | RowStretches;
  readonly counter: BadRowCounter;
  seen: number;
}

const NOT_A_RECORD = { kind: 'not a JSON object', column: null, needed: 'a JSON object per line' };

async function passFile(
  run: Run,
  source: SourceFile,
  rejects: readonly Reject[],
  base: number,
  expected: number,
): Promise<void> {
  const { database, filter, tasks, skipBadRows, signal, stretches, onProgress } = run.input;
  const bound = tasks.map((task) => ({ task, sql: task.bind(source) }));
  const select = bound.flatMap(({ sql }) => sql);
  const firsts: number[] = [];
  let next = 0;
  for (const { sql } of bound) {
    firsts.push(next);
    next += sql.length;
  }
  const recordAt = source.isRecord === null ? -1 : select.push(`CAST(${source.isRecord} AS UTINYINT)`) - 1;
  const rowAt = filter === null ? -1 : select.push(`CAST(${ROW} AS DOUBLE)`) - 1;
  const marks = new Marks();
  const firstBad: FirstBad[] = [];
  let stoppedAt: FirstBad | null = null;
  let position = 0;
  const keptRows = rowKeeper();
  const toFileRow = rowMapper(rejects);

  const visit = (batch: Batch): boolean | Promise<boolean> => {
    const n = batch.rows;
    marks.reset(n);
    if (recordAt >= 0) {
      const { items } = batch.items(recordAt);
      for (let i = 0; i < n; i++) if (items[i] === 0) marks.mark(i, NOT_A_RECORD);
    }
    for (let k = 0; k < tasks.length; k++) tasks[k].check(batch, firsts[k], marks);
    const rowItems = rowAt < 0 ? null : batch.items(rowAt).items;
    const relationRow = (i: number) => (rowItems === null ? position + i : rowItems[i]);
    if (marks.count > 0) {
      const bad = skipBadRows ? marks.fatal() : marks.topmost();
      if (bad !== null) {
        stoppedAt = { ...bad, row: relationRow(bad.row) };
        return false;
      }
      for (const bad of marks.byKind(n)) {
        if (run.counter.add(bad.kind.kind, bad.count)) firstBad.push({ ...bad, row: relationRow(bad.row) });
      }
    }
    const { keep, kept } = keptRows(n, marks);
    for (let k = 0; k < tasks.length; k++) tasks[k].append(keep, kept);
    if (kept === n && rowItems === null && rejects.length === 0) run.rows.pushRun(base + position, n);
    else for (let k = 0; k < kept; k++) run.rows.push(base + toFileRow(relationRow(keep[k])));
    position += n;
    run.seen += n;
    onProgress?.(Math.min(1, run.seen / Math.max(1, run.capacity)), run.seen);
    const more = () => signal?.aborted !== true;
    const isFull = run.rows instanceof RowStretches && run.rows.pending >= (stretches?.events ?? 0);
    return isFull ? handOn(run.input, run.rows as RowStretches).then(more) : more();
  };

  try {
    await database.stream(query(source, select, run.input), visit);
  } catch (error) {
    if (!(error instanceof DatabaseFailure)) throw error;
    if (filter !== null && /Conversion Error|Out of Range/.test(error.message))
      throw filterError(filter.sql, duckdbMessage(error), source.file);
    throw await source.failure(error);
  }
  signal?.throwIfAborted();
  if (stoppedAt === null && filter === null && position !== expected) {
    throw new EngineError(
      `${source.file}: ${expected} rows in the first pass, ${position} in the second; did the file change meanwhile?`,
    );
  }
  if (stoppedAt !== null) throw new InputError(await describe(database, source, stoppedAt, toFileRow));
  for (const bad of firstBad) run.counter.describe(bad.kind.kind, await describe(database, source, bad, toFileRow));
}

/** Lists the rows of a batch that are not marked. */
function rowKeeper(): (rows: number, marks: Marks) => { keep: Uint32Array; kept: number } {
  let all = new Uint32Array(0);
  let some = new Uint32Array(0);
  return (rows, marks) => {
    if (all.length < rows) {
      all = Uint32Array.from({ length: rows }, (_, i) => i);
      some = new Uint32Array(rows);
    }
    if (marks.count === 0) return { keep: all, kept: rows };
    let kept = 0;
    for (let i = 0; i < rows; i++) if (!marks.isBad(i)) some[kept++] = i;
    return { keep: some, kept };
  };
}

/** Rows in order; with a filter, the columns that it names under their own names and types. */
function query(source: SourceFile, select: readonly string[], { filter, types }: SecondPassInput): string {
  if (filter === null) return `SELECT ${select.join(', ')} FROM ${source.relation}`;
  const record = source.isRecord === null ? '' : `, ${source.isRecord} AS ${IS_RECORD}`;
  const values = select
    .map((sql, i) => (sql === `CAST(${ROW} AS DOUBLE)` ? '' : `, ${sql} AS __hindcast_${i}`))
    .join('');
  const inner = `SELECT ${source.rowNumber} AS ${ROW}${record}${values}, ${naturalColumns(source, types, filter).join(', ') || 'NULL'} FROM ${source.relation}`;
  const outer = select.map((sql, i) => (sql === `CAST(${ROW} AS DOUBLE)` ? sql : `__hindcast_${i}`)).join(', ');
  // A row that is no record has no values to filter by: it is kept here, and reported as bad.
  const or = source.isRecord === null ? '' : ` OR NOT ${IS_RECORD}`;
  return `SELECT ${outer} FROM (${inner}) AS ${ROW_NAME} WHERE (${filter.sql}\n)${or}`;
}

/** Number of a row in its file, from its number among the rows that are records. */
function rowMapper(rejects: readonly Reject[]): (row: number) => number {
  if (rejects.length === 0) return (row) => row;
  // The j-th reject lies after all records whose number is at most its row minus j.
  const limits = rejects.map(({ row }, j) => row - j);
  return (row) => {
    let low = 0;
    let high = limits.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (limits[middle] <= row) low = middle + 1;
      else high = middle;
    }
    return row + low;
  };
}

function rejectFault(source: SourceFile, { row, line, kind, got, needed, hint }: Reject): Fault {
  return { file: source.file, row, line: line ?? undefined, problem: kind, got, needed, hint };
}

/** A bad row in full: reads it again for the value as it was written. */
async function describe(
  database: Database,
  source: SourceFile,
  bad: FirstBad,
  toFileRow: (row: number) => number,
): Promise<Fault> {
  const { kind } = bad;
  const row = toFileRow(bad.row);
  const fault: Fault = {
    file: source.file,
    row,
    line: (await source.line(row)) ?? undefined,
    column: kind.column ?? undefined,
    problem: kind.kind,
    needed: kind.needed,
    hint: kind.hint ?? 'correct it, or drop such rows with --skip-bad-rows, which counts them',
    ...bad.fault,
  };
  if (fault.got === undefined) fault.got = await readValue(database, source, bad);
  return fault;
}

async function readValue(database: Database, source: SourceFile, { row, kind }: FirstBad): Promise<string> {
  const column = kind.column === null ? null : findColumn(source, kind.column, 'mapping');
  const sql = column === null ? 'line' : column.sql;
  const [found] = await database.rows(
    `SELECT v FROM (SELECT CAST(${sql} AS VARCHAR) AS v, ${source.rowNumber} AS ${sqlName(ROW)} FROM ${source.relation}) WHERE ${sqlName(ROW)} = ${row}`,
  );
  const value = found?.[0];
  if (value === null || value === undefined) return column?.type === 'TEXT' ? 'nothing' : 'NULL';
  return column === null || column.type === 'TEXT' || column.type === 'VARCHAR'
    ? JSON.stringify(String(value).slice(0, 120))
    : String(value);
}

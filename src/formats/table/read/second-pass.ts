/** Second pass over the files: streams the columns of a log, batch by batch, through the tasks. */

import { EngineError, InputError } from '../../../errors.js';
import { type Database, DatabaseFailure, duckdbMessage, type RowBatch } from '../../../files/duckdb.js';
import { RowNumbers } from '../../../log/build/row-numbers.js';
import type { BadRows } from '../../../log/event-log.js';
import { plural } from '../../../words.js';
import type { Reject, SourceFile } from '../../format.js';
import { describe, describeLast, ROW, rejectFault, rowMapper } from './bad-row.js';
import { DroppedRows } from './dropped-rows.js';
import { ROW_NAME } from './filter-nodes.js';
import { type BadKind, BadRowCounter, type FirstBad, Marks } from './marks.js';
import type { FoundGaps } from './missing-parts.js';
import { checkRecords } from './record-check.js';
import type { ColumnTask } from './tasks.js';
import { type Filter, filterError, naturalColumns } from './where.js';

/** Whether the filter lets a row through. */
const CHOSEN = '__hindcast_chosen';

/** What a second pass needs. */
export interface SecondPassInput {
  readonly database: Database;
  readonly sources: readonly SourceFile[];
  /** Rows of each file, without rejects. */
  readonly rows: readonly number[];
  readonly types: ReadonlyMap<string, string>;
  readonly filter: Filter | null;
  readonly skipBadRows: boolean;
  /** Rows whose id was there before are dropped, though others may be faults. */
  readonly dropRepeated?: boolean;
  /** The rows that an earlier pass over the same files dropped, where one has found them and what they left behind. */
  readonly dropped: DroppedRows | null;
  readonly tasks: readonly ColumnTask[];
  /** Has what the tasks collect handed on whenever it is at least so many events, and at the end. */
  readonly batches?: { readonly events: number; take(events: number, sourceRow: Uint32Array): Promise<void> };
  readonly onProgress?: (fraction: number, rows: number) => void;
  readonly signal?: AbortSignal;
}

/** What came out, beside the columns in the tasks. */
export interface SecondPassResult {
  readonly events: number;
  readonly totalRows: number;
  /** Row over all files of each event that was not handed on; `null`: event t is row t. */
  readonly sourceRow: Uint32Array | null;
  readonly badRows: readonly BadRows[];
  /** Missing values, by who found them. */
  readonly missing: readonly FoundGaps[];
  /** Rows that were dropped, of those that the filter lets through or not. */
  readonly dropped: DroppedRows;
}

/** Streams all files. @throws InputError for the first bad row, unless bad rows are skipped. */
export async function secondPass(input: SecondPassInput): Promise<SecondPassResult> {
  const { sources, rows, skipBadRows } = input;
  const capacity = rows.reduce((a, b) => a + b, 0);
  const run: Run = {
    input,
    capacity,
    rows: new RowNumbers(roomFor(capacity, input.batches?.events)),
    seen: 0,
    counter: new BadRowCounter(),
    missing: new Map(),
    dropped: input.dropped ?? new DroppedRows(rows),
  };
  let base = 0;
  let rejected = 0;
  for (const [f, source] of sources.entries()) {
    const rejects = await source.rejects();
    checkRecords(source, rows[f] + rejects.length);
    for (const reject of rejects) {
      if (run.counter.add(reject.kind, 1, reject.lost)) run.counter.describe(reject.kind, rejectFault(source, reject));
    }
    await passFile(run, source, f, rejects, base);
    base += rows[f] + rejects.length;
    rejected += rejects.length;
  }
  if (run.rows.pending > 0) await input.batches?.take(run.rows.pending, run.rows.take());
  input.onProgress?.(1, run.seen);
  const badRows = run.counter.finish();
  if (!skipBadRows && rejected > 0) throw new InputError({ problem: 'bad rows were found', got: badRows[0].first });
  return {
    events: run.rows.count,
    totalRows: base,
    sourceRow: run.rows.finish(),
    badRows,
    missing: [...run.missing.values()],
    dropped: run.dropped,
  };
}

/** Most rows of a batch. */
export const MOST_BATCH_ROWS = 2048;

/** Events for which there must be room: all of them, or those of a batch, which ends with a batch. */
export function roomFor(events: number, batch = Number.POSITIVE_INFINITY): number {
  return Math.min(events, batch + MOST_BATCH_ROWS);
}

interface Run {
  readonly input: SecondPassInput;
  readonly capacity: number;
  readonly rows: RowNumbers;
  readonly counter: BadRowCounter;
  readonly missing: Map<BadKind, FoundGaps>;
  readonly dropped: DroppedRows;
  seen: number;
}

async function passFile(
  run: Run,
  source: SourceFile,
  number: number,
  rejects: readonly Reject[],
  base: number,
): Promise<void> {
  const { database, filter, tasks, skipBadRows, signal, batches, onProgress } = run.input;
  const known = run.input.dropped !== null;
  // What the rows that are left have must be known of all rows: the filter only chooses among them.
  const drops = skipBadRows || run.input.dropRepeated === true;
  const choosesHere = filter !== null && drops && !known;
  const bound = tasks.map((task) => ({ task, sql: task.bind(source) }));
  const select = bound.flatMap(({ sql }) => sql);
  const firsts: number[] = [];
  let next = 0;
  for (const { sql } of bound) {
    firsts.push(next);
    next += sql.length;
  }
  const rowAt = filter === null ? -1 : select.push(`CAST(${ROW} AS DOUBLE)`) - 1;
  const chosenAt = choosesHere ? select.push(CHOSEN) - 1 : -1;
  const marks = new Marks();
  const firstBad: FirstBad[] = [];
  let stoppedAt: FirstBad | null = null;
  let position = 0;
  const keptRows = rowKeeper();
  const toFileRow = rowMapper(rejects);

  const visit = (batch: RowBatch): boolean | Promise<boolean> => {
    const n = batch.rows;
    const chosen = chosenAt < 0 ? null : batch.items(chosenAt).items;
    marks.reset(n, chosen);
    const rowItems = rowAt < 0 ? null : batch.items(rowAt).items;
    const relationRow = (i: number) => (rowItems === null ? position + i : rowItems[i]);
    marks.rowOf = (i) => base + toFileRow(relationRow(i));
    for (let k = 0; k < tasks.length; k++) tasks[k].check(batch, firsts[k], marks);
    for (const [kind, { column, rows, first }] of marks.gaps) {
      const found = run.missing.get(kind);
      if (found !== undefined) found.rows += rows;
      else run.missing.set(kind, { column, rows, first: `${source.file}, row ${toFileRow(relationRow(first))}` });
    }
    const bad = skipBadRows || known ? marks.fatal(n, chosen) : marks.topmost(n, chosen);
    if (bad !== null) {
      stoppedAt = { ...bad, row: relationRow(bad.row) };
      return false;
    }
    if (known) run.dropped.checkMarks(number, marks, n, relationRow, source.file);
    else if (drops) {
      for (const bad of marks.byKind(n, chosen)) {
        if (run.counter.add(bad.kind.kind, bad.count)) firstBad.push({ ...bad, row: relationRow(bad.row) });
      }
      run.dropped.add(number, marks, n, relationRow);
      const good = keptRows(n, marks);
      for (const task of tasks) task.see?.(good.keep, good.kept);
      if (chosen !== null) marks.exclude(n, chosen);
    }
    const { keep, kept } = keptRows(n, marks);
    for (let k = 0; k < tasks.length; k++) tasks[k].append(keep, kept);
    if (kept === n && rowItems === null && rejects.length === 0) run.rows.pushRun(base + position, n);
    else for (let k = 0; k < kept; k++) run.rows.push(base + toFileRow(relationRow(keep[k])));
    position += n;
    run.seen += n;
    onProgress?.(Math.min(1, run.seen / Math.max(1, run.capacity)), run.seen);
    const more = () => signal?.aborted !== true;
    const { rows } = run;
    if (batches === undefined || rows.pending < batches.events) return more();
    return batches.take(rows.pending, rows.take()).then(more);
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
  if (stoppedAt === null && filter === null && position !== run.input.rows[number]) {
    throw new EngineError(
      `${source.file}: ${plural(run.input.rows[number], 'row')} in the first pass, ${position} in the second; did the file change meanwhile?`,
    );
  }
  if (stoppedAt !== null) throw new InputError(await describeLast(database, source, stoppedAt, toFileRow));
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

/**
 * Rows in order; with a filter, the columns that it names under their own names and types: all rows where `select` asks for
 * what the filter says of each.
 */
function query(source: SourceFile, select: readonly string[], { filter, types }: SecondPassInput): string {
  if (filter === null) return `SELECT ${select.join(', ')} FROM ${source.relation}`;
  const isOwn = (sql: string) => sql === `CAST(${ROW} AS DOUBLE)` || sql === CHOSEN;
  const values = select.map((sql, i) => (isOwn(sql) ? '' : `, ${sql} AS __hindcast_${i}`)).join('');
  const inner = `SELECT ${source.rowNumber} AS ${ROW}${values}, ${naturalColumns(source, types, filter).join(', ') || 'NULL'} FROM ${source.relation}`;
  const condition = `(${filter.sql}\n)`;
  const outer = select.map((sql, i) =>
    sql === CHOSEN ? `CAST(coalesce(${condition}, false) AS UTINYINT)` : isOwn(sql) ? sql : `__hindcast_${i}`,
  );
  const where = select.includes(CHOSEN) ? '' : ` WHERE ${condition}`;
  return `SELECT ${outer.join(', ')} FROM (${inner}) AS ${ROW_NAME}${where}`;
}

/** Files whose columns nobody has named yet: what is in them, and a mapping that they may be meant for. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '../../../errors.js';
import { type Database, openDatabase } from '../../formats/duckdb.js';
import { readHead } from '../../formats/files.js';
import { formatOf } from '../../formats/index.js';
import type { SourceColumn, SourceFile } from '../../formats/source.js';
import type { ColumnKind, ColumnProfile } from './column.js';
import { type Proposal, propose } from './propose.js';

/** Files before a mapping. */
export interface Profile extends Proposal {
  readonly files: string[];
  readonly format: string;
  readonly rows: number;
  readonly columns: ColumnProfile[];
  /** Further columns, which were not looked at. */
  readonly moreColumns: number;
}

/** Columns that are described. */
const MOST_COLUMNS = 1000;
/** Columns of one query. */
const AT_ONCE = 50;
/** Up to here distinct values are counted, above estimated. */
const COUNTED = 10_000;

/**
 * Looks at every row of the files.
 *
 * @param format `csv`, `parquet`, `jsonl` or `arrow`; default: by ending and content.
 * @throws InputError for files that cannot be read, and for a column that not all of them have.
 */
export async function profileFiles(
  files: readonly string[],
  { format, skipBadRows = false, signal }: { format?: string; skipBadRows?: boolean; signal?: AbortSignal } = {},
): Promise<Profile> {
  const temporary = await mkdtemp(join(tmpdir(), 'hindcast-'));
  let database: Database | null = null;
  try {
    database = await openDatabase(temporary);
    const sources: SourceFile[] = [];
    for (const [number, file] of files.entries()) {
      const head = await readHead(file);
      const options = { database, number, head, skipBadRows, wanted: [], reads: () => true };
      sources.push(await formatOf(file, head, format).open(file, options));
    }
    const names = commonColumns(sources);
    const shown = names.slice(0, MOST_COLUMNS);
    const columns: ColumnProfile[] = [];
    let rows = 0;
    for (let first = 0; first < Math.max(1, shown.length); first += AT_ONCE) {
      signal?.throwIfAborted();
      const part = await profileColumns(database, sources, shown.slice(first, first + AT_ONCE));
      rows = part.rows;
      columns.push(...part.columns);
    }
    return {
      files: [...files],
      format: sources[0].format,
      rows,
      columns,
      moreColumns: names.length - shown.length,
      ...propose(columns, rows),
    };
  } finally {
    database?.close();
    await rm(temporary, { recursive: true, force: true });
  }
}

function commonColumns(sources: readonly SourceFile[]): string[] {
  const names = sources[0].columns.map(({ name }) => name);
  for (const { file, columns } of sources.slice(1)) {
    const own = new Set(columns.map(({ name }) => name));
    const absent = names.find((name) => !own.has(name));
    if (absent === undefined) continue;
    throw new InputError({
      file,
      column: absent,
      problem: 'the file lacks a column that the first file has',
      needed: `the columns of ${sources[0].file}`,
      hint: 'inspect the files one by one',
    });
  }
  return names;
}

/** What is asked of each column, in this order. */
const QUESTIONS = [
  'count(v)',
  "count(*) FILTER (WHERE v IS NULL OR v = '')",
  'count(*) FILTER (WHERE n IS NOT NULL)',
  'count(*) FILTER (WHERE n = floor(n))',
  'count(*) FILTER (WHERE n IS NULL AND TRY_CAST(v AS TIMESTAMP) IS NOT NULL)',
  "count(*) FILTER (WHERE n IS NULL AND starts_with(v, '['))",
  'approx_count_distinct(v)',
  'min(n)',
  'max(n)',
  "min(v) FILTER (WHERE v <> '')",
  'max(v)',
];

async function profileColumns(
  database: Database,
  sources: readonly SourceFile[],
  names: readonly string[],
): Promise<{ rows: number; columns: ColumnProfile[] }> {
  const texts = sources.map(({ relation, columns }) => {
    const byName = new Map(columns.map((column) => [column.name, column]));
    const values = names.map((name, i) => `${textOf(byName.get(name))} AS v${i}`);
    return `SELECT ${['1 AS one', ...values].join(', ')} FROM ${relation}`;
  });
  const numbers = names.map(
    (_, i) => `CASE WHEN isfinite(TRY_CAST(v${i} AS DOUBLE)) THEN TRY_CAST(v${i} AS DOUBLE) END AS n${i}`,
  );
  const relation = `(SELECT *${numbers.map((sql) => `, ${sql}`).join('')} FROM (${texts.join(' UNION ALL ')}))`;
  const asked = names.flatMap((_, i) => QUESTIONS.map((sql) => sql.replace(/\b([vn])\b/g, `$1${i}`)));
  const [answer] = await ask(database, sources, `SELECT ${['count(*)', ...asked].join(', ')} FROM ${relation}`);
  const rows = Number(answer[0]);
  const columns = names.map((name, i): ColumnProfile => {
    const at = 1 + i * QUESTIONS.length;
    const [, missing, finite, whole, times, lists, distinct] = answer.slice(at, at + 7).map(Number);
    const [low, high, first, last] = answer.slice(at + 7, at + QUESTIONS.length);
    const present = rows - missing;
    const kind = kindOf(present, { finite, whole, times, lists });
    const examples = [...new Set([first, last].filter((text) => text !== null).map(String))];
    const isNumber = kind === 'integer' || kind === 'number';
    return {
      name,
      kind,
      missing,
      distinct: Math.min(distinct, present),
      low: isNumber ? Number(low) : null,
      high: isNumber ? Number(high) : null,
      examples,
    };
  });
  const few = columns.flatMap(({ distinct }, i) => (distinct <= COUNTED ? [i] : []));
  if (few.length === 0) return { rows, columns };
  const counts = few.map((i) => `count(DISTINCT nullif(v${i}, ''))`);
  const [exact] = await ask(database, sources, `SELECT ${counts.join(', ')} FROM ${relation}`);
  for (const [k, i] of few.entries()) columns[i] = { ...columns[i], distinct: Number(exact[k]) };
  return { rows, columns };
}

async function ask(database: Database, sources: readonly SourceFile[], sql: string): Promise<unknown[][]> {
  try {
    return await database.rows(sql);
  } catch (error) {
    // Which of several files it was DuckDB does not say; each knows its own faults.
    throw await sources[0].failure(error);
  }
}

function textOf(column: SourceColumn | undefined): string {
  if (column === undefined) return 'NULL';
  return column.type === 'TEXT' ? column.sql : `CAST(${column.sql} AS VARCHAR)`;
}

function kindOf(present: number, counts: { finite: number; whole: number; times: number; lists: number }): ColumnKind {
  if (present === 0) return 'empty';
  if (counts.finite === present) return counts.whole === present ? 'integer' : 'number';
  if (counts.times === present) return 'time';
  return counts.lists === present ? 'list' : 'text';
}

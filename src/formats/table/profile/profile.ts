/** Files whose columns nobody has named yet: what is in them, and a mapping that they may be meant for. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '../../../errors.js';
import { type Database, openDatabase } from '../../../files/duckdb.js';
import { readHead } from '../../../files/files.js';
import type { ReadOptions } from '../../../log/read-options.js';
import type { SourceColumn, SourceFile } from '../../format.js';
import { checkTextOptions, formatOf } from '../../index.js';
import { NO_NUMBER, numberText } from '../read/values.js';
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
  reading: Pick<ReadOptions, 'format' | 'skipBadRows' | 'encoding' | 'decimalSeparator' | 'signal'> = {},
): Promise<Profile> {
  const { format, skipBadRows = false, encoding, decimalSeparator, signal } = reading;
  const temporary = await mkdtemp(join(tmpdir(), 'hindcast-'));
  let database: Database | null = null;
  try {
    database = await openDatabase(temporary);
    const sources: SourceFile[] = [];
    for (const [number, file] of files.entries()) {
      const head = await readHead(file, encoding);
      checkTextOptions([file], [head], null, reading);
      const decimalComma = decimalSeparator === ',';
      const options = {
        ...{ database, number, head, encoding, decimalComma, skipBadRows },
        reads: () => true,
      };
      sources.push(await formatOf(file, head, format).open(file, options));
    }
    const names = commonColumns(sources);
    const shown = names.slice(0, MOST_COLUMNS);
    signal?.throwIfAborted();
    const { rows, columns } = await profileColumns(database, sources, shown);
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
  const [{ columns }] = sources;
  // Of objects and structs the fields are listed.
  const parents = new Set(columns.filter(({ isNested }) => isNested === true).flatMap(({ name }) => parentsOf(name)));
  const names = columns.map(({ name }) => name).filter((name) => !parents.has(name));
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

/** Of what a field may be one, by its name. */
function parentsOf(name: string): string[] {
  const steps = name.split('.').slice(0, -1);
  return steps.map((_, i) => steps.slice(0, i + 1).join('.'));
}

/** What is asked of the values of a column. */
const QUESTIONS = [
  'count(*)',
  "count(*) FILTER (WHERE v IS NULL OR v = '')",
  'count(n)',
  'count(*) FILTER (WHERE n = floor(n))',
  'approx_count_distinct(v)',
  'min(n)',
  'max(n)',
  "min(v) FILTER (WHERE v <> '')",
  'max(v)',
];

/** What is asked of those that are no numbers. */
const OTHER_QUESTIONS = [
  // What is no time costs most, and most of that begins with a letter.
  "count(CASE WHEN ltrim(v) BETWEEN '0' AND ':' THEN TRY_CAST(v AS TIMESTAMP) END)",
  "count(*) FILTER (WHERE starts_with(v, '['))",
  `count(*) FILTER (WHERE lower(trim(v)) IN (${NO_NUMBER}))`,
];

async function profileColumns(
  database: Database,
  sources: readonly SourceFile[],
  names: readonly string[],
): Promise<{ rows: number; columns: ColumnProfile[] }> {
  const all = names.map((_, i) => i);
  // A column more, of ones, which tells the rows where there is no other.
  const answers = await askEach(database, sources, [...names, null], [...all, names.length], QUESTIONS);
  const rows = Number(answers.get(names.length)?.[0] ?? 0);
  const of = (i: number) => answers.get(i) ?? [0, 0, 0, 0, 0, null, null, null, null];
  const withOthers = all.filter((i) => Number(of(i)[1]) + Number(of(i)[2]) < rows);
  const others = await askEach(database, sources, names, withOthers, OTHER_QUESTIONS, "n IS NULL AND v <> ''");
  const columns = names.map((name, i): ColumnProfile => {
    const [, empty, finite, whole, distinct] = of(i).slice(0, 5).map(Number);
    const [low, high, first, last] = of(i).slice(5);
    const [times, lists, none] = (others.get(i) ?? [0, 0, 0]).map(Number);
    // In a column of numbers, NaN and the like are missing values.
    const missing = finite > 0 && finite + none === rows - empty ? empty + none : empty;
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
  const few = all.filter((i) => columns[i].distinct <= COUNTED);
  const counts = await askEach(database, sources, names, few, ['count(DISTINCT v)'], "v <> ''");
  for (const i of few) columns[i] = { ...columns[i], distinct: Number(counts.get(i)?.[0] ?? 0) };
  return { rows, columns };
}

/**
 * Asks the same of several columns, of one list of all their values: of a question to each column DuckDB takes time
 * quadratic in their number.
 *
 * @param names of all columns; `null`: one of ones.
 * @param asked places of those that are asked, in `names`.
 * @param where which values `v`, that are the finite number `n` or none (NULL), are asked about.
 * @returns answers by place; none of columns without such a value.
 */
async function askEach(
  database: Database,
  sources: readonly SourceFile[],
  names: readonly (string | null)[],
  asked: readonly number[],
  questions: readonly string[],
  where = 'true',
): Promise<Map<number, unknown[]>> {
  if (asked.length === 0) return new Map();
  const lists = sources.map(({ relation, columns }) => {
    const byName = new Map(columns.map((column) => [column.name, column]));
    const texts = asked.map((i) => textOf(names[i], byName));
    // Lists first: one that unnest itself puts together it puts together again for every few of its elements.
    const values = `SELECT [${texts.join(', ')}] AS vs FROM ${relation}`;
    return `SELECT unnest(vs) AS v, unnest([${asked.join(', ')}]) AS i FROM (${values})`;
  });
  const numbers = `SELECT i, v, TRY_CAST(${numberText(sources[0], 'v')} AS DOUBLE) AS x FROM (${lists.join(' UNION ALL ')})`;
  const values = `SELECT i, v, CASE WHEN isfinite(x) THEN x END AS n FROM (${numbers})`;
  const sql = `SELECT i, ${questions.join(', ')} FROM (${values}) WHERE ${where} GROUP BY i`;
  const rows = await ask(database, sources, sql);
  return new Map(rows.map(([i, ...answers]) => [Number(i), answers]));
}

async function ask(database: Database, sources: readonly SourceFile[], sql: string): Promise<unknown[][]> {
  try {
    return await database.rows(sql);
  } catch (error) {
    // Which of several files it was DuckDB does not say; each knows its own faults.
    throw await sources[0].failure(error);
  }
}

function textOf(name: string | null, columns: ReadonlyMap<string, SourceColumn>): string {
  if (name === null) return "'1'";
  const column = columns.get(name);
  if (column === undefined) return 'NULL';
  return column.type === 'TEXT' ? column.sql : `CAST(${column.sql} AS VARCHAR)`;
}

function kindOf(present: number, counts: { finite: number; whole: number; times: number; lists: number }): ColumnKind {
  if (present === 0) return 'empty';
  if (counts.finite === present) return counts.whole === present ? 'integer' : 'number';
  if (counts.times === present) return 'time';
  return counts.lists === present ? 'list' : 'text';
}

/**
 * First pass over the files: the values of every categorical column, before any filter, so that arms, levels and
 * weights mean the same for every subset of a log; and how many rows there are.
 */

import type { Database } from '../formats/duckdb.js';
import type { SourceColumn, SourceFile } from '../formats/source.js';
import { isIntegerText } from '../order.js';
import type { Plan } from './plan.js';
import { elementOf, findColumn, isInteger, textSql } from './values.js';
import { type Filter, narrowestType, textColumnsOf, typeTests } from './where.js';

/** Integers are looked up in a table of at most this many entries; others go through an SQL enum. */
const MAX_TABLE = 1 << 22;

/** How a column is read as codes: `table[items[i] - offset]` is the code of row i, where the row is not NULL. */
export interface CodeReader {
  readonly sql: string;
  readonly offset: number;
  readonly table: Int32Array;
}

/** The distinct values of one column over all files, in code-point order. */
export class Dictionary {
  /** @param all the values of the enum, of which `levels` are some. */
  constructor(
    readonly column: string,
    readonly levels: readonly string[],
    private readonly enumName: string,
    private readonly all: readonly string[] = levels,
  ) {}

  /** The dictionary with those of its levels that are left; itself where all are. */
  keep(isLeft: (level: string, index: number) => boolean): Dictionary {
    const levels = this.levels.filter(isLeft);
    return levels.length === this.levels.length ? this : new Dictionary(this.column, levels, this.enumName, this.all);
  }

  /** How to read a file's column as codes. @param code of a level; −1 for none. */
  reader(source: SourceFile, column: SourceColumn, code: (level: string, index: number) => number): CodeReader {
    return codeReader(this.all, this.codeOf(code), this.enumName, source, column, false);
  }

  /** The same for the elements of a list column. */
  elementReader(
    source: SourceFile,
    list: SourceColumn,
    element: SourceColumn,
    code: (level: string, index: number) => number,
  ): CodeReader {
    return codeReader(this.all, this.codeOf(code), this.enumName, source, element, true, list);
  }

  /** Codes of all values: none for those that are not left. */
  private codeOf(code: (level: string, index: number) => number): (level: string, index: number) => number {
    const { levels, all } = this;
    if (levels === all) return code;
    const place = new Map(levels.map((level, i) => [level, i]));
    return (level) => {
      const index = place.get(level);
      return index === undefined ? -1 : code(level, index);
    };
  }
}

function codeReader(
  levels: readonly string[],
  code: (level: string, index: number) => number,
  enumName: string,
  source: SourceFile,
  column: SourceColumn,
  isElement: boolean,
  list: SourceColumn = column,
): CodeReader {
  if (levels.length === 0) {
    // Lists without an element are still lists: empty ones, or lists of NULLs.
    const none = isElement
      ? `list_transform(CAST(${list.sql} AS ${column.type}[]), lambda e: CAST(NULL AS INTEGER))`
      : 'CAST(NULL AS INTEGER)';
    return { sql: none, offset: 0, table: new Int32Array(1).fill(-1) };
  }
  if (isInteger(column)) {
    // Other files may have other text, such as 1.0 or 01: no integer reads as that.
    const values = levels.map((level) => (isIntegerText(level) ? Number(level) : Number.NaN));
    const integers = values.filter((value) => !Number.isNaN(value));
    const low = integers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const high = integers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    if (low >= -0x80000000 && high <= 0x7fffffff && high - low < MAX_TABLE && low <= high) {
      const table = new Int32Array(high - low + 1).fill(-1);
      for (const [i, value] of values.entries()) if (!Number.isNaN(value)) table[value - low] = code(levels[i], i);
      return { sql: `CAST(${list.sql} AS INTEGER${isElement ? '[]' : ''})`, offset: low, table };
    }
  }
  const text = textSql(source, column);
  const sql = isElement
    ? `list_transform(CAST(${list.sql} AS ${column.type}[]), lambda ${column.sql}: CAST(${text} AS ${enumName}))`
    : `CAST(${text} AS ${enumName})`;
  return { sql, offset: 0, table: Int32Array.from(levels, code) };
}

/** What the first pass found. */
export interface FirstPass {
  /** Rows of each file, without those that are no records. */
  readonly rows: readonly number[];
  readonly dictionaries: ReadonlyMap<string, Dictionary>;
  /** Natural type of the text columns that the filter mentions. */
  readonly types: ReadonlyMap<string, string>;
}

/** Columns to be read as codes, with the key of the mapping that says so. */
export function categoricalColumns(plan: Plan): Map<string, string> {
  const columns = new Map([[plan.arm, 'arm']]);
  const add = (column: string | null | undefined, key: string) => {
    if (column !== null && column !== undefined && !columns.has(column)) columns.set(column, key);
  };
  for (const { column, encode } of plan.context) if (encode === 'onehot') add(column, 'context');
  add(plan.candidates?.column, 'candidates');
  add(plan.user, 'user');
  for (const key of plan.keys) add(key, 'keys');
  return columns;
}

/** Scans every file once. Failures of a scan are translated by the file's format. */
export async function firstPass(
  database: Database,
  sources: readonly SourceFile[],
  plan: Plan,
  filter: Filter | null,
): Promise<FirstPass> {
  const categorical = categoricalColumns(plan);
  const columns = [...categorical.keys()];
  const rows: number[] = [];
  const tests = new Map<string, unknown[][]>();
  for (const [i, source] of sources.entries()) {
    const inUse = [
      ...usedColumns(plan).map(([name, key]) => findColumn(source, name, key)),
      ...source.columns.filter(({ name }) => plan.more.includes(name)),
    ];
    const typed = filter === null ? [] : textColumnsOf(filter, source);
    const select = [
      'count(*) AS n',
      ...columns.map(
        (name, k) => `${distinct(source, findColumn(source, name, categorical.get(name) ?? name))} AS d${k}`,
      ),
      ...typed.flatMap((column, k) => typeTests(column).map((sql, j) => `${sql} AS t${k}_${j}`)),
      // A text file is checked as far as it is read: read all that the second pass reads.
      ...inUse.filter(({ type }) => type === 'TEXT').map(({ sql }) => `count(${sql})`),
    ];
    try {
      await database.run(
        `CREATE TEMP TABLE pass_${i} AS SELECT ${select.join(', ')} FROM ${source.checkedRelation ?? source.relation}`,
      );
    } catch (error) {
      throw await source.failure(error);
    }
    const width = typed.length === 0 ? 0 : typeTests(typed[0]).length;
    const names = typed.flatMap((_, k) => Array.from({ length: width }, (_, j) => `t${k}_${j}`));
    const [[n, ...results]] = await database.rows(`SELECT ${['n', ...names].join(', ')} FROM pass_${i}`);
    rows.push(Number(n));
    for (const [k, { name }] of typed.entries()) {
      tests.set(name, [...(tests.get(name) ?? []), results.slice(k * width, (k + 1) * width)]);
    }
  }
  const dictionaries = new Map<string, Dictionary>();
  for (const [k, name] of columns.entries())
    dictionaries.set(name, await makeDictionary(database, name, k, sources.length));
  const types = new Map([...tests].map(([name, results]) => [name, narrowestType(results)]));
  return { rows, dictionaries, types };
}

/** Every column that a plan reads, with the key of the mapping that says so. */
export function usedColumns(plan: Plan): [string, string][] {
  const used: [string, string][] = [...categoricalColumns(plan)];
  used.push([plan.payoff, 'payoff']);
  if (plan.propensity !== null) used.push([plan.propensity, 'propensity']);
  if (plan.time !== null) used.push([plan.time.column, 'time']);
  for (const { column, encode } of plan.context) if (encode === 'numeric') used.push([column, 'context']);
  return used;
}

/** Aggregate of a column's distinct values as text: of its elements where it is a list. */
function distinct(source: SourceFile, column: SourceColumn): string {
  const element = elementOf(column, 'e');
  // Few values are distinct: turn those into text, not every row's.
  if (element === null)
    return `list_distinct(list_transform(list(DISTINCT ${column.sql}), lambda e: ${textSql(source, { ...column, sql: 'e' })}))`;
  const text = textSql(source, element);
  return `list_distinct(list_transform(flatten(list(DISTINCT CAST(${column.sql} AS ${element.type}[]))), lambda e: ${text}))`;
}

async function makeDictionary(database: Database, column: string, k: number, files: number): Promise<Dictionary> {
  const values = Array.from({ length: files }, (_, i) => `SELECT unnest(d${k}) AS v FROM pass_${i}`).join(
    ' UNION ALL ',
  );
  await database.run(
    `CREATE TEMP TABLE values_${k} AS SELECT DISTINCT v FROM (${values}) WHERE v IS NOT NULL ORDER BY v`,
  );
  const levels = (await database.rows(`SELECT v FROM values_${k} ORDER BY v`)).map(([v]) => String(v));
  if (levels.length > 0) await database.run(`CREATE TYPE enum_${k} AS ENUM (SELECT v FROM values_${k} ORDER BY v)`);
  return new Dictionary(column, levels, `enum_${k}`);
}

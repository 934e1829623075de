/**
 * First pass over the files: the values of every categorical column, before any filter, so that arms, levels and
 * weights mean the same for every subset of a log; and how many rows there are.
 */

import { InputError } from '../../../errors.js';
import type { Database } from '../../../files/duckdb.js';
import { MISSING_LEVEL } from '../../../log/build/missing.js';
import { compareCodePoints, isIntegerText } from '../../../names/order.js';
import { plural } from '../../../words.js';
import type { SourceColumn, SourceFile } from '../../format.js';
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
  /** The level of missing values; `null`: there are none, or they are faults. */
  readonly missing: string | null;

  /**
   * @param all the values of the enum, of which `levels` are some.
   * @param takesMissing missing values and empty texts have a level, where there are any; it is one of `levels` then.
   */
  constructor(
    readonly column: string,
    readonly levels: readonly string[],
    private readonly enumName: string,
    private readonly all: readonly string[] = levels,
    private readonly takesMissing = false,
  ) {
    this.missing = takesMissing && levels.includes(MISSING_LEVEL) ? MISSING_LEVEL : null;
  }

  /** The dictionary with those of its levels that are left; itself where all are. */
  keep(isLeft: (level: string, index: number) => boolean): Dictionary {
    const levels = this.levels.filter(isLeft);
    return levels.length === this.levels.length
      ? this
      : new Dictionary(this.column, levels, this.enumName, this.all, this.takesMissing);
  }

  /** How to read a file's column as codes. @param code of a level; −1 for none. */
  reader(source: SourceFile, column: SourceColumn, code: (level: string, index: number) => number): CodeReader {
    return codeReader(this.all, this.codeOf(code), this.enumName, source, column, this.takesMissing);
  }

  /** The same for the elements of a list column. */
  elementReader(
    source: SourceFile,
    list: SourceColumn,
    element: SourceColumn,
    code: (level: string, index: number) => number,
  ): CodeReader {
    return codeReader(this.all, this.codeOf(code), this.enumName, source, element, false, list);
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
  blankIsNull: boolean,
  list: SourceColumn | null = null,
): CodeReader {
  const isElement = list !== null;
  const whole = list ?? column;
  if (levels.length === 0) {
    // Lists without an element are still lists: empty ones, or lists of NULLs.
    const none = isElement
      ? `list_transform(CAST(${whole.sql} AS ${column.type}[]), lambda e: CAST(NULL AS INTEGER))`
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
      return { sql: `CAST(${whole.sql} AS INTEGER${isElement ? '[]' : ''})`, offset: low, table };
    }
  }
  const text = blankIsNull ? presentSql(source, column) : textSql(source, column);
  // The place in the enum, not the enum: of an enum the driver lists every value again for every batch of rows.
  const enumCode = `enum_code(CAST(${text} AS ${enumName}))`;
  const sql = isElement
    ? `list_transform(CAST(${whole.sql} AS ${column.type}[]), lambda ${column.sql}: ${enumCode})`
    : enumCode;
  return { sql, offset: 0, table: Int32Array.from(levels, code) };
}

/** The text of a value, NULL where it is missing: where there is none, or an empty text. */
function presentSql(source: SourceFile, column: SourceColumn): string {
  return `nullif(${textSql(source, column)}, '')`;
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

/** Columns whose missing values are a level of their own: those of contexts and keys that are nothing else. */
function missingLevelColumns(plan: Plan): Set<string> {
  if (!plan.missingLevel) return new Set();
  const onehot = plan.context.flatMap(({ column, encode }) => (encode === 'onehot' ? [column] : []));
  const others = [plan.arm, plan.candidates?.column, plan.user];
  return new Set([...onehot, ...plan.keys].filter((column) => !others.includes(column)));
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
  const withMissing = missingLevelColumns(plan);
  const rows: number[] = [];
  const tests = new Map<string, unknown[][]>();
  for (const [i, source] of sources.entries()) {
    // What the second pass reads is there.
    for (const [name, key] of usedColumns(plan)) findColumn(source, name, key);
    const typed = filter === null ? [] : textColumnsOf(filter, source);
    const select = [
      'count(*) AS n',
      ...columns.map(
        (name, k) => `${distinct(source, findColumn(source, name, categorical.get(name) ?? name))} AS d${k}`,
      ),
      ...columns.flatMap((name, k) =>
        withMissing.has(name)
          ? [`count(*) - count(${presentSql(source, findColumn(source, name, 'keys'))}) AS m${k}`]
          : [],
      ),
      ...typed.flatMap((column, k) => typeTests(source, column).map((sql, j) => `${sql} AS t${k}_${j}`)),
    ];
    try {
      await database.run(
        `CREATE TEMP TABLE pass_${i} AS SELECT ${select.join(', ')} FROM ${source.checkedRelation ?? source.relation}`,
      );
    } catch (error) {
      throw await source.failure(error);
    }
    const width = typed.length === 0 ? 0 : typeTests(source, typed[0]).length;
    const names = typed.flatMap((_, k) => Array.from({ length: width }, (_, j) => `t${k}_${j}`));
    for (const [k, name] of columns.entries())
      await checkFloats(database, source, findColumn(source, name, 'key'), `SELECT unnest(d${k}) AS v FROM pass_${i}`);
    const [[n, ...results]] = await database.rows(`SELECT ${['n', ...names].join(', ')} FROM pass_${i}`);
    rows.push(Number(n));
    for (const [k, { name }] of typed.entries()) {
      tests.set(name, [...(tests.get(name) ?? []), results.slice(k * width, (k + 1) * width)]);
    }
  }
  const dictionaries = new Map<string, Dictionary>();
  for (const [k, name] of columns.entries())
    dictionaries.set(name, await makeDictionary(database, name, k, sources.length, withMissing.has(name)));
  const types = new Map([...tests].map(([name, results]) => [name, narrowestType(results)]));
  return { rows, dictionaries, types };
}

/** Every column that a plan reads, with the key of the mapping that says so. */
export function usedColumns(plan: Plan): [string, string][] {
  const used: [string, string][] = [...categoricalColumns(plan)];
  used.push([plan.payoff, 'payoff']);
  if (plan.propensity !== null) used.push([plan.propensity, 'propensity']);
  if (plan.eventId !== null) used.push([plan.eventId, 'eventId']);
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

/** Integers from here on are no identifiers as floats: of neighbours some are one. */
const EXACT: Readonly<Record<string, number>> = { FLOAT: 2 ** 24, DOUBLE: 2 ** 53 };

/**
 * @param values query of the column's values, as texts `v`.
 * @throws InputError for identifiers that are floats so large that different ones may have become one.
 */
export async function checkFloats(
  database: Database,
  source: SourceFile,
  column: SourceColumn,
  values: string,
): Promise<void> {
  const { type } = elementOf(column, 'e') ?? column;
  const exact = EXACT[type];
  if (exact === undefined) return;
  const rows = await database.rows(`SELECT v FROM (${values}) WHERE abs(CAST(v AS DOUBLE)) >= ${exact} LIMIT 1`);
  if (rows.length === 0) return;
  throw new InputError({
    file: source.file,
    column: column.name,
    problem: 'identifiers are floats too large to tell neighbours apart',
    got: `${rows[0][0]}, as ${type}`,
    needed: `integers or text, or floats below ${exact.toLocaleString('en')}`,
    hint: 'write the column as integers of 64 bits or as text, from the data before they became floats (data frames make floats of integers beside missing values)',
  });
}

async function makeDictionary(
  database: Database,
  column: string,
  k: number,
  files: number,
  takesMissing: boolean,
): Promise<Dictionary> {
  const ofFiles = (sql: string) => Array.from({ length: files }, (_, i) => `SELECT ${sql} FROM pass_${i}`);
  const values = ofFiles(`unnest(d${k}) AS v`).join(' UNION ALL ');
  const present = takesMissing ? "v <> ''" : 'v IS NOT NULL';
  await database.run(`CREATE TEMP TABLE values_${k} AS SELECT DISTINCT v FROM (${values}) WHERE ${present} ORDER BY v`);
  // Where a text begins with a byte order mark, one is left out on its way here.
  const rows = await database.rows(`SELECT v, starts_with(v, chr(65279)) FROM values_${k} ORDER BY v`);
  const levels = rows.map(([v, isMarked]) => (isMarked === true ? `\ufeff${String(v)}` : String(v)));
  if (levels.length > 0) await database.run(`CREATE TYPE enum_${k} AS ENUM (SELECT v FROM values_${k} ORDER BY v)`);
  if (!takesMissing) return new Dictionary(column, levels, `enum_${k}`);
  const counts = await database.rows(`SELECT sum(m) FROM (${ofFiles(`m${k} AS m`).join(' UNION ALL ')})`);
  const missing = Number(counts[0][0]);
  if (missing === 0) return new Dictionary(column, levels, `enum_${k}`);
  if (levels.includes(MISSING_LEVEL)) {
    throw new InputError({
      column,
      problem: `the level of missing values, ${MISSING_LEVEL}, is a value of the column as well`,
      got: `${plural(missing, 'row')} without a value, and others with ${JSON.stringify(MISSING_LEVEL)}`,
      needed: 'a level that nothing else has',
      hint: 'write these values in one way in the file, or leave --missing-level (in code: missingLevel) out',
    });
  }
  const all = [...levels, MISSING_LEVEL].sort(compareCodePoints);
  return new Dictionary(column, all, `enum_${k}`, levels, true);
}

/** The SQL filter: checked to be one condition, over columns with their natural types. */

import { InputError } from '../../../errors.js';
import { type Database, duckdbMessage, sqlName, sqlText } from '../../../files/duckdb.js';
import { listNames } from '../../../names/order.js';
import { plural } from '../../../words.js';
import type { SourceColumn, SourceFile } from '../../format.js';
import { type Seen, withStructs, writtenNames } from './filter-fields.js';
import { FilterNodes, loneNames, ROW_NAME } from './filter-nodes.js';
import { textFault } from './text-comparisons.js';
import { numberText } from './values.js';

/** A filter that is one SQL condition, and the names it mentions. */
export interface Filter {
  readonly sql: string;
  /** Lower case: SQL names columns in any case. */
  readonly names: ReadonlySet<string>;
  /** As they are written. */
  readonly written: ReadonlySet<string>;
  /** The same by their steps: more than one for fields. */
  readonly steps: readonly (readonly string[])[];
  /** True where it may look at columns that it does not name, as `COLUMNS(*)` does. */
  readonly anyColumn: boolean;
  /** Names that are columns or nothing: without such a column, DuckDB takes them for functions, or for the whole row. */
  readonly onlyColumns: readonly string[];
  /** Its tree, as DuckDB parses it. */
  readonly tree: unknown;
}

/**
 * Parses a filter. Anything that is more than one condition (`1) ORDER BY (x`, `1; DROP …`) is refused, and what does not
 * depend on the row alone: subqueries, and functions of the clock, of chance or of the machine.
 */
export async function parseFilter(database: Database, where: string): Promise<Filter> {
  const tree = await parse(database, where);
  const plain = await parse(database, 'true');
  const condition = takeCondition(tree);
  takeCondition(plain);
  const nodes = new FilterNodes(database, async (expression) => {
    const { statements } = await parse(database, expression);
    return statements?.[0]?.node?.where_clause;
  });
  const fault = await nodes.fault(condition);
  if (fault !== null) throw filterError(where, `it has ${fault}`);
  if (JSON.stringify(tree) !== JSON.stringify(plain) || condition === undefined) {
    throw filterError(where, 'more than one SQL condition');
  }
  const steps = writtenNames(condition);
  // By its steps too: a field's column is called as SQL writes it, and its column is looked at.
  const written = new Set(steps.flatMap((name) => [...name.map((_, i) => name.slice(0, i + 1).join('.')), ...name]));
  const names = new Set([...written].map((name) => name.toLowerCase()));
  const onlyColumns = loneNames(condition);
  return {
    sql: where,
    names,
    written,
    steps,
    anyColumn: /"class":"STAR"/.test(JSON.stringify(condition)),
    onlyColumns,
    tree: condition,
  };
}

/** A filter that DuckDB refuses, or that fails on a row. */
export function filterError(where: string, reason: string, file?: string, hint?: string): InputError {
  return new InputError({
    file,
    problem: 'the filter does not work',
    got: `${where}\n${reason}`,
    needed: 'an SQL condition over the columns of the log, e.g. position = 1',
    hint:
      hint ??
      (/Could not convert string/.test(reason)
        ? 'text in quotes, numbers without; a column of numbers only is compared as numbers, and CAST(column AS VARCHAR) as text'
        : undefined),
  });
}

interface Tree {
  error?: boolean;
  error_message?: string;
  statements?: { node?: Record<string, unknown> }[];
}

async function parse(database: Database, where: string): Promise<Tree> {
  // The line break ends a comment in the filter.
  const sql = `SELECT 1 FROM t WHERE (${where}\n)`;
  const [[text]] = await database.rows(`SELECT json_serialize_sql(${sqlText(sql)})::VARCHAR`);
  const tree = JSON.parse(String(text)) as Tree;
  if (tree.error === true) throw filterError(where, String(tree.error_message));
  return tree;
}

/** Removes the condition of a tree and returns it. */
function takeCondition(tree: Tree): unknown {
  const node = tree.statements?.[0]?.node;
  const condition = node?.where_clause;
  if (node !== undefined) delete node.where_clause;
  return condition;
}

/**
 * Columns of a file that a filter can see: those it names, or all. Of columns whose names differ in case only it is
 * the one that the filter names as it is written.
 *
 * @throws InputError where that is not one.
 */
function visibleColumns(filter: Filter, source: SourceFile): SourceColumn[] {
  const byName = new Map<string, SourceColumn[]>();
  for (const column of source.columns) {
    const key = column.name.toLowerCase();
    if (key === '' || !((filter.anyColumn && column.isNested !== true) || filter.names.has(key))) continue;
    byName.set(key, [...(byName.get(key) ?? []), column]);
  }
  return [...byName].map(([key, columns]) => {
    const meant = [...filter.written].filter((name) => name.toLowerCase() === key);
    const exact = columns.filter(({ name }) => meant.length === 1 && name === meant[0]);
    const found = columns.length === 1 ? columns : exact;
    if (found.length === 1) return found[0];
    const names = columns.map(({ name }) => JSON.stringify(name)).join(' and ');
    if (columns.some(({ isNested }) => isNested === true)) {
      const reason = `${names} are a column and a field of another, or fields of two: rename one`;
      throw filterError(filter.sql, reason, source.file);
    }
    throw filterError(
      filter.sql,
      `${names} differ in case only, and SQL tells no case: name one, as written`,
      source.file,
    );
  });
}

/** Columns of a file whose text the filter looks at, so that their types must be found. */
export function textColumnsOf(filter: Filter, source: SourceFile): SourceColumn[] {
  return visibleColumns(filter, source).filter(
    ({ name, type }) => type === 'TEXT' && filter.names.has(name.toLowerCase()),
  );
}

/** Types tried for text, narrowest first; each with the test of a value. `007` is a name, as it is for arms, not the number 7. */
const TYPES: readonly { readonly type: string; fits(sql: string, number: string): string }[] = [
  {
    type: 'BIGINT',
    fits: (x) => `regexp_full_match(${x}, '\\s*[+-]?(0|[1-9][0-9]*)\\s*') AND TRY_CAST(${x} AS BIGINT) IS NOT NULL`,
  },
  {
    type: 'DOUBLE',
    fits: (x, number) =>
      `TRY_CAST(${number} AS DOUBLE) IS NOT NULL AND NOT regexp_full_match(${x}, '\\s*[+-]?0[0-9]+\\s*')`,
  },
  { type: 'BOOLEAN', fits: (x) => `lower(${x}) IN ('true', 'false')` },
  { type: 'DATE', fits: (x) => `length(${x}) = 10 AND TRY_CAST(${x} AS DATE) IS NOT NULL` },
  { type: 'TIMESTAMPTZ', fits: (x) => `TRY_CAST(${x} AS TIMESTAMPTZ) IS NOT NULL` },
];

/** Aggregates that say, per type, whether every value of a text column fits it. */
export function typeTests(source: SourceFile, { sql }: SourceColumn): string[] {
  return TYPES.map(
    ({ fits }) =>
      `coalesce(bool_and(coalesce(${fits(sql, numberText(source, sql))}, false)) FILTER (WHERE ${sql} IS NOT NULL), true)`,
  );
}

/** The narrowest type that fits in every file. @param results per file, the values of `typeTests`. */
export function narrowestType(results: readonly (readonly unknown[])[]): string {
  return TYPES.find((_, i) => results.every((tests) => tests[i] === true))?.type ?? 'VARCHAR';
}

/** Select list that gives a file's columns under their own names and natural types. */
export function naturalColumns(source: SourceFile, types: ReadonlyMap<string, string>, filter: Filter): string[] {
  const columns = visibleColumns(filter, source)
    .filter(({ name, type }) => type !== 'TEXT' || filter.names.has(name.toLowerCase()))
    .map(({ name, type, sql }) => ({
      name,
      sql: type === 'TEXT' ? cast(source, sql, types.get(name) ?? 'VARCHAR') : sql,
    }));
  return selected(columns, source, filter);
}

function cast(source: SourceFile, sql: string, type: string): string {
  return `CAST(${type === 'DOUBLE' ? numberText(source, sql) : sql} AS ${type})`;
}

function selected(columns: readonly Seen[], source: SourceFile, filter: Filter): string[] {
  const structs = withStructs(columns, filter.steps, source, (reason) => {
    throw filterError(filter.sql, reason, source.file);
  });
  return structs.map(({ name, sql }) => `${sql} AS ${sqlName(name)}`);
}

/** Lets DuckDB bind the filter against the file's columns and nothing else, so that its message names them only. */
export async function bindFilter(
  database: Database,
  source: SourceFile,
  types: ReadonlyMap<string, string>,
  filter: Filter,
): Promise<void> {
  const present = new Set(source.columns.map(({ name }) => name.toLowerCase()));
  const absent = filter.onlyColumns.find((name) => !present.has(name));
  if (absent !== undefined) {
    const what = absent === ROW_NAME ? 'is the whole row' : 'does not depend on the row alone';
    throw filterError(filter.sql, `it has ${absent}, which is no column here and ${what}`, source.file);
  }
  const visible = new Map(visibleColumns(filter, source).map((column) => [column.name.toLowerCase(), column]));
  const empty = ({ name, type }: SourceColumn): Seen => ({
    name,
    sql: `CAST(NULL AS ${type === 'TEXT' ? (types.get(name) ?? 'VARCHAR') : type})`,
  });
  const columns = source.columns
    .filter((column) => column.name !== '' && (visible.get(column.name.toLowerCase()) ?? column) === column)
    .map(empty);
  try {
    await database.rows(
      `SELECT 1 FROM (SELECT ${selected(columns, source, filter).join(', ') || 'NULL'}) AS ${ROW_NAME} WHERE (${filter.sql}\n) LIMIT 0`,
    );
  } catch (error) {
    throw filterError(filter.sql, duckdbMessage(error), source.file);
  }
  const seen = selected([...visible.values()].map(empty), source, filter);
  const fault = await textFault(filter.tree, {
    database,
    empty: `(SELECT ${seen.join(', ') || 'NULL'}) AS ${ROW_NAME}`,
    rows: `(SELECT ${naturalColumns(source, types, filter).join(', ') || 'NULL'} FROM ${source.relation}) AS ${ROW_NAME}`,
  });
  if (fault !== null) {
    const hint =
      'CAST(column AS DOUBLE) compares numbers, TRY_CAST also where some values are none; CAST(column AS VARCHAR) text';
    throw filterError(filter.sql, fault, source.file, hint);
  }
}

/**
 * A warning where a filter leaves no event of an arm that rows have: it is an arm of the log, as all of all rows are.
 *
 * @param isRemoved whether it does so, by the arm's index.
 */
export function removedArms(where: string, ids: readonly string[], isRemoved: (arm: number) => boolean): string[] {
  const removed = ids.filter((_, a) => isRemoved(a));
  if (removed.length === 0) return [];
  const arms = removed.length === 1 ? 'arm' : plural(removed.length, 'arm');
  return [
    `the filter (${where}) leaves no event of ${arms} ${listNames(removed, 5)}, which stay arms of the log: policies that choose ${removed.length === 1 ? 'it' : 'them'} match nothing there; where arms are to be left out altogether, leave their rows out of the file`,
  ];
}

/** A warning for each column of times that a filter compares and that is not read as fine as the file has it. */
export function coarseWarnings(sources: readonly SourceFile[], { sql, names, anyColumn }: Filter): string[] {
  const found = new Map<string, string>();
  for (const { columns } of sources)
    for (const { name, coarse } of columns)
      if (coarse !== undefined && (anyColumn || names.has(name.toLowerCase()))) found.set(name, coarse);
  return [...found].map(
    ([name, coarse]) =>
      `the filter (${sql}) sees column ${JSON.stringify(name)} to the microsecond, and the file has ${coarse}: what lies nearer to a bound falls on either side of it; write the column in microseconds where that matters`,
  );
}

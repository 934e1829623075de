/** SQL expressions that turn a source column into what a log stores, and the types they take. */

import { InputError } from '../../../errors.js';
import { listNames, nearestName } from '../../../names/order.js';
import type { SourceColumn, SourceFile } from '../../format.js';

const INTEGER_TYPES = /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/;
const TEXT_TYPES = /^(?:TEXT|VARCHAR|ENUM\(.*)$/s;
const TIME_TYPES = /^(?:DATE|TIMESTAMP[^[]*)$/;

/** Digits of decimals that are certainly exact as f64 without their point. */
const EXACT_DIGITS = 15;

/** Files may have very many columns; of a name that two columns have, both. */
const columnsByName = new WeakMap<SourceFile, ReadonlyMap<string, readonly SourceColumn[]>>();

/** A column by name. @throws InputError that suggests the nearest name, or where it is a field's as well. */
export function findColumn(source: SourceFile, name: string, key: string): SourceColumn {
  let columns = columnsByName.get(source);
  if (columns === undefined) {
    const byName = new Map<string, SourceColumn[]>();
    for (const candidate of source.columns) {
      const same = byName.get(candidate.name);
      if (same === undefined) byName.set(candidate.name, [candidate]);
      else same.push(candidate);
    }
    columns = byName;
    columnsByName.set(source, columns);
  }
  // Of columns with one name, which a reader refuses where they are in use, the first.
  const same = columns.get(name) ?? [];
  const [column] = same;
  if (same.length > 1 && same.some(({ isNested }) => isNested === true)) {
    throw new InputError({
      file: source.file,
      column: name,
      problem: `the name means two things: ${same.every(({ isNested }) => isNested === true) ? 'fields of two columns' : 'a column, and a field of another'}`,
      needed: 'a name that means one',
      hint: 'rename one of the two, or leave it out of the file',
    });
  }
  if (column !== undefined) return column;
  const names = source.columns.map((candidate) => candidate.name);
  const near = nearestName(name, names);
  throw new InputError({
    file: source.file,
    problem: `no column ${JSON.stringify(name)}, which ${key === 'keys' ? 'a policy or the mapping looks up' : `the mapping names as ${key}`}`,
    needed: `one of ${listNames(names)}`,
    hint:
      near === null
        ? `correct the ${key === 'keys' ? 'policy set or the ' : ''}mapping`
        : `did you mean ${JSON.stringify(near)}?`,
  });
}

/** True for integers that fit 64 bits. */
export function isInteger({ type }: SourceColumn): boolean {
  return INTEGER_TYPES.test(type) && !type.includes('HUGE');
}

/** True where values are text. */
export function isText({ type }: SourceColumn): boolean {
  return TEXT_TYPES.test(type);
}

function isFraction({ type }: SourceColumn): boolean {
  return /^(?:FLOAT|DOUBLE|DECIMAL\(\d+,\d+\))$/.test(type);
}

/** Element column of a list column; `null` where the type is no list. `sql` is a name for the element. */
export function elementOf(column: SourceColumn, sql: string): SourceColumn | null {
  const type = /^(.*)\[\d*\]$/s.exec(column.type)?.[1];
  return type === undefined ? null : { name: column.name, type, sql, coarse: column.coarse };
}

/** Text of a number as SQL has it. Where commas stand before decimals, a dot would be read as one: what has a dot is NULL. */
export function numberText({ decimalComma }: SourceFile, sql: string): string {
  return decimalComma === true ? `CASE WHEN contains(${sql}, '.') THEN NULL ELSE replace(${sql}, ',', '.') END` : sql;
}

/** Text parsed to f64: correctly rounded; NULL for what is no number. DuckDB's digit separators (`1_000`) are none here. @param other SQL for what is no number. */
function parsed(source: SourceFile, sql: string, other = 'NULL'): string {
  return `CASE WHEN contains(${sql}, '_') THEN NULL ELSE coalesce(TRY_CAST(${numberText(source, sql)} AS DOUBLE), ${other}) END`;
}

/** The same, where true and false in any case are 1 and 0, as those of a BOOLEAN column are. */
function parsedOrBoolean(source: SourceFile, sql: string, other = 'NULL'): string {
  return parsed(source, sql, `CASE lower(${sql}) WHEN 'true' THEN 1e0 WHEN 'false' THEN 0e0 ELSE ${other} END`);
}

/** A number: f32 where the file has f32, f64 otherwise. */
export function numberSql(source: SourceFile, column: SourceColumn): string {
  const { sql, type } = column;
  if (type === 'TEXT' || type === 'VARCHAR') return parsedOrBoolean(source, sql);
  if (type === 'FLOAT') return sql;
  // DuckDB divides digits by a power of ten: rounded once, as the text is, while both are exact in f64.
  if (isFraction(column) && Number(/\d+/.exec(type)?.[0] ?? 0) > EXACT_DIGITS)
    return `CAST(CAST(${sql} AS VARCHAR) AS DOUBLE)`;
  if (type === 'DOUBLE' || isFraction(column) || INTEGER_TYPES.test(type) || type === 'BOOLEAN')
    return `CAST(${sql} AS DOUBLE)`;
  throw wrongType(source, column, 'a number');
}

/** What stands where a number is missing, beside nothing: as data frames and R write it. */
export const NO_NUMBER = "'', 'nan', 'na', 'n/a', 'null', 'none'";

/** Whether a value is missing, of a number (`NaN` is one that is) or of an identifier. */
export function missingSql(source: SourceFile, column: SourceColumn, what: 'number' | 'identifier'): string {
  const { sql, type } = column;
  if (what === 'identifier') return `${textSql(source, column)} IS NULL`;
  if (isText(column)) return `(${sql} IS NULL OR lower(trim(${sql})) IN (${NO_NUMBER}))`;
  return type === 'FLOAT' || type === 'DOUBLE' ? `(${sql} IS NULL OR isnan(${sql}))` : `${sql} IS NULL`;
}

/** `numberSql`, of text with NaN for a missing number and NULL for what is none: of other types, NULL is a missing number. */
export function numberOrNanSql(source: SourceFile, column: SourceColumn): string {
  const { sql } = column;
  if (!isText(column)) return numberSql(source, column);
  // A list of cases: for IN DuckDB computes what it compares for every row, though it is asked of few.
  const cases = NO_NUMBER.split(', ').map((text) => `WHEN ${text} THEN CAST('NaN' AS DOUBLE)`);
  const number = parsedOrBoolean(source, sql, `CASE lower(trim(${sql})) ${cases.join(' ')} END`);
  return `CASE WHEN ${sql} IS NULL THEN CAST('NaN' AS DOUBLE) ELSE ${number} END`;
}

/** An identifier as text, the same for the same value in every format. Whole floats (as data frames write integers next to missing values) are written as integers. */
export function textSql(source: SourceFile, column: SourceColumn): string {
  const { sql, type, isDay } = column;
  if (type === 'TEXT' || type === 'VARCHAR') return sql;
  if (type === 'FLOAT' || type === 'DOUBLE') {
    return `CASE WHEN isnan(${sql}) OR isinf(${sql}) THEN NULL WHEN ${sql} = trunc(${sql}) AND abs(${sql}) < 9007199254740992 THEN CAST(CAST(${sql} AS BIGINT) AS VARCHAR) ELSE CAST(${sql} AS VARCHAR) END`;
  }
  // Intervals that are written apart, such as a month and 30 days, are equal.
  if (/\]$|^(?:STRUCT|MAP|UNION|BLOB|INTERVAL)/.test(type))
    throw wrongType(source, column, 'an identifier: text or a number');
  if (column.coarse !== undefined) {
    throw new InputError({
      file: source.file,
      column: column.name,
      problem: 'identifiers are times finer than they can be read: neighbours would become one',
      got: column.coarse,
      needed: 'times in microseconds, or text',
      hint: "write the column as text, or in microseconds (pyarrow: coerce_timestamps='us'), or name another",
    });
  }
  // An instant has one spelling, that of UTC without a zone, whichever format it comes from and whatever zone that shows it in.
  if (type === 'TIMESTAMP WITH TIME ZONE') return `CAST(CAST(${sql} AS TIMESTAMP) AS VARCHAR)`;
  if (isDay === true) {
    const isMidnight = `${sql} = date_trunc('day', ${sql})`;
    return `CASE WHEN ${isMidnight} THEN CAST(CAST(${sql} AS DATE) AS VARCHAR) ELSE CAST(${sql} AS VARCHAR) END`;
  }
  return `CAST(${sql} AS VARCHAR)`;
}

/** The forms of ISO 8601 that are times whatever the reader; DuckDB takes years of two digits, zones by name and more. */
const ISO_TEXT =
  '\\s*[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]+)?)?(?: ?(?:Z|UTC|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?))?)?\\s*';
/** The same, most often; telling is cheap. */
const PLAIN_ISO = ['____-__-__T__:__:__Z', '____-__-__T__:__:__', '____-__-__ __:__:__', '____-__-__'];

/**
 * A time: a number in whatever unit, and milliseconds since 1970-01-01 UTC where it is text or a timestamp; f64, one of them
 * NULL, both for what is no time.
 */
export function timeSql(source: SourceFile, column: SourceColumn): { number: string; timestamp: string } {
  const { sql, type } = column;
  const none = 'CAST(NULL AS DOUBLE)';
  const of = (timestamp: string) => `CAST(epoch_us(${timestamp}) AS DOUBLE) / 1000`;
  if (type === 'TEXT' || type === 'VARCHAR') {
    const plain = PLAIN_ISO.map((form) => `${sql} LIKE '${form}'`).join(' OR ');
    const timestamp = of(`TRY_CAST(trim(${sql}) AS TIMESTAMPTZ)`);
    const form = `${plain} OR regexp_full_match(${sql}, '${ISO_TEXT}')`;
    return { number: parsed(source, sql), timestamp: `CASE WHEN ${form} THEN ${timestamp} END` };
  }
  if (TIME_TYPES.test(type)) return { number: none, timestamp: of(sql) };
  if (INTEGER_TYPES.test(type) || isFraction(column)) return { number: `CAST(${sql} AS DOUBLE)`, timestamp: none };
  throw wrongType(source, column, 'a timestamp, a date or a number');
}

/** A column whose type cannot hold what the mapping says it holds. */
export function wrongType(source: SourceFile, column: SourceColumn, needed: string): InputError {
  return new InputError({
    file: source.file,
    column: column.name,
    problem: 'the column has the wrong type',
    got: column.type,
    needed,
    hint: 'name another column in the mapping',
  });
}

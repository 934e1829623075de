/** Arrow's types as DuckDB's. */

import type { DataType, Decimal, Dictionary, FixedSizeList, Int, List, Timestamp } from 'apache-arrow';

/** apache-arrow, which is loaded when a file is first read. */
export type Arrow = typeof import('apache-arrow');

/** DuckDB's type for the values of an Arrow column; `null` for types that are not read, such as that of nothing but nulls. */
export function duckdbType(arrow: Arrow, type: DataType): string | null {
  const { DataType: of } = arrow;
  if (of.isBool(type)) return 'BOOLEAN';
  if (of.isInt(type)) {
    const { bitWidth, isSigned } = type as Int;
    const name = { 8: 'TINYINT', 16: 'SMALLINT', 32: 'INTEGER', 64: 'BIGINT' }[bitWidth as number];
    return name === undefined ? null : `${isSigned ? '' : 'U'}${name}`;
  }
  if (of.isFloat(type)) return type.precision === arrow.Precision.DOUBLE ? 'DOUBLE' : 'FLOAT';
  if (of.isUtf8(type) || of.isLargeUtf8(type) || of.isUtf8View(type)) return 'VARCHAR';
  if (of.isDecimal(type)) {
    const { precision, scale, bitWidth } = type as Decimal;
    return bitWidth === 128 && precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision
      ? `DECIMAL(${precision},${scale})`
      : null;
  }
  if (of.isDate(type)) return type.unit === arrow.DateUnit.DAY ? 'DATE' : 'TIMESTAMP_MS';
  if (of.isTimestamp(type)) return TIMESTAMPS[(type as Timestamp).unit] ?? null;
  if (of.isDictionary(type)) {
    const { dictionary } = type as Dictionary;
    return isPlain(of, dictionary) ? duckdbType(arrow, dictionary) : null;
  }
  if (of.isList(type) || of.isLargeList(type) || of.isFixedSizeList(type)) {
    const element = (type as List | FixedSizeList).children[0]?.type;
    if (element === undefined) return null;
    // A list of no elements takes no room: nothing would say how many there are.
    if (of.isFixedSizeList(type) && (type as FixedSizeList).listSize < 1) return null;
    if (!isPlain(of, of.isDictionary(element) ? (element as Dictionary).dictionary : element)) return null;
    const name = duckdbType(arrow, element);
    return name === null ? null : `${name}[]`;
  }
  return null;
}

/** By unit: seconds, milliseconds, microseconds, nanoseconds. All since 1970 UTC, whatever zone they are shown in. */
const TIMESTAMPS: readonly (string | undefined)[] = ['TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP', 'TIMESTAMP_NS'];

/** Values that are looked at one by one: text, numbers, true and false. */
function isPlain(of: Arrow['DataType'], type: DataType): boolean {
  return (
    of.isUtf8(type) ||
    of.isLargeUtf8(type) ||
    of.isUtf8View(type) ||
    of.isInt(type) ||
    of.isFloat(type) ||
    of.isBool(type)
  );
}

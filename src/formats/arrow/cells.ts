/** Columns of record batches as values for DuckDB. */

import { isUtf8 } from 'node:buffer';
import type { Data, Decimal, Vector } from 'apache-arrow';
import type { Cell, CellWriter, Numbers } from '../../files/duckdb.js';
import type { Arrow } from './types.js';

/** What is wrong with a column of a batch, and the row in the batch where that is one row's fault. */
export class BadColumn extends Error {
  constructor(
    message: string,
    readonly row?: number,
  ) {
    super(message);
  }
}

/** Writes rows `from .. from + count` of a column to a chunk. */
export type WriteCells = (from: number, count: number, cells: CellWriter) => void;

type Float = { readonly precision: number };

/**
 * @param texts strings of dictionaries, decoded once each.
 * @throws BadColumn where its buffers do not hold what its length says, or text is not UTF-8.
 */
export function cellWriter(arrow: Arrow, data: Data, texts: WeakMap<Vector, readonly Cell[]>): WriteCells {
  const { DataType: of } = arrow;
  const { type } = data;
  checkNulls(data);
  const isHalf = of.isFloat(type) && (type as unknown as Float).precision === arrow.Precision.HALF;
  if (!isHalf && (of.isInt(type) || of.isFloat(type) || of.isDate(type) || of.isTimestamp(type))) {
    return numbers(data, checkedValues(data, 1) as Numbers);
  }
  const cell = cellsOf(arrow, data, texts);
  return (from, count, cells) => {
    for (let i = 0; i < count; i++) cells.set(i, cell(from + i));
  };
}

function numbers(data: Data, values: Numbers): WriteCells {
  return (from, count, cells) => {
    if (cells.items === null) throw new TypeError('the table has no array for this column');
    // Arrays of one kind on both sides: types.ts says which.
    (cells.items as { set(part: ArrayLike<number | bigint>): void }).set(
      values.subarray(data.offset + from, data.offset + from + count) as ArrayLike<number | bigint>,
    );
    if (data.nullCount > 0) for (let i = 0; i < count; i++) if (!data.getValid(from + i)) cells.set(i, null);
  };
}

/** The values of a column, one by one. */
function cellsOf(arrow: Arrow, data: Data, texts: WeakMap<Vector, readonly Cell[]>): (i: number) => Cell {
  const value = valuesOf(arrow, data, texts);
  if (data.nullCount === 0) return value;
  checkNulls(data);
  return (i) => (data.getValid(i) ? value(i) : null);
}

/** @throws BadColumn where it has fewer marks of missing values than rows. */
export function checkNulls({ nullCount, nullBitmap, offset, length }: Data): void {
  if (nullCount > 0 && nullBitmap !== null && nullBitmap !== undefined && nullBitmap.length * 8 < offset + length)
    throw new BadColumn('fewer marks of missing values than rows');
}

function valuesOf(arrow: Arrow, data: Data, texts: WeakMap<Vector, readonly Cell[]>): (i: number) => Cell {
  const { DataType: of } = arrow;
  const { type, offset } = data;
  if (of.isBool(type)) {
    const bits = data.values as Uint8Array;
    if (bits.length * 8 < offset + data.length) throw new BadColumn('fewer values than rows');
    return (i) => ((bits[(offset + i) >> 3] >> ((offset + i) & 7)) & 1) === 1;
  }
  if (of.isUtf8View(type)) return views(data);
  if (of.isUtf8(type) || of.isLargeUtf8(type)) return strings(data);
  if (of.isDictionary(type)) return entries(arrow, data, texts);
  if (of.isDecimal(type)) return decimals(data, type as Decimal);
  if (of.isFixedSizeList(type)) {
    const { listSize } = type as unknown as { listSize: number };
    const child = cellsOf(arrow, data.children[0], texts);
    if (data.children[0].length < (offset + data.length) * listSize)
      throw new BadColumn('fewer elements than rows need');
    return (i) => Array.from({ length: listSize }, (_, k) => child((offset + i) * listSize + k));
  }
  if (of.isList(type) || of.isLargeList(type)) {
    const child = cellsOf(arrow, data.children[0], texts);
    const bounds = checkedOffsets(data, data.children[0].length);
    return (i) => {
      const [from, to] = bounds(i);
      return Array.from({ length: to - from }, (_, k) => child(from + k));
    };
  }
  const values = checkedValues(data, 1);
  if (of.isFloat(type) && (type as unknown as Float).precision === arrow.Precision.HALF)
    return (i) => arrow.util.uint16ToFloat64(Number(values[offset + i]));
  return (i) => values[offset + i];
}

function checkedValues(
  data: Data,
  stride: number,
): ArrayLike<number | bigint> & { subarray(a: number, b: number): unknown } {
  const values = data.values as (ArrayLike<number | bigint> & { subarray(a: number, b: number): unknown }) | undefined;
  if (values === undefined || values.length < (data.offset + data.length) * stride)
    throw new BadColumn('fewer values than rows');
  return values;
}

/** Bounds of each row's part of `length` elements, which must not overlap or lie outside. */
function checkedOffsets(data: Data, length: number): (i: number) => [number, number] {
  const offsets = data.valueOffsets as ArrayLike<number | bigint> | undefined;
  const { offset } = data;
  if (offsets === undefined || (data.length > 0 && offsets.length <= offset + data.length))
    throw new BadColumn('fewer offsets than rows');
  let before = 0;
  for (let i = 0; data.length > 0 && i <= data.length; i++) {
    const at = Number(offsets[offset + i]);
    if (at < before || at > length)
      throw new BadColumn('offsets that are out of order or lie outside', Math.max(0, i - 1));
    before = at;
  }
  return (i) => [Number(offsets[offset + i]), Number(offsets[offset + i + 1])];
}

function strings(data: Data): (i: number) => Cell {
  const bytes = asBuffer(data.values as Uint8Array);
  const bounds = checkedOffsets(data, bytes.length);
  if (data.length > 0 && !isUtf8(bytes.subarray(bounds(0)[0], bounds(data.length - 1)[1]))) {
    for (let i = 0; i < data.length; i++)
      if (!isUtf8(bytes.subarray(...bounds(i)))) throw new BadColumn('text is not UTF-8', i);
  }
  return (i) => bytes.toString('utf8', ...bounds(i));
}

/** A row is sixteen bytes: the length, then the text itself up to twelve bytes, or four of them, a buffer and a place in it. */
function views(data: Data): (i: number) => Cell {
  const rows = asBuffer(data.values as Uint8Array);
  const { offset, length, variadicBuffers } = data;
  if (rows.length < (offset + length) * 16) throw new BadColumn('fewer values than rows');
  const buffers = variadicBuffers.map(asBuffer);
  const part = (i: number): Buffer => {
    const at = (offset + i) * 16;
    const size = rows.readInt32LE(at);
    if (size >= 0 && size <= 12) return rows.subarray(at + 4, at + 4 + size);
    const buffer = buffers[rows.readInt32LE(at + 8)];
    const from = rows.readInt32LE(at + 12);
    if (size < 0 || buffer === undefined || from < 0 || from + size > buffer.length)
      throw new BadColumn('text that lies outside its buffers', i);
    return buffer.subarray(from, from + size);
  };
  return (i) => {
    const bytes = part(i);
    if (!isUtf8(bytes)) throw new BadColumn('text is not UTF-8', i);
    return bytes.toString('utf8');
  };
}

function entries(arrow: Arrow, data: Data, texts: WeakMap<Vector, readonly Cell[]>): (i: number) => Cell {
  const { dictionary } = data;
  if (dictionary === undefined || dictionary === null) throw new BadColumn('the dictionary is missing');
  let cells = texts.get(dictionary);
  if (cells === undefined) {
    cells = dictionary.data.flatMap((part) => {
      const cell = cellsOf(arrow, part, texts);
      return Array.from({ length: part.length }, (_, i) => cell(i));
    });
    texts.set(dictionary, cells);
  }
  const found = cells;
  const codes = checkedValues(data, 1);
  return (i) => {
    const cell = found[Number(codes[data.offset + i])];
    if (cell === undefined)
      throw new BadColumn(`entry ${codes[data.offset + i]} of a dictionary of ${found.length}`, i);
    return cell;
  };
}

function decimals(data: Data, { precision: width, scale }: Decimal): (i: number) => Cell {
  const words = checkedValues(data, 4);
  const limit = 10n ** BigInt(width);
  return (i) => {
    let digits = 0n;
    for (let k = 3; k >= 0; k--) digits = (digits << 32n) | BigInt(Number(words[(data.offset + i) * 4 + k]) >>> 0);
    digits = BigInt.asIntN(128, digits);
    if (digits >= limit || digits <= -limit) throw new BadColumn(`a decimal of more than ${width} digits`, i);
    return { digits, width, scale };
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Row groups of a packed log, decoded. */

import { crc32 } from 'node:zlib';
import { type DecodedArray, parquetRead, type RowGroup } from 'hyparquet';
import { damaged } from './header.js';
import type { PackedColumn } from './layout.js';
import type { PackedFile } from './packed-file.js';

/** Values of the columns of a row group, by column. */
export type Decoded = ReadonlyMap<PackedColumn, ArrayLike<number>>;

/** Where row groups lie and how many events they hold. */
export class Groups {
  /** First event of each group, and the number of events at the end. */
  private readonly starts: Float64Array;

  /** @param table events and CRC-32 of each group, as pairs. */
  constructor(
    private readonly file: PackedFile,
    private readonly columns: readonly PackedColumn[],
    private readonly table: Uint32Array,
  ) {
    const { footer, header, name } = file;
    const count = table.length / 2;
    this.starts = new Float64Array(count + 1);
    if (footer.row_groups.length !== count) throw damaged(name, `${footer.row_groups.length} row groups, not ${count}`);
    for (const [g, { num_rows }] of footer.row_groups.entries()) {
      if (Number(num_rows) !== table[2 * g]) throw damaged(name, `row group ${g} has ${num_rows} rows`);
      this.starts[g + 1] = this.starts[g] + table[2 * g];
    }
    if (this.starts[count] !== header.events) throw damaged(name, `${this.starts[count]} rows, not ${header.events}`);
    const names = footer.schema.slice(1).map((element) => element.name);
    if (names.length !== columns.length || columns.some((column, i) => column.name !== names[i]))
      throw damaged(name, `its columns are ${names.join(', ')}`);
  }

  /** Group that holds an event. */
  groupOf(event: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] <= event) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Number of groups. */
  get count(): number {
    return this.starts.length - 1;
  }

  /** First event of a group. */
  start(group: number): number {
    return this.starts[group];
  }

  /** The group's bytes, checked. */
  async bytes(group: number): Promise<{ bytes: Uint8Array<ArrayBuffer>; offset: number }> {
    const { columns } = this.file.footer.row_groups[group];
    let offset = Number.POSITIVE_INFINITY;
    let length = 0;
    for (const { meta_data: column } of columns) {
      if (column === undefined) throw damaged(this.file.name, `row group ${group} lacks a column`);
      offset = Math.min(offset, Number(column.dictionary_page_offset ?? column.data_page_offset));
      length += Number(column.total_compressed_size);
    }
    const bytes = await this.file.bytes(offset, length);
    if (crc32(bytes) !== this.table[2 * group + 1]) {
      const to = this.starts[group + 1] - 1;
      throw damaged(this.file.name, `the bytes of events ${this.starts[group]} to ${to} have changed`);
    }
    return { bytes, offset };
  }

  /** @param columns those that are wanted; default: all. */
  async decode(
    group: number,
    { bytes, offset }: { bytes: Uint8Array<ArrayBuffer>; offset: number },
    columns: readonly PackedColumn[] = this.columns,
  ): Promise<Decoded> {
    const rowGroup = this.file.footer.row_groups[group];
    const decoded = new Map<PackedColumn, ArrayLike<number>>();
    const texts = columns.filter(({ kind }) => kind === 'text');
    const numbers = columns.filter(({ kind }) => kind !== 'text');
    await this.readColumns(rowGroup, numbers, bytes, offset, decoded);
    for (const column of texts) await this.readColumns(rowGroup, [column], bytes, offset, decoded);
    return decoded;
  }

  /** Reads columns of one row group into `decoded`; a text column alone, as indices of its levels. */
  private async readColumns(
    rowGroup: RowGroup,
    columns: readonly PackedColumn[],
    bytes: Uint8Array<ArrayBuffer>,
    offset: number,
    decoded: Map<PackedColumn, ArrayLike<number>>,
  ): Promise<void> {
    if (columns.length === 0) return;
    const { file } = this;
    const events = Number(rowGroup.num_rows);
    const parts = new Map<string, DecodedArray[]>(columns.map(({ name }) => [name, []]));
    try {
      await parquetRead({
        file: {
          byteLength: file.size,
          slice: (from, to = file.size) => bytes.buffer.slice(from - offset, to - offset),
        },
        metadata: { ...file.footer, row_groups: [rowGroup], num_rows: rowGroup.num_rows },
        columns: columns.map(({ name }) => name),
        geoparquet: false,
        parsers: { stringFromBytes: levelParser(columns[0].levels ?? []) },
        onChunk: ({ columnName, columnData }) => void parts.get(columnName)?.push(columnData),
      });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw damaged(file.name, `a row group cannot be decoded: ${reason}`, cause);
    }
    for (const column of columns) {
      const chunks = parts.get(column.name) ?? [];
      // The writer puts a column of a row group into one page.
      if (chunks.length !== 1 || chunks[0].length !== events)
        throw damaged(file.name, `column ${column.name} of a row group does not have ${events} values`);
      decoded.set(column, chunks[0] as ArrayLike<number>);
    }
  }
}

/** Turns the entries of a page's dictionary into indices of levels, so that no text is made per event. */
function levelParser(levels: readonly string[]): (bytes: Uint8Array) => number {
  const index = new Map(levels.map((level, i) => [level, i]));
  return (bytes) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    const found = index.get(text);
    if (found === undefined) throw new RangeError(`${JSON.stringify(text)} is not in its dictionary`);
    return found;
  };
}

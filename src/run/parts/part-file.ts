/**
 * The file of a part: Parquet with a row for each policy (or replica) and block, whose columns are the sums, and a header in its
 * metadata. Whole numbers below 2⁵³, as f64 like everywhere: nothing is rounded, so that adding parts up is exact.
 */

import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { EngineError, InputError } from '../../errors.js';
import { type BlockStatistics, emptyBlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { ColumnKind } from '../../estimate/sums/summands.js';
import { fileError } from '../../files/file-error.js';
import { FileSink } from '../../files/file-sink.js';
import { CHECK_KEY, HEADER_KEY, headerSchema, PART_VERSION, type PartHeader } from './header.js';
import type { PartSums } from './plan.js';

/** All of a part but its sums, and what follows from them. */
export type PartAbout = Omit<PartHeader, 'version' | 'blocks' | 'tables' | 'sha256'>;

/** Rows of a row group, which are decoded at once. */
const GROUP_ROWS = 1 << 17;
/** Columns before those of the sums. */
const OWN = ['row', 'block', 'matches'] as const;

type Values = Int32Array | Float64Array;

/** Writes a part to a file that is open for writing and empty. @throws the file system's error. */
export async function writePart(handle: FileHandle, about: PartAbout, { blocks, tables }: PartSums): Promise<void> {
  const names = [...new Set(tables.flatMap(({ kinds }) => kinds.map(({ name }) => name)))];
  for (const { kinds } of tables)
    if (new Set(kinds.map(({ name }) => name)).size < kinds.length)
      throw new EngineError(`two columns of sums have one name: ${kinds.map(({ name }) => name).join(', ')}`);
  const columns = [...OWN, ...names];
  const sink = new FileSink(handle);
  const parquet = new ParquetWriter({
    writer: sink,
    schema: [
      { name: 'part', num_children: columns.length },
      ...columns.map((name, c) => ({
        name,
        repetition_type: 'REQUIRED' as const,
        type: c < 2 ? ('INT32' as const) : ('DOUBLE' as const),
      })),
    ],
    codec: 'UNCOMPRESSED',
    statistics: false,
    createdBy: 'hindcast part',
  });
  const sha256 = createHash('sha256');
  let [first] = about.span.rows;
  const { step = 1 } = about.span;
  for (const stats of tables) {
    for (const group of groupsOf(stats, { first, step }, blocks, names)) {
      for (const values of group) addTo(sha256, values);
      const columnData = group.map((data, c): ColumnSource => ({ name: columns[c], data, encoding: 'PLAIN' }));
      await parquet.write({ columnData, rowGroupSize: group[0].length, pageSize: 0 });
    }
    first += stats.policies;
  }
  const header: PartHeader = {
    ...{ version: PART_VERSION, ...about },
    blocks: [...blocks],
    tables: tables.map(({ policies, kinds }) => ({ rows: policies, columns: kinds.map(({ name }) => name) })),
    sha256: sha256.digest('hex'),
  };
  const text = JSON.stringify(header);
  parquet.kvMetadata = [
    { key: HEADER_KEY, value: text },
    { key: CHECK_KEY, value: createHash('sha256').update(text).digest('hex') },
  ];
  await parquet.finish();
}

/** Columns of the rows of a table, some rows at a time. @param first row of the run, which others follow by `step`. @param names of all columns of sums. */
function* groupsOf(
  { policies, matches, kinds, columns }: BlockStatistics,
  { first, step }: { readonly first: number; readonly step: number },
  blocks: Uint32Array,
  names: readonly string[],
): Generator<Values[]> {
  const size = policies * blocks.length;
  const sums = names.map((name) => columns[kinds.findIndex((kind) => kind.name === name)] as Float64Array | undefined);
  for (let from = 0; from < size; from += GROUP_ROWS) {
    const to = Math.min(size, from + GROUP_ROWS);
    const row = new Int32Array(to - from);
    const block = new Int32Array(to - from);
    for (let i = from; i < to; i++) {
      row[i - from] = first + step * Math.floor(i / blocks.length);
      block[i - from] = blocks[i % blocks.length];
    }
    const none = new Float64Array(to - from);
    yield [row, block, matches.subarray(from, to), ...sums.map((column) => column?.subarray(from, to) ?? none)];
  }
}

function addTo(hash: Hash, { buffer, byteOffset, byteLength }: Values): void {
  hash.update(new Uint8Array(buffer, byteOffset, byteLength));
}

/** The file of a part, open for reading. */
export class PartFile {
  private constructor(
    /** As the caller named it. */
    readonly name: string,
    private readonly handle: FileHandle,
    private readonly bytes: AsyncBuffer,
    private readonly footer: FileMetaData,
    readonly header: PartHeader,
  ) {}

  /** @throws InputError where the file is missing, no part, one of another version, or its footer is damaged. */
  static async open(name: string): Promise<PartFile> {
    const handle = await open(name, 'r').catch((error: unknown) => {
      throw fileError(name, error);
    });
    try {
      const { size } = await handle.stat();
      const bytes: AsyncBuffer = {
        byteLength: size,
        slice: (from, to = size) => slice(name, handle, from, Math.min(to, size)),
      };
      const start = new TextDecoder('latin1').decode(await bytes.slice(0, Math.min(4, size)));
      if (start !== 'PAR1' && size >= 4) throw noPart(name, 'the file', `${JSON.stringify(start)} at its beginning`);
      const footer = await parquetMetadataAsync(bytes).catch((cause: unknown) => {
        if (cause instanceof InputError) throw cause;
        const got = `${size} bytes; ${cause instanceof Error ? cause.message : String(cause)}`;
        throw damagedPart(name, got, cause);
      });
      return new PartFile(name, handle, bytes, footer, headerOf(name, footer));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /** Goes through all of it. @throws InputError where the file is damaged. */
  async check(): Promise<void> {
    await this.read(this.header.tables.map(({ columns }) => columns.map((name) => ({ name, reduce: 'sum' }))));
  }

  /**
   * The sums, which are those that were written.
   *
   * @param kinds of the columns of each table; absent: of policies of which the part has none.
   * @throws InputError where the file is damaged, or has other columns.
   */
  async read(kinds: readonly (readonly ColumnKind[])[]): Promise<PartSums> {
    const { header, name } = this;
    const blocks = Uint32Array.from(header.blocks);
    const events = new Float64Array(blocks.length);
    const tables = header.tables.map(({ rows, columns }, i) => {
      const own = kinds[i] ?? [];
      if (own.map((kind) => kind.name).join() !== columns.join())
        throw damagedPart(name, `sums ${columns.join(', ')} in place of ${own.map((kind) => kind.name).join(', ')}`);
      return emptyBlockStatistics(rows, events, own);
    });
    const sha256 = createHash('sha256');
    let group = 0;
    let [first] = header.span.rows;
    const { step = 1 } = header.span;
    const names = [...new Set(header.tables.flatMap(({ columns }) => columns))];
    for (const stats of tables) {
      for (const wanted of groupsOf(stats, { first, step }, blocks, names)) {
        const found = await this.group(group++, [...OWN, ...names], wanted[0].length);
        for (const [c, values] of found.entries()) {
          addTo(sha256, values);
          // Places follow from the header; sums are taken over.
          if (c >= 2) (wanted[c] as Float64Array).set(values);
        }
      }
      first += stats.policies;
    }
    if (group !== this.footer.row_groups.length || sha256.digest('hex') !== header.sha256)
      throw damagedPart(name, 'its sums are not those that were written');
    return { blocks, tables };
  }

  /** Columns of a row group. */
  private async group(index: number, columns: readonly string[], rows: number): Promise<Values[]> {
    const { name, footer, bytes: file } = this;
    const group = footer.row_groups[index];
    if (group === undefined || Number(group.num_rows) !== rows)
      throw damagedPart(name, `row group ${index} does not have ${rows} rows`);
    const parts = new Map<string, Values>();
    await parquetRead({
      ...{ file, columns: [...columns], geoparquet: false },
      metadata: { ...footer, row_groups: [group], num_rows: group.num_rows },
      onChunk: ({ columnName, columnData }) => void parts.set(columnName, columnData as Values),
    }).catch((cause: unknown) => {
      throw damagedPart(name, cause instanceof Error ? cause.message : String(cause), cause);
    });
    return columns.map((column) => {
      const values = parts.get(column);
      if (!(values instanceof Int32Array || values instanceof Float64Array) || values.length !== rows)
        throw damagedPart(name, `column ${column} of a row group does not have ${rows} numbers`);
      return values;
    });
  }
}

async function slice(name: string, handle: FileHandle, from: number, to: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(0, to - from));
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, at, bytes.length - at, from + at).catch((error: unknown) => {
      throw fileError(name, error);
    });
    if (bytesRead === 0) throw damagedPart(name, `it has become shorter than ${to} bytes`);
    at += bytesRead;
  }
  return bytes.buffer;
}

function headerOf(name: string, footer: FileMetaData): PartHeader {
  const entry = (key: string) => footer.key_value_metadata?.find((one) => one.key === key)?.value;
  const text = entry(HEADER_KEY);
  if (text === undefined) {
    const by = footer.created_by;
    throw noPart(name, 'the Parquet file', by === undefined ? undefined : `a file written by ${by}`);
  }
  if (createHash('sha256').update(text).digest('hex') !== entry(CHECK_KEY))
    throw damagedPart(name, 'its header has changed');
  const json = JSON.parse(text) as { version?: unknown };
  if (json.version !== PART_VERSION) {
    throw new InputError({
      file: name,
      problem: 'the part was written by another version of hindcast',
      got: `version ${String(json.version)} of the format`,
      needed: `version ${PART_VERSION}`,
      hint: 'compute all parts, and put them together, with one version',
    });
  }
  const parsed = headerSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0];
  throw damagedPart(name, `its header is not valid at ${path.join('.') || 'the top'}: ${message}`);
}

/** Another file, which is not to be thrown away. */
function noPart(file: string, what: string, got: string | undefined): InputError {
  return new InputError({
    ...{ file, problem: `${what} is no part of a run`, got },
    needed: 'a file that evaluate or replay wrote with --part',
  });
}

/** A part that is not as it was written. */
export function damagedPart(file: string, got: string, cause?: unknown): InputError {
  return new InputError(
    {
      file,
      problem: 'the part is damaged',
      got,
      needed: 'the file as evaluate or replay wrote it with --part',
      hint: 'if it is a part of yours, delete it and compute it again',
    },
    { cause },
  );
}

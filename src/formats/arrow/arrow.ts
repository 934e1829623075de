/**
 * Arrow IPC: files (Feather 2) and streams. apache-arrow decodes the record batches, and their columns in use go into a
 * table of the temporary database, which spills to disk where it outgrows memory.
 */

import { open as openFile } from 'node:fs/promises';
import type { Data, DataType, RecordBatch, Schema, Vector } from 'apache-arrow';
import { InputError } from '../../errors.js';
import { type Cell, duckdbMessage, memoryFault } from '../../files/duckdb.js';
import { fileError } from '../../files/file-error.js';
import type { Head } from '../../files/files.js';
import type { Format, OpenOptions, SourceColumn, SourceFile } from '../format.js';
import { BadColumn, cellWriter, checkNulls, type WriteCells } from './cells.js';
import { registerCodecs } from './codecs.js';
import { arrowKind, arrowMessages, mostOfBatch } from './messages.js';
import { type Arrow, duckdbType } from './types.js';

export const arrow: Format<'arrow'> = {
  name: 'arrow',
  isText: false,
  extensions: ['.arrow', '.arrows', '.feather', '.ipc'],
  sniff: ({ bytes }) => arrowKind(bytes) !== null,
  open,
};

/** Rows that DuckDB takes at a time. */
const CHUNK = 2048;

/** A column that is read. */
interface ReadColumn {
  readonly name: string;
  /** Position in the file, then within structs. */
  readonly path: readonly number[];
  readonly type: string;
}

async function open(file: string, options: OpenOptions): Promise<SourceFile> {
  const { database, number } = options;
  const kind = checkHead(file, options.head);
  const api = await import('apache-arrow');
  await registerCodecs();
  const table = `arrow_${number}`;
  let read: readonly ReadColumn[] = [];
  let columns: SourceFile['columns'] = [];
  let writer: Awaited<ReturnType<typeof database.writer>> | null = null;
  const texts = new WeakMap<Vector, readonly Cell[]>();
  let row = 0;
  try {
    for await (const item of recordBatches(api, file, kind, mostOfBatch(database.memory))) {
      if ('schema' in item && !('batch' in item)) {
        ({ read, columns } = columnsOf(api, file, item.schema, options));
        // None that is looked for: the reader says which it misses.
        if (read.length === 0) break;
        await database.run(`CREATE TABLE ${table} (${read.map(({ type }, c) => `c${c} ${type}`).join(', ')})`);
        writer = await database.writer(table);
        continue;
      }
      const { batch } = item;
      if (writer === null) throw new TypeError('a batch before the schema');
      const write = read.map((column) =>
        guarded(file, column.name, row, () => fieldWriter(api, batch, column.path, texts)),
      );
      for (let from = 0; from < batch.numRows; from += CHUNK) {
        const count = Math.min(CHUNK, batch.numRows - from);
        writer.append(count, (c, cells) => {
          guarded(file, read[c].name, row, () => (write[c] as WriteCells)(from, count, cells));
        });
      }
      row += batch.numRows;
    }
  } finally {
    writer?.close();
  }
  return {
    file,
    format: 'arrow',
    columns,
    relation: table,
    rowNumber: 'rowid',
    rejects: async () => [],
    line: async () => null,
    failure: async (error) =>
      new InputError(
        { file, problem: 'the file cannot be read as Arrow IPC', got: duckdbMessage(error), ...memoryFault(error) },
        { cause: error },
      ),
  };
}

function checkHead(file: string, { packing, bytes }: Head): 'file' | 'stream' {
  const kind = arrowKind(bytes);
  const fault =
    kind === 'feather'
      ? { got: 'Feather 1', needed: 'Arrow IPC, also called Feather 2', hint: 'write it again with a current version' }
      : kind !== null && packing !== null
        ? {
            got: `${packing} around it`,
            needed: 'the file itself',
            hint: 'unpack it; Arrow packs its buffers with LZ4 or Zstandard',
          }
        : {
            got: bytes.length === 0 ? 'an empty file' : undefined,
            needed: 'an Arrow IPC file or stream',
            hint: 'if it is another format, name it with --log-format',
          };
  if (kind === null || kind === 'feather' || packing !== null)
    throw new InputError({ file, problem: 'the file cannot be read as Arrow IPC', ...fault });
  return kind;
}

/** A column, or a field of a struct. */
interface Field {
  readonly name: string;
  readonly type: DataType;
  readonly path: readonly number[];
}

/** The columns of a file, those that are read at their places in the table; of structs that are read, the fields. */
function columnsOf(
  api: Arrow,
  file: string,
  schema: Schema,
  { reads }: OpenOptions,
): { read: ReadColumn[]; columns: SourceFile['columns'] } {
  const read: ReadColumn[] = [];
  const columns: SourceColumn[] = [];
  const seen = new Set<string>();
  const add = ({ name, type, path }: Field): void => {
    const isNested = path.length > 1;
    if (api.DataType.isStruct(type) && type.children.length > 0 && reads(name)) {
      for (const [i, field] of type.children.entries())
        add({ name: `${name}.${field.name}`, type: field.type, path: [...path, i] });
      return;
    }
    const known = duckdbType(api, type);
    if (!reads(name)) {
      columns.push({ name, type: known ?? 'BLOB', sql: `CAST(NULL AS ${known ?? 'BLOB'})`, isNested });
      return;
    }
    if (known === null) {
      throw new InputError({
        file,
        column: name,
        problem: 'the column has the wrong type',
        got: String(type),
        needed: 'numbers, text, booleans, times, dictionaries or lists of them',
        hint: 'name another column, or write it with another type',
      });
    }
    if (seen.has(name) && !isNested) {
      throw new InputError({
        file,
        column: name,
        problem: 'two columns have the same name',
        needed: 'different names',
      });
    }
    seen.add(name);
    read.push({ name, path, type: known });
    const isDay = api.DataType.isDate(type) && type.unit === api.DateUnit.MILLISECOND;
    columns.push({ name, type: known, sql: `c${read.length - 1}`, isNested, isDay });
  };
  for (const [i, { name, type }] of schema.fields.entries()) add({ name, type, path: [i] });
  return { read, columns };
}

/** The schema, then every batch. */
async function* recordBatches(
  api: Arrow,
  file: string,
  kind: 'file' | 'stream',
  most: number,
): AsyncGenerator<{ schema: Schema } | { schema: Schema; batch: RecordBatch }> {
  const handle = await openFile(file, 'r').catch((error: unknown) => {
    throw fileError(file, error);
  });
  let fault: unknown = null;
  let number = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    // apache-arrow takes an error of its source for the end.
    try {
      yield* arrowMessages(api, file, handle, kind, most);
    } catch (error) {
      fault = error;
    }
  }
  try {
    const reader = await api.RecordBatchReader.from(bytes());
    await reader.open({ autoDestroy: true });
    if (fault !== null) throw fault;
    const { schema } = reader;
    if (!schema?.fields.every((field) => typeof field.name === 'string' && String(field.type) !== ''))
      throw new Error('no schema, or a column without a name');
    yield { schema };
    for await (const batch of reader) {
      if (fault !== null) throw fault;
      if (batch.numRows > 0) yield { schema, batch };
      number++;
    }
    if (fault !== null) throw fault;
  } catch (error) {
    if (fault !== null) throw fault;
    if (error instanceof InputError) throw error;
    throw new InputError(
      {
        file,
        problem: 'the file cannot be read as Arrow IPC',
        got: `${error instanceof Error ? error.message : String(error)}, in record batch ${number}`,
        needed: 'a complete Arrow IPC file or stream',
        hint: 'copy or download it again, or write it as Parquet',
      },
      { cause: error },
    );
  } finally {
    // apache-arrow does not end its source where it gives up.
    await handle.close();
  }
}

/** Writes a column, or a field of a struct, which is missing wherever the struct is. */
function fieldWriter(
  api: Arrow,
  batch: RecordBatch,
  path: readonly number[],
  texts: WeakMap<Vector, readonly Cell[]>,
): WriteCells {
  let data: Data = batch.data;
  const around: Data[] = [];
  for (const index of path) {
    const child = data.children[index];
    if (child === undefined || child.length !== batch.numRows)
      throw new BadColumn('another number of rows than its batch');
    if (data !== batch.data && data.nullCount > 0) around.push(data);
    data = child;
  }
  for (const struct of around) checkNulls(struct);
  const write = cellWriter(api, data, texts);
  if (around.length === 0) return write;
  return (from, count, cells) => {
    write(from, count, cells);
    for (const struct of around) for (let i = 0; i < count; i++) if (!struct.getValid(from + i)) cells.set(i, null);
  };
}

/** A fault of a column, told with its place. @param row of the batch's first row. */
function guarded<T>(file: string, column: string, row: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BadColumn)) throw error;
    throw new InputError(
      {
        file,
        row: row + (error.row ?? 0),
        column,
        problem: 'the column is damaged',
        got: error.message,
        needed: 'a complete Arrow IPC file or stream',
        hint: 'write the file again, or name another column',
      },
      { cause: error },
    );
  }
}

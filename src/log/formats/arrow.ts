/**
 * Arrow IPC: files (Feather 2) and streams. apache-arrow decodes the record batches, and their columns in use go into a
 * table of the temporary database, which spills to disk where it outgrows memory.
 */

import { open as openFile } from 'node:fs/promises';
import type { RecordBatch, Schema, Vector } from 'apache-arrow';
import { InputError } from '../../errors.js';
import { BadColumn, cellWriter, type WriteCells } from './arrow/cells.js';
import { registerCodecs } from './arrow/codecs.js';
import { arrowKind, arrowMessages } from './arrow/messages.js';
import { type Arrow, duckdbType } from './arrow/types.js';
import { type Cell, duckdbMessage } from './duckdb.js';
import { fileError } from './file-error.js';
import type { Head } from './files.js';
import type { Format, OpenOptions, SourceFile } from './source.js';

export const arrow: Format = { name: 'arrow', extensions: ['.arrow', '.arrows', '.feather', '.ipc'], open };

/** Rows that DuckDB takes at a time. */
const CHUNK = 2048;

/** A column that is read. */
interface ReadColumn {
  readonly name: string;
  /** Position in the file. */
  readonly index: number;
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
    for await (const item of recordBatches(api, file, kind)) {
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
        guarded(file, column.name, row, () => cellWriter(api, childOf(batch, column.index), texts)),
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
    isRecord: null,
    rejects: async () => [],
    line: async () => null,
    failure: async (error) =>
      new InputError(
        { file, problem: 'the file cannot be read as Arrow IPC', got: duckdbMessage(error) },
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

/** The columns of a file, those that are read at their places in the table. */
function columnsOf(
  api: Arrow,
  file: string,
  schema: Schema,
  { reads }: OpenOptions,
): { read: ReadColumn[]; columns: SourceFile['columns'] } {
  const read: ReadColumn[] = [];
  const seen = new Set<string>();
  const columns = schema.fields.map(({ name, type }, index) => {
    const known = duckdbType(api, type);
    if (!reads(name)) return { name, type: known ?? 'BLOB', sql: `CAST(NULL AS ${known ?? 'BLOB'})` };
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
    if (seen.has(name)) {
      throw new InputError({
        file,
        column: name,
        problem: 'two columns have the same name',
        needed: 'different names',
      });
    }
    seen.add(name);
    read.push({ name, index, type: known });
    return { name, type: known, sql: `c${read.length - 1}` };
  });
  return { read, columns };
}

/** The schema, then every batch. */
async function* recordBatches(
  api: Arrow,
  file: string,
  kind: 'file' | 'stream',
): AsyncGenerator<{ schema: Schema } | { schema: Schema; batch: RecordBatch }> {
  const handle = await openFile(file, 'r').catch((error: unknown) => {
    throw fileError(file, error);
  });
  let fault: unknown = null;
  let number = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    // apache-arrow takes an error of its source for the end.
    try {
      yield* arrowMessages(api, file, handle, kind);
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

function childOf(batch: RecordBatch, index: number) {
  const child = batch.data.children[index];
  if (child === undefined || child.length !== batch.numRows)
    throw new BadColumn('another number of rows than its batch');
  return child;
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

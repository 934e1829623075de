/**
 * The one place that talks to DuckDB, which is loaded when a file is first read: the engine works without it.
 */

import { resolve } from 'node:path';
import type { DuckDBAppender, DuckDBConnection, DuckDBValue, DuckDBVector } from '@duckdb/node-api';
import { EngineError, type Fault, InputError } from '../errors.js';

/** Numbers of a column in one batch, as DuckDB stores them. */
export type Items = Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** One column of a batch: its numbers, and a bit per row that is 0 where the value is NULL (`null`: no NULLs). */
export interface ItemColumn {
  readonly items: Items;
  readonly valid: Uint32Array | null;
}

/** A column of lists: list i is `child.items[start .. start + length)`. */
export interface ListColumn {
  readonly child: ItemColumn;
  readonly valid: Uint32Array | null;
  /** Start and length of each list, interleaved. */
  readonly entries: BigUint64Array;
}

/** One batch of a streamed result. */
export interface RowBatch {
  readonly rows: number;
  items(column: number): ItemColumn;
  lists(column: number): ListColumn;
}

/** A value that a table takes; whole numbers of 64 bits as bigint. */
export type Cell = null | boolean | number | bigint | string | DecimalCell | readonly Cell[];

/** The decimal number digits / 10^scale. */
export interface DecimalCell {
  readonly digits: bigint;
  readonly width: number;
  readonly scale: number;
}

/** One column of rows that are being appended. */
export interface CellWriter {
  /** The raw values of a column of numbers, dates or timestamps; `null` for others. */
  readonly items: Numbers | null;
  set(row: number, value: Cell): void;
}

/** The arrays that columns of numbers are made of. */
export type Numbers = Items | Int8Array | Int16Array | BigInt64Array | BigUint64Array;

/** Rows into a table. */
export interface TableWriter {
  /** Appends at most 2,048 rows: `fill` writes every value of each column. */
  append(rows: number, fill: (column: number, cells: CellWriter) => void): void;
  close(): void;
}

/** An in-memory database that reads files. Close it: it holds threads and memory. */
export interface Database {
  /** Folder for what outgrows memory, or is unpacked. */
  readonly temporary: string;
  /** Bytes that it may hold, where that is less than the machine has. */
  readonly memory?: number;
  run(sql: string): Promise<void>;
  /** All rows of a small result, numbers and text as JavaScript has them (64-bit integers as bigint). */
  rows(sql: string): Promise<unknown[][]>;
  /** Streams a result in order, batch by batch, waiting for `visit`. Stops early if that returns false. */
  stream(sql: string, visit: (batch: RowBatch) => boolean | Promise<boolean>): Promise<void>;
  /** @param table made before with `CREATE TABLE`. */
  writer(table: string): Promise<TableWriter>;
  /** From now on nothing but these files is read, no extension is loaded, and no setting is changed. */
  lock(files: readonly string[]): Promise<void>;
  close(): void;
}

/** Identifier for SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Text literal for SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A path literal that names exactly one file, whatever is in its name: glob characters, `~`, or what looks like a URL. */
export function sqlPath(path: string): string {
  return sqlText(globOf(path));
}

function globOf(path: string): string {
  return resolve(path).replace(/[[*?]/g, (character) => `[${character}]`);
}

/** The gist of a DuckDB error: its first paragraph, without advice about DuckDB's own options. */
export function duckdbMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/\n\s*\n|\nLINE |\nPossible (?:fixes|Solution)/)[0].trim();
}

/** What to say of a DuckDB error where memory did not suffice, as of a page that unpacks to gigabytes; `null`: another. */
export function memoryFault(error: unknown): Pick<Fault, 'problem' | 'got' | 'needed' | 'hint'> | null {
  const got = duckdbMessage(error);
  if (!got.startsWith('Out of Memory Error')) return null;
  const hint = 'give it more with --memory, or write the file again in smaller parts (row groups, pages, batches)';
  const needed = 'as much as its largest row group or page unpacks to';
  return { problem: 'reading the file takes more memory than there is for it', got, needed, hint };
}

/** The error of a machine where DuckDB cannot be loaded. @param work that is done with it. */
export function withoutDuckdb(work: string, cause: unknown): InputError {
  const got = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
  // npm takes the binary of the platform for an optional package, and leaves it out where these are not wanted.
  const binary = `@duckdb/node-bindings-${process.platform}-${process.arch}`;
  return new InputError(
    {
      problem: `${work} with DuckDB, which cannot be loaded here`,
      got,
      hint: got.includes(binary)
        ? `npm install ${binary} (npm install --omit=optional leaves it out), or build the log in code with logFromColumns`
        : 'npm install @duckdb/node-api, or build the log in code with logFromColumns',
    },
    { cause },
  );
}

/**
 * Opens a database in memory.
 *
 * @param temporary directory for results that outgrow memory.
 * @param memory bytes that the database may hold; default: as DuckDB has it, most of the machine's memory.
 * @throws InputError where the package cannot be loaded.
 */
export async function openDatabase(temporary: string, memory?: number): Promise<Database> {
  let api: typeof import('@duckdb/node-api');
  try {
    api = await import('@duckdb/node-api');
  } catch (cause) {
    throw withoutDuckdb('log files are read', cause);
  }
  const instance = await api.DuckDBInstance.create(':memory:', {
    // Nothing is fetched from the network, ever.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    temp_directory: temporary,
    ...(memory === undefined ? {} : { memory_limit: `${Math.floor(memory / 1024)}KiB` }),
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run('SET preserve_insertion_order = true');
  await connection.run('SET enable_progress_bar = false');
  return {
    temporary,
    memory,
    async run(sql) {
      await connection.run(sql);
    },
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRowsJS(),
    stream: (sql, visit) => stream(connection, sql, visit),
    writer: async (table) => tableWriter(api, await connection.createAppender(table)),
    async lock(files) {
      // A pattern is looked up under its own name, what it matches under that of the file.
      const paths = files.flatMap((file) => [resolve(file), globOf(file)]).map(sqlText);
      await connection.run(`SET allowed_paths = [${paths.join(', ')}]`);
      await connection.run(`SET allowed_directories = [${sqlText(temporary)}]`);
      await connection.run('SET enable_external_access = false');
      await connection.run('SET lock_configuration = true');
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** DuckDB's own failure during a stream, told apart from a failure of the code that looks at its batches. */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';
}

function databaseFailure(error: unknown): never {
  throw new DatabaseFailure(error instanceof Error ? error.message : String(error), { cause: error });
}

async function stream(
  connection: DuckDBConnection,
  sql: string,
  visit: (batch: RowBatch) => boolean | Promise<boolean>,
): Promise<void> {
  const result = await connection.stream(sql).catch(databaseFailure);
  for (;;) {
    const chunk = await result.fetchChunk().catch(databaseFailure);
    if (chunk === null || chunk.rowCount === 0) return;
    const rows = chunk.rowCount;
    const more = visit({
      rows,
      items: (column) => itemColumn(chunk.getColumnVector(column)),
      lists: (column) => listColumn(chunk.getColumnVector(column)),
    });
    if (!(typeof more === 'boolean' ? more : await more)) return;
  }
}

function tableWriter(api: typeof import('@duckdb/node-api'), appender: DuckDBAppender): TableWriter {
  const types = Array.from({ length: appender.columnCount }, (_, column) => appender.columnType(column));
  const duckdbValue = (cell: Cell): DuckDBValue => {
    if (cell === null || typeof cell !== 'object') return cell;
    if (Array.isArray(cell)) return api.listValue(cell.map(duckdbValue));
    const { digits, width, scale } = cell as DecimalCell;
    return new api.DuckDBDecimalValue(digits, width, scale);
  };
  return {
    append(rows, fill) {
      const chunk = api.DuckDBDataChunk.create(types, rows);
      for (let column = 0; column < types.length; column++) {
        const vector = chunk.getColumnVector(column);
        const { items } = vector as unknown as VectorInternals;
        fill(column, {
          items: ArrayBuffer.isView(items) && !(items instanceof DataView) ? (items as Numbers) : null,
          set: (row, value) => vector.setItem(row, duckdbValue(value)),
        });
        vector.flush();
      }
      appender.appendDataChunk(chunk);
    },
    close() {
      appender.flushSync();
      appender.closeSync();
    },
  };
}

/** The arrays inside a vector, which the package's types keep private: one object per value would cost seconds per million. */
interface VectorInternals {
  readonly items?: unknown;
  readonly validity?: { readonly data: BigUint64Array | null };
  readonly entryData?: unknown;
  readonly childData?: DuckDBVector;
}

function itemColumn(vector: DuckDBVector): ItemColumn {
  const { items } = vector as unknown as VectorInternals;
  if (!ArrayBuffer.isView(items)) throw changed('items');
  return { items: items as Items, valid: validBits(vector) };
}

function listColumn(vector: DuckDBVector): ListColumn {
  const { entryData, childData } = vector as unknown as VectorInternals;
  if (!(entryData instanceof BigUint64Array) || childData === undefined) throw changed('lists');
  return { child: itemColumn(childData), valid: validBits(vector), entries: entryData };
}

function validBits(vector: DuckDBVector): Uint32Array | null {
  const { validity } = vector as unknown as VectorInternals;
  if (validity === undefined) throw changed('validity');
  const { data } = validity;
  return data === null ? null : new Uint32Array(data.buffer, data.byteOffset, data.length * 2);
}

function changed(part: string): EngineError {
  return new EngineError(
    `this version of @duckdb/node-api keeps the ${part} of a vector elsewhere; install the version that hindcast was built with`,
  );
}

/** True where row `i` is not NULL. */
export function isValid(valid: Uint32Array | null, i: number): boolean {
  return valid === null || ((valid[i >>> 5] >>> (i & 31)) & 1) === 1;
}

/** Writes a table of numbers to a Parquet or CSV file, batch by batch, with DuckDB. */

import type { DuckDBType } from '@duckdb/node-api';
import { EngineError } from '../../errors.js';
import { withoutDuckdb } from '../../files/duckdb.js';

/** A column: its values are numbers of `type`; `sql` is an expression of what is written, over the column's name. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'u8' | 'u32' | 'f64';
  readonly sql?: string;
}

export type TableArray = Uint8Array | Uint32Array | Float64Array;

export interface Table {
  readonly columns: readonly TableColumn[];
  /** Writes up to `room` rows into the columns from their beginnings; returns how many, 0 at the end. */
  fill(columns: readonly TableArray[], room: number): number;
}

/** What to write. */
export type TableFormat = 'parquet' | 'csv' | 'csv.gz';

const OPTIONS: Readonly<Record<TableFormat, string>> = {
  parquet: 'FORMAT parquet, COMPRESSION zstd',
  csv: 'FORMAT csv, HEADER',
  'csv.gz': 'FORMAT csv, HEADER, COMPRESSION gzip',
};

/**
 * Writes a whole table. Memory is bounded by a row group, and the bytes are the same every time (one thread).
 *
 * @param file is overwritten.
 * @throws InputError where DuckDB is missing; what `fill` throws; EngineError where writing fails.
 */
export async function writeTable(file: string, format: TableFormat, table: Table, signal?: AbortSignal): Promise<void> {
  const api = await import('@duckdb/node-api').catch((cause: unknown) => {
    throw withoutDuckdb(`${format} files are written`, cause);
  });
  const types: Readonly<Record<TableColumn['type'], DuckDBType>> = {
    u8: api.UTINYINT,
    u32: api.UINTEGER,
    f64: api.DOUBLE,
  };
  const instance = await api.DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    threads: '1',
  });
  const connection = await instance.connect();
  // An error that crosses DuckDB comes back as its text only.
  let failure: unknown = null;
  const { columns } = table;
  const source = api.DuckDBTableFunction.create({
    name: 'rows',
    bindFunction: (bind) => {
      for (const { name, type } of columns) bind.addResultColumn(name, types[type]);
    },
    initFunction: (init) => init.setMaxThreads(1),
    mainFunction: (info, chunk) => {
      try {
        signal?.throwIfAborted();
        chunk.rowCount = VECTOR;
        const vectors = columns.map((_, i) => chunk.getColumnVector(i));
        const rows = table.fill(vectors.map(itemsOf), VECTOR);
        for (const vector of vectors) vector.flush();
        chunk.rowCount = rows;
      } catch (error) {
        failure = error;
        chunk.rowCount = 0;
        info.setError('stopped');
      }
    },
  });
  try {
    connection.registerTableFunction(source);
    const list = columns.map(({ name, sql }) => `${sql ?? `"${name}"`} AS "${name}"`).join(', ');
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run(
      `COPY (SELECT ${list} FROM rows()) TO '${file.replaceAll("'", "''")}' (${OPTIONS[format]}, USE_TMP_FILE false)`,
    );
  } catch (error) {
    if (failure !== null) throw failure;
    const reason = error instanceof Error ? error.message : String(error);
    throw new EngineError(`${file}: writing failed\n  got:    ${reason}`, { cause: error });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Rows of a chunk. */
const VECTOR = 2048;

/** The array that backs a vector, which the package's types keep private: one call per value would take seconds per million. */
function itemsOf(vector: object): TableArray {
  const { items } = vector as { items?: unknown };
  if (items instanceof Uint8Array || items instanceof Uint32Array || items instanceof Float64Array) return items;
  throw new EngineError(
    'this version of @duckdb/node-api keeps the items of a vector elsewhere; install the version that hindcast was built with',
  );
}

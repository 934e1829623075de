/** Parquet. */

import { InputError } from '../../errors.js';
import { duckdbMessage, sqlPath } from './duckdb.js';
import { readParquetSchema } from './parquet-schema.js';
import type { Format, OpenOptions, SourceFile } from './source.js';

export const parquet: Format = { name: 'parquet', extensions: ['.parquet', '.pq'], open };

/** Name under which DuckDB gives the number of a row in its file. */
const ROW = 'file_row_number';

async function open(file: string, { database, reads }: OpenOptions): Promise<SourceFile> {
  const failure = async (error: unknown): Promise<InputError> =>
    new InputError(
      {
        file,
        problem: 'the file cannot be read as Parquet',
        got: duckdbMessage(error),
        needed: 'a complete Parquet file',
        hint: 'copy or download it again; if it is no Parquet file, name its format with --log-format',
      },
      { cause: error },
    );
  const scan = `read_parquet(${sqlPath(file)}, hive_partitioning = false)`;
  let described: unknown[][];
  try {
    described = await database.rows(`DESCRIBE SELECT * FROM ${scan}`);
  } catch (error) {
    throw await failure(error);
  }
  const names = await readParquetSchema(file, reads);
  if (names.length !== described.length) {
    throw await failure(new Error(`${described.length} columns, where its schema names ${names.length}`));
  }
  return {
    file,
    format: 'parquet',
    columns: names.map((name, i) => ({ name, type: String(described[i][1]), sql: `c${i}` })),
    // By place: DuckDB renames what differs in case only, and has columns of its own, such as that of the row.
    relation: `${scan} AS parquet(${names.map((_, i) => `c${i}`).join(', ')})`,
    rowNumber: ROW,
    isRecord: null,
    rejects: async () => [],
    line: async () => null,
    failure,
  };
}

/** Parquet. */

import { InputError } from '../../errors.js';
import { duckdbMessage, sqlName, sqlPath } from './duckdb.js';
import type { Format, OpenOptions, SourceFile } from './source.js';

export const parquet: Format = { name: 'parquet', extensions: ['.parquet', '.pq'], open };

/** Name under which DuckDB gives the number of a row in its file. */
const ROW = 'file_row_number';

async function open(file: string, { database }: OpenOptions): Promise<SourceFile> {
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
  const relation = `read_parquet(${sqlPath(file)}, hive_partitioning = false, file_row_number = true)`;
  let described: unknown[][];
  try {
    described = await database.rows(`DESCRIBE SELECT * FROM ${relation}`);
  } catch (error) {
    throw await failure(error);
  }
  const columns = described
    .map(([name, type]) => ({ name: String(name), type: String(type), sql: sqlName(String(name)) }))
    .filter(({ name }) => name !== ROW);
  return {
    file,
    format: 'parquet',
    columns,
    relation,
    rowNumber: ROW,
    isRecord: null,
    rejects: async () => [],
    line: async () => null,
    failure,
  };
}

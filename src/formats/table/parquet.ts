/** Parquet. */

import { InputError } from '../../errors.js';
import { type Database, duckdbMessage, memoryFault, sqlPath } from '../../files/duckdb.js';
import { isParquet } from '../../files/files.js';
import { plural } from '../../words.js';
import type { Format, OpenOptions, SourceColumn, SourceFile } from '../format.js';
import { readParquetSchema } from './parquet-schema.js';

export const parquet: Format<'parquet'> = {
  name: 'parquet',
  isText: false,
  extensions: ['.parquet', '.pq'],
  sniff: ({ bytes }) => isParquet(bytes),
  open,
};

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
        ...memoryFault(error),
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
  const { names, coarse } = await readParquetSchema(file, reads);
  if (names.length !== described.length) {
    throw await failure(new Error(`${plural(described.length, 'column')}, where its schema names ${names.length}`));
  }
  const columns = names.map(
    (name, i): SourceColumn => ({ name, type: String(described[i][1]), sql: `c${i}`, coarse: coarse.get(name) }),
  );
  // By place: DuckDB renames what differs in case only, and has columns of its own, such as that of the row.
  const relation = `${scan} AS parquet(${names.map((_, i) => `c${i}`).join(', ')})`;
  const fields: SourceColumn[] = [];
  try {
    for (const column of columns)
      if (reads(column.name))
        for (const field of await fieldsOf(database, relation, column))
          fields.push({ ...field, coarse: coarse.get(field.name) });
  } catch (error) {
    throw await failure(error);
  }
  return {
    file,
    format: 'parquet',
    columns: [...columns, ...fields],
    relation,
    rowNumber: ROW,
    rejects: async () => [],
    line: async () => null,
    failure,
  };
}

/** The fields of a struct, and theirs; none of other columns. */
async function fieldsOf(
  database: Database,
  relation: string,
  { name, type, sql }: SourceColumn,
): Promise<SourceColumn[]> {
  if (!/^STRUCT\(.*\)$/s.test(type)) return [];
  const described = await database.rows(`DESCRIBE SELECT unnest(${sql}) FROM ${relation}`);
  const all: SourceColumn[] = [];
  for (const [i, [field, fieldType]] of described.entries()) {
    const column = {
      name: `${name}.${field}`,
      type: String(fieldType),
      sql: `struct_extract_at(${sql}, ${i + 1})`,
      isNested: true,
    };
    const inner = await fieldsOf(database, relation, column);
    all.push(...(inner.length > 0 ? inner : [column]));
  }
  return all;
}

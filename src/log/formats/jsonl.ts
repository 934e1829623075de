/** JSON lines: an object per line, plain or packed (gzip, Zstandard). Empty lines are none. */

import { InputError } from '../../errors.js';
import { type RecordForm, visitRecords } from './csv-records.js';
import { duckdbMessage, sqlPath, sqlText } from './duckdb.js';
import type { Head } from './files.js';
import { plainText } from './plain-text.js';
import type { Format, OpenOptions, SourceFile } from './source.js';

export const jsonl: Format = { name: 'jsonl', extensions: ['.jsonl', '.ndjson', '.json'], open };

/** A record is a line. */
const FORM: RecordForm = { header: 0, delimiter: -1 };

/** Objects looked at for the names of fields. */
const SAMPLE = 10000;

async function open(file: string, options: OpenOptions): Promise<SourceFile> {
  const { database, head } = options;
  checkHead(file, head);
  const { path, records, sizes } = await plainText(file, FORM, options);
  // A line is a CSV record of one field without quotes; U+0001 cannot be in a JSON text, so it separates nothing.
  // Strictly, DuckDB refuses a file whose lines do not all end alike, as a file put together from two may.
  const lines =
    `(SELECT line FROM read_csv(${sqlPath(path)}, auto_detect = false, header = false, delim = E'\\x01', quote = '', escape = '', ` +
    `compression = 'none', hive_partitioning = false${sizes}, parallel = false, strict_mode = false, columns = {line: 'VARCHAR'}) WHERE line IS NOT NULL)`;
  const isObject = `coalesce(CASE WHEN json_valid(line) THEN json_type(line) = 'OBJECT' END, false)`;
  const failure = async (error: unknown): Promise<InputError> =>
    new InputError(
      {
        file,
        problem: 'the file cannot be read as JSON lines',
        got: duckdbMessage(error),
        needed: 'a JSON object per line, in UTF-8',
      },
      { cause: error },
    );
  let names: string[];
  try {
    const keys = (limit: string) =>
      database.rows(
        `SELECT DISTINCT unnest(json_keys(line)) FROM (SELECT line FROM ${lines} WHERE ${isObject} ${limit})`,
      );
    names = (await keys(`LIMIT ${SAMPLE}`)).map(([name]) => String(name));
    const known = new Set(names);
    if (options.wanted.some((name) => !known.has(name))) names = (await keys('')).map(([name]) => String(name));
  } catch (error) {
    throw await failure(error);
  }
  names.sort();
  const pointers = names.map((name) => sqlText(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`));
  const values =
    names.length === 0 ? 'NULL' : `CASE WHEN ${isObject} THEN json_extract_string(line, [${pointers.join(', ')}]) END`;
  return {
    file,
    format: 'jsonl',
    columns: names.map((name, i) => ({ name, type: 'TEXT', sql: `v[${i + 1}]` })),
    relation: `(SELECT line, ${values} AS v, ${isObject} AS is_object FROM ${lines})`,
    rowNumber: '(row_number() OVER () - 1)',
    isRecord: 'is_object',
    records,
    rejects: async () => [],
    async line(wanted) {
      let found: number | null = null;
      await visitRecords(path, null, FORM, (row, line) => {
        if (row === wanted) found = line;
        return row < wanted;
      });
      return found;
    },
    failure,
  };
}

function checkHead(file: string, head: Head): void {
  const first = head.bytes.toString('utf8').trimStart()[0];
  if (first === undefined && head.whole)
    throw new InputError({ file, problem: 'the file is empty', needed: 'a JSON object per line' });
  if (first === '[') {
    throw new InputError({
      file,
      problem: 'the file is one JSON array',
      needed: 'JSON lines: an object per line',
      hint: "jq -c '.[]' writes an array as lines",
    });
  }
}

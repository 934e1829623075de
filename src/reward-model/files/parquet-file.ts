/**
 * Predictions of a Parquet file: one column of lists, K numbers in each, or a column of numbers per arm, named by its id. They are written
 * out as one array into a temporary file, which is read like that of a .npy file: it may be larger than memory.
 */

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../errors.js';
import { hashOf } from '../../files/digest.js';
import {
  type Database,
  duckdbMessage,
  isValid,
  memoryFault,
  openDatabase,
  type RowBatch,
  sqlName,
  sqlPath,
} from '../../files/duckdb.js';
import { fileError } from '../../files/file-error.js';
import { openRegular } from '../../files/regular-file.js';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { inputOf } from '../../log/inputs.js';
import { plural } from '../../words.js';
import { FileRows } from './file-rows.js';
import { type PredictionShape, type PredictionSource, rowsFit, rowsNeeded } from './source.js';

const NUMBER = /^(FLOAT|DOUBLE|DECIMAL\(.*\)|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/;
const LIST = /^(FLOAT|DOUBLE|DECIMAL\([^)]*\))\[\d*\]$/;

/** Columns of arms read at a time. */
const ARMS_AT_A_TIME = 256;

/** @throws InputError for a file that cannot be read, or holds no such predictions. */
export async function openParquet(file: string, needed: PredictionShape): Promise<PredictionSource> {
  const handle = await openRegular(file).catch((cause: unknown) => {
    throw cause instanceof InputError ? cause : fileError(file, cause);
  });
  await handle.close();
  const folder = await temporaryFolder();
  try {
    const database = await openDatabase(folder.path);
    try {
      return await readAll(database, file, needed, join(folder.path, 'predictions'));
    } catch (error) {
      throw error instanceof InputError ? error : unreadable(file, error);
    } finally {
      database.close();
    }
  } finally {
    await folder.remove();
  }
}

/** @param path of the temporary file, whose name may go when this is done. */
async function readAll(
  database: Database,
  file: string,
  needed: PredictionShape,
  path: string,
): Promise<PredictionSource> {
  const source = `read_parquet(${sqlPath(file)}, hive_partitioning = false)`;
  const described = await database.rows(`DESCRIBE SELECT * FROM ${source}`);
  const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
  const [[count]] = await database.rows(`SELECT count(*) FROM ${source}`);
  const rows = Number(count);
  const list = listColumn(columns, file, needed);
  if (!rowsFit(rows, needed)) {
    throw new InputError({
      file,
      problem: 'predictions have the wrong number of rows for this log',
      got: plural(rows, 'row'),
      needed: rowsNeeded(needed),
      hint: 'predict the events that are evaluated, all and no others: --where, dropped rows and repeated events change them',
    });
  }
  const input = inputOf('parameters', file, await hashOf(file));
  const { arms } = needed;
  const descriptor = openSync(path, 'w+', 0o600);
  const put = arrayWriter(file, descriptor, rows * arms.length * 8);
  try {
    if (list !== null) await copyLists(database, source, list, file, arms.length, put);
    else await copyColumns(database, source, arms, rows, put);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  const shape = [rows, arms.length];
  const array = { shape, dtype: 'f8', fortranOrder: list === null, start: 0 } as const;
  return new FileRows('parquet', file, input, descriptor, array, arms.length);
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** The column of lists; `null`: there is a column per arm. @throws InputError where there is neither. */
function listColumn(columns: readonly Column[], file: string, { arms }: PredictionShape): string | null {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const missing = arms.filter((id) => !types.has(id));
  const lists = columns.filter(({ type }) => LIST.test(type));
  if (lists.length === 1 && missing.length > 0) return lists[0].name;
  if (missing.length > 0) {
    const shown = columns.slice(0, 8).map(({ name, type }) => `${JSON.stringify(name)} ${type}`);
    throw new InputError({
      file,
      problem:
        lists.length > 1
          ? 'several columns of lists could be the predictions'
          : 'no column of the file holds predictions',
      got: `columns ${shown.join(', ')}${columns.length > 8 ? `, and ${columns.length - 8} more` : ''}`,
      needed: `one column of lists of ${plural(arms.length, 'number')} (double or float), in the order of the log's arms, or a column of numbers for each arm, named by its id`,
      hint:
        missing.length < arms.length
          ? `arm ${JSON.stringify(missing[0])} has no column`
          : 'write the list column alone, or name the columns by the arms',
    });
  }
  for (const id of arms) {
    const type = types.get(id) ?? '';
    if (NUMBER.test(type)) continue;
    throw new InputError({
      file,
      column: id,
      problem: 'predictions must be numbers',
      got: type,
      needed: 'double or float',
      hint: 'cast the column before the file is written',
    });
  }
  return null;
}

/** Row by row. */
async function copyLists(
  database: Database,
  source: string,
  column: string,
  file: string,
  arms: number,
  put: ArrayWriter,
): Promise<void> {
  let row = 0;
  await database.stream(`SELECT CAST(${sqlName(column)} AS DOUBLE[]) FROM ${source}`, (batch: RowBatch) => {
    const { child, valid, entries } = batch.lists(0);
    const values = new Float64Array(batch.rows * arms);
    for (let i = 0; i < batch.rows; i++) {
      const start = Number(entries[2 * i]);
      const length = isValid(valid, i) ? Number(entries[2 * i + 1]) : 0;
      if (length !== arms) {
        throw new InputError({
          file,
          row: row + i,
          column,
          problem: 'the list has the wrong number of predictions',
          got: isValid(valid, i) ? plural(length, 'number') : 'null',
          needed: `${arms}, one per arm of the log`,
          hint: 'arms that are no candidates of the event need a number too, such as 0',
        });
      }
      for (let a = 0; a < arms; a++)
        values[i * arms + a] = isValid(child.valid, start + a) ? child.items[start + a] : Number.NaN;
    }
    put(values, row * arms);
    row += batch.rows;
    return true;
  });
}

/** Arm by arm. */
async function copyColumns(
  database: Database,
  source: string,
  arms: readonly string[],
  rows: number,
  put: ArrayWriter,
): Promise<void> {
  for (let first = 0; first < arms.length; first += ARMS_AT_A_TIME) {
    const some = arms.slice(first, first + ARMS_AT_A_TIME);
    const columns = some.map((id) => `CAST(${sqlName(id)} AS DOUBLE)`);
    let row = 0;
    await database.stream(`SELECT ${columns.join(', ')} FROM ${source}`, (batch: RowBatch) => {
      some.forEach((_, i) => {
        const { items, valid } = batch.items(i);
        const values = Float64Array.from({ length: batch.rows }, (_, k) => (isValid(valid, k) ? items[k] : Number.NaN));
        put(values, (first + i) * rows + row);
      });
      row += batch.rows;
      return true;
    });
  }
}

/** Puts numbers in their place in the array, the first of them at number `at`. */
type ArrayWriter = (values: Float64Array, at: number) => void;

/** @param file for messages. @param size bytes of the whole array. */
export function arrayWriter(file: string, descriptor: number, size: number): ArrayWriter {
  return (values, at) => {
    const bytes = new Uint8Array(values.buffer);
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(descriptor, bytes, done, bytes.length - done, at * values.BYTES_PER_ELEMENT + done);
    } catch (cause) {
      throw new InputError(
        {
          file,
          problem:
            'the predictions are written out to be read piece by piece, and the folder for temporary files does not take them',
          got: cause instanceof Error ? cause.message : String(cause),
          needed: `${size.toLocaleString('en')} bytes`,
          hint: 'a folder with more room (TMPDIR), or a .npy file, which is read as it is',
        },
        { cause },
      );
    }
  };
}

function unreadable(file: string, error: unknown): InputError {
  return new InputError(
    {
      file,
      problem: 'the file cannot be read as Parquet',
      got: duckdbMessage(error),
      needed: 'a complete Parquet file',
      hint: 'write or copy it again',
      ...memoryFault(error),
    },
    { cause: error },
  );
}

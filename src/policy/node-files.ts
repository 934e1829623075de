/** Policy files on disk, for Node. DuckDB is loaded only when a Parquet file is read. */

import { dirname, isAbsolute, join } from 'node:path';
import { EngineError, InputError } from '../errors.js';
import type { FileHash } from '../files/byte-hash.js';
import { hashOf, hashOfBytes } from '../files/digest.js';
import { sqlPath } from '../files/duckdb.js';
import { MOST_TEXT, openRegular, readRegular } from '../files/regular-file.js';
import { type InputFile, inputOf } from '../log/inputs.js';
import type { SpecFiles } from './family.js';
import { type PolicySet, parsePolicySetText } from './policy-set.js';

/** Reads files with paths relative to a folder. @param specs the file that names them. */
export function nodeFiles(folder = '.', specs: readonly InputFile[] = []): SpecFiles {
  const resolve = (path: string) => (isAbsolute(path) ? path : join(folder, path));
  const inputs = [...specs];
  const isNew = (file: string) => inputs.every(({ path }) => path !== file);
  const add = (file: string, hash: FileHash) => {
    if (isNew(file)) inputs.push(inputOf('parameters', file, hash));
  };
  return {
    resolve,
    async bytes(path) {
      const file = resolve(path);
      const bytes = await readBytes(file);
      if (isNew(file)) add(file, await hashOfBytes(bytes));
      return bytes;
    },
    async parquet(path) {
      const file = resolve(path);
      const table = await readParquet(file);
      if (isNew(file)) add(file, await hashOf(file));
      return table;
    },
    inputs,
  };
}

/**
 * Reads and validates a policy set file (JSON); the files it names are relative to it.
 *
 * @returns The set, and what `compilePolicySet` needs to read its files.
 * @throws InputError
 */
export async function loadPolicySet(path: string): Promise<{ set: PolicySet; files: SpecFiles }> {
  const { text, files } = await loadSpecText(path, 'policies');
  return { set: parsePolicySetText(text, { file: path }), files };
}

/** Text of a file of specs, and a reader of the files it names, which are relative to it. @throws InputError */
export async function loadSpecText(
  path: string,
  role: 'policies' | 'learners',
): Promise<{ text: string; files: SpecFiles }> {
  const bytes = await readBytes(path, MOST_TEXT);
  const files = nodeFiles(dirname(path), [inputOf(role, path, await hashOfBytes(bytes))]);
  return { text: new TextDecoder().decode(bytes), files };
}

async function readBytes(file: string, most?: number): Promise<Uint8Array> {
  try {
    return await readRegular(file, most);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function unreadable(file: string, cause: unknown): InputError {
  if (cause instanceof InputError) return cause;
  const code = (cause as NodeJS.ErrnoException).code;
  const problems: Record<string, string> = {
    ENOENT: 'no such file',
    EISDIR: 'is a folder, not a file',
    EACCES: 'may not be read (permission denied)',
  };
  return new InputError(
    { file, problem: problems[code ?? ''] ?? `cannot be read: ${(cause as Error).message}` },
    { cause },
  );
}

const NUMERIC = /^(U?(TINYINT|SMALLINT|INTEGER)|FLOAT|DOUBLE)$/;
const WIDE = /^(U?BIGINT|U?HUGEINT)$/;
const DECIMAL = /^DECIMAL\(/;

async function readParquet(file: string): ReturnType<SpecFiles['parquet']> {
  // DuckDB's own message for a missing file speaks of patterns.
  const handle = await openRegular(file).catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  await handle.close();
  const { DuckDBInstance } = await import('@duckdb/node-api').catch((cause: unknown) => {
    const problem = `DuckDB, which reads ${file}, cannot be loaded here; use a .npy file instead`;
    throw new EngineError(problem, { cause });
  });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const source = `read_parquet(${sqlPath(file)})`;
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
    const schema = described.getRowsJS().map(([name, type]) => ({ name: String(name), type: String(type) }));
    const selected = schema.map(({ name, type }) => {
      const column = `"${name.replaceAll('"', '""')}"`;
      return NUMERIC.test(type) || WIDE.test(type) ? column : `CAST(${column} AS VARCHAR)`;
    });
    const reader = await connection.runAndReadAll(`SELECT ${selected.join(', ')} FROM ${source}`);
    const data = reader.getColumnsJS().map((column, i) => column.map(DECIMAL.test(schema[i].type) ? ofDecimal : plain));
    return { columns: schema.map(({ name }) => name), rows: reader.currentRowCount, data };
  } catch (cause) {
    const problem = `not a readable Parquet file: ${(cause as Error).message.split('\n', 1)[0]}`;
    throw new InputError({ file, problem, hint: 'write or copy the file again' }, { cause });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A DECIMAL, which comes as text, as the nearest number; whole ones that a number would change, as ids must not be, stay text. */
function ofDecimal(value: unknown): number | string | null {
  const number = Number(value);
  if (value === null || (Number.isInteger(number) && !Number.isSafeInteger(number))) return plain(value);
  return number;
}

/** 64-bit integers as numbers where that loses nothing, else as text. */
function plain(value: unknown): number | string | null {
  if (typeof value === 'number' || typeof value === 'string' || value === null) return value;
  if (typeof value !== 'bigint') return String(value);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

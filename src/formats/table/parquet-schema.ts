/** The schema of a Parquet file as the file has it: DuckDB renames columns, and takes types for others. */

import { type FileHandle, open } from 'node:fs/promises';
import { parquetMetadata, type SchemaElement } from 'hyparquet';
import { InputError } from '../../errors.js';
import { fileError } from '../../files/file-error.js';

/** Footer length and magic, at the end of every Parquet file. */
const TAIL_BYTES = 8;

/** Digits of the longest decimals that DuckDB reads as they are; of longer ones it loses the first. */
const MOST_DIGITS = 38;

/** What the file says of its columns, where DuckDB does not. */
export interface ParquetSchema {
  /** In order. */
  readonly names: readonly string[];
  /** Types of times of which DuckDB reads microseconds only, by column; by the dots of its path for a field. */
  readonly coarse: ReadonlyMap<string, string>;
}

/**
 * The columns.
 *
 * @param reads whether a column may be read: those are checked.
 * @throws InputError where two such columns have one name, or one has values that cannot be read exactly.
 */
export async function readParquetSchema(file: string, reads: (name: string) => boolean): Promise<ParquetSchema> {
  const [root, ...schema] = await schemaOf(file);
  const names: string[] = [];
  const coarse = new Map<string, string>();
  const seen = new Set<string>();
  let at = 0;
  for (let c = 0; c < (root?.num_children ?? 0) && at < schema.length; c++) {
    const { name } = schema[at];
    const end = endOf(schema, at);
    if (reads(name)) {
      if (seen.has(name)) {
        throw new InputError({
          file,
          column: name,
          problem: 'two columns have the same name',
          needed: 'different names',
        });
      }
      for (const element of schema.slice(at, end)) checkElement(file, name, element);
      addCoarse(schema.slice(at, end), coarse);
    }
    seen.add(name);
    names.push(name);
    at = end;
  }
  return { names, coarse };
}

/** Where the element after a column's own ones stands: parents come before their children. */
function endOf(schema: readonly SchemaElement[], start: number): number {
  let at = start;
  for (let open = 1; open > 0 && at < schema.length; at++) open += (schema[at].num_children ?? 0) - 1;
  return at;
}

/** Adds the elements of a column that are times finer than DuckDB reads them, and the lists and structs around them. */
function addCoarse(elements: readonly SchemaElement[], coarse: Map<string, string>): void {
  const path: { readonly name: string; left: number }[] = [];
  for (const element of elements) {
    path.push({ name: element.name, left: element.num_children ?? 0 });
    const type = coarseType(element);
    if (type !== null) for (const i of path.keys()) coarse.set(pathName(path.slice(0, i + 1)), type);
    while (path.at(-1)?.left === 0) {
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) parent.left--;
    }
  }
}

function pathName(path: readonly { readonly name: string }[]): string {
  return path.map(({ name }) => name).join('.');
}

function coarseType({ type, logical_type: logical }: SchemaElement): string | null {
  if (type === 'INT96') return 'INT96 (a timestamp in nanoseconds)';
  if (logical?.type !== 'TIMESTAMP' && logical?.type !== 'TIME') return null;
  return logical.unit === 'NANOS' && logical.isAdjustedToUTC ? `${logical.type} in nanoseconds with a time zone` : null;
}

function checkElement(file: string, column: string, { logical_type, converted_type, ...element }: SchemaElement): void {
  const decimal = logical_type?.type === 'DECIMAL' ? logical_type : converted_type === 'DECIMAL' ? element : null;
  if (decimal === null || (decimal.precision ?? 0) <= MOST_DIGITS) return;
  throw new InputError({
    file,
    column,
    problem: 'the column has the wrong type',
    got: `DECIMAL(${decimal.precision}, ${decimal.scale ?? 0})`,
    needed: `decimals of at most ${MOST_DIGITS} digits`,
    hint: `write it as DOUBLE, or as DECIMAL(${MOST_DIGITS}, …), or name another column`,
  });
}

async function schemaOf(file: string): Promise<SchemaElement[]> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    throw fileError(file, error);
  }
  try {
    const { size } = await handle.stat();
    const tail = await bytesAt(handle, size - TAIL_BYTES, TAIL_BYTES);
    const length = Math.min(size, tail.readUInt32LE(0) + TAIL_BYTES);
    const footer = await bytesAt(handle, size - length, length);
    const { buffer, byteOffset } = footer;
    return parquetMetadata(buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer, { geoparquet: false }).schema;
  } catch (cause) {
    throw new InputError(
      {
        file,
        problem: 'the schema of the Parquet file cannot be read',
        got: cause instanceof Error ? cause.message : String(cause),
        needed: 'a complete Parquet file',
        hint: 'copy or download it again, or write it again with a current version of its writer',
      },
      { cause },
    );
  } finally {
    await handle.close();
  }
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, at);
  if (bytesRead < length) throw new Error(`the file ends before byte ${at + length}`);
  return bytes;
}

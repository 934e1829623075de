/** A small good log and policy set, and ways to spoil them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';

/** Columns of the good log. */
export const COLUMNS = ['arm', 'click', 'prob', 'x', 'y', 'seg', 'cands', 'ts', 'user'] as const;
export type Column = (typeof COLUMNS)[number];

const ARMS = ['a', 'b', 'c'];
export const EVENTS = 60;

/** Values of data row `t` (0-based). Arms take turns, so the log is uniform. */
export function goodRow(t: number): Record<Column, string> {
  return {
    arm: ARMS[t % 3],
    click: t % 4 === 0 ? '1' : '0',
    prob: '0.3333333333333333',
    x: String((t % 7) / 4),
    y: String(t % 5),
    seg: t % 2 === 0 ? 'new' : 'loyal',
    cands: 'a|b|c',
    ts: `2024-01-${String(1 + (t % 28)).padStart(2, '0')}T12:00:00Z`,
    user: `u${t % 10}`,
  };
}

/** The good log as CSV; `change` spoils values by row. */
export function csv(change: (row: Record<Column, string>, t: number) => void = () => {}): string {
  const lines = [COLUMNS.join(',')];
  for (let t = 0; t < EVENTS; t++) {
    const row = goodRow(t);
    change(row, t);
    lines.push(COLUMNS.map((column) => row[column]).join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** The good log with one value replaced: data row 7, which is line 9. */
export function spoiled(column: Column, value: string): string {
  return csv((row, t) => {
    if (t === 7) row[column] = value;
  });
}

/** The good log as JSON lines; `change` spoils lines by row. */
export function jsonl(change: (line: string, t: number) => string = (line) => line): string {
  return Array.from({ length: EVENTS }, (_, t) => {
    const row = goodRow(t);
    const value = { ...row, click: Number(row.click), x: Number(row.x), y: Number(row.y), cands: ARMS };
    return `${change(JSON.stringify(value), t)}\n`;
  }).join('');
}

/** Bytes cut off at a share of their length. */
export function cut(bytes: Uint8Array, share: number): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.length * share));
}

/** A CSV too large to be compressed into one block, packed. */
export function gzipped(): Uint8Array {
  const noise = Array.from({ length: 3000 }, (_, t) => {
    const row = { ...goodRow(t), user: `u${Math.imul(t, 2654435761) >>> 0}` };
    return COLUMNS.map((column) => row[column]).join(',');
  });
  return gzipSync(`${COLUMNS.join(',')}\n${noise.join('\n')}\n`);
}

/** Writes a Parquet file from a query. */
export async function writeParquet(path: string, query: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${query}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
}

/** A `.npy` file. */
export function npy(
  shape: readonly number[],
  data: Float64Array | Float32Array | Int32Array | BigInt64Array | Uint8Array,
  part: { descr?: string; version?: number; fortran?: boolean } = {},
): Uint8Array {
  const kind =
    data instanceof Float64Array
      ? '<f8'
      : data instanceof Float32Array
        ? '<f4'
        : data instanceof Int32Array
          ? '<i4'
          : data instanceof BigInt64Array
            ? '<i8'
            : '|u1';
  const text = `{'descr': '${part.descr ?? kind}', 'fortran_order': ${part.fortran ? 'True' : 'False'}, 'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`;
  const header = `${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n`;
  const head = Buffer.alloc(10 + header.length);
  head.write('\u0093NUMPY', 'latin1');
  head[6] = part.version ?? 1;
  head.writeUInt16LE(header.length, 8);
  head.write(header, 10, 'latin1');
  return Buffer.concat([head, Buffer.from(data.buffer, data.byteOffset, data.byteLength)]);
}

/** Writes the good files into a folder. */
export async function writeGoodFiles(folder: string): Promise<void> {
  const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);
  write('log.csv', csv());
  write('log.jsonl', jsonl());
  write('set.json', '[{ "family": "constant" }]\n');
  await writeParquet(join(folder, 'log.parquet'), `SELECT * FROM read_csv('${join(folder, 'log.csv')}')`);
}

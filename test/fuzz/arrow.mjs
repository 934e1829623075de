/**
 * Arrow IPC as a target of the fuzzer: files and streams, columns of every type, buffers as they are and packed. Each input
 * is decoded into a table of a database, as for a log; one in forty is read as a log with all that this takes.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as arrow from 'apache-arrow';
import { openDatabase } from '../../dist/files/duckdb.js';
import { readHead } from '../../dist/files/files.js';
import { arrow as format } from '../../dist/formats/arrow/arrow.js';
import { readLog } from '../../dist/formats/table/read/read.js';
import { logFromColumns } from '../../dist/log/from-columns/columns.js';
import { mutatedBytes } from './bytes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-fuzz-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const FILE = join(folder, 'log.arrow');

const vector = (values, type) => arrow.vectorFromArray(values, type);
const rows = (n, value) => Array.from({ length: n }, (_, i) => value(i));
const item = (type) => new arrow.Field('item', type);

/** Columns of every type that is read. */
const EVERY = {
  arm: vector(
    rows(9, (i) => 'abc'[i % 3]),
    new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()),
  ),
  payoff: vector(
    rows(9, (i) => i % 2),
    new arrow.Float64(),
  ),
  bool: vector(
    rows(9, (i) => (i === 4 ? null : i % 3 === 0)),
    new arrow.Bool(),
  ),
  big: vector(
    rows(9, (i) => 2n ** BigInt(i + 40)),
    new arrow.Int64(),
  ),
  half: vector(
    rows(9, (i) => i / 4),
    new arrow.Float16(),
  ),
  money: vector(
    rows(9, (i) => new Uint32Array([i, 0, 0, 0])),
    new arrow.Decimal(2, 9, 128),
  ),
  when: vector(
    rows(9, (i) => Date.UTC(2009, 4, 1 + i)),
    new arrow.TimestampMicrosecond('UTC'),
  ),
  day: vector(
    rows(9, (i) => new Date(Date.UTC(2009, 4, 1 + i))),
    new arrow.DateDay(),
  ),
  text: vector(
    rows(9, (i) => (i === 2 ? null : 'é'.repeat(i))),
    new arrow.Utf8(),
  ),
  view: vector(
    rows(9, (i) => 'a text of some length'.slice(0, 3 * i)),
    new arrow.Utf8View(),
  ),
  large: vector(
    rows(9, (i) => `user ${i}`),
    new arrow.LargeUtf8(),
  ),
  list: vector(
    rows(9, (i) => ['a', 'b', 'c'].slice(0, 1 + (i % 3))),
    new arrow.List(item(new arrow.Utf8())),
  ),
  pair: vector(
    rows(9, (i) => [i, i + 1]),
    new arrow.FixedSizeList(2, item(new arrow.Int32())),
  ),
};
/** A log as they are usually written. */
const PLAIN = {
  arm: vector(
    rows(12, (i) => `arm ${i % 3}`),
    new arrow.Utf8(),
  ),
  payoff: vector(
    rows(12, (i) => i % 2),
    new arrow.Int32(),
  ),
  x: vector(
    rows(12, (i) => i / 3),
    new arrow.Float32(),
  ),
};

/** A table as bytes, in record batches of `size` rows. */
function ipc(columns, Writer, size) {
  const table = new arrow.Table(columns);
  const writer = new Writer();
  for (let from = 0; from < table.numRows; from += size)
    for (const batch of table.slice(from, Math.min(table.numRows, from + size)).batches) writer.write(batch);
  writer.finish();
  return Buffer.from(writer.toUint8Array(true));
}

const sample = (name) => readFileSync(new URL(`../formats/samples/${name}`, import.meta.url));
const { RecordBatchFileWriter: File, RecordBatchStreamWriter: Stream } = arrow;

let database = null;
let number = 0;

/** What a file decodes to, as a log whose arms are the texts of its first column. */
async function decode(bytes) {
  writeFileSync(FILE, bytes);
  database ??= await openDatabase();
  const head = await readHead(FILE);
  const table = `arrow_${number}`;
  try {
    const { columns } = await format.open(FILE, {
      database,
      number: number++,
      head,
      skipBadRows: false,
      wanted: [],
      reads: () => true,
    });
    const found =
      columns.length === 0 ? [] : await database.rows(`SELECT CAST(${columns[0].sql} AS VARCHAR) FROM ${table}`);
    const arms = [...new Set(found.map(([text]) => text ?? 'none'))];
    const armIndex = found.map(([text]) => arms.indexOf(text ?? 'none'));
    return logFromColumns({ arms: Math.max(1, arms.length), armIndex, payoff: new Float64Array(found.length) });
  } finally {
    await database.run(`DROP TABLE IF EXISTS ${table}`);
  }
}

const isWhole = (bytes) => bytes.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7) % 40 === 0;

async function read(bytes, { skipBadRows, decodeOnly }) {
  if (decodeOnly || (!(bytes.length < 2 ** 20 && isWhole(bytes)) && !skipBadRows)) return decode(bytes);
  writeFileSync(FILE, bytes);
  return readLog([FILE], { format: 'arrow', mapping: { arm: 'arm', payoff: 'payoff' }, skipBadRows });
}

const seeds = [
  ipc(EVERY, File, 9),
  ipc(EVERY, Stream, 5),
  ipc(PLAIN, File, 4),
  ipc(PLAIN, Stream, 12),
  ...['polars-lz4.arrow', 'polars-zstd.arrow', 'polars-stream.arrows'].map(sample),
];

export const target = {
  name: 'arrow',
  // A file and a table each.
  testInputs: 400,
  seeds,
  mutate: (random) => mutatedBytes(seeds, random),
  variants: [{ skipBadRows: false }],
  read,
  // Bytes have no lines: faults name the file, and the byte, column or row where there is one.
  mayLackLine: () => true,
};

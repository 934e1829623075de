/**
 * `node bench/load.mjs`: events per second and memory of loading a log of six f32 features, arm, payoff and set id.
 *
 *   node bench/load.mjs [--events N] [--csv-events N] [--smoke] [--out DIR]
 *
 * DuckDB writes the files to a temporary folder; each is then loaded by a process of its own, whose memory is read.
 */

import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { writeResult } from './lib/machine.mjs';
import { short, table } from './lib/measure.mjs';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string' },
    'csv-events': { type: 'string' },
    smoke: { type: 'boolean', default: false },
    repeat: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('./results', import.meta.url)) },
  },
});
const events = Number(options.events ?? (options.smoke ? 20_000 : 1e7));
const csvEvents = Number(options['csv-events'] ?? (options.smoke ? 5_000 : 1e6));
const repeat = Number(options.repeat ?? (options.smoke ? 1 : 3));

const ARMS = 20;
const SETS = 16;
const SET_SIZE = 10;
/** Set s holds arms s, s+1 … (modulo K): each event's logged arm is drawn from its set. */
const sets = Object.fromEntries(
  Array.from({ length: SETS }, (_, s) => [s, Array.from({ length: SET_SIZE }, (_, i) => (s + i) % ARMS)]),
);
const mapping = {
  arm: 'arm',
  payoff: 'payoff',
  context: ['f0', 'f1', 'f2', 'f3', 'f4', 'f5'],
  candidates: { id: 'set_id', sets },
};

/** Seeded by the row's number, so that every run writes the same values. */
const query = (count) => `
  SELECT
    ((set_id + (hash(i, 1) % ${SET_SIZE})) % ${ARMS})::INTEGER AS arm,
    (hash(i, 2) % 20 = 0)::INTEGER AS payoff,
    set_id,
    ${Array.from({ length: 6 }, (_, j) => `((hash(i, ${10 + j}) % 16777216) / 8388608.0 - 1)::FLOAT AS f${j}`).join(', ')}
  FROM (SELECT i, (hash(i, 0) % ${SETS})::INTEGER AS set_id FROM range(${count}) r(i))`;

const folder = mkdtempSync(join(tmpdir(), 'hindcast-load-'));
const rows = [];
try {
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  for (const [format, count, copy] of [
    ['parquet', events, 'FORMAT parquet'],
    ['arrow', events, null],
    ['csv', csvEvents, 'FORMAT csv, HEADER'],
    ['csv.gz', csvEvents, 'FORMAT csv, HEADER, COMPRESSION gzip'],
    ['csv.zst', csvEvents, 'FORMAT csv, HEADER, COMPRESSION zstd'],
    ['jsonl', csvEvents, 'FORMAT json'],
  ]) {
    const file = join(folder, `log.${format}`);
    if (copy === null) await writeArrow(connection, query(count), file);
    else await connection.run(`COPY (${query(count)}) TO '${file}' (${copy})`);
    const runs = Array.from({ length: repeat }, () => load(file));
    runs.sort((a, b) => a.seconds - b.seconds);
    const run = runs[runs.length >> 1];
    if (run.events !== count) throw new Error(`${file}: ${run.events} events were read, ${count} were written`);
    const row = {
      format,
      events: count,
      fileBytes: statSync(file).size,
      seconds: run.seconds,
      fastest: runs[0].seconds,
      cpuSeconds: run.cpuSeconds,
      eventsPerSecond: count / run.seconds,
      residentBytes: Math.max(...runs.map((one) => one.residentBytes)),
      peakBytes: Math.max(...runs.map((one) => one.peakBytes)),
      columnBytes: run.columnBytes,
    };
    rows.push(row);
    console.error(`${format}: ${short(row.eventsPerSecond)} events/s, ${short(row.residentBytes)}B resident`);
    rmSync(file);
  }
  connection.closeSync();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** An Arrow IPC file in batches of 65,536 rows, as other writers make them. DuckDB cannot write one without an extension. */
async function writeArrow(connection, sql, file) {
  const names = ['arm', 'payoff', 'set_id', ...Array.from({ length: 6 }, (_, j) => `f${j}`)];
  const writer = new arrow.RecordBatchFileWriter();
  const sink = createWriteStream(file);
  const written = pipeline(Readable.from(writer), sink);
  const columns = names.map((name) => new (name.startsWith('f') ? Float32Array : Int32Array)(65536));
  let rows = 0;
  const flush = () => {
    const batch = names.map((name, c) => [name, arrow.makeVector(columns[c].slice(0, rows))]);
    for (const one of new arrow.Table(Object.fromEntries(batch)).batches) writer.write(one);
    rows = 0;
  };
  const result = await connection.stream(sql);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    if (rows + chunk.rowCount > 65536) flush();
    for (const [c, values] of chunk.getColumns().entries()) columns[c].set(values, rows);
    rows += chunk.rowCount;
  }
  flush();
  writer.finish();
  await written;
}

/** Loads a file in a process of its own. */
function load(file) {
  const child = spawnSync(
    process.execPath,
    ['--expose-gc', fileURLToPath(new URL('./lib/load-child.mjs', import.meta.url)), file, JSON.stringify(mapping)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (child.status !== 0) throw new Error(`loading ${file} failed`);
  return JSON.parse(child.stdout);
}

console.log(
  table(
    ['format', 'events', 'file', 'events/s', 'seconds', 'CPU s', 'resident', 'peak', 'columns'],
    rows.map((row) => [
      row.format,
      short(row.events),
      `${short(row.fileBytes)}B`,
      short(row.eventsPerSecond),
      row.seconds.toPrecision(3),
      row.cpuSeconds.toPrecision(3),
      `${short(row.residentBytes)}B`,
      `${short(row.peakBytes)}B`,
      `${short(row.columnBytes)}B`,
    ]),
  ),
);
const file = writeResult(options.out, options.smoke ? 'load-smoke' : 'load', { rows });
console.log(`results in ${file}`);

/**
 * `node bench/packed.mjs`: events per second and memory of loading one log as CSV, as Parquet with a mapping, and packed.
 *
 *   node bench/packed.mjs [--events N] [--csv-events N] [--repeat N] [--smoke] [--out DIR]
 *
 * The log has arm, payoff, set id, propensity, time and six f32 features. Each file is loaded by a process of its own, whose
 * memory is read; the packed log also stretch by stretch, 2¹⁶ events at a time. Converting may take 400 MB.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { writeResult } from './lib/machine.mjs';
import { short, table } from './lib/measure.mjs';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string' },
    'csv-events': { type: 'string' },
    repeat: { type: 'string' },
    smoke: { type: 'boolean', default: false },
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
  propensity: 'p',
  time: 'time',
  context: ['f0', 'f1', 'f2', 'f3', 'f4', 'f5'],
  candidates: { id: 'set_id', sets },
};

/** Seeded by the row's number, so that every run writes the same values. */
const query = (count) => `
  SELECT
    ((set_id + (hash(i, 1) % ${SET_SIZE})) % ${ARMS})::INTEGER AS arm,
    (hash(i, 2) % 20 = 0)::INTEGER AS payoff,
    set_id,
    0.1::DOUBLE AS p,
    1241136000000 + i * 137 AS time,
    ${Array.from({ length: 6 }, (_, j) => `((hash(i, ${10 + j}) % 16777216) / 8388608.0 - 1)::FLOAT AS f${j}`).join(', ')}
  FROM (SELECT i, (hash(i, 0) % ${SETS})::INTEGER AS set_id FROM range(${count}) r(i))`;

const child = fileURLToPath(new URL('./lib/packed-child.mjs', import.meta.url));

/** Runs a step in a process of its own. */
function run(step, ...files) {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', child, step, JSON.stringify(mapping), ...files],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (status !== 0) throw new Error(`${step} ${files.join(' ')} failed`);
  return JSON.parse(stdout);
}

const rows = [];
function measure(name, count, file, times, step, ...files) {
  const runs = Array.from({ length: times }, () => run(step, ...files)).sort((a, b) => a.seconds - b.seconds);
  const middle = runs[runs.length >> 1];
  if (middle.events !== count) throw new Error(`${name}: ${middle.events} events, ${count} were written`);
  const row = {
    name,
    events: count,
    fileBytes: statSync(file).size,
    seconds: middle.seconds,
    fastest: runs[0].seconds,
    cpuSeconds: middle.cpuSeconds,
    eventsPerSecond: count / middle.seconds,
    peakBytes: Math.max(...runs.map((one) => one.peakBytes)),
  };
  rows.push(row);
  console.error(`${name}: ${short(row.eventsPerSecond)} events/s, peak ${short(row.peakBytes)}B`);
}

const folder = mkdtempSync(join(tmpdir(), 'hindcast-packed-'));
try {
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  const file = (name) => join(folder, name);
  await connection.run(`COPY (${query(csvEvents)}) TO '${file('log.csv')}' (FORMAT csv, HEADER)`);
  await connection.run(`COPY (${query(events)}) TO '${file('log.parquet')}' (FORMAT parquet)`);
  connection.closeSync();
  database.closeSync();
  measure('load CSV', csvEvents, file('log.csv'), repeat, 'load', file('log.csv'));
  measure('load Parquet', events, file('log.parquet'), repeat, 'load', file('log.parquet'));
  measure('convert CSV', csvEvents, file('log.csv'), 1, 'convert', file('log.csv'), file('csv.packed'));
  measure('convert Parquet', events, file('log.parquet'), 1, 'convert', file('log.parquet'), file('log.packed'));
  measure('load packed', events, file('log.packed'), repeat, 'load', file('log.packed'));
  measure('stream packed', events, file('log.packed'), repeat, 'stream', file('log.packed'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(
  table(
    ['step', 'events', 'file', 'events/s', 'seconds', 'fastest', 'CPU s', 'peak'],
    rows.map((row) => [
      row.name,
      short(row.events),
      `${short(row.fileBytes)}B`,
      short(row.eventsPerSecond),
      row.seconds.toPrecision(3),
      row.fastest.toPrecision(3),
      row.cpuSeconds.toPrecision(3),
      `${short(row.peakBytes)}B`,
    ]),
  ),
);
console.log(`results in ${writeResult(options.out, options.smoke ? 'packed-smoke' : 'packed', { rows })}`);

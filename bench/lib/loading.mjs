/** What the benchmarks of loading share: options, a made-up log that DuckDB writes, and steps in processes of their own. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { writeResult } from './machine.mjs';
import { short, table } from './measure.mjs';

/** `--events N --csv-events N --repeat N --smoke --out DIR`. */
export function loadingOptions() {
  const { values } = parseArgs({
    options: {
      events: { type: 'string' },
      'csv-events': { type: 'string' },
      repeat: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      out: { type: 'string', default: fileURLToPath(new URL('../results', import.meta.url)) },
    },
  });
  const { smoke, out } = values;
  return {
    events: Number(values.events ?? (smoke ? 20_000 : 1e7)),
    csvEvents: Number(values['csv-events'] ?? (smoke ? 5_000 : 1e6)),
    repeat: Number(values.repeat ?? (smoke ? 1 : 3)),
    smoke,
    out,
  };
}

const ARMS = 20;
const SETS = 16;
const SET_SIZE = 10;
/** Set s holds arms s, s+1 … (modulo K): each event's logged arm is drawn from its set. */
const sets = Object.fromEntries(
  Array.from({ length: SETS }, (_, s) => [s, Array.from({ length: SET_SIZE }, (_, i) => (s + i) % ARMS)]),
);
const FEATURES = Array.from({ length: 6 }, (_, j) => `f${j}`);

/** A log of arm, payoff, set id and six f32 features, and how it is mapped. */
export const MAPPING = { arm: 'arm', payoff: 'payoff', context: FEATURES, candidates: { id: 'set_id', sets } };

/**
 * The rows of the log as SQL, seeded by the row's number, so that every run writes the same values.
 *
 * @param more further columns, e.g. `0.1::DOUBLE AS p`; `i` is the number of the row.
 */
export const logQuery = (count, more = []) => {
  const columns = [
    `((set_id + (hash(i, 1) % ${SET_SIZE})) % ${ARMS})::INTEGER AS arm`,
    '(hash(i, 2) % 20 = 0)::INTEGER AS payoff',
    'set_id',
    ...more,
    ...FEATURES.map((name, j) => `((hash(i, ${10 + j}) % 16777216) / 8388608.0 - 1)::FLOAT AS ${name}`),
  ];
  return `SELECT ${columns.join(', ')} FROM (SELECT i, (hash(i, 0) % ${SETS})::INTEGER AS set_id FROM range(${count}) r(i))`;
};

/** Gives `use` a connection to DuckDB and the paths of files in a temporary folder, which goes away with all in it. */
export async function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'hindcast-bench-'));
  try {
    const database = await DuckDBInstance.create(':memory:');
    const connection = await database.connect();
    try {
      await use(connection, (name) => join(folder, name));
    } finally {
      connection.closeSync();
      database.closeSync();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a step of `load-child.mjs` several times, each in a process of its own: seconds are the median.
 *
 * @param count events that it must find.
 * @param input the file that is read; its size is reported. @param output written by `convert`.
 */
export function timeStep(step, mapping, { count, repeat, input, output = '' }) {
  const runs = Array.from({ length: repeat }, () => runStep(step, mapping, input, output));
  runs.sort((a, b) => a.seconds - b.seconds);
  const middle = runs[runs.length >> 1];
  if (middle.events !== count) throw new Error(`${step} ${input}: ${middle.events} events, ${count} were written`);
  const most = (name) => Math.max(...runs.map((run) => run[name]));
  return {
    events: count,
    fileBytes: statSync(input).size,
    seconds: middle.seconds,
    fastest: runs[0].seconds,
    cpuSeconds: middle.cpuSeconds,
    eventsPerSecond: count / middle.seconds,
    residentBytes: most('residentBytes'),
    peakBytes: most('peakBytes'),
    columnBytes: middle.columnBytes,
  };
}

function runStep(step, mapping, ...files) {
  const child = fileURLToPath(new URL('./load-child.mjs', import.meta.url));
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--expose-gc', child, step, JSON.stringify(mapping), ...files],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (status !== 0) throw new Error(`${step} ${files.join(' ')} failed`);
  return JSON.parse(stdout);
}

/** What a column of the table shows of a row. */
const SHOWN = {
  events: (row) => short(row.events),
  file: (row) => `${short(row.fileBytes)}B`,
  'events/s': (row) => short(row.eventsPerSecond),
  seconds: (row) => row.seconds.toPrecision(3),
  fastest: (row) => row.fastest.toPrecision(3),
  'CPU s': (row) => row.cpuSeconds.toPrecision(3),
  resident: (row) => `${short(row.residentBytes)}B`,
  peak: (row) => `${short(row.peakBytes)}B`,
  columns: (row) => `${short(row.columnBytes)}B`,
};

/**
 * Prints rows as a table and writes them as a result.
 *
 * @param first name of the column, and of the field of a row, that says what was timed.
 */
export function reportLoading(benchmark, rows, { first, columns, smoke, out }) {
  const cells = rows.map((row) => [row[first.field], ...columns.map((name) => SHOWN[name](row))]);
  console.log(table([first.head, ...columns], cells));
  console.log(`results in ${writeResult(out, smoke ? `${benchmark}-smoke` : benchmark, { rows })}`);
}

/**
 * `node bench/text.mjs`: how fast R6A and R6B text is read, beside `wc -l` and DuckDB's scan of the same bytes, plain and
 * gzip; and the memory it takes.
 *
 *   node bench/text.mjs [--events N] [--pool K] [--format r6a|r6b] [--shuffled] [--alone] [--smoke] [--repeat N] [--out DIR]
 *
 * Files are written to a temporary folder. Every program is a process of its own, and its processor time is what counts.
 * `--shuffled` gives every line its pool in another order, so that no line repeats the bytes of one before. `--alone`: hindcast and
 * plain text only, for logs so large that memory is the question.
 */

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { WorldDraws } from '../dist/simulate/draws.js';
import { r6aPool, r6bPool, writeR6aLines, writeR6bLines } from '../dist/simulate/yahoo-text.js';
import { writeResult } from './lib/machine.mjs';
import { short, table } from './lib/measure.mjs';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string' },
    pool: { type: 'string', default: '20' },
    format: { type: 'string', multiple: true, default: ['r6a', 'r6b'] },
    shuffled: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    repeat: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('./results', import.meta.url)) },
  },
});
const events = Number(options.events ?? (options.smoke ? 20_000 : 1e6));
const poolSize = Number(options.pool);
const repeat = Number(options.repeat ?? (options.smoke ? 1 : 3));

const child = fileURLToPath(new URL('./lib/text-child.mjs', import.meta.url));

/** Events written at a time, and events between two changes of the pool. */
const BATCH = 20_000;
const REFRESH = 2_000;

const folder = mkdtempSync(join(tmpdir(), 'hindcast-text-'));
const rows = [];
try {
  for (const format of options.format) {
    const plain = join(folder, `log.${format}`);
    write(plain, format);
    compare(format, plain, [
      ['hindcast', reader(plain)],
      ...(options.alone
        ? []
        : [
            ['wc -l', ['wc', '-l', plain]],
            ['DuckDB', scan(plain, 'none')],
          ]),
    ]);
    if (options.alone) continue;
    const packed = `${plain}.gz`;
    shell(`gzip -1 -c '${plain}' > '${packed}'`);
    compare(
      `${format}.gz`,
      packed,
      [
        ['hindcast', reader(packed)],
        ['zcat | wc -l', ['sh', '-c', `zcat '${packed}' | wc -l`]],
        ['DuckDB', scan(packed, 'gzip')],
      ],
      statSync(plain).size,
    );
    rmSync(plain);
    rmSync(packed);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  table(
    ['file', 'program', 'events', 'text', 'MB/s wall', 'MB/s per core', 'seconds', 'CPU s', 'resident', 'peak'],
    rows.map((row) => [
      row.file,
      row.program,
      short(row.events),
      `${short(row.textBytes)}B`,
      (row.textBytes / row.seconds / 1e6).toFixed(0),
      (row.textBytes / row.cpuSeconds / 1e6).toFixed(0),
      row.seconds.toPrecision(3),
      row.cpuSeconds.toPrecision(3),
      row.residentBytes === null ? '–' : `${short(row.residentBytes)}B`,
      row.peakBytes === null ? '–' : `${short(row.peakBytes)}B`,
    ]),
  ),
);
const file = writeResult(options.out, options.smoke ? 'text-smoke' : 'text', {
  poolSize,
  shuffled: options.shuffled,
  rows,
});
console.log(`results in ${file}`);

/** Runs the programs in turn, several times, and keeps the median of each. */
function compare(name, file, programs, textBytes = statSync(file).size) {
  const runs = programs.map(() => []);
  for (let i = 0; i < repeat; i++) for (const [p, [, command]] of programs.entries()) runs[p].push(timed(command));
  for (const [p, [program]] of programs.entries()) {
    const run = runs[p].sort((a, b) => a.cpuSeconds - b.cpuSeconds)[repeat >> 1];
    if (run.events !== events) throw new Error(`${program} found ${run.events} events in ${file}, not ${events}`);
    rows.push({ file: name, program, events, fileBytes: statSync(file).size, textBytes, ...run });
    console.error(`${name}, ${program}: ${(textBytes / run.cpuSeconds / 1e6).toFixed(0)} MB/s per core`);
  }
}

/** The program's own report where it makes one; else its count of lines, with the processor time that bash saw. */
function timed(command) {
  const started = performance.now();
  const run = spawnSync('bash', ['-c', '"$@" && times >&2', 'bash', ...command], { encoding: 'utf8' });
  const seconds = (performance.now() - started) / 1000;
  if (run.status !== 0) throw new Error(`${command.join(' ')} failed: ${run.stderr}`);
  if (run.stdout.startsWith('{')) return JSON.parse(run.stdout);
  // The second line is user and system time of the children: 0m0.012s 0m0.034s
  const [user, system] = run.stderr.trim().split('\n').at(-1).split(' ').map(secondsOf);
  return {
    events: Number(run.stdout.trim().split(' ')[0]),
    seconds,
    cpuSeconds: user + system,
    residentBytes: null,
    peakBytes: null,
  };
}

function secondsOf(text) {
  const [minutes, seconds] = text.replace('s', '').split('m');
  return Number(minutes) * 60 + Number(seconds);
}

function reader(file) {
  return [process.execPath, '--expose-gc', child, 'read', file];
}

function scan(file, compression) {
  return [process.execPath, child, 'duckdb', file, compression];
}

function shell(command) {
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** A made-up log: users all different, a pool that changes by an article every now and then. */
function write(file, format) {
  const draws = new WorldDraws(1);
  const ids = Array.from({ length: poolSize }, (_, i) => 109_500 + ((i * 7) % poolSize));
  const features = (id) => [0, 1, 2, 3, 4].map((j) => draws.unit(id, j)).concat(1);
  const poolOf = (list) => (format === 'r6a' ? r6aPool(list, list.flatMap(features)) : r6bPool(list));
  const columns = {
    seconds: new Float64Array(BATCH),
    displayed: new Float64Array(BATCH),
    click: new Uint8Array(BATCH),
    pool: new Uint32Array(BATCH),
    user: new Float64Array(BATCH * 6),
    userFeatures: new Uint8Array(BATCH * 20),
    userOffsets: new Uint32Array(BATCH + 1),
  };
  const handle = openSync(file, 'w');
  for (let from = 0; from < events; from += BATCH) {
    const count = Math.min(BATCH, events - from);
    const pools = [];
    for (let i = 0; i < count; i++) {
      const t = from + i;
      const refresh = t % REFRESH === 0;
      if (refresh && t > 0) ids[draws.below(poolSize, t, 5)] = 109_500 + poolSize + t / REFRESH;
      if (refresh || pools.length === 0 || options.shuffled) {
        const list = options.shuffled ? ids.map((_, j) => ids[(j + t) % poolSize]) : ids;
        if (options.shuffled) [list[0], list[t % poolSize]] = [list[t % poolSize], list[0]];
        pools.push(poolOf(list));
      }
      columns.pool[i] = pools.length - 1;
      columns.seconds[i] = 1_241_160_900 + 300 * Math.floor(t / 5000);
      columns.displayed[i] = ids[draws.below(poolSize, t, 6)];
      columns.click[i] = draws.below(25, t, 7) === 0 ? 1 : 0;
      for (let j = 0; j < 5; j++) columns.user[i * 6 + j] = draws.unit(t, 8 + j);
      columns.user[i * 6 + 5] = 1;
      for (let j = 0; j < 20; j++) columns.userFeatures[i * 20 + j] = j === 0 ? 1 : 2 + j * 6 + ((t * 7 + j * 5) % 6);
      columns.userOffsets[i + 1] = (i + 1) * 20;
    }
    writeSync(handle, (format === 'r6a' ? writeR6aLines : writeR6bLines)({ ...columns, pools }, 0, count));
  }
  closeSync(handle);
}

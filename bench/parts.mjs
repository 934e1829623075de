/**
 * `node bench/parts.mjs`: a run in parts against the run in one piece, as commands; and the merge of many parts.
 *
 *   node bench/parts.mjs [--events N] [--policies P] [--merge-events N] [--merge-policies P] [--merge-parts N] [--repeat N] [--smoke] [--out DIR]
 *
 * The log is packed (six f32 features, candidate sets of 10 of 20 arms, all contexts distinct), the policies are linear. Results
 * must be the same but for what engines report.
 */

import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { encodeNpy } from '../dist/policy/npy.js';
import { randomLinearPolicies } from '../dist/simulate/linear-policies.js';
import { logQuery, MAPPING, withFolder } from './lib/loading.mjs';
import { writeResult } from './lib/machine.mjs';
import { median, short, table } from './lib/measure.mjs';
import { SEED } from './lib/work.mjs';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string' },
    policies: { type: 'string' },
    'merge-events': { type: 'string' },
    'merge-policies': { type: 'string' },
    'merge-parts': { type: 'string' },
    repeat: { type: 'string' },
    smoke: { type: 'boolean', default: false },
    out: { type: 'string', default: fileURLToPath(new URL('./results', import.meta.url)) },
  },
});
const { smoke } = options;
const size = (name, whole, small) => Number(options[name] ?? (smoke ? small : whole));
const repeat = size('repeat', 5, 1);
const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const USAGE = new URL('./lib/usage.mjs', import.meta.url).href;
const [ARMS, DIMENSION, BLOCKS] = [20, 6, 64];

/** Runs a command in a process of its own. @returns wall and CPU seconds, and peak memory. */
async function hindcast(usage, ...args) {
  const started = performance.now();
  const child = spawn(process.execPath, ['--import', USAGE, MAIN, ...args], {
    env: { ...process.env, HINDCAST_BENCH_USAGE: usage },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`hindcast ${args.join(' ')}: ${said}`);
  return { seconds: (performance.now() - started) / 1000, ...JSON.parse(readFileSync(usage, 'utf8')) };
}

/** A result without what differs between engines. */
function numbers(file) {
  return { ...JSON.parse(readFileSync(file, 'utf8')), engine: null };
}

function requireSame(a, b) {
  if (!isDeepStrictEqual(numbers(a), numbers(b))) throw new Error(`${a} and ${b} differ`);
}

/** Runs of the steps in turn. @returns of each step the median of seconds and CPU seconds, and the most memory. */
async function inTurn(steps) {
  const runs = Object.fromEntries(Object.keys(steps).map((name) => [name, []]));
  for (let i = 0; i < repeat; i++) for (const [name, step] of Object.entries(steps)) runs[name].push(await step());
  return Object.entries(runs).map(([name, all]) => ({
    name,
    seconds: median(all.map(({ seconds }) => seconds)),
    cpuSeconds: median(all.map(({ cpuSeconds }) => cpuSeconds)),
    peakBytes: Math.max(...all.map(({ peakBytes }) => peakBytes)),
  }));
}

const rows = [];
const found = { policies: size('policies', 1024, 16), events: size('events', 1e6, 20_000) };
const merge = {
  policies: size('merge-policies', 1e5, 200),
  events: size('merge-events', 16_384, 1024),
  parts: size('merge-parts', 64, 8),
};
await withFolder(async (connection, pathOf) => {
  /** A packed log and a policy set, as arguments of `evaluate`. */
  async function work({ events, policies }) {
    const [parquet, log, mapping] = [`${events}.parquet`, `${events}.packed`, 'mapping.json'].map(pathOf);
    await connection.run(`COPY (${logQuery(events)}) TO '${parquet}' (FORMAT parquet)`);
    writeFileSync(mapping, JSON.stringify(MAPPING));
    await hindcast(pathOf('usage'), 'convert', parquet, log, '--mapping', mapping, '--quiet');
    const shape = { policies, arms: ARMS, dimension: DIMENSION };
    const weights = encodeNpy(randomLinearPolicies({ ...shape, seed: SEED }), [policies, ARMS, DIMENSION]);
    writeFileSync(pathOf(`${policies}.npy`), weights);
    const set = pathOf(`${policies}.json`);
    writeFileSync(set, JSON.stringify([{ family: 'linear', weights: `${policies}.npy` }]));
    // DuckDB's hash of two numbers is not random enough for the check of uniformity; what is measured does not go by it.
    const asked = ['--policies', set, '--device', 'cpu', '--blocks', String(BLOCKS), '--assume-uniform', '--quiet'];
    return ['evaluate', log, ...asked];
  }
  const counts = (of) => pathOf(`counts-${of}`);
  const part = (asked, number, of) => {
    const file = pathOf(`part-${number}-of-${of}-${performance.now()}.parquet`);
    const args = [...asked, '--threads', '1', '--counts', counts(of), '--part', `${number}/${of}`, '--out', file];
    return { file, made: hindcast(`${file}.usage`, ...args) };
  };
  const together = (files, out) =>
    hindcast(pathOf('usage'), 'merge', ...files, '--counts', counts(files.length), '--quiet', '--out', out);

  const asked = await work(found);
  const [whole, merged] = ['whole.json', 'merged.json'].map(pathOf);
  let files = [];
  rows.push(
    ...(await inTurn({
      'one run, 2 threads': () => hindcast(pathOf('usage'), ...asked, '--threads', '2', '--out', whole),
      '2 tasks at once, 1 thread each': async () => {
        // Both count, as they begin at once.
        rmSync(counts(2), { force: true });
        const started = performance.now();
        const parts = [1, 2].map((number) => part(asked, number, 2));
        const made = await Promise.all(parts.map((one) => one.made));
        files = parts.map(({ file }) => file);
        return {
          seconds: (performance.now() - started) / 1000,
          cpuSeconds: made[0].cpuSeconds + made[1].cpuSeconds,
          peakBytes: Math.max(made[0].peakBytes, made[1].peakBytes),
        };
      },
      'merge of 2': () => together(files, merged),
    })),
  );
  requireSame(whole, merged);

  const many = await work(merge);
  files = [];
  for (let number = 1; number <= merge.parts; number++) {
    const { file, made } = part(many, number, merge.parts);
    await made;
    files.push(file);
  }
  rows.push(...(await inTurn({ [`merge of ${merge.parts}`]: () => together(files, merged) })));
  await hindcast(pathOf('usage'), ...many, '--out', whole);
  requireSame(whole, merged);
});

const cells = rows.map(({ name, seconds, cpuSeconds, peakBytes }) => [
  name,
  seconds.toPrecision(3),
  cpuSeconds.toPrecision(3),
  `${short(peakBytes)}B`,
]);
console.log(table(['step', 'seconds', 'CPU s', 'peak'], cells));
console.log(`CPU seconds of the tasks over those of the run: ${(rows[1].cpuSeconds / rows[0].cpuSeconds).toFixed(3)}`);
console.log(`results in ${writeResult(options.out, smoke ? 'parts-smoke' : 'parts', { found, merge, repeat, rows })}`);

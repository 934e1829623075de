/**
 * `npm run bench`: decisions per second over a ladder of sizes, GPU against CPU in one run. See docs/reference/performance.md.
 *
 *   node bench/ladder.mjs [--quick | --smoke] [--adapter NAME] [--cpu-only] [--threads N] [--budget SECONDS] [--deadline SECONDS]
 *                         [--out DIR]
 *
 * A measurement that would take longer than the budget for one run, or start after the deadline, is left out and said so.
 */

import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CpuBackend } from '../dist/engine/cpu/backend.js';
import { GpuBackend } from '../dist/engine/gpu/backend.js';
import { replayColumns } from '../dist/estimate/estimators/replay-totals.js';
import { adapterName, openAdapter, openTimed } from './lib/devices.mjs';
import { writeResult } from './lib/machine.mjs';
import { measure, short, table } from './lib/measure.mjs';
import { difference, flops, linearPolicies, logBytes, makeLog, makePlan, tableWork, totalsOf } from './lib/work.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    adapter: { type: 'string', default: process.env.HINDCAST_BENCH_ADAPTER ?? 'auto' },
    'cpu-only': { type: 'boolean', default: false },
    threads: { type: 'string' },
    budget: { type: 'string' },
    deadline: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('./results', import.meta.url)) },
  },
});

/** Sizes of a run: policies × events at K = 20, d = 6, then shapes at one size, then work that is not dense. */
const SIZES = {
  full: {
    policies: [64, 256, 1024, 4096],
    events: [1e4, 1e5, 1e6, 1e7],
    shapes: { policies: 1024, events: 1e5, arms: [10, 20, 50], dimensions: [6, 32] },
    other: { policies: 1024, events: 1e6, distinctContexts: 240, segments: 50 },
    budget: 10,
    samples: 3,
    seconds: 1,
  },
  quick: {
    policies: [1024, 4096],
    events: [1e5, 1e6, 1e7],
    shapes: { policies: 1024, events: 1e6, arms: [10, 50], dimensions: [6, 32] },
    other: { policies: 1024, events: 1e6, distinctContexts: 240, segments: 50 },
    budget: 3,
    samples: 3,
    seconds: 0,
  },
  smoke: {
    policies: [8],
    events: [1000],
    shapes: { policies: 8, events: 1000, arms: [10], dimensions: [32] },
    other: { policies: 8, events: 2000, distinctContexts: 24, segments: 5 },
    budget: 10,
    samples: 1,
    seconds: 0,
  },
};
const sizes = SIZES[options.smoke ? 'smoke' : options.quick ? 'quick' : 'full'];
const budget = options.budget === undefined ? sizes.budget : Number(options.budget);
if (!(budget > 0)) throw new Error(`--budget takes a number of seconds, not ${options.budget}`);
const deadline = options.deadline === undefined ? Infinity : Number(options.deadline) * 1000;
const threads = options.threads === undefined ? undefined : Number(options.threads);

const engines = { cpu: { backend: new CpuBackend({ threads }), flopsPerSecond: null } };
let adapter = null;
let timed = null;
if (!options['cpu-only']) {
  const opened = await openAdapter(adapterName(options.adapter));
  adapter = opened.description;
  const timer = await openTimed(opened);
  timed = { backend: new GpuBackend(timer.device, { threads }), ...timer };
  engines.gpu = { backend: new GpuBackend(opened.device, { threads }), flopsPerSecond: null };
  const kind = adapter.type === 'software' ? ', a software adapter: its speed says little of a GPU' : '';
  console.error(`GPU: ${adapter.name} (${adapter.driver})${kind}; kernels timed by ${timer.method}`);
}
console.error(`CPU: ${engines.cpu.backend.report.threads} threads of ${os.cpus()[0]?.model}`);

const rows = [];

/** Measures every engine on one piece of work, or says why not. */
async function run(section, shape, make, { dense = true } = {}) {
  let made = null;
  const decisions = shape.events * shape.policies;
  const work = dense ? flops(shape) : null;
  const results = {};
  for (const [engine, state] of Object.entries(engines)) {
    const row = { section, ...shape, engine };
    rows.push(row);
    const expected = work === null || state.flopsPerSecond === null ? 0 : work / state.flopsPerSecond;
    const late = performance.now() > deadline;
    if (expected > budget || late) {
      row.skipped = late ? 'out of time' : `one run would take about ${expected.toFixed(0)} s, more than ${budget} s`;
      print(row);
      continue;
    }
    try {
      made ??= { plan: null, ...(await make()) };
      made.plan ??= makePlan(made.log);
      results[engine] = await measureEngine(engine, state, made, row, decisions, work);
    } catch (error) {
      // The other measurements go on.
      row.error = error instanceof Error ? error.message : String(error);
      process.exitCode = 1;
    }
    print(row);
  }
  if (results.cpu !== undefined && results.gpu !== undefined) {
    const different = difference(results.cpu, results.gpu);
    if (different !== null) {
      rows.push({ section, ...shape, error: `CPU and GPU differ: ${different}` });
      print(rows.at(-1));
      process.exitCode = 1;
    }
  }
}

/** Fills in a row. @returns The block statistics. */
async function measureEngine(engine, state, { log, plan, compiled }, row, decisions, work) {
  const { report } = state.backend;
  const settled = report.settledOnCpu;
  let stats;
  let first = null;
  let runs = 0;
  const started = performance.now();
  const evaluate = async () => {
    stats = await state.backend.evaluate(log, plan, compiled, replayColumns(log.payoff));
    runs++;
    first ??= (performance.now() - started) / 1000;
  };
  const { samples, seconds } = sizes;
  const { [engine]: measured } = await measure({ [engine]: evaluate }, { samples, seconds });
  Object.assign(row, measured, {
    firstSeconds: first,
    decisionsPerSecond: decisions / measured.seconds,
    gflops: work === null ? null : work / measured.seconds / 1e9,
    settledOnCpu: (report.settledOnCpu - settled) / runs,
  });
  if (work !== null) state.flopsPerSecond = work / measured.seconds;
  const { T, G } = totalsOf(stats);
  row.matches = T.reduce((a, b) => a + b, 0);
  row.payoff = G.reduce((a, b) => a + b, 0);
  if (engine === 'gpu') row.kernel = await kernelTimes(log, plan, compiled, decisions, work);
  return stats;
}

/** Time of the kernels alone, from a run on the device that is watched. The first run compiles. */
async function kernelTimes(log, plan, compiled, decisions, work) {
  const { backend, collect, method } = timed;
  await backend.evaluate(log, plan, compiled, replayColumns(log.payoff));
  await collect();
  await backend.evaluate(log, plan, compiled, replayColumns(log.payoff));
  const { milliseconds, passes, missed } = await collect();
  const choosing = Object.keys(milliseconds).filter((name) => name.startsWith('policy/'));
  const deciding = choosing.length === 0 ? null : choosing.reduce((sum, name) => sum + milliseconds[name], 0);
  const all = Object.values(milliseconds).reduce((a, b) => a + b, 0);
  const whole = missed === 0 && all > 0;
  return {
    method,
    milliseconds,
    passes,
    missed,
    /** All kernels together: choosing and matching. */
    decisionsPerSecond: whole ? decisions / (all / 1000) : null,
    /** Of the kernels that choose. */
    gflops: whole && work !== null && deciding !== null ? work / (deciding / 1000) / 1e9 : null,
  };
}

function print(row) {
  const { section, policies, events, arms, dimension, engine } = row;
  const what = `${section} P ${policies} L ${events} K ${arms} d ${dimension} ${engine}`;
  const text =
    row.skipped ??
    row.error ??
    `${short(row.decisionsPerSecond)} decisions/s, ${short(row.gflops)} GFLOP/s, ${row.seconds.toFixed(4)} s` +
      (row.kernel === undefined ? '' : `; kernels ${short(row.kernel.decisionsPerSecond)} decisions/s`);
  console.error(`${what}: ${text}`);
}

const fits = (shape) => logBytes(shape) < os.freemem() / 2;

/** One log, as many sets as there are numbers of policies. */
async function ladder(section, shape, policyCounts) {
  if (!fits(shape)) {
    rows.push({ section, ...shape, skipped: `needs about ${short(logBytes(shape))}B of memory` });
    return;
  }
  let log = null;
  for (const policies of policyCounts) {
    const full = { ...shape, policies };
    await run(section, full, () => {
      log ??= makeLog(shape);
      return { log, compiled: linearPolicies(full) };
    });
  }
}

try {
  for (const events of sizes.events) await ladder('dense', { events, arms: 20, dimension: 6 }, sizes.policies);
  const { shapes, other } = sizes;
  for (const dimension of shapes.dimensions) {
    for (const arms of shapes.arms) {
      await ladder('shapes', { events: shapes.events, arms, dimension }, [shapes.policies]);
    }
  }
  // Decided once per distinct context, then matched.
  const repeated = { events: other.events, arms: 20, dimension: 6, policies: other.policies };
  const { distinctContexts } = other;
  const few = { ...repeated, distinctContexts };
  await run('repeated contexts', few, () => ({ log: makeLog(few), compiled: linearPolicies(few) }), { dense: false });
  // Counted once per (value, arm, block), then summed.
  const tables = { events: other.events, arms: 20, dimension: 0, policies: other.policies, segments: other.segments };
  await run('table policies', tables, () => tableWork(tables), { dense: false });
} finally {
  for (const { backend } of Object.values(engines)) await backend.close();
  await timed?.backend.close();
}

const head = [
  'work',
  'P',
  'L',
  'K',
  'd',
  'engine',
  'decisions/s',
  'GFLOP/s',
  'seconds',
  'CPU s',
  'settled',
  'kernel GFLOP/s',
];
console.log(
  table(
    head,
    rows
      .filter(({ seconds }) => seconds !== undefined)
      .map((row) => [
        row.section,
        row.policies,
        short(row.events),
        row.arms,
        row.dimension,
        row.engine,
        short(row.decisionsPerSecond),
        short(row.gflops),
        row.seconds.toPrecision(3),
        row.cpuSeconds.toPrecision(3),
        short(row.settledOnCpu),
        short(row.kernel?.gflops),
      ]),
  ),
);
const skipped = rows.filter((row) => row.skipped !== undefined).length;
if (skipped > 0) console.log(`${skipped} measurements were skipped; the reasons are in the file`);
const name = options.smoke ? 'ladder-smoke' : options.quick ? 'ladder-quick' : 'ladder';
const memory = process.resourceUsage().maxRSS * 1024;
const file = writeResult(options.out, name, {
  threads: engines.cpu.backend.report.threads,
  adapter,
  kernelTiming: timed?.method ?? null,
  budgetSeconds: budget,
  peakBytes: memory,
  rows,
});
console.log(`peak memory ${short(memory)}B; results in ${file}`);
// Dawn's threads would keep the process.
process.exit();

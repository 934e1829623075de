/**
 * Learners replayed: agent-events per second of every learner with a GPU kernel, CPU engine with one thread and with all,
 * and a GPU, in one run. See docs/reference/performance.md.
 *
 *   node bench/learners.mjs [--quick | --smoke] [--adapter NAME] [--cpu-only] [--threads N] [--only a,b] [--deadline SECONDS]
 *                           [--out DIR]
 */

import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CpuReplayBackend } from '../dist/engine/learner-cpu/backend.js';
import { GpuReplayBackend } from '../dist/engine/learner-gpu/backend.js';
import { GPU_LEARNERS } from '../dist/engine/learner-gpu/learner-kernels.js';
import { runBlocks } from '../dist/estimate/blocks/blocks.js';
import { parseLearnerSet, prepareLearners } from '../dist/learner/set/learner-set.js';
import { logFromColumns } from '../dist/log/from-columns/columns.js';
import { uniformLog } from '../test/random-log.mjs';
import { adapterName, openAdapter } from './lib/devices.mjs';
import { writeResult } from './lib/machine.mjs';
import { short, table } from './lib/measure.mjs';
import { difference } from './lib/work.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    adapter: { type: 'string', default: process.env.HINDCAST_BENCH_ADAPTER ?? 'auto' },
    'cpu-only': { type: 'boolean', default: false },
    threads: { type: 'string' },
    only: { type: 'string' },
    deadline: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('./results', import.meta.url)) },
  },
});

const threads = Number(options.threads ?? os.availableParallelism());
const deadline = performance.now() + 1000 * Number(options.deadline ?? Number.POSITIVE_INFINITY);
/** Seconds that one measurement is sized to take, replicas, and most events of the log. */
const SIZE = options.smoke
  ? { seconds: 0.02, replicas: 4, events: 2000, samples: 1 }
  : options.quick
    ? { seconds: 0.5, replicas: 256, events: 1e6, samples: 2 }
    : { seconds: 2, replicas: 256, events: 1e6, samples: 3 };

/** Learners that read contexts; the others do the same work whatever d is. */
const CONTEXTUAL = ['linucb', 'lin-thompson', 'cemp', 'linucb-hybrid'];
const SHAPES = [
  { arms: 20, dimension: 6, learners: GPU_LEARNERS },
  { arms: 10, dimension: 65, learners: CONTEXTUAL.filter((name) => name !== 'linucb-hybrid') },
];
const PARAMETERS = { 'epsilon-greedy': { epsilon: 0.1 }, semp: { segment: 'segment' } };
const only = options.only?.split(',');

function makeLog(events, { arms, dimension }) {
  const log = uniformLog({ events, arms, dimension, seed: 11 });
  const extra = logFromColumns({
    armIndex: [],
    arms,
    payoff: [],
    armFeatures: { values: Float64Array.from({ length: arms * 3 }, (_, i) => Math.sin(i + 1)), dimension: 3 },
  });
  const segment = { levels: ['0', '1', '2', '3', '4'], code: Uint32Array.from({ length: events }, (_, t) => t % 5) };
  return { ...log, armFeatures: extra.armFeatures, keys: new Map([['segment', segment]]) };
}

async function makeJob(name, log, replicas) {
  const settings = await prepareLearners(parseLearnerSet([{ algorithm: name, ...PARAMETERS[name] }]), log);
  return {
    log,
    plan: runBlocks(log.events),
    settings,
    replicas: Array.from({ length: replicas }, (_, number) => ({ setting: 0, number })),
    rules: { seed: 1, subsample: 0.5, validEvents: null, updateEvery: null, learnFrom: 'retained' },
    keep: { retainedOf: 'none', state: false },
  };
}

async function timed(backend, job) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const outcome = await backend.replay(job);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6, outcome };
}

/** Sizes the log for one engine, runs it, and takes the fastest of its samples. */
async function measureLearner(name, shape, engine, backend) {
  let events = Math.min(SIZE.events, 1000);
  let job = await makeJob(name, makeLog(events, shape), SIZE.replicas);
  // The first run compiles kernels and starts threads; then the log grows until a run takes long enough: short runs on a
  // GPU are mostly what starting costs.
  const first = await timed(backend, job);
  let trial = await timed(backend, job);
  while (events < SIZE.events && trial.seconds < SIZE.seconds / 2) {
    const wanted = Math.floor((events * SIZE.seconds) / Math.max(1e-3, trial.seconds));
    events = Math.min(SIZE.events, Math.max(events * 2, Math.min(wanted, events * 20)));
    job = await makeJob(name, makeLog(events, shape), SIZE.replicas);
    trial = await timed(backend, job);
  }
  const before = { ...backend.report.lanes };
  const runs = [];
  for (let i = 0; i < SIZE.samples; i++) runs.push(await timed(backend, job));
  const { lanes } = backend.report;
  const use = lanes === undefined ? {} : laneUse(before, lanes);
  const best = (key) => Math.min(...runs.map((run) => run[key]));
  const seconds = best('seconds');
  const work = events * SIZE.replicas;
  return {
    learner: name,
    arms: shape.arms,
    dimension: shape.dimension,
    replicas: SIZE.replicas,
    subsample: 0.5,
    engine,
    events,
    firstSeconds: first.seconds,
    seconds,
    cpuSeconds: best('cpuSeconds'),
    /** Replicas × events of the log, whether or not a subsample has them. */
    agentEventsPerSecond: work / seconds,
    agentEventsPerCpuSecond: work / best('cpuSeconds'),
    ...use,
  };
}

function laneUse(before, after) {
  const [events, slots, looks, settled] = ['events', 'slots', 'looks', 'settled'].map(
    (key) => after[key] - before[key],
  );
  return { laneUse: events / slots, looksPerEvent: looks / events, doubtsPerEvent: settled / events };
}

/** Statistics of every replica on both engines; text of the first difference, or `null`. */
async function disagreement(name, shape, gpu, cpu) {
  const job = await makeJob(name, makeLog(2000, shape), 4);
  return difference((await gpu.replay(job)).stats, (await cpu.replay(job)).stats);
}

const opened = options['cpu-only'] ? null : await openAdapter(adapterName(options.adapter));
const gpu = opened === null ? null : new GpuReplayBackend(opened.device, { threads });
const one = new CpuReplayBackend({ threads: 1 });
const all = new CpuReplayBackend({ threads, threadsFrom: 0 });
const engines = [
  ['cpu-1', one],
  ['cpu-all', all],
  ['gpu', gpu],
].filter(([, backend]) => backend !== null);

const rows = [];
const errors = [];
for (const shape of SHAPES) {
  for (const name of shape.learners) {
    if (only !== undefined && !only.includes(name)) continue;
    if (performance.now() > deadline) {
      rows.push({ learner: name, arms: shape.arms, dimension: shape.dimension, skipped: 'past the deadline' });
      continue;
    }
    const fault = gpu === null ? null : await disagreement(name, shape, gpu, one);
    if (fault !== null) errors.push({ learner: name, arms: shape.arms, dimension: shape.dimension, fault });
    for (const [engine, backend] of engines) {
      process.stderr.write(`${name}, K = ${shape.arms}, d = ${shape.dimension}, ${engine}\n`);
      rows.push(await measureLearner(name, shape, engine, backend));
    }
  }
}

const speed = (name, { arms, dimension }, engine, key = 'agentEventsPerSecond') =>
  rows.find(
    (row) => row.learner === name && row.arms === arms && row.dimension === dimension && row.engine === engine,
  )?.[key];
const lines = SHAPES.flatMap((shape) =>
  shape.learners
    .filter((name) => speed(name, shape, 'cpu-1') !== undefined)
    .map((name) => {
      const [single, every, device] = ['cpu-1', 'cpu-all', 'gpu'].map((engine) => speed(name, shape, engine));
      const use = speed(name, shape, 'gpu', 'laneUse');
      return [
        `${name} K=${shape.arms} d=${shape.dimension}`,
        short(single),
        short(every),
        short(device),
        device === undefined ? '–' : (device / every).toFixed(2),
        use === undefined ? '–' : `${(100 * use).toFixed(0)} %`,
        short(speed(name, shape, 'gpu', 'doubtsPerEvent')),
        (speed(name, shape, 'gpu', 'firstSeconds') ?? 0).toFixed(1),
      ];
    }),
);
console.log(`agent-events/s, ${SIZE.replicas} replicas, subsample 0.5; GPU: ${opened?.description.name ?? 'none'}`);
console.log(table(['learner', 'CPU 1', `CPU ${threads}`, 'GPU', 'GPU/CPU', 'lanes', 'doubts', 'first s'], lines));
for (const { learner, arms, dimension, fault } of errors) console.log(`${learner} K=${arms} d=${dimension}: ${fault}`);
const label = options.smoke ? 'learners-smoke' : options.quick ? 'learners-quick' : 'learners';
const file = writeResult(options.out, label, {
  threads,
  adapter: opened?.description ?? null,
  rows,
  errors,
});
console.log(`results in ${file}`);
await Promise.all(engines.map(([, backend]) => backend.close()));
process.exit(errors.length > 0 ? 1 : 0);

/**
 * The paper's Table 1 at full size: three learning algorithms × 100 replicas, each on half of 4,000,000 simulated visits.
 * Seconds of a whole replay, packing and upload included, and of each algorithm's kernels. See docs/reference/performance.md.
 *
 *   node bench/table-1.mjs [--smoke] [--visits N] [--replicas N] [--adapter NAME] [--gpu-only] [--threads N] [--out DIR]
 */

import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CpuReplayBackend } from '../dist/engine/learner-cpu/backend.js';
import { GpuReplayBackend } from '../dist/engine/learner-gpu/backend.js';
import { runBlocks } from '../dist/estimate/blocks/blocks.js';
import { parseLearnerSet, prepareLearners } from '../dist/learner/set/learner-set.js';
import { simulateToday } from '../dist/simulate/today.js';
import { adapterName, openAdapter, openTimed } from './lib/devices.mjs';
import { writeResult } from './lib/machine.mjs';
import { short, table } from './lib/measure.mjs';
import { difference } from './lib/work.mjs';

const { values: options } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    visits: { type: 'string' },
    replicas: { type: 'string' },
    adapter: { type: 'string', default: process.env.HINDCAST_BENCH_ADAPTER ?? 'auto' },
    'gpu-only': { type: 'boolean', default: false },
    threads: { type: 'string' },
    out: { type: 'string', default: fileURLToPath(new URL('./results', import.meta.url)) },
  },
});
const visits = Number(options.visits ?? (options.smoke ? 3000 : 4e6));
const replicas = Number(options.replicas ?? (options.smoke ? 2 : 100));
const threads = Number(options.threads ?? os.availableParallelism());
/** Runs after the first, which compiles kernels and starts threads. */
const SAMPLES = 2;

const LEARNERS = [
  { algorithm: 'epsilon-greedy', epsilon: 0.4 },
  { algorithm: 'ucb', alpha: 1 },
  { algorithm: 'linucb', alpha: 1 },
];

const { log } = simulateToday({ events: visits, seed: 1 });

async function makeJob(learners) {
  const settings = await prepareLearners(parseLearnerSet(learners), log);
  return {
    log,
    plan: runBlocks(log.events),
    settings,
    replicas: settings.flatMap((_, setting) => Array.from({ length: replicas }, (_, number) => ({ setting, number }))),
    rules: { seed: 1, subsample: 0.5, validEvents: null, updateEvery: null, learnFrom: 'retained' },
    keep: { retainedOf: 'none', state: false },
  };
}

/** Seconds of the first run and of the fastest of the others, and what was found. */
async function measure(backend, job) {
  const seconds = [];
  let stats;
  for (let i = 0; i <= SAMPLES; i++) {
    const started = performance.now();
    ({ stats } = await backend.replay(job));
    seconds.push((performance.now() - started) / 1000);
  }
  const best = Math.min(...seconds.slice(1));
  return {
    firstSeconds: seconds[0],
    seconds: best,
    agentEventsPerSecond: (job.replicas.length * visits) / best,
    stats,
  };
}

const job = await makeJob(LEARNERS);
const opened = await openAdapter(adapterName(options.adapter));
const gpu = new GpuReplayBackend(opened.device, { threads });
const rows = [{ engine: 'gpu', ...(await measure(gpu, job)) }];
await gpu.close();

// One algorithm at a time: a pass of several is timed as a whole.
const timed = await openTimed(opened);
const kernels = {};
for (const learner of LEARNERS) {
  const backend = new GpuReplayBackend(timed.device, { threads });
  const alone = await makeJob([learner]);
  await backend.replay(alone);
  await timed.collect();
  await backend.replay(alone);
  kernels[learner.algorithm] = (await timed.collect()).milliseconds;
  await backend.close();
}

let fault = null;
if (!options['gpu-only']) {
  const cpu = new CpuReplayBackend({ threads, threadsFrom: 0 });
  rows.push({ engine: 'cpu-all', ...(await measure(cpu, job)) });
  await cpu.close();
  const different = difference(...rows.map(({ stats }) => stats));
  if (different !== null) fault = `GPU and CPU differ: ${different}`;
}

console.log(`${short(visits)} visits, ${LEARNERS.length} × ${replicas} replicas; GPU: ${opened.description.name}`);
console.log(
  table(
    ['engine', 'first s', 's', 'replicas × visits/s'],
    rows.map((row) => [
      row.engine,
      row.firstSeconds.toFixed(2),
      row.seconds.toFixed(2),
      short(row.agentEventsPerSecond),
    ]),
  ),
);
console.log(
  `kernels, ms (${timed.method}): ${JSON.stringify(kernels, (_, x) => (Number.isFinite(x) ? Math.round(x) : x))}`,
);
if (fault !== null) console.log(fault);
const file = writeResult(options.out, options.smoke ? 'table-1-smoke' : 'table-1', {
  visits,
  replicas,
  threads,
  adapter: opened.description,
  rows: rows.map(({ stats, ...row }) => row),
  kernels: { method: timed.method, milliseconds: kernels },
  fault,
});
console.log(`results in ${file}`);
process.exit(fault === null ? 0 : 1);

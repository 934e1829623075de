// A million updates of one arm on a GPU, against the CPU engine's f64: how far do θ and the retained events part?
// Run: node test/large/updates.mjs [ADAPTER] [UPDATES]

import { CpuReplayBackend } from '../../dist/engine/learner-cpu/backend.js';
import { GpuReplayBackend } from '../../dist/engine/learner-gpu/backend.js';
import { runBlocks } from '../../dist/estimate/blocks/blocks.js';
import { openDevice } from '../../dist/gpu/device.js';
import { parseLearnerSet, prepareLearners } from '../../dist/learner/set/learner-set.js';
import { logFromColumns } from '../../dist/log/from-columns/columns.js';
import { WorldDraws } from '../../dist/simulate/draws.js';

const adapter = process.argv[2] ?? 'llvmpipe';
const events = Number(process.argv[3] ?? 1e6);
const d = 6;
const draws = new WorldDraws(17);
// Five shares that sum to 1, and a constant: collinear, as the user features of the Today Module are.
const values = new Float32Array(events * d);
const payoff = new Float64Array(events);
for (let t = 0; t < events; t++) {
  let sum = 0;
  for (let j = 0; j < d - 1; j++) {
    const { first } = draws.draw(t * d + j, 1);
    values[t * d + j] = first / 2 ** 32 + 0.01;
    sum += values[t * d + j];
  }
  for (let j = 0; j < d - 1; j++) values[t * d + j] /= sum;
  values[t * d + d - 1] = 1;
  payoff[t] = draws.draw(t * d + d - 1, 1).first < 2 ** 32 * 0.05 * (0.5 + values[t * d]) ? 1 : 0;
}
const log = logFromColumns({ armIndex: new Uint32Array(events), arms: 1, payoff, context: { values, dimension: d } });
const learners = ['linucb', 'lin-thompson', 'cemp'].map((algorithm) => ({ algorithm }));
const settings = await prepareLearners(parseLearnerSet(learners), log);
const job = {
  log,
  plan: runBlocks(events),
  settings,
  replicas: settings.map((_, setting) => ({ setting, number: 0 })),
  rules: { seed: 1, subsample: 1, validEvents: null, updateEvery: null, learnFrom: 'retained' },
  keep: { retainedOf: 'none', state: true },
};
const { device, description } = await openDevice(adapter);
const gpu = new GpuReplayBackend(device);
const started = performance.now();
const got = await gpu.replay(job);
const seconds = (performance.now() - started) / 1000;
const needed = await new CpuReplayBackend({ threads: 1 }).replay(job);
console.log(`${description.name}: ${events} updates of one arm, d = ${d}, ${seconds.toFixed(1)} s for three learners`);
let worst = 0;
settings.forEach(({ name }, s) => {
  const [a, b] = [got.states[s].theta[0], needed.states[s].theta[0]];
  const error = Math.hypot(...a.map((x, j) => x - b[j])) / Math.hypot(...b);
  worst = Math.max(worst, error);
  console.log(`${name}: relative error of θ ${error.toExponential(1)}, θ = ${b.map((x) => x.toFixed(4)).join(' ')}`);
});
process.exit(worst <= 1e-4 ? 0 : 1);

/** linucb-hybrid on the GPU: it retains what the CPU engine does, and learns the same. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplayRules } from '#dist/engine/learner-contract.js';
import { CpuReplayBackend } from '#dist/engine/learner-cpu/backend.js';
import { GpuReplayBackend } from '#dist/engine/learner-gpu/backend.js';
import type { ReplayOverrides } from '#dist/engine/learner-gpu/plan.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { Draws } from '#dist/learner/draws.js';
import type { EventLog } from '#dist/log/event-log.js';
import { STREAM } from '#dist/random/threefry.js';
import { ADAPTER, kernelCases, openTestDevice } from '../../adapter.js';
import { makeJointLog } from '../../cases/joint-cases.js';
import { eachCase } from '../../long.js';
import { type UniformLogOptions, uniformLog } from '../../random-log.mjs';
import { jobOf } from '../replay-jobs.js';

let opened: OpenDevice;
const cpu = new CpuReplayBackend({ threads: 1 });
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => cpu.close());

interface Case {
  readonly shared: 'product' | 'features';
  readonly log?: Partial<UniformLogOptions>;
  /** Contexts: a constant 1, then a one among zeros. */
  readonly oneHot?: boolean;
  /** Features of an arm; `kinds`: one of three rows. */
  readonly armFeatures?: 'random' | 'kinds' | 'zero';
  readonly parameters?: object;
  readonly rules?: Partial<ReplayRules>;
  readonly sizes?: ReplayOverrides;
}

const WIDTH = 3;
/** A kernel takes llvmpipe a minute to compile where others work on the same cores. */
const TIMEOUT = 600_000;

function logOf({ log: change, oneHot = false, armFeatures = 'random' }: Case): EventLog {
  const options = { events: 800, arms: 8, dimension: 6, seed: 3, ...change };
  const log = uniformLog({ payoff: { kind: 'binary', rate: 0.3 }, ...options });
  const draws = new Draws(11, 0, STREAM.simulation);
  const values = Float64Array.from({ length: options.arms * WIDTH }, (_, i) => {
    if (armFeatures === 'zero') return 0;
    if (armFeatures === 'kinds') return i % WIDTH === Math.floor(i / WIDTH) % 3 ? 1 : 0;
    return 2 * draws.unit(i) - 1;
  });
  const { dimension, values: contexts } = log.contexts;
  if (oneHot) {
    contexts.fill(0);
    for (let row = 0; row < contexts.length / dimension; row++) {
      contexts[row * dimension] = 1;
      contexts[row * dimension + 1 + draws.index(dimension - 1, row)] = 1;
    }
  }
  return { ...log, armFeatures: { dimension: WIDTH, rows: options.arms, values, row: null, columns: ['a', 'b', 'c'] } };
}

const frozen = { updateEvery: 100 };
const steps = { kind: 'steps', max: 100 } as const;
// Compiling takes most of the time, so cases share pipelines or try several things at once.
const CASES: readonly (Case & { readonly name: string; readonly long?: boolean })[] = [
  { name: 'one lane', long: true, shared: 'product', sizes: { width: 1 }, log: { events: 400 } },
  { name: '8 lanes', shared: 'features' },
  { name: 'small chunks and dispatches', shared: 'features', sizes: { chunk: 77, windows: 5, capacity: 8 } },
  { name: 'payoffs 0..100, λ = 3', shared: 'features', log: { payoff: steps }, parameters: { lambda: 3 } },
  { name: '32 lanes', long: true, shared: 'product', sizes: { width: 32 } },
  { name: 'subsamples of a half, T = 40', long: true, shared: 'product', rules: { subsample: 0.5, validEvents: 40 } },
  { name: 'one-hot contexts', long: true, shared: 'product', oneHot: true },
  { name: 'updates every 100 events', shared: 'product', rules: frozen, armFeatures: 'kinds' },
  {
    name: 'the same, in storage, over chunks',
    long: true,
    shared: 'features',
    rules: frozen,
    sizes: { held: false, chunk: 130 },
  },
  {
    name: 'learning from all, K = 2',
    long: true,
    shared: 'features',
    rules: { learnFrom: 'all' },
    log: { events: 300, arms: 2 },
  },
  {
    name: 'learning from all, later',
    long: true,
    shared: 'product',
    rules: { learnFrom: 'all', ...frozen },
    log: { events: 300 },
  },
  { name: 'pools, contexts that f32 does not hold', long: true, shared: 'product', log: { pools: 9, values: 'f64' } },
  { name: 'K = 1, d = 1', long: true, shared: 'features', log: { arms: 1, dimension: 1, events: 200 } },
  { name: 'K = 33, in storage', long: true, shared: 'product', log: { arms: 33 }, sizes: { held: false } },
  { name: 'd = 16, so that m = 17 in blocks', long: true, shared: 'features', log: { dimension: 16, events: 300 } },
  { name: 'd = 20', long: true, shared: 'product', log: { dimension: 20, events: 300 } },
  {
    name: 'one-hot contexts, arms with equal features',
    long: true,
    shared: 'features',
    oneHot: true,
    armFeatures: 'kinds',
  },
  {
    name: 'features of zeros, no tolerance',
    long: true,
    shared: 'features',
    armFeatures: 'zero',
    parameters: { tieTolerance: 0 },
  },
];

describe(`linucb-hybrid on ${ADAPTER} against the CPU engine`, () => {
  eachCase(
    kernelCases(CASES),
    async (one) => {
      const log = logOf(one);
      const learner = {
        algorithm: 'linucb-hybrid' as const,
        alpha: [0, 0.5, 2],
        shared: one.shared,
        ...one.parameters,
      };
      const job = await jobOf(log, [learner], { repeats: 2, state: true, ...one.rules });
      const gpu = new GpuReplayBackend(opened.device, { sizes: one.sizes, subgroup: 8 });
      const got = await gpu.replay(job);
      const expected = await cpu.replay(job);
      expect(got.retained).toEqual(expected.retained);
      expect(got.consumed).toEqual(expected.consumed);
      expect(got.complete).toEqual(expected.complete);
      expect(got.stats).toEqual(expected.stats);
      expect(worst(got.states, expected.states)).toBeLessThan(1e-9);
      // Doubts are rare, or f32 would gain nothing; equal scores, as before the first payoff where α = 0, are doubts.
      if (one.armFeatures === undefined && !one.rules?.updateEvery) expect(gpu.report.lanes.settled).toBeLessThan(5);
    },
    TIMEOUT,
  );
});

/** Largest difference of numbers, relative to those above 1; ∞ where the two are not alike. */
function worst(got: unknown, expected: unknown): number {
  if (typeof expected === 'number' && typeof got === 'number') {
    const difference = Math.abs(got - expected) / Math.max(1, Math.abs(expected));
    return Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
  }
  if (typeof expected !== 'object' || expected === null || typeof got !== 'object' || got === null) {
    return Number.POSITIVE_INFINITY;
  }
  const names = Object.keys(expected);
  if (Object.keys(got).join() !== names.join()) return Number.POSITIVE_INFINITY;
  const of = (whole: object, name: string): unknown => (whole as Record<string, unknown>)[name];
  return Math.max(0, ...names.map((name) => worst(of(got, name), of(expected, name))));
}

it('a log whose arms change their features is replayed on the CPU, and the report says so', async () => {
  const log = makeJointLog({
    events: 300,
    arms: 6,
    dx: 3,
    dz: 2,
    pools: { count: 20, size: 4, runs: 15 },
    versions: 3,
  });
  const learners = [{ algorithm: 'linucb-hybrid' }, { algorithm: 'linucb' }] as const;
  const job = await jobOf(log, learners, { repeats: 2 });
  const gpu = new GpuReplayBackend(opened.device);
  const got = await gpu.replay(job);
  const expected = await cpu.replay(job);
  expect(got.retained).toEqual(expected.retained);
  expect(got.stats).toEqual(expected.stats);
  expect(gpu.report.onCpu).toEqual([job.settings[0].name]);
  await gpu.close();
});

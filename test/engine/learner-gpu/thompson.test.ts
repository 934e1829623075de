import { beforeAll, describe, expect, it } from 'vitest';
import type { ReplayRules } from '#dist/engine/learner-contract.js';
import { CpuReplayBackend } from '#dist/engine/learner-cpu/backend.js';
import { GpuReplayBackend } from '#dist/engine/learner-gpu/backend.js';
import type { ReplayOverrides } from '#dist/engine/learner-gpu/plan.js';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import { ADAPTER, kernelCases, openTestDevice } from '../../adapter.js';
import { uniformLog } from '../../random-log.mjs';
import { jobOf } from '../replay-jobs.js';

let device: GPUDevice;
beforeAll(async () => {
  device = (await openTestDevice()).device;
});

/** Priors with shapes of all kinds; they share a pipeline. */
const LEARNERS: readonly LearnerInput[] = [
  { algorithm: 'thompson' },
  { algorithm: 'thompson', a: 0.3, b: 0.3 },
  { algorithm: 'thompson', a: 2.5, b: 40 },
  { algorithm: 'thompson', a: 0.01, b: 5, tieTolerance: 0.01 },
];

/** Kernels take llvmpipe long to compile where others work on the same cores. */
const TIMEOUT = 600_000;

interface Case extends ReplayOverrides {
  readonly events?: number;
  readonly arms?: number;
  readonly pools?: number;
  readonly rate?: number;
  readonly rules?: Partial<ReplayRules>;
}

const CASES: Readonly<Record<string, Case>> = {
  'one lane': { width: 1 },
  '8 lanes': { width: 8, incremental: false },
  '8 lanes that keep their draws': { width: 8, incremental: true },
  '64 lanes': { width: 64 },
  'state in storage': { width: 8, held: false, incremental: true },
  'a long log with many ones': { width: 8, incremental: true, events: 12_000, rate: 0.9 },
  'short chunks and dispatches': { width: 8, chunk: 333, capacity: 20, windows: 7 },
  'a subsample, and T events': { width: 8, rules: { subsample: 0.5, validEvents: 30 } },
  'frozen between updates': { width: 8, rules: { updateEvery: 100 } },
  'frozen in storage': { width: 8, held: false, rules: { updateEvery: 100, subsample: 0.5 } },
  'frozen, learning from all events': { width: 32, rules: { updateEvery: 50, learnFrom: 'all' } },
  'learning from all events': { width: 8, incremental: true, rules: { learnFrom: 'all', subsample: 0.5 } },
  pools: { width: 8, pools: 7, incremental: true },
  'pools, some arms missing in a chunk': { width: 8, pools: 9, arms: 60, chunk: 4, events: 100 },
  'pools, frozen, learning from all events': { width: 8, pools: 7, rules: { updateEvery: 50, learnFrom: 'all' } },
  'one arm': { width: 8, arms: 1, events: 200 },
  'two arms': { width: 8, arms: 2, events: 800 },
  '33 arms': { width: 8, arms: 33 },
};

describe(`thompson on ${ADAPTER} retains what the CPU retains`, () => {
  it.each(kernelCases(Object.entries(CASES)))(
    '%s',
    async (_, { events = 1500, arms = 20, pools, rate = 0.1, rules, ...sizes }) => {
      const log = uniformLog({ events, arms, dimension: 0, seed: 3, pools, payoff: { kind: 'binary', rate } });
      const job = await jobOf(log, LEARNERS, { ...rules, repeats: 2, state: true });
      const cpu = new CpuReplayBackend({ threads: 1 });
      const gpu = new GpuReplayBackend(device, { sizes, threads: 1 });
      try {
        const want = await cpu.replay(job);
        const got = await gpu.replay(job);
        expect(gpu.report.lanes.events, 'played by the GPU').toBeGreaterThan(0);
        job.replicas.forEach((_, row) => {
          expect(got.retained?.[row], `replica ${row}`).toEqual(want.retained?.[row]);
        });
        expect(got).toEqual(want);
      } finally {
        await gpu.close();
        await cpu.close();
      }
    },
    TIMEOUT,
  );
});

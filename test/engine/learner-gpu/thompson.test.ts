import { beforeAll, describe, expect } from 'vitest';
import type { ReplayRules } from '#dist/engine/learner-contract.js';
import { CpuReplayBackend } from '#dist/engine/learner-cpu/backend.js';
import { GpuReplayBackend } from '#dist/engine/learner-gpu/backend.js';
import type { ReplayOverrides } from '#dist/engine/learner-gpu/plan.js';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import { ADAPTER, kernelCases, openTestDevice } from '../../adapter.js';
import { eachCase } from '../../long.js';
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
  readonly name: string;
  readonly long?: boolean;
  readonly events?: number;
  readonly arms?: number;
  readonly pools?: number;
  readonly rate?: number;
  readonly rules?: Partial<ReplayRules>;
}

const CASES: readonly Case[] = [
  { name: 'one lane', long: true, width: 1 },
  { name: '8 lanes', long: true, width: 8, incremental: false },
  { name: '8 lanes that keep their draws', width: 8, incremental: true },
  { name: '64 lanes', long: true, width: 64 },
  { name: 'state in storage', long: true, width: 8, held: false, incremental: true },
  { name: 'a long log with many ones', long: true, width: 8, incremental: true, events: 12_000, rate: 0.9 },
  { name: 'short chunks and dispatches', width: 8, chunk: 333, capacity: 20, windows: 7 },
  { name: 'a subsample, and T events', width: 8, rules: { subsample: 0.5, validEvents: 30 } },
  { name: 'frozen between updates', long: true, width: 8, rules: { updateEvery: 100 } },
  { name: 'frozen in storage', long: true, width: 8, held: false, rules: { updateEvery: 100, subsample: 0.5 } },
  { name: 'frozen, learning from all events', long: true, width: 32, rules: { updateEvery: 50, learnFrom: 'all' } },
  { name: 'learning from all events', width: 8, incremental: true, rules: { learnFrom: 'all', subsample: 0.5 } },
  { name: 'pools', width: 8, pools: 7, incremental: true },
  { name: 'pools, some arms missing in a chunk', long: true, width: 8, pools: 9, arms: 60, chunk: 4, events: 100 },
  {
    name: 'pools, frozen, learning from all events',
    long: true,
    width: 8,
    pools: 7,
    rules: { updateEvery: 50, learnFrom: 'all' },
  },
  { name: 'one arm', long: true, width: 8, arms: 1, events: 200 },
  { name: 'two arms', long: true, width: 8, arms: 2, events: 800 },
  { name: '33 arms', long: true, width: 8, arms: 33 },
];

describe(`thompson on ${ADAPTER} retains what the CPU retains`, () => {
  eachCase(
    kernelCases(CASES),
    async ({ events = 1500, arms = 20, pools, rate = 0.1, rules, ...sizes }) => {
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

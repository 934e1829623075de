/** Learners on the GPU retain the events that the CPU engine retains, whatever the window: same trajectory, same sums. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplayJob, ReplayOutcome, ReplayRules } from '#dist/engine/learner-contract.js';
import { CpuReplayBackend } from '#dist/engine/learner-cpu/backend.js';
import { GpuReplayBackend } from '#dist/engine/learner-gpu/backend.js';
import { GPU_LEARNERS } from '#dist/engine/learner-gpu/learner-kernels.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { ADAPTER, manyKernels, openTestDevice } from '../adapter.js';
import {
  changingLog,
  GPU_SETTINGS,
  GREEDY_SETTINGS,
  patternLogs,
  REPLAY_CASES,
  type ReplayCase,
  TWO_SETTINGS,
  windowLogs,
} from '../cases/replay-cases.js';
import { jobOf } from '../engine/replay-jobs.js';
import { eachCase, LONG } from '../long.js';
import { statisticsDifference } from '../statistics.js';

/** Every width is another kernel of every learner. */
const WIDTHS = manyKernels([8, 64, 1, 32, 256], [8]);
const SHORT_WIDTHS = [8, 64];
const TIMEOUT = 600_000;

let opened: OpenDevice;
const cpu = new CpuReplayBackend({ threads: 1 });
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(() => cpu.close());

/** States agree to ten digits: the GPU's are pairs of f32. */
function closeStates(got: unknown, needed: unknown, path: string): string | null {
  if (typeof needed === 'number' && typeof got === 'number') {
    return Math.abs(got - needed) <= 1e-10 * Math.max(1, Math.abs(needed)) ? null : `${path}: ${got}, needed ${needed}`;
  }
  if (typeof needed !== 'object' || needed === null) return got === needed ? null : `${path}: ${got}, needed ${needed}`;
  const keys = Object.keys(needed);
  if (typeof got !== 'object' || got === null || Object.keys(got).length !== keys.length)
    return `${path}: another shape`;
  for (const key of keys) {
    const fault = closeStates(got[key as never], needed[key as never], `${path}.${key}`);
    if (fault !== null) return fault;
  }
  return null;
}

/** First difference of two outcomes as text, or `null`. */
function difference(job: ReplayJob, got: ReplayOutcome, needed: ReplayOutcome): string | null {
  for (const [row, { setting, number }] of job.replicas.entries()) {
    const where = `${job.settings[setting].name}, replica ${number}`;
    const [a, b] = [got.retained?.[row] ?? [], needed.retained?.[row] ?? []];
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      if (a[i] !== b[i]) return `${where}: retained event ${i} is ${a[i]}, needed ${b[i]}`;
    }
    if (got.consumed[row] !== needed.consumed[row])
      return `${where}: ${got.consumed[row]} consumed, needed ${needed.consumed[row]}`;
    if (got.complete[row] !== needed.complete[row]) return `${where}: complete ${got.complete[row]}`;
    const fault = closeStates(got.states?.[row], needed.states?.[row], 'state');
    if (fault !== null) return `${where}: ${fault}`;
  }
  return statisticsDifference(got.stats, needed.stats);
}

async function compare(
  gpu: GpuReplayBackend,
  log: EventLog,
  settings: readonly LearnerInput[],
  rules: Partial<ReplayRules> = {},
): Promise<void> {
  const job = await jobOf(log, settings, { repeats: 2, state: true, ...rules });
  expect(difference(job, await gpu.replay(job), await cpu.replay(job))).toBeNull();
  expect(gpu.report.onCpu).toBeUndefined();
}

it('has a setting of every learner with a kernel', () => {
  expect(new Set(GPU_SETTINGS.map((setting) => (setting as { algorithm: string }).algorithm))).toEqual(
    new Set(GPU_LEARNERS),
  );
});

const lanes = (width: number): void => {
  let gpu: GpuReplayBackend;
  beforeAll(() => {
    gpu = new GpuReplayBackend(opened.device, { threads: 1, sizes: { width } });
  });
  afterAll(() => gpu.close());

  // Linear learners decide four events per lane: both windows have their borders.
  it.each([...windowLogs(width), ...windowLogs(4 * width)])(
    '$name',
    ({ log }) => compare(gpu, log, GPU_SETTINGS),
    TIMEOUT,
  );
  it.each([...patternLogs(width), ...patternLogs(4 * width)])(
    '$name',
    ({ log }) => compare(gpu, log, GREEDY_SETTINGS),
    TIMEOUT,
  );
  // Pools make another kernel of each width.
  if (SHORT_WIDTHS.includes(width)) {
    const changing = (settings: readonly LearnerInput[]) => compare(gpu, changingLog(4 * width), settings);
    it('candidate sets that change inside a window', () => changing(TWO_SETTINGS), TIMEOUT);
    it('candidate sets that change inside a window, every learner', LONG, () => changing(GPU_SETTINGS));
  }
};
const title = `learners on ${ADAPTER}, %d lanes a replica`;
describe.each(WIDTHS.filter((width) => SHORT_WIDTHS.includes(width)))(title, lanes);
describe.each(WIDTHS.filter((width) => !SHORT_WIDTHS.includes(width)))(title, LONG, lanes);

describe(`learners on ${ADAPTER}, hard cases`, () => {
  async function at({ log, rules, sizes = {} }: ReplayCase, settings: readonly LearnerInput[]): Promise<void> {
    const gpu = new GpuReplayBackend(opened.device, { threads: 1, sizes: { width: 8, ...sizes } });
    try {
      await compare(gpu, log(), settings, rules);
    } finally {
      await gpu.close();
    }
  }
  // Settings of one case are other kernels, or other parameters of one: the first is for every run.
  eachCase(REPLAY_CASES, (one) => at(one, one.settings?.slice(0, 1) ?? TWO_SETTINGS), TIMEOUT);
  const several = REPLAY_CASES.filter(({ settings = [] }) => settings.length > 1);
  it.each(several)('$name, every setting', LONG, (one) => at(one, one.settings ?? []));
  // What is about the loop is the same for every learner, so that two do in every run.
  const general = manyKernels(REPLAY_CASES, []).filter(({ settings }) => settings === undefined);
  it.each(general)('$name, every learner', LONG, (one) => at(one, GPU_SETTINGS));
});

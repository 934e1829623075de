/**
 * The case table of learners on the GPU: hard logs, learners with a kernel, rules and sizes. One table serves SwiftShader,
 * llvmpipe and whatever adapter a machine has; the CPU engine says what each must give.
 */

import type { ReplayRules } from '#dist/engine/learner-contract.js';
import type { ReplayOverrides } from '#dist/engine/learner-gpu/plan.js';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { generator } from './cases.js';

/** A setting of every learner with a kernel. */
export const GPU_SETTINGS: readonly LearnerInput[] = [
  { algorithm: 'random' },
  { algorithm: 'epsilon-greedy', epsilon: 0.3 },
  { algorithm: 'epsilon-greedy', c: 3 },
  { algorithm: 'ucb', alpha: 0.4 },
  { algorithm: 'ucb1', alpha: 0.7 },
  { algorithm: 'emp', priorTrials: 3, priorPayoff: 1 },
  { algorithm: 'semp', segment: 'segment' },
  { algorithm: 'thompson', a: 2, b: 5 },
  { algorithm: 'linucb', alpha: 0.5 },
  { algorithm: 'linucb-hybrid', alpha: 0.5 },
  { algorithm: 'lin-thompson', v: 0.3 },
  { algorithm: 'cemp', prior: 0.3 },
];

/** Settings that choose the lowest arm until they have learnt. */
export const GREEDY_SETTINGS: readonly LearnerInput[] = [
  { algorithm: 'epsilon-greedy', epsilon: 0 },
  { algorithm: 'ucb1' },
  { algorithm: 'linucb', alpha: 1 },
  { algorithm: 'cemp' },
];

interface Shape {
  events: number;
  arms?: number;
  dimension?: number;
  seed?: number;
  /** Logged arm of event t; default: uniform. */
  arm?: (t: number) => number;
  /** Candidate sets, taken in turn, or as `pool` says. */
  pools?: readonly (readonly number[])[];
  pool?: (t: number) => number;
  /** Largest payoff, in whole steps; default 1. */
  most?: number;
  /** Contexts that f32 does not hold exactly. */
  fine?: boolean;
}

/** A log with contexts, a key column, users, times and arm features. */
export function replayLog({
  events,
  arms = 3,
  dimension = 2,
  seed = 5,
  arm,
  pools,
  most = 1,
  fine,
  ...rest
}: Shape): EventLog {
  const poolOf = rest.pool ?? ((t: number) => t % (pools?.length ?? 1));
  const draw = generator(seed);
  const times = Array.from({ length: events }, (_, t) => t);
  const armIndex = times.map((t) => {
    const u = draw();
    if (arm !== undefined) return arm(t);
    const pool = pools?.[poolOf(t)];
    return pool === undefined ? Math.floor(u * arms) : pool[Math.floor(u * pool.length)];
  });
  const real = (): number => (fine ? draw() * 2 - 1 : Math.fround(draw() * 2 - 1));
  return logFromColumns({
    armIndex,
    arms,
    payoff: times.map((t) => (draw() < 0.2 + 0.15 * (armIndex[t] % 4) ? Math.ceil(draw() * most) : 0)),
    payoffRange: [0, most],
    context: { values: Float64Array.from({ length: events * dimension }, real), dimension },
    candidates: pools === undefined ? undefined : { pools, pool: times.map(poolOf) },
    time: times.map((t) => t * 1000),
    timeUnit: 'ms',
    user: times.map((t) => t % 7),
    keys: { segment: times.map((t) => (t * 5) % 3) },
    armFeatures: { values: Float64Array.from({ length: arms * 2 }, real), dimension: 2 },
  });
}

/** Candidate sets that change from event to event: one arm, two, all. */
const CHANGING = [[0, 1, 2], [1, 2], [2], [0, 2]];

/** Logs around the border of a window of `window` events; three arms, two features: one pipeline for each learner. */
export function windowLogs(window: number): { name: string; log: EventLog }[] {
  const lengths = [...new Set([0, 1, window - 1, window, window + 1, 3 * window + 2])];
  return lengths.map((events) => ({ name: `${events} events`, log: replayLog({ events, seed: 10 + window }) }));
}

/** Matches of learners that begin with the lowest arm: where they fall in a window. */
export function patternLogs(window: number): { name: string; log: EventLog }[] {
  const events = 2 * window + 1;
  return [
    {
      name: 'a match in the last lane of each window',
      log: replayLog({ events, arm: (t) => (t % window === window - 1 ? 0 : 1) }),
    },
    { name: 'matches back to back', log: replayLog({ events, arm: () => 0 }) },
    { name: 'no match at all', log: replayLog({ events, arm: () => 2 }) },
  ];
}

export function changingLog(window: number): EventLog {
  return replayLog({ events: 2 * window + 3, pools: CHANGING });
}

/** Everything else that is hard, at one width. */
export interface ReplayCase {
  readonly name: string;
  readonly log: () => EventLog;
  readonly rules?: Partial<ReplayRules>;
  readonly sizes?: ReplayOverrides;
  /** Left to the long run (test/long.ts): a kernel of its own, for what another case shows with less. */
  readonly long?: boolean;
  /** Default: two settings, and in the long run every learner. */
  readonly settings?: readonly LearnerInput[];
}

const LINEAR: readonly LearnerInput[] = [
  { algorithm: 'linucb', alpha: [0, 0.5] },
  { algorithm: 'lin-thompson' },
  { algorithm: 'cemp' },
];
/** Tolerances that put several arms level at most events. */
const WIDE_TIES: readonly LearnerInput[] = [
  { algorithm: 'linucb', alpha: [0, 0.5], tieTolerance: [0.02, 0.1, 0.3] },
  { algorithm: 'cemp', tieTolerance: 0.2 },
];
/** One learner with counts, one with a matrix: enough where only the loop is concerned. */
export const TWO_SETTINGS: readonly LearnerInput[] = [
  { algorithm: 'epsilon-greedy', epsilon: 0.1 },
  { algorithm: 'linucb', alpha: 0.5 },
];

/** 400 arms, of which 6 are candidates for 50 events each; some of them stay. */
function manyArms(): EventLog {
  const pools = [0, 3, 9, 390, 3].map((first) => Array.from({ length: 6 }, (_, a) => first + a));
  return replayLog({ events: 330, arms: 400, dimension: 6, pools, pool: (t) => Math.floor(t / 50) % pools.length });
}

export const REPLAY_CASES: readonly ReplayCase[] = [
  { name: 'one arm', log: () => replayLog({ events: 70, arms: 1 }) },
  {
    name: 'a subsample, chunks of 7',
    log: () => replayLog({ events: 150 }),
    rules: { subsample: 0.5 },
    sizes: { chunk: 7 },
  },
  {
    name: 'a tiny subsample',
    log: () => replayLog({ events: 300 }),
    rules: { subsample: 0.02 },
    settings: TWO_SETTINGS,
  },
  {
    name: 'results so short that dispatches stop, one window each, groups of 2',
    log: () => replayLog({ events: 200 }),
    rules: { subsample: 0.7 },
    sizes: { capacity: 1, windows: 1, groupSize: 2, chunk: 90 },
    settings: TWO_SETTINGS,
  },
  {
    name: 'updates every 5 events',
    log: () => replayLog({ events: 120 }),
    rules: { updateEvery: 5 },
    sizes: { chunk: 32 },
  },
  {
    name: 'updates every 20 seconds, learning from all',
    long: true,
    log: () => replayLog({ events: 120 }),
    rules: { updateEvery: { period: 20_000 }, learnFrom: 'all', subsample: 0.8 },
  },
  { name: 'learning from all at once', log: () => replayLog({ events: 60 }), rules: { learnFrom: 'all' } },
  { name: 'Algorithm 1', log: () => replayLog({ events: 120 }), rules: { validEvents: 9 } },
  {
    name: 'Algorithm 1, learning from all between epochs, subsample',
    long: true,
    log: () => replayLog({ events: 120 }),
    rules: { validEvents: 9, learnFrom: 'all', updateEvery: 10, subsample: 0.6 },
    settings: [...TWO_SETTINGS, { algorithm: 'emp' }],
  },
  {
    name: 'more valid events asked for than there are',
    log: () => replayLog({ events: 40 }),
    rules: { validEvents: 500 },
    settings: TWO_SETTINGS,
  },
  {
    name: 'windows that start again after an update',
    log: () => replayLog({ events: 120 }),
    sizes: { incremental: false },
    settings: LINEAR,
  },
  {
    // With a large α scores fall with every update, so that arms known to score higher are lost all the time.
    name: 'update after update in one window',
    long: true,
    log: () => replayLog({ events: 500, arms: 5 }),
    sizes: { width: 64, incremental: true },
    settings: [
      { algorithm: 'linucb', alpha: [0, 4] },
      { algorithm: 'lin-thompson', v: 2 },
    ],
  },
  {
    name: 'wide ties',
    log: () => replayLog({ events: 500, arms: 6, dimension: 3 }),
    sizes: { width: 64, incremental: true, widestTies: 1 },
    settings: WIDE_TIES,
  },
  {
    name: 'wide ties, windows that start again',
    long: true,
    log: () => replayLog({ events: 200, arms: 6, dimension: 3 }),
    sizes: { incremental: false, widestTies: 1 },
    settings: WIDE_TIES,
  },
  {
    name: 'ties of counted scores, candidate sets that change',
    log: () => replayLog({ events: 400, pools: CHANGING }),
    sizes: { widestTies: 1 },
    settings: [{ algorithm: 'ucb', alpha: 0.4, tieTolerance: 0.3 }],
  },
  {
    name: 'every lane loads the state for itself',
    log: () => replayLog({ events: 120 }),
    sizes: { sharedLoads: false },
    settings: LINEAR,
  },
  {
    name: 'state in storage',
    log: () => replayLog({ events: 120 }),
    sizes: { held: false },
    settings: [...LINEAR, ...TWO_SETTINGS],
  },
  {
    name: 'state in storage, frozen',
    long: true,
    log: () => replayLog({ events: 120 }),
    sizes: { held: false },
    rules: { updateEvery: 7 },
    settings: TWO_SETTINGS,
  },
  {
    name: 'K = 33, pools of 1 to 33, some arms in none of a chunk',
    log: () =>
      replayLog({
        events: 400,
        arms: 33,
        pools: [Array.from({ length: 33 }, (_, a) => a), [32], [0, 31, 32], [1, 5, 30]],
      }),
    sizes: { chunk: 101 },
  },
  {
    // More arms than lanes, whose number no power of two is: what lanes find together. Few payoffs: means tie.
    name: 'K = 33, one pool',
    long: true,
    log: () => replayLog({ events: 4000, arms: 33 }),
    sizes: { widestTies: 1 },
    settings: [
      { algorithm: 'epsilon-greedy', epsilon: [0, 0.3] },
      { algorithm: 'emp' },
      { algorithm: 'ucb', alpha: 0.4, tieTolerance: [1e-6, 0.1] },
      { algorithm: 'ucb1', alpha: 0.7, tieTolerance: 0.1 },
      { algorithm: 'linucb', alpha: 0.5 },
    ],
  },
  {
    // As on a GPU that shares nothing: lanes pass over arms that are candidates at none of their own events.
    name: 'K = 33, pools of 1 to 33, every lane by itself',
    long: true,
    log: () =>
      replayLog({
        events: 300,
        arms: 33,
        pools: [Array.from({ length: 33 }, (_, a) => a), [32], [0, 31, 32], [1, 5, 30]],
      }),
    sizes: { sharedLoads: false },
    settings: LINEAR,
  },
  {
    // Runs of 40, 3, 3 and 14 events, round and round.
    name: 'pools in runs, of which the long ones are chunks of their own',
    long: true,
    log: () =>
      replayLog({
        events: 200,
        arms: 4,
        pools: [[0, 1, 2], [3], [1, 2, 3], [0, 3]],
        pool: (t) => [40, 43, 46, 60].findIndex((end) => t % 60 < end),
      }),
    rules: { subsample: 0.9 },
    sizes: { ownChunk: 12, chunk: 30 },
  },
  {
    name: 'more arms than workgroup memory has room for, few at a time',
    log: manyArms,
    rules: { subsample: 0.9 },
    sizes: { ownChunk: 40, chunk: 100 },
    settings: TWO_SETTINGS.slice(1),
  },
  {
    name: 'more arms than workgroup memory has room for, frozen',
    long: true,
    log: manyArms,
    rules: { updateEvery: 9 },
    sizes: { chunk: 100 },
    settings: TWO_SETTINGS.slice(1),
  },
  {
    name: 'arms that only some chunks have',
    long: true,
    log: () =>
      replayLog({
        events: 200,
        arms: 9,
        pools: [
          [2, 7, 8],
          [2, 8],
        ],
      }),
    settings: TWO_SETTINGS,
  },
  {
    name: 'payoffs up to 2³² − 1 steps, whose sums need 64 bits',
    log: () => replayLog({ events: 160, most: 4294967295 }),
    settings: [{ algorithm: 'epsilon-greedy', epsilon: 0.2 }, { algorithm: 'ucb' }, { algorithm: 'emp' }],
  },
  { name: 'contexts that f32 does not hold', log: () => replayLog({ events: 150, fine: true }), settings: LINEAR },
  { name: 'd = 1', long: true, log: () => replayLog({ events: 100, dimension: 1 }), settings: LINEAR },
  { name: 'd = 16', long: true, log: () => replayLog({ events: 100, dimension: 16 }), settings: TWO_SETTINGS.slice(1) },
  { name: 'd = 17, contexts in storage', log: () => replayLog({ events: 100, dimension: 17 }), settings: LINEAR },
  {
    name: 'd = 17, frozen, K = 2',
    long: true,
    log: () => replayLog({ events: 100, dimension: 17, arms: 2 }),
    rules: { updateEvery: 9 },
    settings: TWO_SETTINGS.slice(1),
  },
];

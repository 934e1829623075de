/** A plain replay loop, plain dense linear algebra, and logs for the linear learners' tests. */
import { expect } from 'vitest';
import { InputError } from '#dist/errors.js';
import { Draws } from '#dist/learner/draws.js';
import type { Algorithm, Candidates, Learner } from '#dist/learner/learner.js';
import type { EventLog } from '#dist/log/event-log.js';
import { type LogColumns, logFromColumns } from '#dist/log/from-columns/columns.js';
import { STREAM } from '#dist/random/threefry.js';

/** A fresh learner, parameters validated. */
export function learnerOf<P extends object>(
  algorithm: Algorithm<P>,
  log: EventLog,
  parameters: Partial<P> = {},
  replica = 0,
): Learner {
  const valid = algorithm.schema.parse(parameters);
  algorithm.check?.(valid, log);
  return algorithm.create(valid, log, new Draws(7, replica, STREAM.exploration));
}

export function candidatesOf(log: EventLog, event: number): Candidates {
  const { pool, offsets, arms } = log.pools;
  const s = pool === null ? 0 : pool[event];
  return { arms, from: offsets[s], to: offsets[s + 1] };
}

export function payoffOf(log: EventLog, event: number): number {
  const { origin, numerator, denominator, rounded } = log.payoff.scale;
  if (rounded) throw new Error('the tests use exact payoffs');
  return ((origin + log.payoff.steps[event]) * numerator) / denominator;
}

export interface Trajectory {
  T: number;
  G: number;
  perArmT: number[];
  perArmG: number[];
  retained: number[];
}

/** Algorithm 2 of Li et al. (2011), word for word; `matches` is held against `choose` at every event. */
export function plainReplay(learner: Learner, log: EventLog): Trajectory {
  const perArmT = log.arms.ids.map(() => 0);
  const perArmG = log.arms.ids.map(() => 0);
  const retained: number[] = [];
  for (let t = 0; t < log.events; t++) {
    const arm = log.arm[t];
    const candidates = candidatesOf(log, t);
    const match = learner.choose(t, candidates) === arm;
    if (learner.matches !== undefined && learner.matches(t, candidates, arm) !== match) {
      throw new Error(`matches differs from choose at event ${t}`);
    }
    if (!match) continue;
    learner.update(t, arm, payoffOf(log, t), log.payoff.steps[t]);
    perArmT[arm]++;
    perArmG[arm] += payoffOf(log, t);
    retained.push(log.sourceRow === null ? t : log.sourceRow[t]);
  }
  const G = perArmG.reduce((a, b) => a + b, 0);
  return { T: retained.length, G, perArmT, perArmG, retained };
}

/** Uniform numbers in [0, 1), seeded. */
export function mulberry(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export interface RandomLog {
  events: number;
  arms: number;
  d: number;
  seed?: number;
  /** `real`: uniform in [−1, 1); `onehot`: one 1 among d. */
  contexts?: 'real' | 'onehot';
  armWidth?: number;
  /** Versions of each arm's features, of which every event shows one; as many as events: none is shown twice. Default: one. */
  versions?: number;
  /** Random pools, not all arms at every event. */
  pools?: boolean;
}

/** A log of 0/1 payoffs that depend on arm and context. */
export function randomLog({
  events,
  arms,
  d,
  seed = 1,
  contexts = 'real',
  armWidth = 0,
  versions = 1,
  pools = false,
}: RandomLog) {
  const random = mulberry(seed);
  const all = Array.from({ length: arms }, (_, a) => a);
  const sets = Array.from({ length: events }, () => all.filter(() => !pools || random() < 0.6));
  for (const set of sets) if (set.length === 0) set.push(Math.floor(random() * arms));
  const context = sets.map(() => {
    const hot = Math.floor(random() * d);
    return Array.from({ length: d }, (_, j) => (contexts === 'real' ? 2 * random() - 1 : Number(j === hot)));
  });
  const armIndex = sets.map((set) => set[Math.floor(random() * set.length)]);
  const drawFeatures = (): number[] => Array.from({ length: armWidth }, () => 2 * random() - 1);
  const columns: LogColumns = {
    armIndex,
    arms,
    context,
    payoff: armIndex.map((a, t) => Number(random() < 0.2 + 0.5 * Math.abs(context[t][a % d]))),
    payoffRange: [0, 1],
    ...(pools || versions > 1 ? { candidates: sets } : {}),
    ...(armWidth > 0 && versions === 1 ? { armFeatures: all.map(drawFeatures) } : {}),
  };
  if (versions === 1) return logFromColumns(columns);
  const known = all.map(() => Array.from({ length: versions }, drawFeatures));
  const candidateFeatures = sets.map((set, t) =>
    set.map((a) => known[a][versions >= events ? t : Math.floor(random() * versions)]),
  );
  return logFromColumns({ ...columns, candidateFeatures });
}

export type Dense = number[][];

export function identity(n: number, scale = 1): Dense {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? scale : 0)));
}

export function multiply(a: Dense, b: Dense): Dense {
  return a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));
}

export function transpose(a: Dense): Dense {
  return a[0].map((_, j) => a.map((row) => row[j]));
}

/** a + scale · b */
export function plus(a: Dense, b: Dense, scale = 1): Dense {
  return a.map((row, i) => row.map((value, j) => value + scale * b[i][j]));
}

export const column = (x: ArrayLike<number>): Dense => Array.from(x, (value) => [value]);

/** Inverse by Gauss and Jordan with pivoting. */
export function inverse(a: Dense): Dense {
  const n = a.length;
  const work = a.map((row, i) => [...row, ...identity(n)[i]]);
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let i = c; i < n; i++) if (Math.abs(work[i][c]) > Math.abs(work[pivot][c])) pivot = i;
    [work[c], work[pivot]] = [work[pivot], work[c]];
    work[c] = work[c].map((value) => value / work[c][c]);
    for (let i = 0; i < n; i++) {
      const factor = work[i][c];
      if (i !== c && factor !== 0) work[i] = work[i].map((value, j) => value - factor * work[c][j]);
    }
  }
  return work.map((row) => row.slice(n));
}

/** Context of an event. */
export function contextOf(log: EventLog, event: number): number[] {
  const { dimension, values, row } = log.contexts;
  const r = row === null ? event : row[event];
  return Array.from(values.subarray(r * dimension, (r + 1) * dimension));
}

/** z_{t,a} */
export function armFeaturesOf(log: EventLog, event: number, arm: number): number[] {
  const { armFeatures, pools } = log;
  if (armFeatures === null) return [];
  const s = pools.pool === null ? 0 : pools.pool[event];
  const place = pools.arms.subarray(pools.offsets[s], pools.offsets[s + 1]).indexOf(arm) + pools.offsets[s];
  const r = armFeatures.row === null ? arm : armFeatures.row[place];
  return Array.from(armFeatures.values.subarray(r * armFeatures.dimension, (r + 1) * armFeatures.dimension));
}

/** θ of a learner's state. */
export function thetaOf(learner: Learner): number[][] {
  return learner.state().theta as number[][];
}

/** Largest |got − needed| / max(1, |needed|). */
export function worst(got: ArrayLike<number>, needed: ArrayLike<number>): number {
  expect(got.length).toBe(needed.length);
  let most = 0;
  for (let i = 0; i < got.length; i++) {
    const difference = Math.abs(got[i] - needed[i]) / Math.max(1, Math.abs(needed[i]));
    most = Number.isNaN(difference) ? Number.POSITIVE_INFINITY : Math.max(most, difference);
  }
  return most;
}

/** Message of the InputError that `run` throws. */
export function inputError(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

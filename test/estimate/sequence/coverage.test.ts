/**
 * How often confidence sequences ever miss the truth, by logs, and intervals of a single look beside them: events are logged uniformly,
 * or by softmax over scores of one favourite arm in each of four groups of events; the evaluated policy chooses another arm in half of them. n* is a
 * quarter of the log. Draws are Threefry's, so that counts are always the same.
 */

import { describe, expect } from 'vitest';
import { firstBlocks } from '#dist/estimate/sums/block-statistics.js';
import { STREAM, threefry2x32, toUnit } from '#dist/random/threefry.js';
import { inTwoSizes } from '../../long.js';
import { ARMS, type Event, estimate } from '../world.js';
import { sequenceOf } from './sequence-of.js';

const ALPHA = 0.05;
/** Payoff rates by group and arm, of which a world has a share. */
const RATES = [
  [0.5, 0.3, 0.2],
  [0.2, 0.6, 0.3],
  [0.3, 0.4, 0.8],
  [0.6, 0.2, 0.4],
];
const FAVOURITE = [0, 1, 2, 0];
const CHOICE = [0, 1, 0, 1];
const TRUTH = CHOICE.reduce((sum, arm, group) => sum + RATES[group][arm] / 4, 0);

interface World {
  readonly estimator: string;
  /** Probability of each arm that is not the favourite. */
  readonly rare: number;
  /** Share of the rates. */
  readonly share: number;
}

function eventsOf(seed: number, { rare, share }: World, length: number): Event[] {
  const out = new Uint32Array(2);
  const draw = (t: number, purpose: number): number => {
    threefry2x32(seed, STREAM.simulation, t, purpose, out);
    return toUnit(out[0], out[1]);
  };
  return Array.from({ length }, (_, t) => {
    const group = t % 4;
    const others = ARMS.map((_, a) => a).filter((a) => a !== FAVOURITE[group]);
    const u = draw(t, 0);
    const arm = u < rare ? others[0] : u < 2 * rare ? others[1] : FAVOURITE[group];
    const p = arm === FAVOURITE[group] ? 1 - 2 * rare : rare;
    return { k: draw(t, 1) < share * RATES[group][arm] ? 1 : 0, p, arm, choice: CHOICE[group] };
  });
}

interface Size {
  readonly logs: number;
  readonly looks: number;
}

/** Events between two looks: 12,800 in all of them. */
const BLOCK = 50;

/** Shares of logs by which the truth was ever missed, by a sequence or, without one, by the interval of each look. */
function missed(world: World, methods: readonly (string | null)[], { logs, looks }: Size): number[] {
  const { estimator, rare, share } = world;
  const truth = share * TRUTH;
  const misses = methods.map(() => 0);
  for (let log = 0; log < logs; log++) {
    const events = eventsOf(log, world, looks * BLOCK);
    const interval = estimator === 'replay' ? 'clopper-pearson' : undefined;
    const made = estimate(events, { names: [estimator], interval, block: BLOCK, mostWeight: 1 / rare });
    const { run, stats, options } = made;
    methods.forEach((method, m) => {
      const single = (look: number) => run.estimate(firstBlocks(stats, 0, look + 1), 0, options).interval;
      const intervals =
        method === null ? Array.from({ length: looks }, (_, look) => single(look)) : pairs(made, method, looks);
      if (intervals.some(([lower, upper]) => lower > truth || truth > upper)) misses[m]++;
    });
  }
  return misses.map((count) => count / logs);
}

function pairs(made: ReturnType<typeof estimate>, method: string, looks: number): [number, number][] {
  const { lower, upper } = sequenceOf(made, method, (looks * BLOCK) / 4);
  return lower.map((bound, look) => [bound, upper[look]]);
}

/** Three standard errors of a share of so many logs. */
const chance = (share: number, logs: number): number => 3 * Math.sqrt((share * (1 - share)) / logs);

const SIZES: readonly [Size, Size] = [
  { logs: 100, looks: 64 },
  { logs: 500, looks: 256 },
];

const WORLDS: readonly (World & { readonly name: string; readonly methods: readonly string[] })[] = [
  { name: 'uniform', estimator: 'replay', rare: 1 / 3, share: 0.1, methods: ['asymptotic', 'empirical-bernstein'] },
  { name: 'uneven', estimator: 'snips', rare: 0.05, share: 0.1, methods: ['asymptotic'] },
  { name: 'uneven', estimator: 'ips', rare: 0.05, share: 0.1, methods: ['asymptotic', 'empirical-bernstein'] },
];

describe.each(WORLDS)('$name logging, $estimator', ({ methods, ...world }) => {
  inTwoSizes('sequences miss the truth at any look in 5 % of logs at most', SIZES, (size) => {
    const shares = missed(world, methods, size);
    for (const [m, share] of shares.entries()) expect(share, methods[m]).toBeLessThan(ALPHA + chance(ALPHA, size.logs));
  });

  inTwoSizes('intervals of a single look miss it far more often', SIZES, (size) => {
    const [share] = missed(world, [null], size);
    expect(share).toBeGreaterThan(ALPHA + chance(ALPHA, size.logs));
  });
});

describe('where one, or five, of all matches are expected to pay', () => {
  inTwoSizes('the first payoffs do not push the lower bound over the truth', SIZES, (size) => {
    for (const paid of [1, 5]) {
      const share = paid / ((size.looks * BLOCK) / 3) / TRUTH;
      const [misses] = missed({ estimator: 'replay', rare: 1 / 3, share }, ['asymptotic'], size);
      expect(misses, `${paid} payoffs`).toBeLessThan(ALPHA + chance(ALPHA, size.logs));
    }
  });
});

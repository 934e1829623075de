/**
 * @module-tag long
 *
 * Coverage of every interval over 1,000 logs: uniform logging over a pool, an arm that depends on the context, matches counted
 * in blocks, as a real evaluation does. Levels hold within binomial error of a share of 1,000. Seeds are fixed, so that these
 * tests always see the same logs; the bound is one that all of them together would pass with 99.9 % of seeds.
 */

import normalQuantile from '@stdlib/stats-base-dists-normal-quantile';
import { describe, expect, it } from 'vitest';
import { addMatch, replayKinds, totals } from '#dist/estimate/estimators/replay-totals.js';
import { INTERVALS, type IntervalContext, payoffInterval } from '#dist/estimate/interval/index.js';
import { emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import type { Totals } from '#dist/estimate/sums/exact-sums.js';
import type { PayoffScale } from '#dist/estimate/sums/payoff-scale.js';
import { STREAM, scaleToIndex, threefry2x32 } from '#dist/random/threefry.js';
import { CLICKS, HALF_STARS } from './helpers.js';

const LOGS = 1000;
const BLOCKS = 8;
const SEED = 2011;
const LEVELS = [0.8, 0.95, 0.99];

interface World {
  title: string;
  scale: PayoffScale;
  binary: boolean;
  /** L */
  events: number;
  /** Pool sizes; every event has one of them, each as likely. Arm 0..size−1. */
  pools: readonly number[];
  /** Contexts, each as likely; the policy chooses arm x mod |A|. */
  contexts: number;
  /** Probability that the payoff of the chosen arm is `steps[i]`, given context x and pool size n. */
  steps: readonly number[];
  odds(x: number, n: number): readonly number[];
}

const WORLDS: readonly World[] = [
  {
    title: 'clicks at 12–30 %, 5 arms, about 800 matches',
    scale: CLICKS,
    binary: true,
    events: 4000,
    pools: [5],
    contexts: 4,
    steps: [1],
    odds: (x) => [0.12 + 0.06 * x],
  },
  {
    title: 'clicks at 4–8 %, pools of 4 and 12, about 1,000 matches',
    scale: CLICKS,
    binary: true,
    events: 6000,
    pools: [4, 12],
    contexts: 3,
    steps: [1],
    // Another rate in small pools, so that weighing pools wrongly would show.
    odds: (x, n) => [0.04 + 0.01 * x + (n === 4 ? 0.02 : 0)],
  },
  {
    title: 'half stars, 4 arms, about 1,000 matches',
    scale: HALF_STARS,
    binary: false,
    events: 4000,
    pools: [4],
    contexts: 3,
    steps: [2, 7, 10],
    odds: (x) => [0.3 - 0.05 * x, 0.3, 0.1 + 0.05 * x],
  },
];

/** Comparisons that are made: the mean, and every interval at every level on both sides. */
const COMPARISONS = WORLDS.length * (1 + INTERVALS.length * LEVELS.length);
/** Standard errors that none of them passes but once in 1,000 seeds (Bonferroni). */
const BOUND = normalQuantile(1 - 0.001 / (2 * COMPARISONS), 0, 1);

/** What replay estimates: payoffs weighted by the chance of a match, 1/|A|. */
function trueValue({ pools, contexts, steps, odds, scale }: World): number {
  let total = 0;
  let weight = 0;
  for (const n of pools) {
    for (let x = 0; x < contexts; x++) {
      total += odds(x, n).reduce((sum, p, i) => sum + p * (steps[i] / scale.denominator), 0) / n;
      weight += 1 / n;
    }
  }
  return total / weight;
}

/** One log, replayed. Draws: counter (event, log). */
function simulate(world: World, log: number): Totals {
  const perBlock = world.events / BLOCKS;
  const kinds = replayKinds({ maxSteps: Math.max(...world.steps) });
  const stats = emptyBlockStatistics(1, new Float64Array(BLOCKS).fill(perBlock), kinds);
  const words = new Uint32Array(2);
  for (let t = 0; t < world.events; t++) {
    threefry2x32(SEED, STREAM.simulation, t, log, words);
    const x = scaleToIndex((words[0] << 16) >>> 0, world.contexts);
    const n = world.pools[scaleToIndex((words[1] << 16) >>> 0, world.pools.length)];
    if (scaleToIndex(words[0], n) !== x % n) continue;
    const b = Math.floor(t / perBlock);
    let u = words[1] / 2 ** 32;
    const i = world.odds(x, n).findIndex((p) => {
      u -= p;
      return u < 0;
    });
    addMatch(stats, b, i < 0 ? 0 : world.steps[i]);
  }
  return totals(stats, 0);
}

describe.each(WORLDS)('$title', (world) => {
  const value = trueValue(world);
  const logs = Array.from({ length: LOGS }, (_, log) => simulate(world, log));
  const context: IntervalContext = {
    binary: world.binary,
    effectiveArms: world.pools.length / world.pools.reduce((sum, n) => sum + 1 / n, 0),
  };

  it('replay is unbiased', () => {
    const errors = logs.map((log) => log.payoff / world.scale.denominator / log.matches - value);
    const mean = errors.reduce((sum, e) => sum + e, 0) / LOGS;
    const variance = errors.reduce((sum, e) => sum + (e - mean) ** 2, 0) / (LOGS - 1);
    expect(Math.abs(mean)).toBeLessThan(BOUND * Math.sqrt(variance / LOGS));
  });

  for (const { name, payoffs, coverage } of INTERVALS) {
    if (payoffs === '0/1' && !world.binary) continue;
    it.each(LEVELS)(`${name} covers (${coverage}) at %d`, (level) => {
      const bounds = logs.map((log) => payoffInterval(name, log, world.scale, level, context));
      const covered = bounds.filter(([lower, upper]) => lower <= value && value <= upper).length / LOGS;
      const width = bounds.reduce((sum, [lower, upper]) => sum + upper - lower, 0) / LOGS;
      if (process.env.HINDCAST_PRINT_COVERAGE)
        console.log(`${world.title} | ${name} | ${level} | ${covered} | ${width.toFixed(4)}`);
      const slack = BOUND * Math.sqrt((level * (1 - level)) / LOGS);
      expect(covered).toBeGreaterThanOrEqual(level - slack);
      if (coverage === 'nominal') expect(covered).toBeLessThanOrEqual(level + slack);
      // Never by saying nothing.
      expect(width).toBeLessThan((world.scale.high - world.scale.low) / 2);
    });
  }
});

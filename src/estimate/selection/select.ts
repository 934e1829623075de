/** Which policy to ship, whether it is better than what runs, and by how much: statements that hold for all policies of a set at once. */

import type { Interval } from '../interval/method.js';
import { contenders, MOST_PAIRED, undefeated } from './best-set.js';
import { type CriticalValue, criticalValue, twoSidedLevel } from './critical-value.js';
import { differenceLower } from './difference.js';
import { type Drawer, type DrawMaxima, type Draws, drawProblem, makeDraws, redrawn } from './draws.js';
import { FEW_BLOCKS, minus, type Standing, scaleOf } from './standing.js';
import { BAND_SHARE, hybridInterval, type Known, truncation, winnerOf } from './winner.js';

/** How much better a policy is than the baseline. */
export interface Difference {
  /** v − v_o; `null`: nothing is known of the policy. */
  value: number | null;
  /** Simultaneous lower bound: with probability 1 − α all policies are better by at least theirs. */
  lower: number | null;
  /** The bound is above the margin. */
  better: boolean;
  /** (v − v_o) / v_o; `null` where v_o is not above 0. */
  lift: number | null;
}

/** What is said of one policy beside its own interval. */
export interface PolicyStanding {
  /** With probability 1 − α the bands of all policies hold their values. */
  band: Interval;
  /** Member of a set that holds the best policy with probability 1 − α. */
  mayBeBest: boolean;
  /** To the baseline. */
  difference?: Difference;
}

/** What is said of the set, as results hold it. */
export interface Selection {
  /** 1 − α of each statement. */
  level: number;
  blocks: number;
  draws: number;
  seed: number;
  /** c: no policy is further from its value than so many standard errors, with probability 1 − α. */
  criticalValue: number;
  /** Its Monte-Carlo standard error; 0: it is Bonferroni's. */
  criticalError: number;
  /** α_c: each band is an interval of the level 1 − α_c. */
  alpha: number;
  /** α / α_c: as many independent policies would need the same bands. */
  independentPolicies: number;
  bestSet: {
    size: number;
    /** By index in the policy set. */
    indices: number[];
    /** Pairs of contenders were compared; false: they are too many, or blocks too few, and all of them are in the set. */
    paired: boolean;
  };
  /** `null`: no policy has a value. */
  winner: Winner | null;
  /** `index` in the policy set; `null`: the log itself. */
  baseline: { name: string; index: number | null; value: number; criticalValue: number; margin: number } | null;
}

/** The policy with the largest value, and what that is worth when one allows for its having been picked. */
export interface Winner {
  index: number;
  /** The estimate as it is: it flatters. */
  uncorrected: number;
  /** Less what picking adds on average, as redrawn blocks tell; `null`: they cannot, being few, or as all matches paid alike. */
  corrected: number | null;
  /**
   * Holds the winner's value with probability 1 − α: the hybrid of Andrews, Kitagawa & McCloskey within its band; the band itself where
   * that does not hold the corrected value, as beside a runner-up that is as good.
   */
  interval: Interval;
  /** Lower end of its band, which holds whatever was picked. */
  lower: number;
}

export interface SelectOptions {
  /** 1 − α */
  readonly level: number;
  readonly draws: number;
  readonly seed: number;
  /** Blocks with events. */
  readonly blocks: number;
  /** Payoff range. */
  readonly range: Interval;
  /** What policies are compared with. */
  readonly baseline: { readonly name: string; readonly index: number | null; readonly standing: Standing } | null;
  /** A policy is better where it is so by more than this. */
  readonly margin: number;
}

/** @param standings by index in the policy set. */
export async function select(
  standings: readonly Standing[],
  options: SelectOptions,
  drawer: Drawer,
): Promise<{ readonly selection: Selection; readonly policies: readonly PolicyStanding[] }> {
  const { level, draws: count, seed, range } = options;
  const policies = standings.length;
  // Very many blocks were put together.
  const blocks = Math.min(options.blocks, standings[0].influence.length);
  const draws = makeDraws(standings[0].influence.length, count, seed);
  const told = blocks < FEW_BLOCKS ? [] : standings.filter(isTold);
  const maxima = await maximaOf(told, draws, drawer);
  const critical = criticalValue(maxima.twoSided, level, policies, 2);
  const alpha = twoSidedLevel(critical.value);
  // The same draws at α/10: for the first of two steps towards the best set, and for the hybrid interval.
  const strict = criticalValue(maxima.twoSided, 1 - (1 - level) * BAND_SHARE, policies, 2);
  const bestSet = bestOf(standings, told, draws, drawer, { level, delta: twoSidedLevel(strict.value) });
  const versus = await compare(standings, { ...options, blocks }, draws, drawer);
  const bands = standings.map(({ bounds }) => bounds(alpha));
  const isBest = new Set(bestSet.indices);
  return {
    selection: {
      ...{ level, blocks, draws: count, seed },
      ...{ criticalValue: critical.value, criticalError: critical.error },
      ...{ alpha, independentPolicies: (1 - level) / alpha },
      bestSet,
      winner: judged(standings, told, { maxima, draws, strict, level, range, bands }),
      baseline: versus.baseline,
    },
    policies: bands.map((band, p) => {
      const difference = versus.differences?.[p];
      return { band, mayBeBest: isBest.has(p), ...(difference === undefined ? {} : { difference }) };
    }),
  };
}

/** Blocks tell of its error. */
function isTold(standing: Standing): standing is Known {
  return standing.value !== null && standing.scale > 0;
}

async function maximaOf(told: readonly Known[], draws: Draws, drawer: Drawer): Promise<DrawMaxima> {
  if (told.length === 0)
    return { twoSided: new Float32Array(0), oneSided: new Float32Array(0), best: new Uint32Array(0) };
  return drawer.maxima(
    drawProblem(
      draws,
      told.map(({ influence }) => influence),
      told.map(({ value }) => value),
    ),
  );
}

function bestOf(
  standings: readonly Standing[],
  told: readonly Known[],
  draws: Draws,
  drawer: Drawer,
  { level, delta }: { readonly level: number; readonly delta: number },
): Selection['bestSet'] {
  const first = contenders(standings, delta);
  if (told.length === 0) return { size: first.length, indices: first, paired: false };
  const compared = first.filter((p) => isTold(standings[p]));
  const paired = compared.length <= MOST_PAIRED;
  if (!paired) return { size: first.length, indices: first, paired };
  const known = compared.map((p) => standings[p] as Known);
  const kept = undefeated(known, draws, drawer, (1 - level) * (1 - BAND_SHARE)).map((i) => compared[i]);
  // Of the others nothing but their bands is known.
  const indices = [...kept, ...first.filter((p) => !isTold(standings[p]))].sort((a, b) => a - b);
  return { size: indices.length, indices, paired };
}

async function compare(
  standings: readonly Standing[],
  { level, blocks, baseline, margin }: SelectOptions,
  draws: Draws,
  drawer: Drawer,
): Promise<{ baseline: Selection['baseline']; differences?: Difference[] }> {
  const value = baseline?.standing.value ?? null;
  if (baseline === null || value === null) return { baseline: null };
  const { name, index, standing } = baseline;
  const rows = (blocks < FEW_BLOCKS ? [] : standings)
    .filter(isTold)
    .map(({ influence }) => minus(influence, standing.influence))
    .filter((row) => scaleOf(row) > 0);
  const maxima = rows.length === 0 ? new Float32Array(0) : (await drawer.maxima(drawProblem(draws, rows))).oneSided;
  const critical: CriticalValue = criticalValue(maxima, level, standings.length, 1);
  const differences = standings.map((policy): Difference => {
    const difference = policy.value === null ? null : policy.value - value;
    const lower = policy === standing ? 0 : differenceLower(policy, standing, critical.value, blocks);
    return {
      value: difference,
      lower,
      better: lower !== null && lower > margin,
      lift: difference === null || value <= 0 ? null : difference / value,
    };
  });
  return { baseline: { name, index, value, criticalValue: critical.value, margin }, differences };
}

function judged(
  standings: readonly Standing[],
  told: readonly Known[],
  known: {
    readonly maxima: DrawMaxima;
    readonly draws: Draws;
    /** c_β */
    readonly strict: CriticalValue;
    readonly level: number;
    readonly range: Interval;
    readonly bands: readonly Interval[];
  },
): Winner | null {
  const index = winnerOf(standings);
  if (index < 0) return null;
  const winner = standings[index] as Known;
  const { maxima, draws, strict, level, range, bands } = known;
  const lower = bands[index][0];
  const uncorrected = winner.value;
  // Nothing tells of its error but its band: all that it met paid alike, or there are few blocks.
  if (winner.scale === 0 || told.length === 0)
    return { index, uncorrected, corrected: null, interval: bands[index], lower };
  const curse = maxima.best.reduce((sum, p, d) => sum + redrawn(draws, told[p].influence, d), 0) / draws.draws;
  const [low, high] = range;
  const corrected = Math.min(high, Math.max(low, uncorrected - curse));
  const [from, to] = hybridInterval(winner, truncation(standings, index), level, strict.value);
  const [least, most] = winner.bounds(twoSidedLevel(strict.value));
  const interval: Interval = [Math.max(from, least), Math.min(to, most)];
  // Beside a runner-up that is as good, or nearly, the hybrid shrinks to the low end of what it may be; the band holds by itself.
  const isSound = interval[0] <= corrected && corrected <= interval[1];
  return { index, uncorrected, corrected, interval: isSound ? interval : bands[index], lower };
}

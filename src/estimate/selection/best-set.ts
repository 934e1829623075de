/**
 * The policies that may be the best: first those whose band reaches the highest lower end of a band, at a tenth of α; of these a
 * policy stays unless another beats it by more than the best of so many would by chance, at the rest of α. Only the truly best one's
 * own test can go wrong, so nothing is corrected for the number of policies.
 */

import { zScore } from '../interval/z-score.js';
import { type Drawer, type Draws, LANES } from './draws.js';
import { multiplierDeviation } from './multipliers.js';
import type { Standing } from './standing.js';
import type { Known } from './winner.js';

/** Beyond so many contenders pairs are not compared: their number squared times the draws is the work. */
export const MOST_PAIRED = 2000;
/** The largest of 14 bits: sums over 1,024 blocks stay below 2³¹. */
const MOST = 16383;

/** Whose band reaches the highest lower end. @param delta of each two-sided band. */
export function contenders(standings: readonly Standing[], delta: number): number[] {
  const bands = standings.map(({ bounds }) => bounds(delta));
  const highest = bands.reduce((most, [lower]) => Math.max(most, lower), Number.NEGATIVE_INFINITY);
  return [...bands.keys()].filter((p) => bands[p][1] >= highest);
}

/** A contender that falls short of another, by how much must be seen. */
interface Behind {
  readonly index: number;
  /** What another must be ahead by in a draw, [n]: the deficit in errors of the difference, times that error; ∞: there is no difference. */
  readonly margins: Float32Array;
  readonly least: number;
}

/**
 * Which contenders no other one beats.
 *
 * @param standings whose blocks tell of an error. @param alpha level of the comparison. @returns indices into `standings`, ascending.
 */
export function undefeated(standings: readonly Known[], draws: Draws, drawer: Drawer, alpha: number): number[] {
  const kept = new Set<number>();
  const behind: Behind[] = [];
  // The quantile is at least that of one difference, and by Bonferroni's inequality not above this.
  const most = zScore((2 * alpha) / Math.max(1, standings.length - 1));
  standings.forEach((own, index) => {
    const errors = standings.map((other) => errorOfDifference(other.influence, own.influence));
    const deficit = standings.reduce(
      (worst, { value }, q) => (errors[q] > 0 ? Math.max(worst, (value - own.value) / errors[q]) : worst),
      Number.NEGATIVE_INFINITY,
    );
    // Half of all draws of a single difference are above 0.
    if (deficit <= 0) kept.add(index);
    else if (deficit <= most) {
      const margins = Float32Array.from(errors, (error) => (error > 0 ? deficit * error : Number.POSITIVE_INFINITY));
      behind.push({ index, margins, least: margins.reduce((a, b) => Math.min(a, b)) });
    }
  });
  for (const index of exceeded(standings, behind, draws, drawer, alpha)) kept.add(index);
  return [...kept].sort((a, b) => a - b);
}

/** √Σ (a − b)² */
function errorOfDifference(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return Math.sqrt(sum);
}

/** Those whose deficit is exceeded in more than a share α of the draws, by chance alone. */
function exceeded(
  standings: readonly Known[],
  behind: readonly Behind[],
  draws: Draws,
  drawer: Drawer,
  alpha: number,
): number[] {
  if (behind.length === 0) return [];
  const { rows, steps } = fineRows(standings, draws.stride);
  const sums = drawer.sums(draws, rows);
  const values = new Float32Array(standings.length);
  const times = new Uint32Array(behind.length);
  const enough = alpha * draws.draws;
  let open = [...behind.keys()];
  for (let first = 0; first < draws.draws && open.length > 0; first += LANES) {
    const group = sums(first / LANES);
    const last = Math.min(draws.draws, first + LANES);
    for (let lane = 0; lane < last - first; lane++) {
      for (let q = 0; q < values.length; q++) values[q] = group[q * LANES + lane] * steps[q];
      const largest = values.reduce((a, b) => Math.max(a, b));
      for (const i of open) if (isExceeded(values, behind[i], largest)) times[i]++;
    }
    // Decided: often enough, or no longer possible.
    open = open.filter((i) => times[i] <= enough && times[i] + (draws.draws - last) > enough);
  }
  return behind.flatMap(({ index }, i) => (times[i] > enough ? [index] : []));
}

/** Influences as whole numbers of 14 bits: policies that nearly agree differ by little. */
function fineRows(standings: readonly Known[], stride: number): { rows: Int16Array; steps: Float64Array } {
  const rows = new Int16Array(standings.length * stride);
  const steps = Float64Array.from(standings, ({ influence }, p) => {
    const step = influence.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / MOST;
    influence.forEach((value, b) => {
      rows[p * stride + b] = Math.round(value / step);
    });
    return step / multiplierDeviation();
  });
  return { rows, steps };
}

/** Some other is ahead of it by its margin. */
function isExceeded(values: Float32Array, { index, margins, least }: Behind, largest: number): boolean {
  const own = values[index];
  if (largest - own < least) return false;
  for (let q = 0; q < values.length; q++) if (values[q] - own >= margins[q]) return true;
  return false;
}

/**
 * How many digits regressions on a log's contexts may lose, told before any is made.
 *
 * Columns of the rows (√λ I; x₁ᵀ; x₂ᵀ; …) scaled to length 1, their smallest singular value σ satisfies, with d columns of
 * which c₂ is the second longest: for a unit vector v, ‖Mv‖² ≥ (λ/c₂²)(1 − v₁²), and ‖Mv‖ ≥ |v₁| − √(d − 1) √(1 − v₁²) where
 * the longest has v₁. One of the two holds σ² ≥ min(λ/(4d c₂²), 1/8), and the largest is at most √d, so that the condition
 * number κ is at most 2d c₂/√λ (or 2√(2d)), of any subset of events, since no subset has longer columns.
 *
 * Arithmetic that rounds to a relative u leaves scores wrong by about uκ. Where scores tie exactly, the tie tolerance τ must
 * outweigh that by far; elsewhere a decision turns where two scores lie as near, once in 1/(uκ) decisions or so. 10⁻⁹ is a
 * thousandth of the default τ = 10⁻⁶.
 *
 * Payoffs of size r > 1 make errors of ruκ. Scores are then as large and as far apart, and only ties of scores about 0, where
 * τ is not relative, ask for more: a quarter of τ, so that two such errors are no difference.
 */

import { contextSizes } from '../../log/context-sizes.js';
import type { EventLog } from '../../log/event-log.js';
import { DOUBLE_DOUBLE_UNIT } from './double-double.js';

/** Largest error of scores that is taken for nothing. */
const NEGLIGIBLE = 1e-9;
/** Relative error of an operation on pairs of f32 (shaders/lib/pair.wgsl), and the largest number they hold the square of. */
export const PAIR_UNIT = 2 ** -44;
const LARGEST_OF_PAIRS = 2 ** 30;
/** As `NEGLIGIBLE`: a hundredth of the default τ. */
const NEGLIGIBLE_OF_PAIRS = 1e-8;
/** Largest error that exact ties bear: a quarter of the default τ. */
const BORNE_BY_TIES = 2.5e-7;
/** Products of numbers up to this have all of their 106 bits. */
const LARGEST = 2 ** 400;

/** What regressions on a log are made in. */
export interface Arithmetic {
  /** f64, or double-doubles. */
  readonly wide: boolean;
  /** Solved afresh after every update, which verifies what is made in double-doubles. */
  readonly fresh: boolean;
  /** xᵀA⁻¹x from A⁻¹ itself, which is fastest, does not cancel too far. */
  readonly formed: boolean;
  /** Pairs of f32 do, on a GPU. */
  readonly paired: boolean;
  /** Upper bound of κ. */
  readonly condition: number;
  /** Not even double-doubles are known to suffice. */
  readonly lost: boolean;
  /** They, or pairs on a GPU, would where no column were larger than 1. */
  readonly scalable: { readonly lost: boolean; readonly paired: boolean };
  /** The largest columns, the largest first, two at most. */
  readonly largest: readonly string[];
  /** Entries of a row that are not 0, at most. */
  readonly length: number;
  /** Sizes of entries and updates, at most. */
  readonly bounds: { readonly largest: number; readonly rows: number };
}

/** Sizes of what a regression is made on. */
export interface RegressionSizes {
  /** Entries of a row that are not 0, at most. */
  readonly length: number;
  /** Largest entries of the columns, in any order. */
  readonly largest: ArrayLike<number>;
  /** Rows, at most. */
  readonly rows: number;
  readonly lambda: number;
  /** Largest |r|. */
  readonly payoff: number;
  /** Names of the first columns. */
  readonly columns: readonly string[];
}

export function arithmeticFor({ length, largest, rows, lambda, payoff, columns }: RegressionSizes): Arithmetic {
  const sorted = Float64Array.from(largest).sort();
  const second = sorted.length < 2 ? 0 : sorted[sorted.length - 2];
  const bound = (size: number) =>
    Math.max(2 * Math.sqrt(2 * length), 2 * length * Math.sqrt(1 + (rows * size * size) / lambda));
  const condition = bound(second);
  const scaled = bound(Math.min(1, second));
  // Each of the terms of xᵀA⁻¹x, up to |x_i x_j|/λ, is wrong by u of itself; its root is least where A is largest, about
  // 1/√rows, and is wrong by half of the sum over that.
  const cancelled = (length * second * second * Math.sqrt(rows)) / (2 * lambda);
  const suffices = (unit: number, negligible: number, condition: number): boolean =>
    unit * condition <= negligible && unit * condition * payoff <= BORNE_BY_TIES;
  const most = sorted[sorted.length - 1] ?? 0;
  const paired = suffices(PAIR_UNIT, NEGLIGIBLE_OF_PAIRS, condition) && most <= LARGEST_OF_PAIRS;
  const lost = !suffices(DOUBLE_DOUBLE_UNIT, NEGLIGIBLE, condition) || most > LARGEST;
  return {
    wide: !suffices(Number.EPSILON, NEGLIGIBLE, condition),
    fresh: false,
    formed: Number.EPSILON * cancelled <= NEGLIGIBLE,
    paired,
    condition,
    lost,
    scalable: {
      lost: lost && suffices(DOUBLE_DOUBLE_UNIT, NEGLIGIBLE, scaled),
      paired: !paired && suffices(PAIR_UNIT, NEGLIGIBLE_OF_PAIRS, scaled),
    },
    largest: columns
      .map((name, j) => ({ name, size: largest[j] }))
      .sort((a, b) => b.size - a.size)
      .slice(0, 2)
      .map(({ name, size }) => `${name} (up to ${size.toPrecision(3)})`),
    length,
    bounds: { largest: most, rows },
  };
}

/** What brings columns to sizes at which they cost few digits. */
export const SCALE = '--scale standard or max (in code: scale)';

/** Columns up to this size cost two digits of A's at most. */
const MODEST = 10;

/** Whether scaling would make sizes of columns alike that are not. */
export function scalingHelps(log: EventLog): boolean {
  const { largest, scaled = false } = contextSizes(log);
  return !scaled && largest.some((size) => size > MODEST);
}

/** Of one ridge regression per arm. */
export function armArithmetic(log: EventLog, lambda: number): Arithmetic {
  const { largest, rows, verifies } = contextSizes(log);
  const found = arithmeticFor({ length: largest.length, largest, rows, lambda, ...namesAndPayoff(log) });
  return verifies ? verifying(found) : found;
}

/**
 * Of the hybrid model: one regression on (x, z), where only the columns of one arm and those of z have entries in a row. So
 * the other columns of a row are at most √2 √(d + k) long together, scaled as above.
 *
 * @param product z is the products of arm features and context; else the arm features.
 */
export function hybridArithmetic(log: EventLog, lambda: number, product: boolean): Arithmetic {
  const { largest, rows, verifies } = contextSizes(log);
  const { dimension = 0, values = [] } = log.armFeatures ?? {};
  const features = new Float64Array(dimension);
  for (let i = 0; i < values.length; i++) {
    features[i % dimension] = Math.max(features[i % dimension], Math.abs(values[i]));
  }
  const shared = product ? Array.from(features).flatMap((f) => Array.from(largest, (x) => f * x)) : [...features];
  const length = 2 * (largest.length + shared.length);
  const arms = log.arms.ids.length;
  // Of every arm's columns there may be two that are longest.
  const all = [...largest, ...(arms > 1 ? largest : []), ...shared];
  const found = arithmeticFor({ length, largest: all, rows: rows * arms, lambda, ...namesAndPayoff(log) });
  return verifies ? verifying(found) : found;
}

function namesAndPayoff({ contexts, payoff: { scale } }: EventLog): Pick<RegressionSizes, 'columns' | 'payoff'> {
  return { columns: contexts.columns, payoff: Math.max(Math.abs(scale.low), Math.abs(scale.high)) };
}

/** What verifies regressions made in f64, or in double-doubles. */
function verifying(found: Arithmetic): Arithmetic {
  return { ...found, wide: true, fresh: found.wide };
}

/** Of a learner's regressions, where a GPU has a kernel for it; else `null`. */
export function kernelArithmetic(algorithm: string | null, parameters: object, log: EventLog): Arithmetic | null {
  const { lambda = 1, shared } = parameters as { lambda?: number; shared?: string };
  if (algorithm === 'linucb-hybrid') return hybridArithmetic(log, lambda, shared === 'product');
  return ['linucb', 'lin-thompson', 'cemp'].includes(algorithm ?? '') ? armArithmetic(log, lambda) : null;
}

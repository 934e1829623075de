/**
 * What the f32 kernel needs of linear policies: packed weights, and a rigorous bound on its own error.
 * In WGSL: shaders/policy/linear.wgsl.
 *
 * With u = 2⁻²⁴, inputs rounded to f32 and a dot product of length d summed in any order, fused or not, the computed
 * score differs from w · x by at most γ_{d+2} ‖w‖ ‖x‖, γ_n = n·u / (1 − n·u) (Higham, *Accuracy and Stability of
 * Numerical Algorithms*, §3.1). The f64 reference's own error is below u/2²⁰ of that. Comparing two scores doubles it;
 * the kernel's evaluation of the bound and of the difference costs a few u more. All of it is covered by 2 γ_{d+8}.
 * Flushing subnormals to zero adds at most 2⁻¹²⁶ per input, product and sum, which `subnormalSlack` covers.
 */

import type { Screen } from '../screen.js';

const UNIT = 2 ** -24;

/** Norms up to here keep every f32 score far inside the range of f32; beyond, the CPU decides. */
export const LARGEST_NORM = 2 ** 60;

/** γ_n, of f32 or of another unit roundoff. */
export function gamma(n: number, unit: number = UNIT): number {
  return (n * unit) / (1 - n * unit);
}

/** Rounds a non-negative bound up to f32. */
export function roundUp(value: number): number {
  const rounded = Math.fround(value);
  return rounded >= value ? rounded : Math.fround(rounded * (1 + 2 ** -22) + 2 ** -149);
}

/** Sums of squares within these are far from the ends of f64, so that none of their terms overflowed or mattered and vanished. */
const SAFE_SQUARES = [2 ** -900, 2 ** 1000] as const;

/** Norm of `length` values from `at`, rounded up generously enough to cover its own rounding. */
export function normOf(values: Float32Array | Float64Array, at: number, length: number): number {
  let squares = 0;
  for (let j = at; j < at + length; j++) squares += values[j] * values[j];
  if (squares > SAFE_SQUARES[0] && squares < SAFE_SQUARES[1]) return Math.sqrt(squares) * (1 + 2 ** -40);
  return scaledNorm(values, at, length);
}

/** The norm of very small or very large values, scaled by the largest, so that squares neither overflow nor vanish. */
function scaledNorm(values: Float32Array | Float64Array, at: number, length: number): number {
  let most = 0;
  for (let j = 0; j < length; j++) most = Math.max(most, Math.abs(values[at + j]));
  if (most === 0) return 0;
  let sum = 0;
  for (let j = 0; j < length; j++) sum += (values[at + j] / most) ** 2;
  return most * Math.sqrt(sum) * (1 + 2 ** -40);
}

/** What a cell's context contributes to the bound: bound = errorFactor · (largest row norm of the policy) + slack. */
export function errorFactor(dimension: number, contextNorm: number): number {
  return roundUp(2 * gamma(dimension + 8) * contextNorm);
}

/** Absolute error that flushed subnormals may add to the difference of two scores. */
export function subnormalSlack(dimension: number, contextNorm: number, weightNorm: number): number {
  return roundUp(2 ** -124 * (2 * dimension + 2 + Math.sqrt(dimension) * (contextNorm + weightNorm)));
}

/** f32 words per policy. */
export function weightsStride({ rows, dimension }: Pick<Screen, 'rows' | 'dimension'>): number {
  return (rows * Math.ceil(dimension / 4) + 1) * 4;
}

/**
 * Packs policies from..to−1: per policy its rows of ⌈d/4⌉ vec4 f32, then (norm, onCpu, 0, 0). Such a policy (its answers
 * come from the CPU) is packed as zeros and reports no doubt.
 */
export function packWeights(
  screen: Screen,
  from: number,
  to: number,
  onCpu: (policy: number) => boolean,
): Float32Array {
  const { rows, dimension } = screen;
  const rowWords = Math.ceil(dimension / 4) * 4;
  const stride = weightsStride(screen);
  const data = new Float32Array((to - from) * stride);
  for (let p = from; p < to; p++) {
    const base = (p - from) * stride;
    const norms = base + rows * rowWords;
    if (onCpu(p)) {
      data[norms + 1] = 1;
      continue;
    }
    const weights = screen.weights(p);
    for (let r = 0; r < rows; r++) {
      for (let j = 0; j < dimension; j++) data[base + r * rowWords + j] = weights[r * dimension + j];
    }
    data[norms] = roundUp(screen.norm(p));
  }
  return data;
}

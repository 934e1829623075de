/**
 * Ridge regressions in f64: the root R_a of each arm's A_a⁻¹ and θ_a, which follow by closed-form updates (`root-update.ts`).
 *
 * xᵀA_a⁻¹x is asked for far more often than anything is learnt. Where it cannot cancel too far it comes from A_a⁻¹ itself,
 * which follows along (Sherman and Morrison's formula, from the root's A_a⁻¹x) and is formed afresh from the root after 1,
 * 2, 4, … and then every 512 updates of the arm.
 */

import type { Archive } from '../../archive.js';
import { ContextForm } from './context-form.js';
import { dot, packedSize } from './packed.js';
import { multiplyRoot, rootForm, squareOfRoot, updateRoot } from './root-update.js';
import { type Solved, solvedRoot, worseOf } from './solved.js';

/** Updates of an arm between two formations of its inverse. */
export const REFRESH = 512;

export class RootFactors {
  /** R and, where it is formed, A⁻¹: [K, d (d + 1) / 2], packed lower triangles. */
  private readonly root: Float64Array;
  private readonly inverse: Float64Array;
  /** θ and b: [K, d]. */
  private readonly theta: Float64Array;
  private readonly b: Float64Array;
  private readonly updates: Uint32Array;
  private readonly size: number;
  private readonly form: ContextForm;
  private readonly y: Float64Array;
  /** A⁻¹x of the arm in hand. */
  private readonly gain: Float64Array;

  /**
   * @param row x; after writing to it call `load`.
   * @param formed keep A⁻¹.
   */
  constructor(
    arms: number,
    readonly row: Float64Array,
    lambda: number,
    private readonly formed: boolean,
  ) {
    const d = row.length;
    const size = packedSize(d);
    this.size = size;
    this.root = new Float64Array(arms * size);
    this.inverse = new Float64Array(formed ? arms * size : 0);
    this.theta = new Float64Array(arms * d);
    this.b = new Float64Array(arms * d);
    this.updates = new Uint32Array(arms);
    for (let a = 0; a < arms; a++) {
      for (let i = 0; i < d; i++) {
        this.root[a * size + packedSize(i) + i] = 1 / Math.sqrt(lambda);
        if (formed) this.inverse[a * size + packedSize(i) + i] = 1 / lambda;
      }
    }
    this.form = new ContextForm(row);
    this.y = new Float64Array(d);
    this.gain = new Float64Array(d);
  }

  load(): void {
    if (this.formed) this.form.load();
  }

  mean(arm: number): number {
    return dot(this.theta, arm * this.row.length, this.row);
  }

  variance(arm: number): number {
    return this.formed
      ? this.form.value(this.inverse, arm * this.size)
      : rootForm(this.root, arm * this.size, this.row);
  }

  regress(arm: number, payoff: number): void {
    const { row, b } = this;
    for (let j = 0, at = arm * row.length; j < row.length; j++) b[at + j] += payoff * row[j];
    this.step(arm, 1, payoff - this.mean(arm));
  }

  step(arm: number, weight: number, residual: number): void {
    const { row, y, gain, theta, inverse, size } = this;
    const d = row.length;
    const from = arm * size;
    multiplyRoot(this.root, from, row, y);
    const shrink = 1 / updateRoot(this.root, from, y, weight, gain);
    // (A + w x xᵀ)⁻¹ = A⁻¹ − w g gᵀ / (1 + w q), with g = A⁻¹x and q = xᵀg; applied to x it gives g / (1 + w q).
    for (let i = 0, at = arm * d; i < d; i++) theta[at + i] += gain[i] * shrink * residual;
    const n = ++this.updates[arm];
    if (!this.formed) return;
    if (n % REFRESH === 0 || (n < REFRESH && (n & (n - 1)) === 0)) {
      squareOfRoot(this.root, d, from, inverse, from);
      return;
    }
    for (let i = 0, at = from; i < d; i++) {
      const wg = weight * shrink * gain[i];
      for (let j = 0; j <= i; j++, at++) inverse[at] -= wg * gain[j];
    }
  }

  coefficients(): { theta: Float64Array } {
    return { theta: this.theta };
  }

  solved(): Solved {
    const { size, theta, b, updates } = this;
    const d = this.row.length;
    let worst: Solved = { condition: 1, residual: 0 };
    for (let arm = 0; arm < updates.length; arm++) {
      if (updates[arm] === 0) continue;
      const root = { entries: this.root.subarray(arm * size, (arm + 1) * size), of: 'inverse' } as const;
      const [from, to] = [arm * d, (arm + 1) * d];
      worst = worseOf(worst, solvedRoot(root, theta.subarray(from, to), b.subarray(from, to)));
    }
    return worst;
  }

  carry(archive: Archive): void {
    for (const part of [this.root, this.inverse, this.theta, this.b, this.updates]) archive.array(part);
  }
}

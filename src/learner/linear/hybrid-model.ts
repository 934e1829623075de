/**
 * Scores of the hybrid model (`hybrid-state.ts`) in the two ways they can be had.
 *
 * z is linear in the vector e of an event (its context, where need be with a 1 appended): z = Z_r e for feature row r. With
 * W_r = Z_r − C_aᵀ (C_aᵀ padded with a zero column for the 1), a the row's arm, a row's score terms are
 *
 *     t_rᵀe,  t_r = W_rᵀβ̂ + η_a,     and     eᵀQ_r e,  Q_r = W_rᵀA₀⁻¹W_r + A_a⁻¹,
 *
 * so that scoring costs what it costs the disjoint model. An update of arm c is a rank-1 step of every row, with
 * h_r = W_rᵀu (+ v where a = c):
 *
 *     Q_r ← Q_r − h_r h_rᵀ/(1+s),  t_r ← t_r + h_r (r − t_cᵀe)/(1+s),  W_r ← W_r − w vᵀ/(1+q) where a = c.
 *
 * That pays while rows are few. Features that come with every event make as many rows as candidates were ever shown; then
 * a candidate's z is scored as it comes, and memory depends on arms alone.
 */

import type { Archive } from '../../archive.js';
import { FEW_ROWS } from '../state-arrays.js';
import type { Arithmetic } from './conditioning.js';
import { ContextForm } from './context-form.js';
import { wideFactors } from './fresh-factors.js';
import type { HybridShape, SharedMap } from './hybrid-map.js';
import { HybridState } from './hybrid-state.js';
import { addOuter, dot, multiplySymmetric, packedSize } from './packed.js';
import { REFRESH } from './root-factors.js';
import { squareOfRoot } from './root-update.js';
import type { Solved } from './solved.js';

/** Scores of candidates at the event whose e is in hand. */
export interface HybridModel {
  /** e of the event in hand; after writing to it call `load`. */
  readonly e: Float64Array;
  load(): void;
  /** zᵀβ̂ + xᵀθ̂_a */
  mean(row: number): number;
  /** s, at least 0. */
  variance(row: number): number;
  learn(row: number, payoff: number): void;
  /** θ̂_a of all arms, [K, d], and β̂, [k]. */
  coefficients(): { readonly theta: Float64Array; readonly beta: Float64Array };
  solved(): Solved;
  carry(archive: Archive): void;
}

export function hybridModel(shape: HybridShape, map: SharedMap, lambda: number, arithmetic: Arithmetic): HybridModel {
  const { wide, formed } = arithmetic;
  if (wide) return new WideModel(shape, map, wideFactors(shape, lambda, arithmetic));
  return formed && map.rows <= Math.max(FEW_ROWS, shape.arms)
    ? new RowModel(shape, map, lambda)
    : new DirectModel(shape, map, lambda);
}

/** Keeps Q, t and W of every row. */
export class RowModel implements HybridModel {
  readonly e: Float64Array;
  private readonly state: HybridState;
  private readonly form: ContextForm;
  private updates = 0;
  /** W_rᵀ: [R, m, k]; Q_r: [R, m (m + 1) / 2]; t_r: [R, m]. */
  private readonly weights: Float64Array;
  private readonly covariance: Float64Array;
  private readonly total: Float64Array;
  private readonly x: Float64Array;
  private readonly z: Float64Array;
  private readonly h: Float64Array;

  constructor(
    private readonly shape: HybridShape,
    private readonly map: SharedMap,
    lambda: number,
  ) {
    const { d, m, k } = shape;
    this.e = new Float64Array(m);
    this.x = this.e.subarray(0, d);
    this.z = new Float64Array(k);
    this.h = new Float64Array(m);
    this.form = new ContextForm(this.e);
    this.state = new HybridState(shape, lambda);
    this.weights = new Float64Array(map.rows * m * k);
    this.covariance = new Float64Array(map.rows * packedSize(m));
    this.total = new Float64Array(map.rows * m);
    this.refresh();
  }

  load(): void {
    this.form.load();
  }

  mean(row: number): number {
    return dot(this.total, row * this.shape.m, this.e);
  }

  variance(row: number): number {
    return this.form.value(this.covariance, row * packedSize(this.shape.m));
  }

  learn(row: number, payoff: number): void {
    const { map, state, e, x, z } = this;
    map.write(row, e, z);
    state.learn(map.armOf[row], x, z, payoff);
    const n = ++this.updates;
    // Afresh now and then, so that rounding does not add up.
    if (n % REFRESH === 0 || (n < REFRESH && (n & (n - 1)) === 0)) this.refresh();
    else this.follow(map.armOf[row]);
  }

  coefficients(): { theta: Float64Array; beta: Float64Array } {
    return { theta: this.state.theta(), beta: this.state.beta };
  }

  solved(): Solved {
    return this.state.solved();
  }

  carry(archive: Archive): void {
    this.state.carry(archive);
    this.updates = archive.number(this.updates);
    for (const part of [this.weights, this.covariance, this.total]) archive.array(part);
  }

  /** The last update of the state, of an arm, on every row. */
  private follow(arm: number): void {
    const { map, shape, weights, covariance, total, h } = this;
    const { d, m, k } = shape;
    const { w, u, v, shrink, step, ownShrink } = this.state;
    for (let r = 0; r < map.rows; r++) {
      const own = map.armOf[r] === arm;
      for (let i = 0; i < m; i++) h[i] = dot(weights, (r * m + i) * k, u);
      if (own) for (let i = 0; i < d; i++) h[i] += v[i];
      addOuter(covariance, r * packedSize(m), h, -shrink);
      for (let i = 0; i < m; i++) total[r * m + i] += h[i] * step;
      if (!own) continue;
      for (let i = 0, at = r * m * k; i < d; i++) {
        const gain = v[i] * ownShrink;
        for (let j = 0; j < k; j++) weights[at++] -= gain * w[j];
      }
    }
  }

  /** Everything from the state. */
  private refresh(): void {
    const { map, shape, weights, covariance, total, z } = this;
    const { d, m, k } = shape;
    const { c, eta, beta, root, sharedRoot, u } = this.state;
    const unit = new Float64Array(m);
    const sharedInverse = new Float64Array(packedSize(k));
    squareOfRoot(sharedRoot, k, 0, sharedInverse, 0);
    const inverse = new Float64Array(root.length);
    for (let arm = 0; arm < shape.arms; arm++) squareOfRoot(root, d, arm * packedSize(d), inverse, arm * packedSize(d));
    for (let r = 0; r < map.rows; r++) {
      const arm = map.armOf[r];
      for (let i = 0, at = packedSize(m) * r; i < m; i++) {
        unit.fill(0);
        unit[i] = 1;
        map.write(r, unit, z);
        const row = (r * m + i) * k;
        for (let j = 0; j < k; j++) weights[row + j] = i < d ? z[j] - c[(arm * d + i) * k + j] : z[j];
        total[r * m + i] = dot(weights, row, beta) + (i < d ? eta[arm * d + i] : 0);
        multiplySymmetric(sharedInverse, 0, weights.subarray(row, row + k), u);
        for (let j = 0; j <= i; j++, at++) {
          covariance[at] =
            dot(weights, (r * m + j) * k, u) + (i < d ? inverse[arm * packedSize(d) + packedSize(i) + j] : 0);
        }
      }
    }
  }
}

/** Keeps nothing per row. */
export class DirectModel implements HybridModel {
  readonly e: Float64Array;
  private readonly state: HybridState;
  private readonly x: Float64Array;
  private readonly z: Float64Array;
  private readonly w: Float64Array;

  constructor(
    private readonly shape: HybridShape,
    private readonly map: SharedMap,
    lambda: number,
  ) {
    const { d, m, k } = shape;
    this.e = new Float64Array(m);
    this.x = this.e.subarray(0, d);
    this.z = new Float64Array(k);
    this.w = new Float64Array(k);
    this.state = new HybridState(shape, lambda);
  }

  load(): void {}

  /** Makes w that of a row. @returns its arm. */
  private loadRow(row: number): number {
    const { map, e, x, z, w, state } = this;
    map.write(row, e, z);
    state.residue(map.armOf[row], x, z, w);
    return map.armOf[row];
  }

  mean(row: number): number {
    const arm = this.loadRow(row);
    return dot(this.w, 0, this.state.beta) + dot(this.state.eta, arm * this.shape.d, this.x);
  }

  variance(row: number): number {
    const arm = this.loadRow(row);
    return this.state.variance(arm, this.x, this.w);
  }

  learn(row: number, payoff: number): void {
    const { map, e, x, z } = this;
    map.write(row, e, z);
    this.state.learn(map.armOf[row], x, z, payoff);
  }

  coefficients(): { theta: Float64Array; beta: Float64Array } {
    return { theta: this.state.theta(), beta: this.state.beta };
  }

  solved(): Solved {
    return this.state.solved();
  }

  carry(archive: Archive): void {
    this.state.carry(archive);
  }
}

/** The same in double-doubles, as one regression on (z, x). */
export class WideModel implements HybridModel {
  readonly e: Float64Array;
  private readonly z: Float64Array;
  private readonly zLow: Float64Array;
  private loaded = -1;

  constructor(
    private readonly shape: HybridShape,
    private readonly map: SharedMap,
    private readonly factors: ReturnType<typeof wideFactors>,
  ) {
    this.e = new Float64Array(shape.m);
    this.z = this.factors.row.subarray(shape.d);
    this.zLow = this.factors.low.subarray(shape.d);
  }

  load(): void {
    this.loaded = -1;
  }

  private loadRow(row: number): number {
    const { map, e, factors, shape, z, zLow } = this;
    if (row !== this.loaded) {
      this.loaded = row;
      for (let j = 0; j < shape.d; j++) factors.row[j] = e[j];
      map.write(row, e, z);
      map.writeLow(row, e, zLow);
      factors.load();
    }
    return map.armOf[row];
  }

  mean(row: number): number {
    return this.factors.mean(this.loadRow(row));
  }

  variance(row: number): number {
    return this.factors.variance(this.loadRow(row));
  }

  learn(row: number, payoff: number): void {
    this.factors.regress(this.loadRow(row), payoff);
  }

  coefficients(): { theta: Float64Array; beta: Float64Array } {
    return this.factors.coefficients();
  }

  solved(): Solved {
    return this.factors.solved();
  }

  carry(archive: Archive): void {
    this.factors.carry(archive);
  }
}

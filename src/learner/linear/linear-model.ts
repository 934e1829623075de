/**
 * One linear model per arm (disjoint models): A_a = λI + Σ w x xᵀ and θ_a, in f64 where that keeps its digits, else in
 * double-doubles (`conditioning.ts`).
 */

import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { ContextReader } from '../context.js';
import type { Numerics } from '../learner.js';
import { type Arithmetic, armArithmetic } from './conditioning.js';
import { wideFactors } from './fresh-factors.js';
import { RootFactors } from './root-factors.js';
import { regressionNumerics, type Solved } from './solved.js';

/** Regressions of all arms on the row in hand. */
interface Factors {
  /** x; after writing to it call `load`. */
  readonly row: Float64Array;
  load(): void;
  /** θ_aᵀx */
  mean(arm: number): number;
  /** xᵀA_a⁻¹x, at least 0. */
  variance(arm: number): number;
  /** A_a ← A_a + w x xᵀ, then θ_a ← θ_a + A_a⁻¹x · residual. */
  step(arm: number, weight: number, residual: number): void;
  /** A_a ← A_a + x xᵀ and b_a ← b_a + r x. */
  regress(arm: number, payoff: number): void;
  coefficients(): { readonly theta: Float64Array };
  solved(): Solved;
  carry(archive: Archive): void;
}

/** Models whose θ moves by steps along A⁻¹x: recursive least squares, online Newton. */
export class LinearModel {
  /** Updates of each arm. */
  readonly updates: Uint32Array;
  /** x_t of the event prepared last. */
  readonly x: Float64Array;
  protected readonly factors: Factors;
  private readonly context: ContextReader;
  protected readonly arithmetic: Arithmetic;

  /** @param lambda λ */
  constructor(log: EventLog, lambda: number) {
    const arms = log.arms.ids.length;
    this.context = new ContextReader(log);
    const d = this.context.dimension;
    this.x = this.context.x;
    this.updates = new Uint32Array(arms);
    this.arithmetic = armArithmetic(log, lambda);
    const { wide, formed } = this.arithmetic;
    this.factors = wide
      ? wideFactors({ arms, d, k: 0 }, lambda, this.arithmetic)
      : new RootFactors(arms, this.x, lambda, formed);
  }

  /** Turns to an event: what is asked and learned next is about its context. */
  prepare(event: number): void {
    if (!this.context.load(event)) return;
    if (this.factors.row !== this.x) this.factors.row.set(this.x);
    this.factors.load();
  }

  /** θ_aᵀx */
  mean(arm: number): number {
    return this.factors.mean(arm);
  }

  /** xᵀA_a⁻¹x, at least 0. */
  variance(arm: number): number {
    return this.factors.variance(arm);
  }

  /**
   * A_a ← A_a + w x xᵀ, then θ_a ← θ_a + A_a⁻¹x · residual.
   *
   * @param weight w ≥ 0
   */
  step(arm: number, weight: number, residual: number): void {
    this.factors.step(arm, weight, residual);
    this.updates[arm]++;
  }

  carry(archive: Archive): void {
    archive.array(this.updates);
    this.factors.carry(archive);
  }

  /** For people: updates and θ of each arm, in arm order. */
  state(): { updates: number[]; theta: number[][] } {
    return { updates: [...this.updates], theta: rows(this.factors.coefficients().theta, this.context.dimension) };
  }
}

/** Ridge regression per arm: θ_a = A_a⁻¹ b_a with b_a = Σ r x. */
export class RidgeModel extends LinearModel {
  /** A_a ← A_a + x xᵀ and b_a ← b_a + r x. @param payoff r */
  learn(arm: number, payoff: number): void {
    this.factors.regress(arm, payoff);
    this.updates[arm]++;
  }

  /** See `Learner.numerics`. */
  numerics(): Numerics {
    return regressionNumerics(this.factors.solved(), this.arithmetic);
  }
}

/** A flat [n, width] array as rows. */
export function rows(flat: Float64Array, width: number): number[][] {
  return Array.from({ length: width === 0 ? 0 : flat.length / width }, (_, a) => [
    ...flat.subarray(a * width, (a + 1) * width),
  ]);
}

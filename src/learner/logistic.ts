/** Logistic regression with a ridge, fitted to everything seen. */

import type { ContextTable } from '../log/event-log.js';
import { factor, packedSize, solve } from './cholesky.js';

/** Newton steps end when none of θ moves by more than this times max(1, |θ|). */
const CONVERGED = 1e-12;
const MOST_STEPS = 100;

/** σ(z) = 1 / (1 + e^−z), without overflow. */
export function sigmoid(z: number): number {
  if (z >= 0) return 1 / (1 + Math.exp(-z));
  const e = Math.exp(z);
  return e / (1 + e);
}

/** −ln σ(z) = ln(1 + e^−z), without overflow. */
function cost(z: number): number {
  return z > 0 ? Math.log1p(Math.exp(-z)) : Math.log1p(Math.exp(z)) - z;
}

/** θ̂ = arg max Σ (r ln p + (1 − r) ln(1 − p)) − λ ‖θ‖²/2, p = σ(θᵀx). Equal contexts are kept once, with their sums. */
export class LogisticFit {
  private readonly theta: Float64Array;
  private readonly trial: Float64Array;
  private readonly step: Float64Array;
  private readonly hessian: Float64Array;
  /** Row of the context table → place in the lists below. */
  private readonly places = new Map<number, number>();
  private readonly rows: number[] = [];
  private readonly counts: number[] = [];
  private readonly payoffs: number[] = [];
  private stale = false;

  constructor(
    private readonly contexts: ContextTable,
    private readonly lambda: number,
  ) {
    const d = contexts.dimension;
    this.theta = new Float64Array(d);
    this.trial = new Float64Array(d);
    this.step = new Float64Array(d);
    this.hessian = new Float64Array(packedSize(d));
  }

  /** @param row of the context table. */
  add(row: number, payoff: number): void {
    const place = this.places.get(row);
    if (place === undefined) {
      this.places.set(row, this.rows.length);
      this.rows.push(row);
      this.counts.push(1);
      this.payoffs.push(payoff);
    } else {
      this.counts[place]++;
      this.payoffs[place] += payoff;
    }
    this.stale = true;
  }

  /** θ̂, by Newton's method from the last estimate; only computed when something was added. */
  estimate(): Float64Array {
    if (!this.stale) return this.theta;
    this.stale = false;
    const { theta, trial, step } = this;
    let loss = this.loss(theta);
    for (let n = 0; n < MOST_STEPS; n++) {
      this.newton();
      let moved = 0;
      for (let j = 0; j < step.length; j++) {
        moved = Math.max(moved, Math.abs(step[j]) / Math.max(1, Math.abs(theta[j])));
      }
      // The loss is convex; a step that overshoots is halved. Near the end rounding hides the gain: take the step.
      let [size, next] = [1, Number.POSITIVE_INFINITY];
      for (; size > 1e-9; size /= 2) {
        for (let j = 0; j < step.length; j++) trial[j] = theta[j] + size * step[j];
        next = this.loss(trial);
        if (next <= loss || moved < 1e-6) break;
      }
      theta.set(trial);
      loss = next;
      if (moved <= CONVERGED) break;
    }
    return theta;
  }

  /** step = H⁻¹ (Σ (r − p) x − λθ), H = λI + Σ p (1 − p) x xᵀ. */
  private newton(): void {
    const { theta, step, hessian, lambda, rows, counts, payoffs } = this;
    const { values, dimension: d } = this.contexts;
    hessian.fill(0);
    for (let i = 0; i < d; i++) {
      hessian[packedSize(i) + i] = lambda;
      step[i] = -lambda * theta[i];
    }
    for (let k = 0; k < rows.length; k++) {
      const p = sigmoid(this.dot(theta, rows[k]));
      const weight = counts[k] * p * (1 - p);
      const residual = payoffs[k] - counts[k] * p;
      for (let i = 0, at = 0, x = rows[k] * d; i < d; i++) {
        const xi = values[x + i];
        step[i] += residual * xi;
        for (let j = 0; j <= i; j++) hessian[at++] += weight * xi * values[x + j];
      }
    }
    factor(hessian, d);
    solve(hessian, d, step);
  }

  private loss(theta: Float64Array): number {
    const { rows, counts, payoffs } = this;
    let sum = 0;
    for (let j = 0; j < theta.length; j++) sum += (this.lambda * theta[j] * theta[j]) / 2;
    for (let k = 0; k < rows.length; k++) {
      const z = this.dot(theta, rows[k]);
      sum += payoffs[k] * cost(z) + (counts[k] - payoffs[k]) * cost(-z);
    }
    return sum;
  }

  private dot(theta: Float64Array, row: number): number {
    const { values } = this.contexts;
    let sum = 0;
    for (let j = 0, x = row * theta.length; j < theta.length; j++) sum += theta[j] * values[x + j];
    return sum;
  }
}

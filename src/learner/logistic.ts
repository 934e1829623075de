/** Logistic regression with a ridge, fitted to everything seen. */

import type { Archive } from '../archive.js';
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
  /** A context's bits → its place in the lists below. */
  private readonly places = new Map<string, number>();
  /** Distinct contexts, one after the other, with room for more. */
  private values = new Float64Array(0);
  private readonly counts: number[] = [];
  private readonly payoffs: number[] = [];
  private stale = false;

  /** @param d length of contexts. */
  constructor(
    private readonly d: number,
    private readonly lambda: number,
  ) {
    this.theta = new Float64Array(d);
    this.trial = new Float64Array(d);
    this.step = new Float64Array(d);
    this.hessian = new Float64Array(packedSize(d));
  }

  /** @param x a context; it is copied. */
  add(x: Float64Array, payoff: number): void {
    const key = bitsOf(x);
    const place = this.places.get(key);
    if (place === undefined) {
      const at = this.counts.length;
      this.places.set(key, at);
      if ((at + 1) * this.d > this.values.length) {
        const larger = new Float64Array(2 * (at + 1) * this.d);
        larger.set(this.values);
        this.values = larger;
      }
      this.values.set(x, at * this.d);
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
    const { theta, step, hessian, lambda, counts, payoffs, values, d } = this;
    hessian.fill(0);
    for (let i = 0; i < d; i++) {
      hessian[packedSize(i) + i] = lambda;
      step[i] = -lambda * theta[i];
    }
    for (let k = 0; k < counts.length; k++) {
      const p = sigmoid(this.dot(theta, k));
      const weight = counts[k] * p * (1 - p);
      const residual = payoffs[k] - counts[k] * p;
      for (let i = 0, at = 0, x = k * d; i < d; i++) {
        const xi = values[x + i];
        step[i] += residual * xi;
        for (let j = 0; j <= i; j++) hessian[at++] += weight * xi * values[x + j];
      }
    }
    factor(hessian, d);
    solve(hessian, d, step);
  }

  private loss(theta: Float64Array): number {
    const { counts, payoffs } = this;
    let sum = 0;
    for (let j = 0; j < theta.length; j++) sum += (this.lambda * theta[j] * theta[j]) / 2;
    for (let k = 0; k < counts.length; k++) {
      const z = this.dot(theta, k);
      sum += payoffs[k] * cost(z) + (counts[k] - payoffs[k]) * cost(-z);
    }
    return sum;
  }

  private dot(theta: Float64Array, place: number): number {
    const { values } = this;
    let sum = 0;
    for (let j = 0, x = place * theta.length; j < theta.length; j++) sum += theta[j] * values[x + j];
    return sum;
  }

  carry(archive: Archive): void {
    const { counts, payoffs, d } = this;
    archive.array(this.theta);
    this.stale = archive.flag(this.stale);
    const values = archive.list(this.values.subarray(0, counts.length * d));
    const seen = archive.list(Float64Array.from(counts));
    const sums = archive.list(Float64Array.from(payoffs));
    if (!archive.reading) return;
    this.values = values;
    counts.length = payoffs.length = 0;
    this.places.clear();
    for (let k = 0; k < seen.length; k++) {
      counts.push(seen[k]);
      payoffs.push(sums[k]);
      this.places.set(bitsOf(values.subarray(k * d, (k + 1) * d)), k);
    }
  }
}

/** The bits of numbers as text. */
function bitsOf({ buffer, byteOffset, length }: Float64Array): string {
  let text = '';
  for (const unit of new Uint16Array(buffer, byteOffset, length * 4)) text += String.fromCharCode(unit);
  return text;
}

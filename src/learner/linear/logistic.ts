/** Logistic regression with a ridge, fitted to everything seen. */

import type { Archive } from '../../archive.js';
import { checkRoom } from '../../log/build/memory.js';
import { NormalFactor } from './normal-factor.js';

/**
 * A fit has converged where its Newton decrement √(gᵀH⁻¹g), g the loss's gradient and H its Hessian, is at most this. The next
 * Newton step then changes σ(θᵀx) by at most half as much at every context of the fit: √(p (1 − p)) ≤ 1/2 times the
 * decrement, whatever the units of the contexts. That is 1/200 of the default tie tolerance of scores.
 */
export const CONVERGED = 1e-8;
/** The step of such a decrement is the last: what it leaves is far less. */
const FINE = 1e-12;
/** A decrement that shrinks by less than this is rounding. Saturated payoffs, the slowest, shrink it by e^−½ a step. */
const STALLED = 0.9;
/** From θ = 0, separable payoffs take about ln(1/λ) steps; what needs more than this does not converge. */
const MOST_STEPS = 200;
const MOST_HALVINGS = 1000;
const EPSILON = 2 ** -53;

/** σ(z) = 1 / (1 + e^−z), without overflow. */
export function sigmoid(z: number): number {
  if (z >= 0) return 1 / (1 + Math.exp(-z));
  const e = Math.exp(z);
  return e / (1 + e);
}

/** −ln σ(z) = ln(1 + e^−z), without overflow. */
export function cost(z: number): number {
  return z > 0 ? Math.log1p(Math.exp(-z)) : Math.log1p(Math.exp(z)) - z;
}

/** Errors of σ(θᵀx) beyond this, a tenth of the default tie tolerance of scores, may turn decisions. */
export const MOST_DOUBT = 1e-7;

/** What the fits of one arm, or of several, came to. */
export interface FitReport {
  /** Times that θ̂ was computed afresh. */
  fits: number;
  /** Those whose decrement stayed above `CONVERGED`, rounding of the gradient included. */
  notConverged: number;
  /** Largest decrement with which a fit ended, rounding of the gradient included. */
  decrement: number;
  /** Contexts that were decided about with an error of σ(θ̂ᵀx) that may be beyond `MOST_DOUBT`, all fits having converged. */
  doubtful: number;
}

/** Lists of contexts with more numbers than this are looked at before they grow. */
const LARGE = 2 ** 23;
const FEWER = 'fewer --threads (in code: threads), or context columns that take fewer distinct values';

/** θ̂ = arg max Σ (r ln p + (1 − r) ln(1 − p)) − λ ‖θ‖²/2, p = σ(θᵀx). Equal contexts are kept once, with their sums. */
export class LogisticFit {
  readonly report: FitReport = { fits: 0, notConverged: 0, decrement: 0, doubtful: 0 };
  private readonly theta: Float64Array;
  private readonly step: Float64Array;
  /** Σ |terms| of the gradient. */
  private readonly terms: Float64Array;
  private readonly factor: NormalFactor;
  /** A context's bits → its place in the lists below. */
  private readonly places = new Map<string, number>();
  /** Distinct contexts, one after the other, with room for more. */
  private values = new Float64Array(0);
  private readonly counts: number[] = [];
  private readonly payoffs: number[] = [];
  /** Of each context: z = θᵀx, what a step moves it by, and p (1 − p) · count. */
  private z = new Float64Array(0);
  private moves = new Float64Array(0);
  private weights = new Float64Array(0);
  private stale = false;
  /** With which the last fit ended. */
  private last = 0;

  /** @param d length of contexts. */
  constructor(
    private readonly d: number,
    private readonly lambda: number,
  ) {
    this.theta = new Float64Array(d);
    this.step = new Float64Array(d);
    this.terms = new Float64Array(d);
    this.factor = new NormalFactor(d);
  }

  /**
   * Looks at a context that was decided about: θ̂ᵀx is wrong by at most the decrement times ‖x‖ in H⁻¹, which is large only
   * where x is unlike all contexts of the fit.
   */
  judge(x: Float64Array): void {
    const { theta, report } = this;
    if (this.stale || report.fits === 0 || !(this.last <= CONVERGED)) return;
    let z = 0;
    for (let j = 0; j < x.length; j++) z += theta[j] * x[j];
    if (!(this.last * this.factor.norm(x) * sigmoid(z) * sigmoid(-z) <= MOST_DOUBT)) report.doubtful++;
  }

  /** @param x a context; it is copied. */
  add(x: Float64Array, payoff: number): void {
    const key = bitsOf(x);
    const place = this.places.get(key);
    if (place === undefined) {
      const at = this.counts.length;
      this.places.set(key, at);
      if ((at + 1) * this.d > this.values.length) {
        const rows = 2 * (at + 1);
        const product = `${rows} rows × ${this.d} columns × 8 bytes`;
        if (rows * this.d >= LARGE) checkRoom('distinct contexts of an arm', product, rows * this.d * 8, FEWER);
        const larger = new Float64Array(rows * this.d);
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
    const decrement = this.fit();
    this.last = decrement;
    const { report } = this;
    report.fits++;
    // A decrement that is no number has not converged either.
    if (!(decrement <= CONVERGED)) report.notConverged++;
    report.decrement = Math.max(report.decrement, Number.isNaN(decrement) ? Number.POSITIVE_INFINITY : decrement);
    return this.theta;
  }

  /** −ln likelihood + λ ‖θ‖²/2 at θ̂ */
  loss(): number {
    this.estimate();
    this.grow();
    this.project(this.theta, this.z);
    return this.lossAt(0);
  }

  /** Largest |x_j| of the contexts seen. */
  largest(j: number): number {
    let most = 0;
    for (let k = 0; k < this.counts.length; k++) most = Math.max(most, Math.abs(this.values[k * this.d + j]));
    return most;
  }

  /** Newton's method with halved steps. @returns the last decrement. */
  private fit(): number {
    const { theta, step } = this;
    this.grow();
    // An event that the last estimate contradicts may be better begun without it.
    this.project(theta, this.z);
    const before = this.lossAt(0);
    if (!(before <= this.payoffCount() * Math.LN2)) theta.fill(0);
    let last = Number.POSITIVE_INFINITY;
    for (let n = 0; n < MOST_STEPS; n++) {
      const { decrement, rounding } = this.newton();
      if (!Number.isFinite(decrement)) return decrement;
      if (decrement <= 100 * CONVERGED && decrement > STALLED * last) return decrement + rounding;
      last = decrement;
      const size = this.stepSize(decrement);
      if (size === 0) return decrement + rounding;
      for (let j = 0; j < step.length; j++) theta[j] += size * step[j];
      if (decrement <= FINE) return decrement + rounding;
    }
    return last;
  }

  /** The Newton step from θ, and how far it is from nothing: the decrement, and what rounding of the gradient makes of it. */
  private newton(): { decrement: number; rounding: number } {
    const { theta, step, terms, weights, z, moves, lambda, counts, values, d, factor } = this;
    this.project(theta, z);
    for (let i = 0; i < d; i++) {
      step[i] = -lambda * theta[i];
      terms[i] = lambda * Math.abs(theta[i]);
    }
    for (let k = 0, x = 0; k < counts.length; k++, x += d) {
      const p = sigmoid(z[k]);
      weights[k] = counts[k] * p * sigmoid(-z[k]);
      const residual = this.residual(k, z[k]);
      for (let i = 0; i < d; i++) {
        const term = residual * values[x + i];
        step[i] += term;
        terms[i] += Math.abs(term);
      }
    }
    if (!factor.make(values, weights, counts.length, lambda)) {
      return { decrement: Number.POSITIVE_INFINITY, rounding: 0 };
    }
    const gradient = step.slice();
    factor.solve(step);
    let squared = 0;
    for (let i = 0; i < d; i++) squared += gradient[i] * step[i];
    this.project(step, moves);
    // Rounding errors of a sum of n terms grow like √n.
    const rounding = EPSILON * Math.sqrt(counts.length) * factor.errorSize(terms);
    return { decrement: squared >= 0 ? Math.sqrt(squared) : Number.NaN, rounding };
  }

  /**
   * How much of the Newton step to take: the largest of 1, 1/2, 1/4, … at which the loss has fallen by a share of what its slope
   * promises and the slope beyond is not half as steep upwards. Where the gain drowns in the loss's rounding the slope alone decides.
   *
   * @returns 0 where no step helps.
   */
  private stepSize(decrement: number): number {
    const slope = -decrement * decrement;
    const before = this.lossAt(0);
    const drowned = 8 * EPSILON * (before + this.payoffCount());
    let size = 1;
    for (let n = 0; n < MOST_HALVINGS; n++, size /= 2) {
      if (this.lossAt(size) <= before + 1e-4 * size * slope + drowned && this.slopeAt(size) <= -0.5 * slope)
        return size;
    }
    return 0;
  }

  /** Loss at θ + size · step. */
  private lossAt(size: number): number {
    const { counts, payoffs, theta, step, z, moves } = this;
    let sum = 0;
    for (let j = 0; j < theta.length; j++) sum += (this.lambda * (theta[j] + size * step[j]) ** 2) / 2;
    for (let k = 0; k < counts.length; k++) {
      const at = size === 0 ? z[k] : z[k] + size * moves[k];
      sum += payoffs[k] * cost(at) + (counts[k] - payoffs[k]) * cost(-at);
    }
    return sum;
  }

  /** Slope of the loss along the step, at θ + size · step. */
  private slopeAt(size: number): number {
    const { counts, theta, step, z, moves } = this;
    let sum = 0;
    for (let j = 0; j < theta.length; j++) sum += this.lambda * (theta[j] + size * step[j]) * step[j];
    for (let k = 0; k < counts.length; k++) sum -= this.residual(k, z[k] + size * moves[k]) * moves[k];
    return sum;
  }

  /** Σ (r − p) of a context, as differences that do not cancel where p is near 0 or 1. */
  private residual(place: number, z: number): number {
    const [count, payoff] = [this.counts[place], this.payoffs[place]];
    return payoff * sigmoid(-z) - (count - payoff) * sigmoid(z);
  }

  private payoffCount(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** out = Xθ */
  private project(theta: Float64Array, out: Float64Array): void {
    const { values, counts, d } = this;
    for (let k = 0, x = 0; k < counts.length; k++, x += d) {
      let sum = 0;
      for (let j = 0; j < d; j++) sum += theta[j] * values[x + j];
      out[k] = sum;
    }
  }

  private grow(): void {
    if (this.z.length >= this.counts.length) return;
    const room = 2 * this.counts.length;
    this.z = new Float64Array(room);
    this.moves = new Float64Array(room);
    this.weights = new Float64Array(room);
  }

  carry(archive: Archive): void {
    const { counts, payoffs, d, report } = this;
    archive.array(this.theta);
    this.stale = archive.flag(this.stale);
    for (const part of ['fits', 'notConverged', 'decrement', 'doubtful'] as const)
      report[part] = archive.number(report[part]);
    this.last = archive.number(this.last);
    this.factor.carry(archive);
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

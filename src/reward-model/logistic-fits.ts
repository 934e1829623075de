/**
 * Logistic regressions fitted side by side by Newton's method (iteratively reweighted least squares), a step per pass over the
 * events: θ̂ = arg min Σ −(u ln p + (1 − u) ln(1 − p)) + λ ‖θ‖²/2, p = σ(θ·x), for payoffs u in [0, 1], fractions too.
 *
 * A pass evaluates every fit at its trial point; where the loss has not fallen by a share of what its slope promised, the step is
 * halved and tried again, so that the loss never rises by more than rounding.
 */

import type { Archive } from '../archive.js';
import { CONVERGED, cost, sigmoid } from '../learner/linear/logistic.js';
import { packedSize } from '../learner/linear/packed.js';
import type { NonZeros } from './contexts.js';
import { NormalEquations } from './normal-equations.js';

/** A decrement this small that shrinks by less than a tenth is rounding. */
const NEARLY = 100 * CONVERGED;
const STALLED = 0.9;
/** Share of the slope's promise that a step must keep (Armijo). */
const KEPT = 1e-4;
const EPSILON = 2 ** -53;

/** How a fit stands. */
const OPEN = 0;
const CLOSED = 1;
const STUCK = 2;

export class LogisticFits {
  /** Hessian packed, gradient, loss of each fit at its trial point, [fits, size]; empty when all are done. */
  private sums: Float64Array;
  private readonly size: number;
  /** θ, [fits, d] */
  readonly theta: Float64Array;
  private trial: Float64Array;
  private step: Float64Array;
  /** Of each fit: events, loss at θ, decrement there, share of the step that is tried (0: θ itself, the first pass), how it stands. */
  private readonly events: Float64Array;
  private readonly loss: Float64Array;
  private readonly decrement: Float64Array;
  private readonly share: Float64Array;
  private readonly state: Uint8Array;
  /** Columns without digits of their own in the equations of the last pass. */
  dropped = 0;

  /** @param fits how many. @param d columns. */
  constructor(
    private readonly fits: number,
    private readonly d: number,
    private readonly lambda: number,
  ) {
    this.size = LogisticFits.size(d);
    this.sums = new Float64Array(fits * this.size);
    this.theta = new Float64Array(fits * d);
    this.trial = new Float64Array(fits * d);
    this.step = new Float64Array(fits * d);
    this.events = new Float64Array(fits);
    this.loss = new Float64Array(fits);
    this.decrement = new Float64Array(fits);
    this.share = new Float64Array(fits);
    this.state = new Uint8Array(fits);
  }

  /** Numbers that a fit sums in a pass. */
  static size(d: number): number {
    return packedSize(d) + d + 1;
  }

  /** An event of a fit. @param payoff u in [0, 1] */
  add(fit: number, { at, value, count }: NonZeros, payoff: number): void {
    if (this.state[fit] !== OPEN) return;
    const { sums, trial, size, d } = this;
    const [from, theta] = [fit * size, fit * d];
    let z = 0;
    for (let i = 0; i < count; i++) z += value[i] * trial[theta + at[i]];
    const p = sigmoid(z);
    const q = sigmoid(-z);
    const weight = p * q;
    // u − p as differences that do not cancel where p is near 0 or 1.
    const residual = payoff * q - (1 - payoff) * p;
    const gradient = from + size - d - 1;
    for (let i = 0; i < count; i++) {
      const wx = weight * value[i];
      const to = from + packedSize(at[i]);
      if (count === d) for (let j = 0; j <= i; j++) sums[to + j] += wx * value[j];
      else for (let j = 0; j <= i; j++) sums[to + at[j]] += wx * value[j];
      sums[gradient + at[i]] += residual * value[i];
    }
    sums[from + size - 1] += payoff * cost(z) + (1 - payoff) * cost(-z);
    if (this.share[fit] === 0) this.events[fit]++;
  }

  /** Ends a pass. @returns whether any fit needs another. @throws RangeError with a column whose sums overflow. */
  endPass(): boolean {
    const { fits, state } = this;
    const equations = new NormalEquations(this.d);
    let open = false;
    for (let fit = 0; fit < fits; fit++) {
      if (state[fit] !== OPEN) continue;
      this.judge(fit, equations);
      if (state[fit] === OPEN) open = true;
    }
    this.dropped = equations.dropped;
    this.sums.fill(0);
    return open;
  }

  private judge(fit: number, equations: NormalEquations): void {
    const { sums, size, d, lambda, theta, trial, step, share, loss, state } = this;
    const own = sums.subarray(fit * size, (fit + 1) * size);
    const at = fit * d;
    let reached = own[size - 1];
    for (let j = 0; j < d; j++) reached += (lambda * trial[at + j] ** 2) / 2;
    const before = loss[fit];
    const promised = KEPT * share[fit] * this.decrement[fit] ** 2;
    const rounding = 8 * EPSILON * (before + this.events[fit]);
    // A loss that is no number has not fallen either.
    if (share[fit] > 0 && !(reached <= before - promised + rounding)) {
      share[fit] /= 2;
      for (let j = 0; j < d; j++) trial[at + j] = theta[at + j] + share[fit] * step[at + j];
      return;
    }
    loss[fit] = reached;
    const gradient = size - d - 1;
    for (let j = 0; j < d; j++) {
      theta[at + j] = trial[at + j];
      own[gradient + j] -= lambda * theta[at + j];
    }
    const next = step.subarray(at, at + d);
    const bad = equations.solve(own, lambda, next);
    if (bad >= 0) throw new OverflowingColumn(bad);
    let squared = 0;
    for (let j = 0; j < d; j++) squared += own[gradient + j] * next[j];
    const decrement = Math.sqrt(Math.max(0, squared));
    const stalled = share[fit] > 0 && decrement <= NEARLY && decrement > STALLED * this.decrement[fit];
    this.decrement[fit] = decrement;
    share[fit] = 1;
    for (let j = 0; j < d; j++) trial[at + j] = theta[at + j] + next[j];
    if (decrement <= CONVERGED) {
      // The step that is left changes next to nothing, and what it leaves is the square of that.
      for (let j = 0; j < d; j++) theta[at + j] = trial[at + j];
      state[fit] = CLOSED;
    } else if (stalled) state[fit] = STUCK;
  }

  /** Fits that have not converged. */
  get unfinished(): number {
    return this.state.reduce((sum, one) => sum + (one === CLOSED ? 0 : 1), 0);
  }

  /** No pass will follow: lets go of all but θ. */
  finish(): void {
    this.sums = this.trial = this.step = new Float64Array(0);
  }

  carry(archive: Archive): void {
    this.sums = archive.list(this.sums);
    this.trial = archive.list(this.trial);
    this.step = archive.list(this.step);
    for (const column of [this.theta, this.events, this.loss, this.decrement, this.share, this.state])
      archive.array(column);
    this.dropped = archive.number(this.dropped);
  }
}

/** The sums of squares of a column are no finite numbers. */
export class OverflowingColumn extends Error {
  override readonly name = 'OverflowingColumn';

  constructor(readonly column: number) {
    super(`column ${column} overflows`);
  }
}

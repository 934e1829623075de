/**
 * Exponential weights over the candidates of an event, as `exp3`, `exp3p` and `exp4` mix them:
 *
 *     p_a = (1 − γ) w_a / Σ_b w_b + γ/K        over the K candidates of the event
 *
 * Weights are kept as logarithms and the largest is subtracted before `exp`, so they neither overflow nor vanish.
 */

import type { Archive } from '../../archive.js';
import type { PayoffScale } from '../../estimate/sums/payoff-scale.js';
import { BrokenNumbers } from '../broken.js';
import type { Draws } from '../draws.js';
import type { Candidates } from '../learner.js';

/** A payoff rescaled from the log's payoff range to [0, 1]. */
export function unitPayoff({ low, high }: PayoffScale, payoff: number): number {
  if (high - low === Number.POSITIVE_INFINITY) return (payoff / 2 - low / 2) / (high / 2 - low / 2);
  return high > low ? (payoff - low) / (high - low) : 0;
}

/** Logarithms of weights from here on are rounded by up to 2⁻²¹, and the weights by as large a share. */
const MOST_LOG = 2 ** 32;

/** Only `exp3p` comes here: steps of the others are at most 1, as γ ≤ K p. */
function tooLarge(arm: number, change: number, log: number): BrokenNumbers {
  return new BrokenNumbers({
    ...{ what: 'the logarithm of the weight', arm, setting: 'gamma' },
    problem: 'is too large for 64-bit numbers, and probabilities would be rounded away',
    got: `${log}, after a change by ${change}`,
    needed: `below ${MOST_LOG}`,
    hint: 'a larger gamma, which keeps probabilities from vanishing, or a smaller eta',
  });
}

/** w / Σ w of logarithms `logs[0 .. n)` into `shares`. */
export function shareOf(logs: Float64Array, n: number, shares: Float64Array): void {
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n; i++) max = Math.max(max, logs[i]);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    shares[i] = Math.exp(logs[i] - max);
    sum += shares[i];
  }
  for (let i = 0; i < n; i++) shares[i] /= sum;
}

/** The candidate that u in [0, 1) selects: the first whose cumulative probability exceeds it. */
export function sample(probabilities: Float64Array, { arms, from, to }: Candidates, u: number): number {
  let left = u;
  for (let i = from; i < to - 1; i++) {
    left -= probabilities[i - from];
    if (left < 0) return arms[i];
  }
  return arms[to - 1];
}

/**
 * Log weights with a frozen copy: probabilities come from the weights as they were at the last decision. An event is
 * divided by the probability with which it was chosen, also where several updates follow one decision (`update every`).
 */
export class Weights {
  private readonly current: Float64Array;
  private readonly frozen: Float64Array;
  private stale = false;

  constructor(size: number) {
    this.current = new Float64Array(size);
    this.frozen = new Float64Array(size);
  }

  /** ln w as of the last decision. */
  get decided(): Float64Array {
    return this.frozen;
  }

  /** To be called at each decision: brings the frozen copy up to date. True where it was not. */
  decide(): boolean {
    if (!this.stale) return false;
    this.frozen.set(this.current);
    this.stale = false;
    return true;
  }

  /** ln w_i += change. @throws BrokenNumbers where that is rounded so far that probabilities would lose six digits. */
  add(i: number, change: number): void {
    this.current[i] += change;
    if (!(Math.abs(this.current[i]) < MOST_LOG)) throw tooLarge(i, change, this.current[i]);
    this.stale = true;
  }

  carry(archive: Archive): void {
    archive.array(this.current);
    archive.array(this.frozen);
    this.stale = archive.flag(this.stale);
  }

  /** w relative to the largest, for people. */
  describe(): number[] {
    const max = this.current.reduce((most, log) => Math.max(most, log), Number.NEGATIVE_INFINITY);
    return Array.from(this.current, (log) => Math.exp(log - max));
  }
}

/** Weights of arms: the probabilities of `exp3` and `exp3p`. */
export class ArmWeights extends Weights {
  private readonly logs: Float64Array;
  /** p of the candidates asked for last, for as long as the weights are the same. */
  private readonly p: Float64Array;
  private asked: Candidates | null = null;

  /** @param gamma γ */
  constructor(
    arms: number,
    private readonly gamma: number,
  ) {
    super(arms);
    this.logs = new Float64Array(arms);
    this.p = new Float64Array(arms);
  }

  /** p of each candidate, as of the last decision; overwritten by the next call. */
  probabilities({ arms, from, to }: Candidates): Float64Array {
    const { asked } = this;
    if (asked !== null && asked.arms === arms && asked.from === from && asked.to === to) return this.p;
    const n = to - from;
    for (let i = 0; i < n; i++) this.logs[i] = this.decided[arms[from + i]];
    shareOf(this.logs, n, this.p);
    for (let i = 0; i < n; i++) this.p[i] = (1 - this.gamma) * this.p[i] + this.gamma / n;
    this.asked = { arms, from, to };
    return this.p;
  }

  override carry(archive: Archive): void {
    super.carry(archive);
    this.asked = null;
  }

  override decide(): boolean {
    const changed = super.decide();
    if (changed) this.asked = null;
    return changed;
  }

  choose(draws: Draws, event: number, candidates: Candidates): number {
    this.decide();
    return sample(this.probabilities(candidates), candidates, draws.unit(event, 0));
  }
}

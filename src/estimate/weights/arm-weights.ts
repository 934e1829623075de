/**
 * Do the logged propensities agree with how often each arm was shown? Whatever policy logged the events, 1/p_t summed over those
 * of an arm is on average the number of events that offer it, if p_t is the probability of the logged arm and no event that
 * offers the arm gave it none.
 */

import type { Archive, Carried } from '../../archive.js';
import type { EventNumbers } from '../event-numbers.js';
import { zScore } from '../interval/z-score.js';

/** A right log is accused with this probability, all of its arms together: that of |z| > 4. */
const FALSE_ALARM = 6.3e-5;
/**
 * Sums that are too small say something where they rest on so many events' worth of data (Kish's effective sample size): an arm
 * that is likely here and most unlikely there lacks, as a rule, the few events of great weight.
 */
const LEAST_EFFECTIVE = 30;

/** An arm whose propensities do not agree with its events. */
export interface OddArm {
  readonly arm: string;
  readonly events: number;
  /** Σ 1/p over them. */
  readonly weight: number;
  /** Events that offer the arm. */
  readonly offered: number;
  readonly z: number;
}

/** Sums the weights 1/p of every arm. */
export class ArmWeights implements Carried {
  private readonly offered: Float64Array;
  private readonly events: Float64Array;
  private readonly weights: Float64Array;
  private readonly squares: Float64Array;

  constructor(private readonly arms: EventNumbers['arms']) {
    const sums = (): Float64Array => new Float64Array(arms.ids.length);
    [this.offered, this.events, this.weights, this.squares] = [sums(), sums(), sums(), sums()];
  }

  add({ events, arm, propensity, pools }: EventNumbers): void {
    const { offsets, arms, pool } = pools;
    const times = new Float64Array(offsets.length - 1);
    for (let t = 0; t < events; t++) {
      const a = arm[t];
      const weight = 1 / (propensity?.[t] ?? Number.NaN);
      this.events[a]++;
      this.weights[a] += weight;
      this.squares[a] += weight * weight;
      times[pool === null ? 0 : pool[t]]++;
    }
    for (let set = 0; set < times.length; set++) {
      if (times[set] === 0) continue;
      for (let i = offsets[set]; i < offsets[set + 1]; i++) this.offered[arms[i]] += times[set];
    }
  }

  /** 1 for each arm that events offer and none logged, [K]; `null`: there is none. */
  unlogged(): Uint32Array | null {
    const arms = Uint32Array.from(this.offered, (offered, a) => (offered > 0 && this.events[a] === 0 ? 1 : 0));
    return arms.includes(1) ? arms : null;
  }

  /** Arms whose sum is no chance, the furthest from it first. */
  odd(): OddArm[] {
    const { ids } = this.arms;
    const tested = this.events.reduce((count, events) => count + (events > 0 ? 1 : 0), 0);
    const most = zScore(FALSE_ALARM / Math.max(1, tested));
    return ids
      .flatMap((arm, a) => {
        const [events, weight, offered] = [this.events[a], this.weights[a], this.offered[a]];
        if (events === 0) return [];
        // Σ (1/p² − 1/p) estimates the sum's variance, Σ (1/p − 1) over the events that offer the arm.
        const error = Math.sqrt(Math.max(0, this.squares[a] - weight));
        const z = weight === offered ? 0 : (weight - offered) / error;
        const isOdd = z > most || (z < -most && weight ** 2 / this.squares[a] >= LEAST_EFFECTIVE);
        return isOdd ? [{ arm, events, weight, offered, z }] : [];
      })
      .sort((one, other) => Math.abs(other.z) - Math.abs(one.z));
  }

  carry(archive: Archive): void {
    for (const sums of [this.offered, this.events, this.weights, this.squares]) archive.array(sums);
  }
}

/** The candidate set of an event, as learners get it. */

import type { EventLog } from '../log/event-log.js';
import type { Candidates } from './learner.js';

/** A_t: arm indices `arms[from .. to)`, ascending. */
export function candidatesAt({ pools }: Pick<EventLog, 'pools'>, event: number): Candidates {
  const pool = pools.pool === null ? 0 : pools.pool[event];
  return { arms: pools.arms, from: pools.offsets[pool], to: pools.offsets[pool + 1] };
}

/** Place of an arm among the candidates (0 for the first), or −1. */
export function candidateNumber({ arms, from, to }: Candidates, arm: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (arms[middle] < arm) low = middle + 1;
    else high = middle;
  }
  return low < to && arms[low] === arm ? low - from : -1;
}

/**
 * Remembers the last answer for one candidate set. Many events share a set, and few of them change the state, so
 * learners without contexts decide once where they would decide a hundred times.
 */
export class LastChoice {
  private arms: Uint32Array | null = null;
  private from = 0;
  private to = 0;
  private arm = 0;

  /** The remembered arm, or what `decide` says. */
  get(candidates: Candidates, decide: (candidates: Candidates) => number): number {
    const { arms, from, to } = candidates;
    if (this.arms !== arms || this.from !== from || this.to !== to) {
      this.arm = decide(candidates);
      this.arms = arms;
      this.from = from;
      this.to = to;
    }
    return this.arm;
  }

  /** To be called when the state changes. */
  forget(): void {
    this.arms = null;
  }
}

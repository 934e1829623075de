/** In which order a policy's arms are tried: those that win often first, so that most events are dropped early. */

import type { LinearBatch } from '../policy/batch.js';
import type { DecisionLog } from '../policy/linear/cpu.js';

/** Events whose contexts the order is guessed from. */
const SAMPLE = 256;
const UNKNOWN = 0xffffffff;

/** A heuristic for speed alone: any order gives the same matches. */
export class TrialOrder {
  /** Arms of each policy in their order, [P, K]; UNKNOWN in a row's first place: not ranked yet. */
  private readonly order: Uint32Array;
  private readonly inPool: Uint8Array;
  private readonly mean: Float64Array;
  private readonly variance: Float64Array;

  constructor(
    private readonly log: DecisionLog & { readonly events: number },
    private readonly batch: LinearBatch,
  ) {
    this.order = new Uint32Array(batch.policies * batch.arms).fill(UNKNOWN);
    this.inPool = new Uint8Array(batch.arms);
    this.mean = new Float64Array(batch.dimension);
    this.variance = new Float64Array(batch.dimension);
    this.sampleContexts();
  }

  /** Writes the candidates of a pool to `out`, in the policy's order; returns how many. */
  list(policy: number, pool: number, out: Uint32Array): number {
    const { arms: all } = this.batch;
    const { offsets, arms } = this.log.pools;
    const [from, to] = [offsets[pool], offsets[pool + 1]];
    const order = this.order.subarray(policy * all, (policy + 1) * all);
    if (order[0] === UNKNOWN) this.rank(policy, order);
    if (to - from === all) {
      out.set(order);
      return all;
    }
    let length = 0;
    for (let i = from; i < to; i++) this.inPool[arms[i]] = 1;
    for (const arm of order) if (this.inPool[arm] === 1) out[length++] = arm;
    for (let i = from; i < to; i++) this.inPool[arms[i]] = 0;
    return length;
  }

  private sampleContexts(): void {
    const { dimension, values, row } = this.log.contexts;
    const sampled = Math.min(SAMPLE, this.log.events);
    for (let i = 0; i < sampled; i++) {
      const event = Math.floor((i * this.log.events) / sampled);
      const at = (row === null ? event : row[event]) * dimension;
      for (let j = 0; j < dimension; j++) {
        // Welford's update: mean and centred sum of squares.
        const delta = values[at + j] - this.mean[j];
        this.mean[j] += delta / (i + 1);
        this.variance[j] += (delta * (values[at + j] - this.mean[j])) / sampled;
      }
    }
  }

  /** By score at the mean context plus one typical deviation. */
  private rank(policy: number, order: Uint32Array): void {
    const { arms, dimension, weights } = this.batch;
    const strength = Float64Array.from({ length: arms }, (_, a) => {
      let centre = 0;
      let variance = 0;
      for (let j = 0; j < dimension; j++) {
        const w = weights[(policy * arms + a) * dimension + j];
        centre += w * this.mean[j];
        variance += w * w * this.variance[j];
      }
      return centre + Math.sqrt(variance);
    });
    order.set(Array.from({ length: arms }, (_, a) => a).sort((a, b) => strength[b] - strength[a]));
  }
}

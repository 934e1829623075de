/** The order in which a policy's arms are compared with the logged one: those that win often first, so that most events are dropped early. */

import type { Screen } from '../../policy/screen.js';

/** Events whose contexts the order is guessed from. */
const SAMPLE = 256;
const UNKNOWN = 0xffffffff;

/** A heuristic for speed alone: any order gives the same matches. */
export class ArmOrder {
  /** Arms of each policy in their order, [P, K]; UNKNOWN in a row's first place: not ranked yet. Made when it is asked for. */
  private orders: Uint32Array | null = null;
  private readonly inPool: Uint8Array;
  private readonly mean: Float64Array;
  private readonly variance: Float64Array;

  constructor(
    private readonly events: number,
    private readonly screen: Screen,
  ) {
    this.inPool = new Uint8Array(screen.rows);
    this.mean = new Float64Array(screen.dimension);
    this.variance = new Float64Array(screen.dimension);
    this.sampleContexts();
  }

  /** Writes the candidates of a pool to `out`, in the policy's order; returns how many. */
  list(policy: number, pool: number, out: Uint32Array): number {
    const { rows: all } = this.screen;
    const { offsets, arms } = this.screen.pools;
    const [from, to] = [offsets[pool], offsets[pool + 1]];
    this.orders ??= new Uint32Array(this.screen.policies * all).fill(UNKNOWN);
    const { orders, inPool } = this;
    const first = policy * all;
    if (orders[first] === UNKNOWN) this.rank(policy, orders.subarray(first, first + all));
    const size = to - from;
    if (size === all) {
      for (let i = 0; i < all; i++) out[i] = orders[first + i];
      return all;
    }
    for (let i = from; i < to; i++) inPool[arms[i]] = 1;
    for (let i = first, length = 0; length < size; i++) if (inPool[orders[i]] === 1) out[length++] = orders[i];
    for (let i = from; i < to; i++) inPool[arms[i]] = 0;
    return size;
  }

  private sampleContexts(): void {
    const { dimension } = this.screen;
    const y = new Float64Array(dimension);
    const sampled = Math.min(SAMPLE, this.events);
    for (let i = 0; i < sampled; i++) {
      this.screen.write(Math.floor((i * this.events) / sampled), y, 0, 1);
      for (let j = 0; j < dimension; j++) {
        // Welford's update: mean and centred sum of squares.
        const delta = y[j] - this.mean[j];
        this.mean[j] += delta / (i + 1);
        this.variance[j] += (delta * (y[j] - this.mean[j])) / sampled;
      }
    }
  }

  /** By score at the mean context plus one typical deviation. */
  private rank(policy: number, order: Uint32Array): void {
    const { rows: arms, dimension } = this.screen;
    const weights = this.screen.weights(policy);
    const strength = Float64Array.from({ length: arms }, (_, a) => {
      let centre = 0;
      let variance = 0;
      for (let j = 0; j < dimension; j++) {
        const w = weights[a * dimension + j];
        centre += w * this.mean[j];
        variance += w * w * this.variance[j];
      }
      return centre + Math.sqrt(variance);
    });
    order.set(Array.from({ length: arms }, (_, a) => a).sort((a, b) => strength[b] - strength[a]));
  }
}

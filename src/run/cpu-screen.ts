/**
 * First pass over scored policies in f32, with the GPU kernel's proved error bound: most events are decided at twice
 * the speed of f64, and the doubtful ones by the reference.
 */

import { LARGEST_NORM, roundUp } from '../policy/linear/kernel.js';
import type { Screen } from '../policy/screen.js';
import type { CpuJob } from './cpu-job.js';
import { MatchSums } from './match-sums.js';
import { DOUBTFUL_SHARE, groupQuads, packBounds, packContexts, type QuadOrder, WORTH_GROUPING } from './quads.js';
import type { TrialOrder } from './trial-order.js';
import { storeSums } from './wasm/memory.js';
import { ScreenKernel } from './wasm/screen.js';

export class ScreenMatcher {
  private readonly kernel: ScreenKernel;
  private readonly maxQuads: number;
  /** Largest row norm of each policy; NaN: not computed yet. */
  private readonly norms: Float64Array;
  private order: QuadOrder = { runs: [], slots: new Int32Array(0), quads: 0 };
  /** Runs from..to−1 of one pool. */
  private pools: { pool: number; from: number; to: number }[] = [];
  private start = 0;
  private largestNorm = 0;

  /** @param chunk most events of a chunk. */
  constructor(
    private readonly job: CpuJob,
    private readonly screen: Screen,
    private readonly trial: TrialOrder,
    chunk: number,
  ) {
    const { rows: arms, dimension, policies } = screen;
    this.maxQuads = Math.ceil((chunk / 4) * WORTH_GROUPING) + 1;
    const doubtful = Math.ceil(chunk / DOUBTFUL_SHARE);
    this.kernel = new ScreenKernel({ arms, dimension, quads: this.maxQuads, runs: this.maxQuads, doubtful });
    this.norms = new Float64Array(policies).fill(Number.NaN);
  }

  /** Packs entries start..start+count−1, grouped by pool and logged arm; false where the groups are too small for that. */
  load(start: number, count: number): boolean {
    const { screen } = this;
    const { entries, cellEvent } = this.job.worklist;
    const { pool } = screen.pools;
    const arms = screen.rows;
    const eventOf = (i: number): number => (cellEvent === null ? start + i : cellEvent[start + i]);
    this.order = groupQuads(count, (i) => (pool === null ? 0 : pool[eventOf(i)]) * arms + entries.arm[start + i]);
    if (this.order.quads > (count / 4) * WORTH_GROUPING) return false;
    const { kernel, order } = this;
    this.start = start;
    packContexts(screen, order, eventOf, kernel.x);
    this.largestNorm = packBounds(screen, order, eventOf, kernel);
    for (let s = 0; s < order.slots.length; s++) {
      const position = order.slots[s];
      kernel.steps[s] = position < 0 || entries.steps === null ? 0 : entries.steps[start + position];
    }
    this.pools = [];
    order.runs.forEach(({ key, from, to }, r) => {
      kernel.runs.set([key % arms, from, to], r * 3);
      const own = Math.floor(key / arms);
      const last = this.pools.at(-1);
      if (last?.pool === own) last.to = r + 1;
      else this.pools.push({ pool: own, from: r, to: r + 1 });
    });
    return true;
  }

  /** Adds the matches of policy p to the statistics at `at`; false where f32 cannot tell and nothing was added. */
  match(p: number, at: number): boolean {
    const { kernel, screen } = this;
    const norm = this.normOf(p);
    // Zeros tie everywhere; beyond the largest norm f32 might overflow.
    if (norm === 0 || norm > LARGEST_NORM || this.largestNorm > LARGEST_NORM) return false;
    kernel.weights.set(screen.weights(p));
    kernel.sums.fill(0n);
    const bound = { norm: roundUp(norm), slack: screen.slack(this.largestNorm, norm) };
    const doubtful: number[] = [];
    for (const { pool, from, to } of this.pools) {
      const length = this.trial.list(p, pool, kernel.list);
      const count = kernel.screen(from, to, length, bound);
      if (count < 0 || doubtful.length + count > kernel.doubtful.length) return false;
      for (let i = 0; i < count; i++) doubtful.push(kernel.doubtful[i]);
    }
    storeSums(kernel.sums, this.job.stats, at);
    if (doubtful.length > 0) this.settle(p, at, doubtful);
    return true;
  }

  private settle(p: number, at: number, slots: readonly number[]): void {
    const { stats, worklist } = this.job;
    const { entries, cellEvent } = worklist;
    const sums = new MatchSums(entries);
    for (const slot of slots) {
      const entry = this.start + this.order.slots[slot];
      const event = cellEvent === null ? entry : cellEvent[entry];
      if (this.screen.choice(p, event) === entries.arm[entry]) sums.add(entry);
    }
    sums.store(stats, at);
  }

  private normOf(p: number): number {
    if (Number.isNaN(this.norms[p])) this.norms[p] = this.screen.norm(p);
    return this.norms[p];
  }
}

/**
 * First pass over scored policies in f32, with the GPU kernel's proved error bound: most events are decided at twice
 * the speed of f64, and the doubtful ones by the reference.
 */

import { LARGEST_NORM, roundUp } from '../../policy/linear/kernel.js';
import type { Screen } from '../../policy/screen.js';
import { MatchSums } from '../match-sums.js';
import type { TrialOrder } from './arm-order.js';
import type { CpuJob } from './job.js';
import { DOUBTFUL_SHARE, groupQuads, packBounds, packContexts, type QuadOrder, WORTH_GROUPING } from './quads.js';
import { ScreenKernel } from './wasm/screen.js';

export class ScreenMatcher {
  private readonly kernel: ScreenKernel;
  private readonly maxQuads: number;
  private readonly sums: MatchSums;
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
    this.sums = new MatchSums(job.worklist);
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
    kernel.counts.fill(0);
    const bound = { norm: roundUp(norm), slack: screen.slack(this.largestNorm, norm) };
    for (const { pool, from, to } of this.pools)
      if (!kernel.screen(from, to, this.trial.list(p, pool, kernel.list), bound)) return false;
    this.add(p, at);
    return true;
  }

  /** Adds what was proved, and decides what was not. */
  private add(p: number, at: number): void {
    const { kernel, order, start, sums } = this;
    const { stats, worklist } = this.job;
    const { entries, cellEvent } = worklist;
    const [matches, doubts] = kernel.counts;
    for (let i = 0; i < matches; i++) sums.add(start + order.slots[kernel.matched[i]]);
    for (let i = 0; i < doubts; i++) {
      const entry = start + order.slots[kernel.doubtful[i]];
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

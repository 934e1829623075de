/** Matches of scored policies, in f32 where it can prove them. */

import type { Screen } from '../../policy/screen.js';
import { MatchSums } from '../match-sums.js';
import type { ArmOrder } from './arm-order.js';
import type { CpuJob } from './job.js';
import { ScreenedQuads } from './screened-quads.js';

export class ScreenMatcher {
  private readonly quads: ScreenedQuads;
  private readonly sums: MatchSums;
  /** Runs from..to−1 of one pool. */
  private pools: { pool: number; from: number; to: number }[] = [];
  private start = 0;

  /** @param chunk most events of a chunk. */
  constructor(
    private readonly job: CpuJob,
    private readonly screen: Screen,
    private readonly armOrder: ArmOrder,
    chunk: number,
  ) {
    this.quads = new ScreenedQuads(screen, chunk);
    this.sums = new MatchSums(job.worklist);
  }

  /** Packs entries start..start+count−1, grouped by pool and logged arm; false where the groups are too small for that. */
  load(start: number, count: number): boolean {
    const { screen, quads } = this;
    const { entries, cellEvent } = this.job.worklist;
    const { pool } = screen.pools;
    const arms = screen.rows;
    const eventOf = (i: number): number => (cellEvent === null ? start + i : cellEvent[start + i]);
    const keyOf = (i: number): number => (pool === null ? 0 : pool[eventOf(i)]) * arms + entries.arm[start + i];
    if (!quads.load(count, keyOf, eventOf)) return false;
    this.start = start;
    this.pools = [];
    quads.order.runs.forEach(({ key, from, to }, r) => {
      quads.kernel.runs.set([key % arms, from, to], r * 3);
      const own = Math.floor(key / arms);
      const last = this.pools.at(-1);
      if (last?.pool === own) last.to = r + 1;
      else this.pools.push({ pool: own, from: r, to: r + 1 });
    });
    return true;
  }

  /** Adds the matches of policy p to the statistics at `at`; false where f32 cannot tell and nothing was added. */
  match(p: number, at: number): boolean {
    const { kernel } = this.quads;
    const bound = this.quads.begin(p);
    if (bound === null) return false;
    for (const { pool, from, to } of this.pools)
      if (!kernel.match(from, to, this.armOrder.list(p, pool, kernel.list), bound)) return false;
    this.add(p, at);
    return true;
  }

  /** Adds what was proved, and decides what was not. */
  private add(p: number, at: number): void {
    const { start, sums } = this;
    const { kernel, order } = this.quads;
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
}

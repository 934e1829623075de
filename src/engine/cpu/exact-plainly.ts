/** The reference itself, cell by cell: for families without a kernel, and for scores that leave the range of f64. */

import type { Screen } from '../../policy/screen.js';
import { MatchSums } from '../match-sums.js';
import type { ExactPolicies } from './exact-policies.js';
import type { CpuJob } from './job.js';

export class ExactPlainly implements ExactPolicies {
  private readonly sums: MatchSums;

  constructor(
    private readonly job: CpuJob,
    private readonly screen: Screen,
  ) {
    this.sums = new MatchSums(job.worklist);
  }

  match(policies: readonly number[], b: number, start: number, count: number): void {
    const { stats, worklist } = this.job;
    const { arm } = worklist.entries;
    for (const p of policies) {
      for (let i = start; i < start + count; i++)
        if (this.screen.choice(p, this.eventOf(i)) === arm[i]) this.sums.add(i);
      this.sums.store(stats, p * stats.blocks + b);
    }
  }

  choose(policies: readonly number[], start: number, count: number, out: Uint32Array, places: readonly number[]): void {
    policies.forEach((p, n) => {
      for (let i = 0; i < count; i++) out[places[n] + i] = this.screen.choice(p, this.eventOf(start + i));
    });
  }

  private eventOf(cell: number): number {
    const { cellEvent } = this.job.worklist;
    return cellEvent === null ? cell : cellEvent[cell];
  }
}

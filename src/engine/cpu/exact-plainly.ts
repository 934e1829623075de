/** The reference itself, cell by cell: for families without a kernel. */

import type { Screen } from '../../policy/screen.js';
import type { ExactPolicies } from './exact-policies.js';
import type { CpuJob } from './job.js';

export class ExactPlainly implements ExactPolicies {
  constructor(
    private readonly job: CpuJob,
    private readonly screen: Screen,
  ) {}

  choose(policies: readonly number[], start: number, count: number, out: Uint32Array, places: readonly number[]): void {
    const { cellEvent } = this.job.worklist;
    policies.forEach((p, n) => {
      for (let i = 0; i < count; i++)
        out[places[n] + i] = this.screen.choice(p, cellEvent === null ? start + i : cellEvent[start + i]);
    });
  }
}

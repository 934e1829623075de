/** Linear policies in f64: SIMD over four events. */

import type { LinearPolicies } from '../../policy/linear/cpu.js';
import type { Screen } from '../../policy/screen.js';
import type { ExactPolicies } from './exact-policies.js';
import type { CpuJob } from './job.js';
import { groupQuads, packContexts } from './quads.js';
import { LinearKernel } from './wasm/linear.js';

export class ExactLinear implements ExactPolicies {
  private readonly kernel: LinearKernel;

  /** @param chunk most cells at a time. */
  constructor(
    private readonly job: CpuJob,
    private readonly compiled: LinearPolicies,
    private readonly screen: Screen,
    chunk: number,
  ) {
    const { dimension, arms } = compiled;
    // A pool may fill only part of its last quad, and a chunk of n positions has at most n pools.
    this.kernel = new LinearKernel({ arms, dimension, quads: chunk });
  }

  choose(policies: readonly number[], start: number, count: number, out: Uint32Array, places: readonly number[]): void {
    const { compiled, kernel, screen } = this;
    const { cellEvent } = this.job.worklist;
    const { offsets, arms, pool } = screen.pools;
    const eventOf = (i: number): number => (cellEvent === null ? start + i : cellEvent[start + i]);
    const { runs, slots } = groupQuads(count, (i) => (pool === null ? 0 : pool[eventOf(i)]));
    packContexts(screen, slots, eventOf, kernel.x);
    const size = compiled.arms * compiled.dimension;
    policies.forEach((p, n) => {
      kernel.weights.set(compiled.weights.subarray(p * size, (p + 1) * size));
      for (const { key, from, to } of runs) kernel.choose(from, to, arms.subarray(offsets[key], offsets[key + 1]));
      for (let s = 0; s < slots.length; s++) if (slots[s] >= 0) out[places[n] + slots[s]] = kernel.choices[s];
    });
  }
}

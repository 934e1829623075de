/** Linear policies in f64: SIMD over four events, early exit. */

import type { LinearBatch } from '../../policy/linear/cpu.js';
import type { Screen } from '../../policy/screen.js';
import { MatchSums } from '../match-sums.js';
import type { TrialOrder } from './arm-order.js';
import { ExactPlainly } from './exact-plainly.js';
import type { ExactPolicies } from './exact-policies.js';
import type { CpuJob } from './job.js';
import { groupQuads, packContexts, type QuadOrder } from './quads.js';
import { LinearKernel, PAD } from './wasm/linear.js';

export class ExactLinear implements ExactPolicies {
  private readonly kernel: LinearKernel;
  private readonly sums: MatchSums;
  /** Where a score might leave the range of f64: the reference's rule for NaN is not the kernel's. */
  private readonly overflowing: ExactPlainly | null;

  /** @param chunk most entries at a time. */
  constructor(
    private readonly job: CpuJob,
    private readonly batch: LinearBatch,
    private readonly screen: Screen,
    private readonly trial: TrialOrder,
    chunk: number,
  ) {
    const { dimension, arms } = batch;
    // A pool may fill only part of its last quad, and a chunk of n positions has at most n pools.
    this.kernel = new LinearKernel({ arms, dimension, quads: chunk });
    this.sums = new MatchSums(job.worklist);
    const largestScore = largest(batch.weights) * largest(job.log.contexts.values) * Math.max(1, dimension);
    this.overflowing = largestScore >= Number.MAX_VALUE ? new ExactPlainly(job, screen) : null;
  }

  match(policies: readonly number[], b: number, start: number, count: number): void {
    const { stats } = this.job;
    if (this.overflowing !== null) {
      this.overflowing.match(policies, b, start, count);
      return;
    }
    const order = this.loadEntries(start, count);
    const { kernel } = this;
    for (const p of policies) {
      this.loadWeights(p);
      let matches = 0;
      for (const run of order.runs)
        matches = kernel.match(run.from, run.to, this.trial.list(p, run.key, kernel.list), matches);
      for (let i = 0; i < matches; i++) this.sums.add(start + order.slots[kernel.matched[i]]);
      this.sums.store(stats, p * stats.blocks + b);
    }
  }

  choose(policies: readonly number[], start: number, count: number, out: Uint32Array, places: readonly number[]): void {
    const { kernel } = this;
    const order = this.pack(start, count);
    policies.forEach((p, n) => {
      this.loadWeights(p);
      for (const run of order.runs) kernel.choose(run.from, run.to, this.listCandidates(run.key));
      for (let s = 0; s < order.slots.length; s++)
        if (order.slots[s] >= 0) out[places[n] + order.slots[s]] = kernel.choices[s];
    });
  }

  private eventOf(cell: number): number {
    const { cellEvent } = this.job.worklist;
    return cellEvent === null ? cell : cellEvent[cell];
  }

  /** Contexts of cells, grouped by pool. */
  private pack(start: number, count: number): QuadOrder {
    const { pool } = this.screen.pools;
    const eventOf = (i: number): number => this.eventOf(start + i);
    const order = groupQuads(count, (i) => (pool === null ? 0 : pool[eventOf(i)]));
    packContexts(this.screen, order, eventOf, this.kernel.x);
    return order;
  }

  private loadEntries(start: number, count: number): QuadOrder {
    const { entries } = this.job.worklist;
    const { kernel } = this;
    const order = this.pack(start, count);
    for (let s = 0; s < order.slots.length; s++) {
      const position = order.slots[s];
      kernel.logged[s] = position < 0 ? PAD : entries.arm[start + position];
    }
    return order;
  }

  private loadWeights(p: number): void {
    const size = this.batch.arms * this.batch.dimension;
    this.kernel.weights.set(this.batch.weights.subarray(p * size, (p + 1) * size));
  }

  /** Candidates of a pool, ascending. */
  private listCandidates(pool: number): number {
    const { offsets, arms } = this.screen.pools;
    this.kernel.list.set(arms.subarray(offsets[pool], offsets[pool + 1]));
    return offsets[pool + 1] - offsets[pool];
  }
}

function largest(values: Float32Array | Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
}

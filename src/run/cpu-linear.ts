/** Linear policies on the CPU: SIMD over four events, early exit, f32 where it can prove the answer and f64 elsewhere. */

import type { LinearBatch } from '../policy/batch.js';
import { linearChoiceAt } from '../policy/linear/cpu.js';
import type { CpuJob } from './cpu-job.js';
import { ScreenMatcher } from './cpu-screen.js';
import { MatchSums } from './match-sums.js';
import { groupQuads, packContexts, type QuadOrder } from './quads.js';
import { TrialOrder } from './trial-order.js';
import { LinearKernel, PAD } from './wasm/linear.js';
import { storeSums } from './wasm/memory.js';

/** Contexts of one chunk that stay in the second-level cache. */
const CHUNK_BYTES = 1 << 20;
const MAX_QUADS = 1024;

export class LinearTask {
  private readonly kernel: LinearKernel;
  private readonly trial: TrialOrder;
  private readonly screen: ScreenMatcher;
  /** Events per chunk. */
  private readonly chunk: number;
  /** A score might leave the range of f64. */
  private readonly mayOverflow: boolean;

  constructor(
    private readonly job: CpuJob,
    private readonly batch: LinearBatch,
  ) {
    const { dimension, arms } = batch;
    this.chunk = 4 * Math.max(1, Math.min(MAX_QUADS, Math.floor(CHUNK_BYTES / Math.max(1, dimension * 32))));
    // A pool may fill only part of its last quad, and a chunk of n positions has at most n pools.
    this.kernel = new LinearKernel({ arms, dimension, quads: this.chunk });
    this.trial = new TrialOrder(job.log, batch);
    this.screen = new ScreenMatcher(job, batch, this.trial, this.chunk);
    this.mayOverflow =
      largest(batch.weights) * largest(job.log.contexts.values) * Math.max(1, dimension) >= Number.MAX_VALUE;
  }

  /** Adds the matches of policies in block b to the statistics. */
  matchBlock(b: number, policies: readonly [number, number]): void {
    const { worklist, stats } = this.job;
    if (this.mayOverflow) {
      this.matchBlockPlainly(b, policies);
      return;
    }
    const [from, to] = [worklist.entries.starts[b], worklist.entries.starts[b + 1]];
    for (let start = from; start < to; start += this.chunk) {
      const count = Math.min(to - start, this.chunk);
      const screened = this.screen.load(start, count);
      let exact: QuadOrder | null = null;
      for (let p = policies[0]; p < policies[1]; p++) {
        const at = p * stats.blocks + b;
        if (screened && this.screen.match(p, at)) continue;
        exact ??= this.loadEntries(start, count);
        this.matchExactly(p, at, exact);
      }
    }
  }

  /** Writes the choices of policies at every cell, [policies, C]. */
  chooseCells([firstPolicy, lastPolicy]: readonly [number, number], choices: Uint32Array): void {
    const { cells } = this.job.worklist;
    const { kernel } = this;
    for (let start = 0; start < cells; start += this.chunk) {
      const count = Math.min(cells - start, this.chunk);
      const order = this.pack(start, count);
      for (let p = firstPolicy; p < lastPolicy; p++) {
        this.loadWeights(p);
        for (const run of order.runs) kernel.choose(run.from, run.to, this.listCandidates(run.key));
        const row = (p - firstPolicy) * cells + start;
        for (let s = 0; s < order.slots.length; s++) {
          if (order.slots[s] >= 0) choices[row + order.slots[s]] = kernel.choices[s];
        }
      }
    }
  }

  /** The f64 kernel: what screening could not take on. */
  private matchExactly(p: number, at: number, order: QuadOrder): void {
    const { kernel } = this;
    this.loadWeights(p);
    kernel.sums.fill(0n);
    for (const run of order.runs) kernel.match(run.from, run.to, this.trial.list(p, run.key, kernel.list));
    storeSums(kernel.sums, this.job.stats, at);
  }

  /** The reference, event by event: its rule for scores that overflow to NaN is not the kernels'. */
  private matchBlockPlainly(b: number, [firstPolicy, lastPolicy]: readonly [number, number]): void {
    const { log, stats, worklist } = this.job;
    const { entries } = worklist;
    for (let p = firstPolicy; p < lastPolicy; p++) {
      const sums = new MatchSums(entries);
      for (let i = entries.starts[b]; i < entries.starts[b + 1]; i++) {
        if (linearChoiceAt(this.batch, log, p, this.eventOf(i)) === entries.arm[i]) sums.add(i);
      }
      sums.store(stats, p * stats.blocks + b);
    }
  }

  private eventOf(cell: number): number {
    const { cellEvent } = this.job.worklist;
    return cellEvent === null ? cell : cellEvent[cell];
  }

  /** Contexts of cells, grouped by pool. */
  private pack(start: number, count: number): QuadOrder {
    const { log } = this.job;
    const { pool } = log.pools;
    const eventOf = (i: number): number => this.eventOf(start + i);
    const order = groupQuads(count, (i) => (pool === null ? 0 : pool[eventOf(i)]));
    packContexts(log, order, eventOf, this.kernel.x);
    return order;
  }

  private loadEntries(start: number, count: number): QuadOrder {
    const { entries } = this.job.worklist;
    const { kernel } = this;
    const order = this.pack(start, count);
    for (let s = 0; s < order.slots.length; s++) {
      const position = order.slots[s];
      kernel.logged[s] = position < 0 ? PAD : entries.arm[start + position];
      kernel.steps[s] = position < 0 || entries.steps === null ? 0 : entries.steps[start + position];
    }
    return order;
  }

  private loadWeights(p: number): void {
    const size = this.batch.arms * this.batch.dimension;
    this.kernel.weights.set(this.batch.weights.subarray(p * size, (p + 1) * size));
  }

  /** Candidates of a pool, ascending. */
  private listCandidates(pool: number): number {
    const { offsets, arms } = this.job.log.pools;
    this.kernel.list.set(arms.subarray(offsets[pool], offsets[pool + 1]));
    return offsets[pool + 1] - offsets[pool];
  }
}

function largest(values: Float32Array | Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
}

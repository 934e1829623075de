/** Linear policies on the CPU: SIMD over four events, early exit, strong arms tried first. */

import { LIMB } from '../estimate/block-statistics.js';
import type { LinearBatch } from '../policy/batch.js';
import { linearChoiceAt } from '../policy/linear/cpu.js';
import type { CpuJob } from './cpu-job.js';
import { MatchSums } from './match-sums.js';
import { groupByPool, packContexts, type QuadOrder } from './quads.js';
import { LinearKernel, PAD } from './wasm/linear.js';

/** Contexts of one chunk that stay in the second-level cache. */
const CHUNK_BYTES = 1 << 20;
const MAX_QUADS = 1024;

export class LinearTask {
  private readonly kernel: LinearKernel;
  private readonly quads: number;
  /** Arms of each policy in the order in which they are tried; 0xffffffff in its first place: not ranked yet. */
  private readonly trial: Uint32Array;
  private readonly inPool: Uint8Array;
  /** A score might leave the range of f64. */
  private readonly mayOverflow: boolean;
  private listed = { policy: -1, pool: -1, length: 0 };

  constructor(
    private readonly job: CpuJob,
    private readonly batch: LinearBatch,
  ) {
    const { dimension, arms } = batch;
    // A pool may fill only part of its last quad, and a chunk of n positions has at most n pools.
    this.quads = Math.max(1, Math.min(MAX_QUADS, Math.floor(CHUNK_BYTES / Math.max(1, dimension * 32))));
    this.kernel = new LinearKernel({ arms, dimension, quads: this.quads * 4 });
    this.trial = new Uint32Array(job.worklist.entries.cell === null ? batch.policies * arms : 0).fill(PAD);
    this.inPool = new Uint8Array(arms);
    this.mayOverflow =
      largest(batch.weights) * largest(job.log.contexts.values) * Math.max(1, dimension) >= Number.MAX_VALUE;
  }

  /** Adds the matches of policies in block b to the statistics. */
  matchBlock(b: number, [firstPolicy, lastPolicy]: readonly [number, number]): void {
    const { entries, cellEvent } = this.job.worklist;
    const { kernel } = this;
    if (this.mayOverflow) {
      this.matchBlockPlainly(b, [firstPolicy, lastPolicy]);
      return;
    }
    const [from, to] = [entries.starts[b], entries.starts[b + 1]];
    for (let start = from; start < to; start += this.quads * 4) {
      const count = Math.min(to - start, this.quads * 4);
      const order = this.pack(count, (i) => (cellEvent === null ? start + i : cellEvent[start + i]));
      for (let s = 0; s < order.slots.length; s++) {
        const position = order.slots[s];
        kernel.logged[s] = position < 0 ? PAD : entries.arm[start + position];
        kernel.steps[s] = position < 0 || entries.steps === null ? 0 : entries.steps[start + position];
      }
      for (let p = firstPolicy; p < lastPolicy; p++) {
        this.load(p);
        if (this.trial[p * this.batch.arms] === PAD) this.rankArms(p, order.quads);
        kernel.sums.fill(0n);
        for (const run of order.runs) kernel.match(run.from, run.to, this.listTrialArms(p, run.pool));
        this.store(p * this.job.stats.blocks + b);
      }
    }
  }

  /** Writes the choices of policies at every cell, [policies, C]. */
  chooseCells([firstPolicy, lastPolicy]: readonly [number, number], choices: Uint32Array): void {
    const { cells, cellEvent } = this.job.worklist;
    const { kernel } = this;
    for (let start = 0; start < cells; start += this.quads * 4) {
      const count = Math.min(cells - start, this.quads * 4);
      const order = this.pack(count, (i) => (cellEvent === null ? start + i : cellEvent[start + i]));
      for (let p = firstPolicy; p < lastPolicy; p++) {
        this.load(p);
        for (const run of order.runs) kernel.choose(run.from, run.to, this.listCandidates(run.pool));
        const row = (p - firstPolicy) * cells + start;
        for (let s = 0; s < order.slots.length; s++) {
          if (order.slots[s] >= 0) choices[row + order.slots[s]] = kernel.choices[s];
        }
      }
    }
  }

  /** The reference, event by event: its rule for scores that overflow to NaN is not the kernel's. */
  private matchBlockPlainly(b: number, [firstPolicy, lastPolicy]: readonly [number, number]): void {
    const { log, stats, worklist } = this.job;
    const { entries, cellEvent } = worklist;
    for (let p = firstPolicy; p < lastPolicy; p++) {
      const sums = new MatchSums(entries);
      for (let i = entries.starts[b]; i < entries.starts[b + 1]; i++) {
        const event = cellEvent === null ? i : cellEvent[i];
        if (linearChoiceAt(this.batch, log, p, event) === entries.arm[i]) sums.add(i);
      }
      sums.store(stats, p * stats.blocks + b);
    }
  }

  private pack(count: number, eventOf: (i: number) => number): QuadOrder {
    const { log } = this.job;
    const { pool } = log.pools;
    const order = groupByPool(count, (i) => (pool === null ? 0 : pool[eventOf(i)]));
    packContexts(log, order, eventOf, this.kernel.x);
    return order;
  }

  private load(p: number): void {
    const size = this.batch.arms * this.batch.dimension;
    this.kernel.weights.set(this.batch.weights.subarray(p * size, (p + 1) * size));
    this.listed.policy = -1;
  }

  /** Candidates of a pool, ascending. */
  private listCandidates(pool: number): number {
    const { offsets, arms } = this.job.log.pools;
    this.kernel.list.set(arms.subarray(offsets[pool], offsets[pool + 1]));
    return offsets[pool + 1] - offsets[pool];
  }

  /** Candidates of a pool in the policy's trial order. */
  private listTrialArms(p: number, pool: number): number {
    if (this.listed.policy === p && this.listed.pool === pool) return this.listed.length;
    const { offsets, arms } = this.job.log.pools;
    const [from, to] = [offsets[pool], offsets[pool + 1]];
    const base = p * this.batch.arms;
    let length = 0;
    if (to - from === this.batch.arms) {
      this.kernel.list.set(this.trial.subarray(base, base + this.batch.arms));
      length = this.batch.arms;
    } else {
      for (let i = from; i < to; i++) this.inPool[arms[i]] = 1;
      for (let i = 0; i < this.batch.arms; i++) {
        const arm = this.trial[base + i];
        if (this.inPool[arm] === 1) this.kernel.list[length++] = arm;
      }
      for (let i = from; i < to; i++) this.inPool[arms[i]] = 0;
    }
    this.listed = { policy: p, pool, length };
    return length;
  }

  /**
   * Orders the arms of policy p by how high they score at the chunk's mean context plus one typical deviation.
   * A heuristic for speed alone: any order gives the same matches.
   */
  private rankArms(p: number, quads: number): void {
    const { arms, dimension } = this.batch;
    const { x, weights } = this.kernel;
    const mean = new Float64Array(dimension);
    const square = new Float64Array(dimension);
    const sampled = Math.min(quads, 64);
    for (let q = 0; q < sampled; q++) {
      for (let j = 0; j < dimension; j++) {
        for (let lane = 0; lane < 4; lane++) {
          const value = x[(q * dimension + j) * 4 + lane];
          mean[j] += value;
          square[j] += value * value;
        }
      }
    }
    const n = sampled * 4;
    const strength = Float64Array.from({ length: arms }, (_, a) => {
      let centre = 0;
      let variance = 0;
      for (let j = 0; j < dimension; j++) {
        const w = weights[a * dimension + j];
        const m = mean[j] / n;
        centre += w * m;
        variance += w * w * Math.max(0, square[j] / n - m * m);
      }
      return centre + Math.sqrt(variance);
    });
    const order = Array.from({ length: arms }, (_, a) => a).sort((a, b) => strength[b] - strength[a]);
    this.trial.set(order, p * arms);
  }

  private store(at: number): void {
    const { stats } = this.job;
    const [matches, payoff, squareHigh, squareLow] = this.kernel.sums;
    stats.matches[at] += Number(matches);
    stats.payoff[at] += Number(payoff);
    if (stats.squareLow === null || stats.squareHigh === null) return;
    const low = stats.squareLow[at] + Number(squareLow);
    const carry = Math.floor(low / LIMB);
    stats.squareLow[at] = low - carry * LIMB;
    stats.squareHigh[at] += Number(squareHigh) + carry;
  }
}

function largest(values: Float32Array | Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
}

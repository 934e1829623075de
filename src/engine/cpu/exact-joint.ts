/**
 * Joint-linear policies in f64. An item is a candidate of a cell; its components are written once, for all policies that
 * are asked, and SIMD scores eight items of two policies at a time. Memory does not depend on the number of feature rows.
 */

import { jointParts } from '../../log/joint-features.js';
import { featuresOf, type JointPolicies } from '../../policy/joint/cpu.js';
import { writeJoint } from '../../policy/joint/features.js';
import type { ExactPolicies } from './exact-policies.js';
import type { CpuJob } from './job.js';
import { GROUP, JointKernel } from './wasm/joint.js';

/** Components of one load of items that stay in the second-level cache. */
const ITEM_BYTES = 1 << 20;
const MAX_GROUPS = 1024;

/** Items of one cell, next to each other in a load of items. */
interface Span {
  readonly cell: number;
  readonly from: number;
  readonly to: number;
  /** Whether the cell's items begin here, and not in the load before. */
  readonly first: boolean;
}

export class ExactJoint implements ExactPolicies {
  private readonly kernel: JointKernel;
  private readonly capacity: number;
  /** Feature row of each item. */
  private readonly rows: Uint32Array;
  private spans: Span[] = [];
  private items = 0;
  /** Best score so far of each policy asked, for a cell whose items go on in the next load; and its row. */
  private best = new Float64Array(0);
  private row = new Uint32Array(0);

  constructor(
    private readonly job: CpuJob,
    private readonly compiled: JointPolicies,
  ) {
    const groups = Math.max(1, Math.min(MAX_GROUPS, Math.floor(ITEM_BYTES / (compiled.dimension * GROUP * 8))));
    this.kernel = new JointKernel(compiled.dimension, groups);
    this.capacity = groups * GROUP;
    this.rows = new Uint32Array(this.capacity);
  }

  choose(policies: readonly number[], start: number, count: number, out: Uint32Array, places: readonly number[]): void {
    const { log, worklist } = this.job;
    const { contexts, pools } = log;
    const { row, dimension: dz, values: z } = featuresOf(log);
    const parts = jointParts(this.compiled.features);
    const { phi } = this.kernel;
    const d = this.compiled.dimension;
    if (this.best.length < policies.length) {
      this.best = new Float64Array(policies.length);
      this.row = new Uint32Array(policies.length);
    }
    for (let c = 0; c < count; c++) {
      const event = worklist.cellEvent === null ? start + c : worklist.cellEvent[start + c];
      const xAt = (contexts.row === null ? event : contexts.row[event]) * contexts.dimension;
      const set = pools.pool === null ? 0 : pools.pool[event];
      let from = this.items;
      let first = true;
      for (let i = pools.offsets[set]; i < pools.offsets[set + 1]; i++) {
        if (this.items === this.capacity) {
          if (this.items > from) this.spans.push({ cell: c, from, to: this.items, first });
          first &&= this.items === from;
          this.flush(policies, out, places);
          from = 0;
        }
        const item = this.items++;
        this.rows[item] = row === null ? pools.arms[i] : row[i];
        const at = (item >> 3) * d * GROUP + (item & 7);
        writeJoint(parts, contexts.values, xAt, contexts.dimension, z, this.rows[item] * dz, dz, phi, at, GROUP);
      }
      this.spans.push({ cell: c, from, to: this.items, first });
    }
    this.flush(policies, out, places);
  }

  /** Scores the items at hand for every policy and forgets them. */
  private flush(policies: readonly number[], out: Uint32Array, places: readonly number[]): void {
    const { kernel, compiled } = this;
    const d = compiled.dimension;
    const groups = Math.ceil(this.items / GROUP);
    for (let n = 0; n < policies.length; n += 2) {
      const both = Math.min(2, policies.length - n);
      for (let i = 0; i < both; i++) {
        kernel.weights.set(compiled.weights.subarray(policies[n + i] * d, (policies[n + i] + 1) * d), i * d);
      }
      const scores = kernel.score(groups);
      for (let i = 0; i < both; i++) this.rank(n + i, scores, i * groups * GROUP, out, places[n + i]);
    }
    this.spans = [];
    this.items = 0;
  }

  /** The reference's comparison: a later candidate must be larger, and NaN never is. */
  private rank(n: number, scores: Float64Array, from: number, out: Uint32Array, place: number): void {
    const { rows } = this;
    let best = this.best[n];
    let row = this.row[n];
    for (const span of this.spans) {
      if (span.first) {
        best = Number.NEGATIVE_INFINITY;
        row = rows[span.from];
      }
      for (let i = span.from; i < span.to; i++) {
        const s = scores[from + i];
        if (s > best) {
          best = s;
          row = rows[i];
        }
      }
      out[place + span.cell] = row;
    }
    this.best[n] = best;
    this.row[n] = row;
  }
}

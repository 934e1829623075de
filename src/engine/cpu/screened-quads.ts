/**
 * Cells packed for the f32 kernels, and a policy's part of the proved error bound: most decisions are made at twice the speed of
 * f64, and the doubtful ones by the reference.
 *
 * Two kernels, because each is much slower at the other's work: matching drops an event as soon as some arm beats the logged one
 * (2 to 5 times as fast as choosing and comparing, with 10 to 50 arms); choosing serves cells that many events share.
 */

import { LARGEST_NORM, roundUp } from '../../policy/linear/kernel.js';
import type { Screen } from '../../policy/screen.js';
import { groupQuads, packBounds, packContexts, type QuadOrder } from './quads.js';
import { type PolicyBound, ScreenKernel } from './wasm/screen.js';

/** Padding of groups that screening is still worth: quads in use over quads needed. */
const WORTH_GROUPING = 1.5;
/** Share of a chunk beyond which what f32 leaves in doubt is left to the f64 kernel altogether. */
const DOUBTFUL_SHARE = 16;

export class ScreenedQuads {
  readonly kernel: ScreenKernel;
  order: QuadOrder = { runs: [], slots: new Int32Array(0), quads: 0 };
  /** Largest row norm of each policy; NaN: not computed yet. */
  private readonly norms: Float64Array;
  private largestNorm = 0;

  /** @param chunk most cells at a time. @param tables numbers of the chosen rows are to be added up. */
  constructor(
    private readonly screen: Screen,
    chunk: number,
    tables = false,
  ) {
    const { rows, dimension, policies } = screen;
    const quads = Math.ceil((chunk / 4) * WORTH_GROUPING) + 1;
    this.kernel = new ScreenKernel({ rows, dimension, quads, doubtful: Math.ceil(chunk / DOUBTFUL_SHARE), tables });
    this.norms = new Float64Array(policies).fill(Number.NaN);
  }

  /** Packs `count` cells, grouped by a key; false where the groups are too small for that. @param eventOf an event of each. */
  load(count: number, keyOf: (i: number) => number, eventOf: (i: number) => number): boolean {
    const { kernel, screen } = this;
    this.order = groupQuads(count, keyOf);
    if (this.order.quads > (count / 4) * WORTH_GROUPING + 1) return false;
    packContexts(screen, this.order.slots, eventOf, kernel.y);
    this.largestNorm = packBounds(screen, this.order.slots, eventOf, kernel);
    return true;
  }

  /** Has the kernel choose for policy p, where the cells were grouped by pool; false where f32 cannot tell. */
  choose(p: number): boolean {
    const { kernel, screen, order } = this;
    const { offsets, arms } = screen.pools;
    const bound = this.begin(p);
    if (bound === null) return false;
    return order.runs.every(({ key, from, to }) => {
      kernel.list.set(arms.subarray(offsets[key], offsets[key + 1]));
      return kernel.choose(from, to, offsets[key + 1] - offsets[key], bound);
    });
  }

  /** Gives the kernel a policy's weights, and forgets what it found. @returns the policy's bound; `null` where f32 cannot tell. */
  begin(p: number): PolicyBound | null {
    const { kernel, screen, norms, largestNorm } = this;
    if (Number.isNaN(norms[p])) norms[p] = screen.norm(p);
    const norm = norms[p];
    // Zeros tie everywhere; beyond the largest norm f32 might overflow.
    if (norm === 0 || norm > LARGEST_NORM || largestNorm > LARGEST_NORM) return null;
    kernel.weights.set(screen.weights(p));
    kernel.counts.fill(0);
    kernel.sums.fill(0);
    return { norm: roundUp(norm), slack: screen.slack(largestNorm, norm) };
  }
}

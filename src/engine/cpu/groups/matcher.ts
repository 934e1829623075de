/** Matches of scored policies, by groups of events. */

import { LARGEST_NORM, roundUp } from '../../../policy/linear/kernel.js';
import { screenOf } from '../../../policy/scored-families.js';
import type { Screen } from '../../../policy/screen.js';
import { ArmOrder } from '../arm-order.js';
import type { CpuJob } from '../job.js';
import { GroupKernel } from '../wasm/groups.js';
import type { TreeChunk } from './plan.js';
import { HEADER_WORDS } from './tree.js';
import { eventOfEntry, type GroupTrees, type SlotNumbers, slotNumbers } from './trees.js';

/** Share of a chunk beyond which what f32 leaves in doubt is left to the f64 kernel altogether. */
const DOUBTFUL_SHARE = 16;

/** The matcher of a job's policies on trees. @param most policies at a time. */
export function matcherOf(job: CpuJob, trees: GroupTrees, most: number): GroupMatcher {
  if (job.compiled.kind !== 'scored') throw new RangeError('only policies that score candidates decide in groups');
  const screen = screenOf(job.compiled, job.log);
  return new GroupMatcher(job, screen, new ArmOrder(job.log.events, screen), trees, most);
}

/** What it took. */
export interface GroupWork {
  /** Decisions made one by one. */
  looked: number;
  /** Scores of quads: of events, and of boxes. */
  eventScores: number;
  boxScores: number;
}

export class GroupMatcher {
  readonly work: GroupWork = { looked: 0, eventScores: 0, boxScores: 0 };
  private readonly kernel: GroupKernel;
  private readonly numbers: SlotNumbers;
  /** Largest row norm of each policy; NaN: not computed yet. */
  private readonly norms: Float64Array;
  private readonly eventOf: (entry: number) => number;

  /** @param most policies at a time. */
  constructor(
    private readonly job: Pick<CpuJob, 'worklist' | 'stats'>,
    private readonly screen: Screen,
    private readonly armOrder: ArmOrder,
    private readonly trees: GroupTrees,
    most: number,
  ) {
    const { rows, dimension } = screen;
    const { blocks, chunks } = trees;
    this.numbers = slotNumbers(job.worklist);
    this.norms = new Float64Array(screen.policies).fill(Number.NaN);
    this.eventOf = eventOfEntry(job.worklist);
    const words = chunks.reduce((largest, { from, to }) => Math.max(largest, to - from), 0);
    const slots = chunks.reduce((largest, chunk) => Math.max(largest, chunk.slots), 0);
    this.kernel = new GroupKernel({
      ...{ rows, dimension, words, header: HEADER_WORDS, policies: most, blocks: blocks[1] - blocks[0] },
      ...{ sumPairs: this.numbers.sumPairs, pairs: this.numbers.pairs, doubtful: Math.ceil(slots / DOUBTFUL_SHARE) },
    });
  }

  /**
   * Adds the matches of policies to the statistics; returns those that f32 cannot tell, of which nothing was added.
   *
   * @param decided by policy, how many decisions took no look at the event.
   */
  match(policies: readonly number[], decided: Float64Array): number[] {
    const { kernel, trees, work } = this;
    const isLeft = policies.map((p) => !this.isScreened(p));
    kernel.sums.fill(0);
    for (const chunk of trees.chunks) {
      kernel.load(trees.words.subarray(chunk.from, chunk.to), chunk.blocksAt, chunk.numbersAt);
      policies.forEach((p, n) => {
        if (isLeft[n]) return;
        const before = work.looked;
        isLeft[n] = !this.matchChunk(chunk, p, n);
        decided[p] += chunk.events - (work.looked - before);
      });
    }
    policies.forEach((p, n) => {
      if (isLeft[n]) decided[p] = 0;
      else this.store(p, n);
    });
    return policies.filter((_, n) => isLeft[n]);
  }

  /** What some policies take. @param flat without groups. */
  try(policies: readonly number[], flat: boolean): GroupWork {
    const { kernel, trees, work } = this;
    const before = { ...work };
    for (const chunk of trees.chunks) {
      kernel.load(trees.words.subarray(chunk.from, chunk.to), chunk.blocksAt, chunk.numbersAt);
      for (const p of policies) if (this.isScreened(p)) this.matchChunk(chunk, p, 0, flat);
    }
    return {
      looked: work.looked - before.looked,
      eventScores: work.eventScores - before.eventScores,
      boxScores: work.boxScores - before.boxScores,
    };
  }

  private normOf(p: number): number {
    if (Number.isNaN(this.norms[p])) this.norms[p] = this.screen.norm(p);
    return this.norms[p];
  }

  private isScreened(p: number): boolean {
    const norm = this.normOf(p);
    return norm > 0 && norm <= LARGEST_NORM;
  }

  /** @param n place of policy p among those that are added up. @returns false where too many are doubtful. */
  private matchChunk(chunk: TreeChunk, p: number, n: number, flat = false): boolean {
    const { kernel, screen, armOrder, work } = this;
    const norm = this.normOf(p);
    kernel.weights.set(screen.weights(p));
    kernel.begin({ norm: roundUp(norm), slack: screen.slack(this.trees.norm, norm) }, n);
    const complete = chunk.pools.every(([pool, from, to]) =>
      kernel.match(from, to, armOrder.list(p, pool, kernel.list), flat),
    );
    const [doubts, looked, eventScores, boxScores] = kernel.counts;
    work.looked += looked;
    work.eventScores += eventScores;
    work.boxScores += boxScores;
    if (complete) this.settle(chunk, p, doubts);
    return complete;
  }

  /** Decides what f32 did not. */
  private settle({ slot }: TreeChunk, p: number, doubts: number): void {
    const { kernel, trees, job, screen, eventOf } = this;
    const { arm } = job.worklist.entries;
    for (let i = 0; i < doubts; i++) {
      const entry = trees.entry[slot + kernel.doubtful[i]];
      if (screen.choice(p, eventOf(entry)) === arm[entry]) kernel.add(kernel.doubtful[i]);
    }
  }

  private store(p: number, n: number): void {
    const { kernel, job, numbers, trees } = this;
    const { stats } = job;
    const [first, last] = trees.blocks;
    const { sums, maxima, sumPairs, pairs } = numbers;
    for (let b = first; b < last; b++) {
      const from = (n * (last - first) + b - first) * pairs * 4;
      const number = (place: number): number =>
        kernel.sums[from + 2 * place] + kernel.sums[from + 2 * place + 1] * 2 ** 32;
      const at = p * stats.blocks + b;
      stats.matches[at] = number(0);
      sums.forEach((c, i) => {
        stats.columns[c][at] = number(1 + i);
      });
      maxima.forEach((c, i) => {
        stats.columns[c][at] = number(2 * sumPairs + i);
      });
    }
  }
}

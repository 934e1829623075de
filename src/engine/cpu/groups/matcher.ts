/** What scored policies come to, by groups of events. */

import { LARGEST_NORM, roundUp } from '../../../policy/linear/kernel.js';
import { screenOf } from '../../../policy/scored-families.js';
import type { Screen } from '../../../policy/screen.js';
import { ArmOrder } from '../arm-order.js';
import type { CpuJob } from '../job.js';
import { ChosenChunks } from './chosen-chunks.js';
import type { ChunkDecider } from './chunk-decider.js';
import { MatchedChunks } from './matched-chunks.js';
import type { TreeChunk } from './plan.js';
import { type GroupTrees, type SlotNumbers, slotNumbers, type TreeRoom } from './trees.js';

/** Share of a chunk beyond which what f32 leaves in doubt is left to the f64 kernel altogether. */
const DOUBTFUL_SHARE = 16;

/** The matcher of a job's policies on trees. @param most policies at a time. */
export function matcherOf(job: CpuJob, trees: GroupTrees, most: number): GroupMatcher {
  if (job.compiled.kind !== 'scored') throw new RangeError('only policies that score candidates decide in groups');
  return new GroupMatcher(job, screenOf(job.compiled, job.log), trees, most);
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
  private readonly decider: ChunkDecider;
  private readonly numbers: SlotNumbers;
  /** Largest row norm of each policy; NaN: not computed yet. */
  private readonly norms: Float64Array;

  /** @param most policies at a time. */
  constructor(
    private readonly job: Pick<CpuJob, 'worklist' | 'stats'> & { readonly log: Pick<CpuJob['log'], 'events'> },
    private readonly screen: Screen,
    private readonly trees: GroupTrees,
    most: number,
  ) {
    const { blocks, chunks } = trees;
    this.numbers = slotNumbers(job.worklist);
    this.norms = new Float64Array(screen.policies).fill(Number.NaN);
    const largest = (of: (chunk: TreeChunk) => number): number =>
      chunks.reduce((most, one) => Math.max(most, of(one)), 0);
    const room: TreeRoom = {
      ...this.numbers,
      words: largest(({ from, to }) => to - from),
      doubtful: Math.ceil(largest(({ slots }) => slots) / DOUBTFUL_SHARE),
      policies: most,
      blocks: blocks[1] - blocks[0],
    };
    this.decider =
      job.worklist.gathered === null
        ? new MatchedChunks(job, screen, new ArmOrder(job.log.events, screen), trees, room)
        : new ChosenChunks(job, screen, trees, room);
  }

  /**
   * Adds what policies come to to the statistics; returns those that f32 cannot tell, of which nothing was added.
   *
   * @param decided by policy, how many decisions took no look at the event.
   */
  match(policies: readonly number[], decided: Float64Array): number[] {
    const { decider, trees, work } = this;
    const isLeft = policies.map((p) => !this.isScreened(p));
    decider.kernel.sums.fill(0);
    for (const chunk of trees.chunks) {
      decider.load(chunk);
      policies.forEach((p, n) => {
        if (isLeft[n]) return;
        const before = work.looked;
        isLeft[n] = !this.decide(p, n);
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
    const { decider, trees, work } = this;
    const before = { ...work };
    for (const chunk of trees.chunks) {
      decider.load(chunk);
      for (const p of policies) if (this.isScreened(p)) this.decide(p, 0, flat);
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
  private decide(p: number, n: number, flat = false): boolean {
    const { decider, screen, work } = this;
    const norm = this.normOf(p);
    const bound = { norm: roundUp(norm), slack: screen.slack(this.trees.norm, norm) };
    const complete = decider.decide(p, n, bound, flat);
    const [, looked, eventScores, boxScores] = decider.kernel.counts;
    work.looked += looked;
    work.eventScores += eventScores;
    work.boxScores += boxScores;
    return complete;
  }

  private store(p: number, n: number): void {
    const { decider, job, numbers, trees } = this;
    const { stats } = job;
    const [first, last] = trees.blocks;
    const { sums, maxima, tables, sumPairs, pairs, blockPairs } = numbers;
    for (let b = first; b < last; b++) {
      const from = (n * (last - first) + b - first) * blockPairs * 4;
      const number = (place: number): number =>
        decider.kernel.sums[from + 2 * place] + decider.kernel.sums[from + 2 * place + 1] * 2 ** 32;
      const at = p * stats.blocks + b;
      stats.matches[at] = number(0);
      sums.forEach((c, i) => {
        stats.columns[c][at] = number(1 + i);
      });
      maxima.forEach((c, i) => {
        stats.columns[c][at] = number(2 * sumPairs + i);
      });
      tables.forEach((c, i) => {
        stats.columns[c][at] = number(2 * pairs + i);
      });
    }
  }
}

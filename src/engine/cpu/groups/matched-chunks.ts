/** Matches by groups of events that were logged with one row each. */

import type { Screen } from '../../../policy/screen.js';
import type { ArmOrder } from '../arm-order.js';
import type { CpuJob } from '../job.js';
import { GroupKernel } from '../wasm/groups.js';
import type { PolicyBound } from '../wasm/screen.js';
import type { ChunkDecider } from './chunk-decider.js';
import type { TreeChunk } from './plan.js';
import { HEADER_WORDS } from './tree.js';
import { eventOfEntry, type GroupTrees, type TreeRoom } from './trees.js';

export class MatchedChunks implements ChunkDecider {
  readonly kernel: GroupKernel;
  private readonly eventOf: (entry: number) => number;
  private chunk: TreeChunk;

  /** @param room what the kernel must hold. */
  constructor(
    private readonly job: Pick<CpuJob, 'worklist'>,
    private readonly screen: Screen,
    private readonly armOrder: ArmOrder,
    private readonly trees: GroupTrees,
    room: TreeRoom,
  ) {
    const { rows, dimension } = screen;
    this.eventOf = eventOfEntry(job.worklist);
    this.chunk = trees.chunks[0];
    this.kernel = new GroupKernel({ ...room, rows, dimension, header: HEADER_WORDS });
  }

  load(chunk: TreeChunk): void {
    this.chunk = chunk;
    this.kernel.load(this.trees.words.subarray(chunk.from, chunk.to), chunk.slotsAt, chunk.numbersAt);
  }

  decide(p: number, n: number, bound: PolicyBound, flat: boolean): boolean {
    const { kernel, screen, armOrder, chunk } = this;
    kernel.weights.set(screen.weights(p));
    kernel.begin(bound, n);
    const complete = chunk.pools.every(([pool, from, to]) =>
      kernel.match(from, to, armOrder.list(p, pool, kernel.list), flat),
    );
    if (complete) this.settle(p);
    return complete;
  }

  /** Decides what f32 did not. */
  private settle(p: number): void {
    const { kernel, trees, chunk, job, screen, eventOf } = this;
    const { arm } = job.worklist.entries;
    for (let i = 0; i < kernel.counts[0]; i++) {
      const entry = trees.entry[chunk.slot + kernel.doubtful[i]];
      if (screen.choice(p, eventOf(entry)) === arm[entry]) kernel.add(kernel.doubtful[i]);
    }
  }
}

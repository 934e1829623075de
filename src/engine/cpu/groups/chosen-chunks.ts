/** Choices by groups of events of one pool and block each: what choice tables have for them, and matches. */

import { poolPlace } from '../../../log/feature-rows.js';
import type { Screen } from '../../../policy/screen.js';
import type { CpuJob } from '../job.js';
import { ChoiceKernel } from '../wasm/choices.js';
import type { PolicyBound } from '../wasm/screen.js';
import type { ChunkDecider } from './chunk-decider.js';
import type { TreeChunk } from './plan.js';
import { HEADER_WORDS } from './tree.js';
import { eventOfEntry, type GroupTrees, type TreeRoom } from './trees.js';

export class ChosenChunks implements ChunkDecider {
  readonly kernel: ChoiceKernel;
  private readonly eventOf: (entry: number) => number;
  private chunk: TreeChunk;

  /** @param room what the kernel must hold. */
  constructor(
    job: Pick<CpuJob, 'worklist'>,
    private readonly screen: Screen,
    private readonly trees: GroupTrees,
    room: TreeRoom,
  ) {
    const { dimension, pools } = screen;
    this.eventOf = eventOfEntry(job.worklist);
    this.chunk = trees.chunks[0];
    let places = 0;
    for (let s = 0; s < pools.count; s++) places = Math.max(places, pools.offsets[s + 1] - pools.offsets[s]);
    this.kernel = new ChoiceKernel({ ...room, places, dimension, header: HEADER_WORDS });
  }

  load(chunk: TreeChunk): void {
    const { kernel, trees } = this;
    this.chunk = chunk;
    kernel.load(trees.words.subarray(chunk.from, chunk.to), chunk.slotsAt, chunk.numbersAt);
  }

  decide(p: number, n: number, bound: PolicyBound): boolean {
    const { kernel, chunk } = this;
    kernel.begin(bound, n);
    const complete = chunk.pools.every(([pool, from, to]) => {
      this.takeWeights(p, pool);
      return kernel.choose(from, to, this.placesOf(pool));
    });
    if (complete) this.settle(p);
    return complete;
  }

  /** Takes a policy's weights of the candidates of a pool. */
  private takeWeights(p: number, pool: number): void {
    const { rows, dimension, pools } = this.screen;
    const weights = this.screen.weights(p);
    if (this.placesOf(pool) === rows) {
      this.kernel.weights.set(weights);
      return;
    }
    let to = 0;
    for (let i = pools.offsets[pool]; i < pools.offsets[pool + 1]; i++)
      for (let j = 0, at = pools.arms[i] * dimension; j < dimension; j++) this.kernel.weights[to++] = weights[at++];
  }

  /** Decides what f32 did not. */
  private settle(p: number): void {
    const { kernel, trees, chunk, screen, eventOf } = this;
    const { pools } = screen;
    for (let i = 0; i < kernel.counts[0]; i++) {
      const event = eventOf(trees.entry[chunk.slot + kernel.doubtful[2 * i]]);
      const pool = pools.pool === null ? 0 : pools.pool[event];
      const place = poolPlace(pools, pool, screen.choice(p, event)) - pools.offsets[pool];
      kernel.settle(i, place, this.placesOf(pool));
    }
  }

  private placesOf(pool: number): number {
    const { offsets } = this.screen.pools;
    return offsets[pool + 1] - offsets[pool];
  }
}

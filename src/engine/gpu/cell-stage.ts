/** Cells that many events share: decided once for a tile of policies; then the entries of all blocks pass by. */

import type { GpuContext } from '../../gpu/context.js';
import type { Worklist } from '../worklist.js';
import { cutSegments, packEntries } from './entries.js';
import { columnConstants, linearKernel, MATCH_POLICIES, matchKernel } from './kernels.js';
import { layOut } from './layout.js';
import type { GpuPlan } from './plan.js';
import type { SumWord } from './planes.js';
import type { Piece, Stage } from './stage.js';
import { packContexts, packIndex } from './tiles.js';
import type { ScreenWeights } from './weights.js';

/** Policies that a workgroup takes, one after the other, while it holds its contexts. */
const POLICIES_PER_GROUP = 8;

export class CellStage implements Stage {
  readonly words: readonly SumWord[];
  private choices: GPUBuffer | null = null;

  constructor(
    private readonly context: GpuContext,
    private readonly weights: ScreenWeights,
    private readonly worklist: Worklist,
    private readonly events: number,
    private readonly sizes: GpuPlan,
  ) {
    this.words = worklist.kinds.flatMap((_, column) => [
      { column, scale: 1 },
      { column, scale: 2 ** 32 },
    ]);
  }

  get onCpu(): ReadonlySet<number> {
    return this.weights.onCpu;
  }

  /** One piece: the choices stay in place while all entries pass, chunk by chunk. */
  async *pieces(): AsyncGenerator<Piece> {
    const { context, sizes, worklist, weights } = this;
    const { entries, kinds, cells, cellEvent } = worklist;
    const { screen } = weights;
    const eventOf = (cell: number): number => (cellEvent === null ? cell : cellEvent[cell]);
    const { pool } = screen.pools;
    // Two vec4s of a lane share every load of a weight.
    const layout = layOut([[{ block: 0, from: 0, to: cells }]], cells <= 256 ? 1 : 2, {
      pool: pool === null ? null : (cell) => pool[eventOf(cell)],
      row: null,
      most: screen.pools.count,
    });
    const contexts = new Float32Array(layout.cellOf.length * (screen.dimension + 1));
    const largestNorm = packContexts(screen, layout, eventOf, contexts);
    const { index, at, mixed, whole } = packIndex(screen, layout, eventOf, null);
    const group = weights.group(POLICIES_PER_GROUP);
    const [choose, match] = await Promise.all([
      context.pipeline(linearKernel, {
        DIMENSION: screen.dimension,
        FOURS: layout.fours,
        STAGE: weights.stage(group),
        MIXED: mixed,
        WHOLE: whole,
      }),
      context.pipeline(matchKernel, { FOLDED: entries.folded !== null, ...columnConstants(kinds) }),
    ]);
    weights.prepare();
    weights.meet(largestNorm);
    const cellBuffers = { contexts: context.upload('contexts', contexts), index: context.upload('index', index) };
    const slotOf = new Uint32Array(cells);
    layout.cellOf.forEach((cell, slot) => {
      if (cell >= 0) slotOf[cell] = slot;
    });
    const tiles = layout.pools.length;
    const choiceStride = layout.cellOf.length / 2;
    const chunks: { entries: GPUBuffer; segments: GPUBuffer; count: number; row: number }[] = [];
    const blocks: number[] = [];
    const { maxComputeWorkgroupsPerDimension: most } = context.device.limits;
    const isFew = entries.starts.length + sizes.chunk / sizes.segment < most;
    const chunk = isFew ? sizes.chunk : Math.min(sizes.chunk, most);
    for (let from = 0; from < entries.count; from += chunk) {
      const to = Math.min(entries.count, from + chunk);
      const segments = cutSegments(entries, from, to, sizes.segment);
      const packed = packEntries(entries, segments, from, to, slotOf);
      const [entryBuffer, segmentBuffer] = [
        context.upload('entries', packed.data),
        context.upload('segments', packed.segments),
      ];
      chunks.push({ entries: entryBuffer, segments: segmentBuffer, count: segments.length, row: blocks.length });
      for (const { block } of segments) blocks.push(block);
    }
    const choices = context.storage('choices', choiceStride * 4 * sizes.tile);
    this.choices = choices;
    yield {
      blocks,
      cellOf: layout.cellOf,
      events: this.events,
      decisions: layout.cellOf.length,
      encode: (encoder, { from, to, sums, doubtful, doubtfulCapacity }) => {
        const policies = to - from;
        const { weights: buffer, firstPolicy, scratch } = weights.of(from, to);
        const { tileTable, lists, cellPools, poolBits, poolWords } = at;
        const params = context.uniform(choose, {
          ...weights.params(largestNorm),
          ...{ firstPolicy, policies, group, tiles, choiceStride, doubtfulCapacity },
          ...{ tileTable, lists, cellPools, poolBits, poolWords },
        });
        const bindings = { ...cellBuffers, weights: buffer, choices, doubtful };
        context.dispatch(encoder, choose, params, bindings, tiles, Math.ceil(policies / group));
        scratch.push(params);
        for (const part of chunks) {
          const passing = context.uniform(match, {
            ...{ policies, choiceStride, segments: part.count, firstRow: part.row },
          });
          scratch.push(passing);
          context.dispatch(
            encoder,
            match,
            passing,
            { choices, entries: part.entries, segments: part.segments, sums },
            part.count,
            Math.ceil(policies / MATCH_POLICIES),
          );
        }
        return scratch;
      },
      free: () => {
        context.free(cellBuffers.contexts, cellBuffers.index, choices);
        for (const part of chunks) context.free(part.entries, part.segments);
        this.choices = null;
      },
    };
  }

  leaveToCpu(policy: number): void {
    this.weights.leaveToCpu(policy);
  }

  close(): void {
    this.context.free(this.choices);
    this.weights.close();
  }
}

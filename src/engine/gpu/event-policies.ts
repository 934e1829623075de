/** How policies decide events on the device: those that score candidates, and uniform ones. */

import type { GpuContext } from '../../gpu/context.js';
import type { KernelConstants } from '../../gpu/kernel.js';
import type { EventLog } from '../../log/event-log.js';
import type { UniformPolicies } from '../../policy/compiled.js';
import { STREAM } from '../../random/threefry.js';
import type { Worklist } from '../worklist.js';
import type { Segment } from './entries.js';
import type { Decider, EventPolicies, LoadedEvents } from './event-stage.js';
import { GROUP, loggedKernel, uniformKernel } from './kernels.js';
import { type Layout, layOut } from './layout.js';
import { type PackedIndex, packContexts, packIndex, packLanes } from './tiles.js';
import type { ScreenWeights } from './weights.js';

/** Longest contexts of which a lane has room for four vec4s of events. */
const SHORT = 8;

interface ScoredEvents extends LoadedEvents, Pick<PackedIndex, 'at' | 'mixed' | 'whole'> {
  readonly contexts: GPUBuffer;
  readonly index: GPUBuffer;
  readonly largestNorm: number;
}

/** Policies that score candidates: shaders/policy/logged.wgsl. */
export class ScoredEventPolicies implements EventPolicies<ScoredEvents> {
  readonly inputs: string | null;
  readonly fours: number;
  readonly group: number;
  readonly pools: number;
  /** Where contexts are packed: fresh memory takes longer than packing. */
  private room = new Float32Array(0);

  constructor(
    private readonly context: GpuContext,
    private readonly weights: ScreenWeights,
    private readonly worklist: Worklist,
  ) {
    const { screen } = weights;
    this.inputs = screen.inputs ?? null;
    this.fours = screen.dimension <= SHORT ? 4 : 2;
    this.group = weights.group();
    this.pools = screen.pools.count;
  }

  get onCpu(): ReadonlySet<number> {
    return this.weights.onCpu;
  }

  prepare(): void {
    this.weights.prepare();
  }

  private readonly eventOf = (cell: number): number => {
    const { cellEvent } = this.worklist;
    return cellEvent === null ? cell : cellEvent[cell];
  };

  private readonly rowOf = (cell: number): number => this.worklist.entries.arm[cell];

  layOut(segments: readonly (readonly Segment[])[], fours: number): Layout {
    const { rows, pools } = this.weights.screen;
    const { pool, count } = pools;
    return layOut(segments, fours, {
      pool: pool === null ? null : (cell) => pool[this.eventOf(cell)],
      row: this.rowOf,
      most: Math.max(count, rows),
    });
  }

  load(layout: Layout): ScoredEvents {
    const { context } = this;
    const { screen } = this.weights;
    const size = layout.cellOf.length * (screen.dimension + 1);
    if (this.room.length < size) this.room = new Float32Array(size);
    const largestNorm = packContexts(screen, layout, this.eventOf, this.room.subarray(0, size));
    const { index: words, at, mixed, whole } = packIndex(screen, layout, this.eventOf, this.rowOf);
    const [contexts, index] = [context.upload('contexts', this.room.subarray(0, size)), context.upload('index', words)];
    const bytes = contexts.size + index.size;
    return { layout, contexts, index, at, mixed, whole, largestNorm, bytes, free: () => context.free(contexts, index) };
  }

  async pipeline(loaded: ScoredEvents, constants: KernelConstants): Promise<Decider> {
    const { context, weights } = this;
    const { contexts, index, mixed, whole, layout, largestNorm } = loaded;
    const { lanes, tileTable, lists, rowOfSlot, cellPools, poolBits, poolWords } = loaded.at;
    weights.meet(largestNorm);
    const group = Number(constants.GROUP);
    const logged = await context.pipeline(loggedKernel, {
      ...{ ...constants, DIMENSION: weights.screen.dimension, STAGE: weights.stage(group) },
      ...{ MIXED: mixed, WHOLE: whole, SORTED: layout.sorted },
    });
    return (encoder, { from, to, sums, doubtful, doubtfulCapacity }, { columns, segments }) => {
      const policies = to - from;
      const { weights: buffer, firstPolicy, scratch } = weights.of(from, to);
      const params = context.uniform(logged, {
        ...weights.params(largestNorm),
        ...{ firstPolicy, policies, group, segments, doubtfulCapacity },
        ...{ lanes, tileTable, lists, rowOfSlot, cellPools, poolBits, poolWords },
      });
      const bindings = { contexts, weights: buffer, index, doubtful, columns, sums };
      context.dispatch(encoder, logged, params, bindings, segments, Math.ceil(policies / group));
      return [...scratch, params];
    };
  }

  leaveToCpu(policy: number): void {
    this.weights.leaveToCpu(policy);
  }

  close(): void {
    this.weights.close();
  }
}

interface DrawnEvents extends LoadedEvents {
  readonly events: GPUBuffer;
  readonly index: GPUBuffer;
}

/** Uniform policies: shaders/policy/uniform.wgsl. */
export class UniformEventPolicies implements EventPolicies<DrawnEvents> {
  readonly onCpu: ReadonlySet<number> = new Set();
  readonly inputs = 'uniform';
  readonly fours = 1;
  readonly group = GROUP;
  readonly pools = 1;
  private arms: GPUBuffer | null = null;

  constructor(
    private readonly context: GpuContext,
    private readonly log: EventLog,
    private readonly compiled: UniformPolicies,
    private readonly worklist: Worklist,
  ) {}

  prepare(): void {
    this.arms = this.context.upload('arms', this.log.pools.arms.slice());
  }

  layOut(segments: readonly (readonly Segment[])[], fours: number): Layout {
    return layOut(segments, fours, { pool: null, row: null, most: 1 });
  }

  load(layout: Layout): DrawnEvents {
    const { context } = this;
    const { pools, arm, firstEvent = 0 } = this.log;
    const { cellEvent } = this.worklist;
    const { cellOf, fours } = layout;
    const tile = 256 * fours;
    const words = new Uint32Array(cellOf.length * 4);
    cellOf.forEach((cell, slot) => {
      if (cell < 0) return;
      const t = cellEvent === null ? cell : cellEvent[cell];
      const pool = pools.pool === null ? 0 : pools.pool[t];
      const [first, end] = [pools.offsets[pool], pools.offsets[pool + 1]];
      const at = slot + 3 * (slot - (slot % tile));
      // Draws are numbered by the events of the whole log.
      [firstEvent + t, arm[t], first, end - first].forEach((word, row) => {
        words[at + row * tile] = word;
      });
    });
    const tables = packLanes(layout, () => 0, 0);
    const index = context.upload('index', Uint32Array.from(tables.flatMap((table) => [...table])));
    const events = context.upload('events', words);
    return { layout, events, index, bytes: events.size + index.size, free: () => context.free(events, index) };
  }

  async pipeline({ layout, events, index }: DrawnEvents, constants: KernelConstants): Promise<Decider> {
    const { context, compiled, arms } = this;
    if (arms === null) throw new RangeError('not prepared');
    const uniform = await context.pipeline(uniformKernel, constants);
    const group = Number(constants.GROUP);
    return (encoder, { from, to, sums }, { columns, segments }) => {
      const replicas = context.upload('replicas', compiled.replica.slice(from, to));
      const policies = to - from;
      const params = context.uniform(uniform, {
        ...{ policies, group, segments, lanes: layout.segments.length },
        ...{ seed: compiled.seed, stream: STREAM.uniformPolicy },
      });
      const bindings = { columns, sums, index, events, arms, replicas };
      context.dispatch(encoder, uniform, params, bindings, segments, Math.ceil(policies / group));
      return [replicas, params];
    };
  }

  leaveToCpu(): void {}

  close(): void {
    this.context.free(this.arms);
  }
}

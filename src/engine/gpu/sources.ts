/** Where the GPU's choice matrix comes from: one source per kind of policies. */

import type { GpuContext, Pipeline } from '../../gpu/context.js';
import type { EventLog } from '../../log/event-log.js';
import type { CompiledPolicies, UniformPolicies } from '../../policy/compiled.js';
import { LARGEST_NORM, packWeights, weightsStride } from '../../policy/linear/kernel.js';
import type { Screen } from '../../policy/screen.js';
import { STREAM } from '../../random/threefry.js';
import { HALF_TILE, LANES, linearKernel, uniformKernel } from './kernels.js';
import { type LinearChunk, packLinear } from './tiles.js';

/** Policies that a workgroup of the linear kernel takes, one after the other, while it holds its contexts. */
const POLICIES_PER_GROUP = 8;

/** Cells as a source laid them out, with their input on the device. */
export interface LoadedCells {
  /** Cell in each slot of the choice matrix, −1 in padding. Length even. */
  readonly cellOf: Int32Array;
  /** First slot of each group (length groups + 1). */
  readonly groupSlots: readonly number[];
  /** Records the work that fills the choice matrix. Returns buffers to free once it has been submitted. */
  encode(encoder: GPUCommandEncoder, target: ChoiceTarget): GPUBuffer[];
  free(): void;
}

/** Policies from..to−1 and the buffers their choices go to. */
export interface ChoiceTarget {
  readonly from: number;
  readonly to: number;
  readonly choices: GPUBuffer;
  readonly doubtful: GPUBuffer;
  readonly doubtfulCapacity: number;
}

/** Ranges of cells, one after the other, whose slots must lie together. */
export type Groups = readonly (readonly [number, number])[];

export interface ChoiceSource {
  /** Compiles what the source needs. */
  prepare(): Promise<void>;
  /** Lays out cells and uploads what deciding them takes. */
  load(groups: Groups, eventOf: (cell: number) => number): LoadedCells;
  /** Takes a policy out: its answers come from the CPU. */
  leaveToCpu(policy: number): void;
  readonly onCpu: ReadonlySet<number>;
  close(): void;
}

/** Bytes of a source's input, for the plan. */
export interface SourceBytes {
  readonly perEntry: number;
  readonly perPolicy: number;
}

/** Input bytes of policies, by their screen where they have one. @param columns C: match columns. */
export function sourceBytes(screen: Screen | null, columns: number): SourceBytes {
  const entry = 4 + 4 * columns;
  if (screen === null) return { perEntry: entry + 8, perPolicy: 4 };
  // At worst every cell brings a pool of its own: its number and its bit set.
  const pools = screen.pools.count === 1 ? 0 : 4 + Math.ceil(screen.rows / 32) * 4;
  return { perEntry: (screen.dimension + 1) * 4 + entry + pools, perPolicy: weightsStride(screen) * 4 };
}

/**
 * @param screen of policies that score candidates.
 * @param cells number of cells of the policies on the log.
 */
export function makeSource(
  context: GpuContext,
  log: EventLog,
  compiled: CompiledPolicies,
  screen: Screen | null,
  cells: number,
): ChoiceSource {
  if (screen !== null) return new ScreenSource(context, screen, cells);
  if (compiled.kind === 'uniform') return new UniformSource(context, log, compiled);
  throw new RangeError(`a ${compiled.kind} compiled has no choices to be made on a GPU`);
}

/** Slots in the order of the cells; groups start at even slots so that no word is shared. */
function plainSlots(groups: Groups): Pick<LoadedCells, 'cellOf' | 'groupSlots'> {
  const groupSlots = [0];
  for (const [from, to] of groups) groupSlots.push(groupSlots[groupSlots.length - 1] + Math.ceil((to - from) / 2) * 2);
  const cellOf = new Int32Array(groupSlots[groups.length]).fill(-1);
  groups.forEach(([from, to], g) => {
    for (let i = 0; i < to - from; i++) cellOf[groupSlots[g] + i] = from + i;
  });
  return { cellOf, groupSlots };
}

/** Policies that score candidates. */
class ScreenSource implements ChoiceSource {
  readonly onCpu = new Set<number>();
  private pipeline!: Pipeline<typeof linearKernel.params, keyof typeof linearKernel.bindings>;
  /** Weights of all policies, where they fit one binding. */
  private resident: GPUBuffer | null = null;
  private readonly largestWeight: number;
  /** 1 where a tile of 256 slots holds all there is. */
  private readonly halves: 1 | 2;

  constructor(
    private readonly context: GpuContext,
    private readonly screen: Screen,
    cells: number,
  ) {
    this.halves = cells <= HALF_TILE ? 1 : 2;
    let most = 0;
    for (let p = 0; p < screen.policies; p++) {
      const norm = screen.norm(p);
      // A policy of zeros ties everywhere; a huge one might leave the range of f32.
      if (norm === 0 || norm > LARGEST_NORM) this.onCpu.add(p);
      else most = Math.max(most, norm);
    }
    this.largestWeight = most;
  }

  async prepare(): Promise<void> {
    this.pipeline = await this.context.pipeline(linearKernel, {
      DIMENSION: this.screen.dimension,
      HALVES: this.halves,
    });
    const bytes = weightsStride(this.screen) * 4 * this.screen.policies;
    const { maxStorageBufferBindingSize, maxBufferSize } = this.context.device.limits;
    if (bytes <= Math.min(maxStorageBufferBindingSize, maxBufferSize))
      this.resident = this.uploadWeights(0, this.screen.policies);
  }

  private uploadWeights(from: number, to: number): GPUBuffer {
    return this.context.upload(
      'weights',
      packWeights(this.screen, from, to, (p) => this.onCpu.has(p)),
    );
  }

  load(groups: Groups, eventOf: (cell: number) => number): LoadedCells {
    const chunk = packLinear(this.screen, groups, eventOf, this.halves * HALF_TILE);
    if (chunk.largestNorm > LARGEST_NORM) {
      // A context that might leave the range of f32 leaves all policies to the CPU.
      for (let p = 0; p < this.screen.policies; p++) this.onCpu.add(p);
    }
    const contexts = this.context.upload('contexts', chunk.contexts);
    const index = this.context.upload('index', chunk.index);
    return {
      cellOf: chunk.cellOf,
      groupSlots: chunk.groupSlots,
      encode: (encoder, target) => this.encode(encoder, target, chunk, contexts, index),
      free: () => this.context.free(contexts, index),
    };
  }

  private encode(
    encoder: GPUCommandEncoder,
    { from, to, choices, doubtful, doubtfulCapacity }: ChoiceTarget,
    chunk: LinearChunk,
    contexts: GPUBuffer,
    index: GPUBuffer,
  ): GPUBuffer[] {
    const { screen } = this;
    const weights = this.resident ?? this.uploadWeights(from, to);
    const policies = to - from;
    const params = this.context.uniform(this.pipeline, {
      dimension: screen.dimension,
      arms: screen.rows,
      firstPolicy: this.resident === null ? 0 : from,
      policies,
      policiesPerGroup: POLICIES_PER_GROUP,
      tiles: chunk.tiles,
      choiceStride: (chunk.tiles * chunk.tile) / 2,
      ...chunk.at,
      doubtfulCapacity,
      subnormalSlack: screen.slack(Math.min(chunk.largestNorm, LARGEST_NORM), this.largestWeight),
    });
    const bindings = { contexts, weights, index, choices, doubtful };
    this.context.dispatch(
      encoder,
      this.pipeline,
      params,
      bindings,
      chunk.tiles,
      Math.ceil(policies / POLICIES_PER_GROUP),
    );
    return this.resident === null ? [params, weights] : [params];
  }

  leaveToCpu(policy: number): void {
    this.onCpu.add(policy);
    if (this.resident === null) return;
    const norms = (policy + 1) * weightsStride(this.screen) - 4;
    this.context.write(this.resident, new Float32Array([0, 1, 0, 0]), norms * 4);
  }

  close(): void {
    this.context.free(this.resident);
  }
}

class UniformSource implements ChoiceSource {
  readonly onCpu = new Set<number>();
  private pipeline!: Pipeline<typeof uniformKernel.params, keyof typeof uniformKernel.bindings>;

  constructor(
    private readonly context: GpuContext,
    private readonly log: EventLog,
    private readonly compiled: UniformPolicies,
  ) {}

  async prepare(): Promise<void> {
    this.pipeline = await this.context.pipeline(uniformKernel, {});
  }

  load(groups: Groups, eventOf: (cell: number) => number): LoadedCells {
    const layout = plainSlots(groups);
    const { pools, firstEvent = 0 } = this.log;
    const slots = layout.cellOf.length;
    const poolOffsets = slots * 2;
    const poolArms = poolOffsets + pools.offsets.length;
    const index = new Uint32Array(poolArms + pools.arms.length);
    for (let s = 0; s < slots; s++) {
      const event = eventOf(Math.max(0, layout.cellOf[s]));
      // Draws are numbered by the events of the whole log.
      index[s * 2] = firstEvent + event;
      index[s * 2 + 1] = pools.pool === null ? 0 : pools.pool[event];
    }
    index.set(pools.offsets, poolOffsets);
    index.set(pools.arms, poolArms);
    const buffer = this.context.upload('index', index);
    const choiceStride = slots / 2;
    return {
      ...layout,
      encode: (encoder, { from, to, choices }) => {
        const replicas = this.context.upload('replicas', this.compiled.replica.slice(from, to));
        const params = this.context.uniform(this.pipeline, {
          seed: this.compiled.seed,
          stream: STREAM.uniformPolicy,
          policies: to - from,
          slots,
          choiceStride,
          poolOffsets,
          poolArms,
        });
        const bindings = { index: buffer, replicas, choices };
        this.context.dispatch(encoder, this.pipeline, params, bindings, Math.ceil(choiceStride / LANES), to - from);
        return [params, replicas];
      },
      free: () => this.context.free(buffer),
    };
  }

  leaveToCpu(): void {}

  close(): void {}
}

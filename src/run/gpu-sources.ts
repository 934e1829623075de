/** Where the GPU's choice matrix comes from: one source per kind of batch. */

import type { GpuContext, Pipeline } from '../gpu/context.js';
import type { EventLog } from '../log/event-log.js';
import type { LinearBatch, MatrixBatch, PolicyBatch, UniformBatch } from '../policy/batch.js';
import { LARGEST_NORM, packWeights, policyNorms, subnormalSlack, weightsStride } from '../policy/linear/kernel.js';
import { STREAM } from '../random/threefry.js';
import { LANES, linearKernel, TILE, uniformKernel } from './gpu-kernels.js';
import { type LinearChunk, packLinear } from './gpu-pack.js';

/** Slots of the current chunk (or of all cells) as a source laid them out. */
export interface Slots {
  /** Cell in each slot, −1 in padding. Length even. */
  readonly cellOf: Int32Array;
  /** First slot of each group (length groups + 1). */
  readonly groupSlots: readonly number[];
}

/** Policies from..to−1 and the buffers their choices go to. */
export interface ChoiceTarget {
  readonly from: number;
  readonly to: number;
  readonly choices: GPUBuffer;
  readonly doubtful: GPUBuffer;
  readonly doubtfulCapacity: number;
}

/** Bytes of the source's input, for the plan. */
export interface SourceBytes {
  readonly perEntry: number;
  readonly perPolicy: number;
}

export interface ChoiceSource {
  /** Compiles what the source needs. */
  prepare(): Promise<void>;
  /** Lays out cells given as groups (ranges that must stay apart) and uploads what deciding them takes. */
  load(groups: readonly (readonly [number, number])[], eventOf: (cell: number) => number): Slots;
  /** Records the work that fills the choice matrix. Returns buffers to free once it has run. */
  encode(encoder: GPUCommandEncoder, target: ChoiceTarget): GPUBuffer[];
  /** Takes a policy out: its answers come from the CPU. */
  mute(policy: number): void;
  readonly muted: ReadonlySet<number>;
  close(): void;
}

/** Input bytes of a batch. */
export function sourceBytes(batch: PolicyBatch): SourceBytes {
  if (batch.kind === 'linear') return { perEntry: (batch.dimension + 1) * 4 + 8, perPolicy: weightsStride(batch) * 4 };
  return { perEntry: 8, perPolicy: 4 };
}

export function makeSource(context: GpuContext, log: EventLog, batch: PolicyBatch): ChoiceSource {
  if (batch.kind === 'linear') return new LinearSource(context, log, batch);
  if (batch.kind === 'uniform') return new UniformSource(context, log, batch);
  return new MatrixSource(context, batch);
}

/** Slots in the order of the cells; groups start at even slots so that no word is shared. */
function plainSlots(groups: readonly (readonly [number, number])[]): Slots {
  const groupSlots = [0];
  for (const [from, to] of groups) groupSlots.push(groupSlots[groupSlots.length - 1] + Math.ceil((to - from) / 2) * 2);
  const cellOf = new Int32Array(groupSlots[groups.length]).fill(-1);
  groups.forEach(([from, to], g) => {
    for (let i = 0; i < to - from; i++) cellOf[groupSlots[g] + i] = from + i;
  });
  return { cellOf, groupSlots };
}

class LinearSource implements ChoiceSource {
  readonly muted = new Set<number>();
  private pipeline!: Pipeline<typeof linearKernel.params, keyof typeof linearKernel.bindings>;
  private chunk: LinearChunk | null = null;
  private contexts: GPUBuffer | null = null;
  private index: GPUBuffer | null = null;
  /** Weights of all policies, where they fit one binding. */
  private resident: GPUBuffer | null = null;
  private readonly largestWeight: number;

  constructor(
    private readonly context: GpuContext,
    private readonly log: EventLog,
    private readonly batch: LinearBatch,
  ) {
    const norms = policyNorms(batch);
    let most = 0;
    norms.forEach((norm, p) => {
      // A policy of zeros ties everywhere; a huge one might leave the range of f32.
      if (norm === 0 || norm > LARGEST_NORM) this.muted.add(p);
      else most = Math.max(most, norm);
    });
    this.largestWeight = most;
  }

  async prepare(): Promise<void> {
    this.pipeline = await this.context.pipeline(linearKernel, { DIMENSION: this.batch.dimension });
    const bytes = weightsStride(this.batch) * 4 * this.batch.policies;
    const { maxStorageBufferBindingSize, maxBufferSize } = this.context.device.limits;
    if (bytes <= Math.min(maxStorageBufferBindingSize, maxBufferSize))
      this.resident = this.uploadWeights(0, this.batch.policies);
  }

  private uploadWeights(from: number, to: number): GPUBuffer {
    return this.context.upload('weights', packWeights(this.batch, from, to, (p) => this.muted.has(p)).data);
  }

  load(groups: readonly (readonly [number, number])[], eventOf: (cell: number) => number): Slots {
    const { chunk, groupTiles } = packLinear(this.log, groups, eventOf);
    this.context.free(this.contexts, this.index);
    this.contexts = this.context.upload('contexts', chunk.contexts);
    this.index = this.context.upload('index', chunk.index);
    this.chunk = chunk;
    if (chunk.largestNorm > LARGEST_NORM) {
      // A context that might leave the range of f32 leaves all policies to the CPU.
      for (let p = 0; p < this.batch.policies; p++) this.muted.add(p);
    }
    return { cellOf: chunk.cellOf, groupSlots: groupTiles.map((tile) => tile * TILE) };
  }

  encode(encoder: GPUCommandEncoder, { from, to, choices, doubtful, doubtfulCapacity }: ChoiceTarget): GPUBuffer[] {
    const { chunk, contexts, index, batch } = this;
    if (chunk === null || contexts === null || index === null) throw new Error('load() comes before encode()');
    const weights = this.resident ?? this.uploadWeights(from, to);
    const policies = to - from;
    const policiesPerGroup = 8;
    const params = this.context.uniform(this.pipeline, {
      dimension: batch.dimension,
      arms: batch.arms,
      firstPolicy: this.resident === null ? 0 : from,
      policies,
      policiesPerGroup,
      tiles: chunk.tiles,
      choiceStride: (chunk.tiles * TILE) / 2,
      ...chunk.at,
      doubtfulCapacity,
      subnormalSlack: subnormalSlack(batch.dimension, Math.min(chunk.largestNorm, LARGEST_NORM), this.largestWeight),
    });
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.pipeline.pipeline);
    pass.setBindGroup(0, this.context.bind(this.pipeline, params, { contexts, weights, index, choices, doubtful }));
    pass.dispatchWorkgroups(chunk.tiles, Math.ceil(policies / policiesPerGroup));
    pass.end();
    return this.resident === null ? [params, weights] : [params];
  }

  mute(policy: number): void {
    this.muted.add(policy);
    if (this.resident === null) return;
    const norms = (policy + 1) * weightsStride(this.batch) - 4;
    this.context.device.queue.writeBuffer(this.resident, norms * 4, new Float32Array([0, 1, 0, 0]));
  }

  close(): void {
    this.context.free(this.contexts, this.index, this.resident);
  }
}

class UniformSource implements ChoiceSource {
  readonly muted = new Set<number>();
  private pipeline!: Pipeline<typeof uniformKernel.params, keyof typeof uniformKernel.bindings>;
  private index: GPUBuffer | null = null;
  private slots = 0;
  private poolOffsets = 0;

  constructor(
    private readonly context: GpuContext,
    private readonly log: EventLog,
    private readonly batch: UniformBatch,
  ) {}

  async prepare(): Promise<void> {
    this.pipeline = await this.context.pipeline(uniformKernel, {});
  }

  load(groups: readonly (readonly [number, number])[], eventOf: (cell: number) => number): Slots {
    const layout = plainSlots(groups);
    const { pools } = this.log;
    this.slots = layout.cellOf.length;
    this.poolOffsets = this.slots * 2;
    const index = new Uint32Array(this.poolOffsets + pools.offsets.length + pools.arms.length);
    for (let s = 0; s < this.slots; s++) {
      const event = eventOf(Math.max(0, layout.cellOf[s]));
      index[s * 2] = event;
      index[s * 2 + 1] = pools.pool === null ? 0 : pools.pool[event];
    }
    index.set(pools.offsets, this.poolOffsets);
    index.set(pools.arms, this.poolOffsets + pools.offsets.length);
    this.context.free(this.index);
    this.index = this.context.upload('index', index);
    return layout;
  }

  encode(encoder: GPUCommandEncoder, { from, to, choices }: ChoiceTarget): GPUBuffer[] {
    if (this.index === null) throw new Error('load() comes before encode()');
    const replicas = this.context.upload('replicas', this.batch.replica.slice(from, to));
    const choiceStride = this.slots / 2;
    const params = this.context.uniform(this.pipeline, {
      seed: this.batch.seed,
      stream: STREAM.uniformPolicy,
      policies: to - from,
      slots: this.slots,
      choiceStride,
      poolOffsets: this.poolOffsets,
      poolArms: this.poolOffsets + this.log.pools.offsets.length,
    });
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.pipeline.pipeline);
    pass.setBindGroup(0, this.context.bind(this.pipeline, params, { index: this.index, replicas, choices }));
    pass.dispatchWorkgroups(Math.ceil(choiceStride / LANES), to - from);
    pass.end();
    return [params, replicas];
  }

  mute(): void {}

  close(): void {
    this.context.free(this.index);
  }
}

/** Choices known in advance are uploaded tile by tile. */
class MatrixSource implements ChoiceSource {
  readonly muted = new Set<number>();
  private slots: Slots = { cellOf: new Int32Array(0), groupSlots: [0] };
  private cellId: (cell: number) => number = (cell) => cell;

  constructor(
    private readonly context: GpuContext,
    private readonly batch: MatrixBatch,
  ) {}

  async prepare(): Promise<void> {}

  load(groups: readonly (readonly [number, number])[], eventOf: (cell: number) => number): Slots {
    this.slots = plainSlots(groups);
    // An event of its own is the cell of its event number; other cells are numbered as they are.
    this.cellId = this.batch.cells.of === null && this.batch.cells.count !== 1 ? eventOf : (cell) => cell;
    return this.slots;
  }

  encode(_encoder: GPUCommandEncoder, { from, to, choices }: ChoiceTarget): GPUBuffer[] {
    const { cellOf } = this.slots;
    const { choices: matrix, cells } = this.batch;
    const words = new Uint32Array(((to - from) * cellOf.length) / 2);
    const halves = new Uint16Array(words.buffer).fill(0xffff);
    for (let p = from; p < to; p++) {
      const row = p * cells.count;
      const out = (p - from) * cellOf.length;
      // "No arm" keeps its sixteen ones in either width.
      for (let s = 0; s < cellOf.length; s++)
        if (cellOf[s] >= 0) halves[out + s] = matrix[row + this.cellId(cellOf[s])];
    }
    this.context.write(choices, words);
    return [];
  }

  mute(): void {}

  close(): void {}
}

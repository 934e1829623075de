/** One step in flight: its result buffers, and reading them back. */

import type { GpuContext } from '../../gpu/context.js';

/** Pairs of the doubtful list that are read back without asking how many there are. */
const EAGER_PAIRS = 4096;

/** What a step is to run. */
export interface StepWork {
  /** Words of `sums` that the step writes. */
  readonly sumWords: number;
  /** Whether it may report doubtful decisions. */
  readonly doubts: boolean;
  /** Records the dispatches; returns buffers that can go once they are submitted. */
  encode(encoder: GPUCommandEncoder): GPUBuffer[];
}

export interface StepResults {
  readonly sums: Uint32Array;
  /** (policy of the tile, slot) pairs; `null`: there were more than the list holds. */
  readonly doubtful: Uint32Array | null;
}

export class GpuStep {
  readonly sums: GPUBuffer;
  /** A counter (8 bytes with padding), then the pairs. */
  readonly doubtful: GPUBuffer;
  private readonly staging: GPUBuffer;
  private rest: GPUBuffer | null = null;
  private readonly eager: number;

  /**
   * @param sumWords most words of sums of any step.
   * @param capacity pairs that the doubtful list holds.
   */
  constructor(
    private readonly context: GpuContext,
    sumWords: number,
    private readonly capacity: number,
  ) {
    this.eager = Math.min(EAGER_PAIRS, capacity);
    this.sums = context.storage('sums', sumWords * 4);
    this.doubtful = context.storage('doubtful', 8 + capacity * 8);
    this.staging = context.staging('results', sumWords * 4 + 8 + this.eager * 8);
  }

  /** Submits the work and waits for its results. @throws EngineError where the device fails. */
  async run({ sumWords, doubts, encode }: StepWork): Promise<StepResults> {
    const { device } = this.context;
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(this.doubtful, 0, 8);
    const scratch = encode(encoder);
    const tail = doubts ? 8 + this.eager * 8 : 0;
    encoder.copyBufferToBuffer(this.sums, 0, this.staging, 0, sumWords * 4);
    if (doubts) encoder.copyBufferToBuffer(this.doubtful, 0, this.staging, sumWords * 4, tail);
    device.queue.submit([encoder.finish()]);
    // Destroying after submission is safe: the queue keeps what it still needs.
    this.context.free(...scratch);
    const words = await this.context.read(this.staging, sumWords * 4 + tail);
    const sums = words.subarray(0, sumWords);
    if (!doubts) return { sums, doubtful: new Uint32Array(0) };
    const count = words[sumWords];
    if (count > this.capacity) return { sums, doubtful: null };
    if (count > this.eager) return { sums, doubtful: await this.readRest(count) };
    return { sums, doubtful: words.subarray(sumWords + 2, sumWords + 2 + count * 2) };
  }

  private async readRest(count: number): Promise<Uint32Array> {
    const { device } = this.context;
    this.rest ??= this.context.staging('doubtful', this.capacity * 8);
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.doubtful, 8, this.rest, 0, count * 8);
    device.queue.submit([encoder.finish()]);
    return this.context.read(this.rest, count * 8);
  }

  close(): void {
    this.context.free(this.sums, this.doubtful, this.staging, this.rest);
  }
}

/** One submission in flight: its result buffers, and reading them back. */

import type { GpuContext } from '../../gpu/context.js';

/** Pairs of the doubtful list that are read back without asking how many there are. */
const EAGER_PAIRS = 4096;

export interface StepResults {
  readonly sums: Uint32Array;
  /** (policy of the submission, slot) pairs; `null`: there were more than the list holds. */
  readonly doubtful: Uint32Array | null;
}

export class GpuStep {
  private sums: GPUBuffer | null = null;
  private staging: GPUBuffer | null = null;
  /** A counter (8 bytes with padding), then the pairs. */
  private readonly doubtful: GPUBuffer;
  private rest: GPUBuffer | null = null;
  private readonly eager: number;

  /** @param capacity pairs that the doubtful list holds. */
  constructor(
    private readonly context: GpuContext,
    private readonly capacity: number,
  ) {
    this.eager = Math.min(EAGER_PAIRS, capacity);
    this.doubtful = context.storage('doubtful', 8 + capacity * 8);
  }

  /**
   * Submits work and waits for its results.
   *
   * @param sumWords words of sums that it writes.
   * @param encode records the dispatches; returns buffers that can go once they are submitted.
   * @throws EngineError where the device fails.
   */
  async run(
    sumWords: number,
    encode: (encoder: GPUCommandEncoder, buffers: { sums: GPUBuffer; doubtful: GPUBuffer }) => GPUBuffer[],
  ): Promise<StepResults> {
    const { context, doubtful } = this;
    const { device } = context;
    const tail = 8 + this.eager * 8;
    if (this.sums === null || this.staging === null || this.staging.size < sumWords * 4 + tail) {
      context.free(this.sums, this.staging);
      this.sums = context.storage('sums', sumWords * 4);
      this.staging = context.staging('results', sumWords * 4 + tail);
    }
    const { sums, staging } = this;
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(doubtful, 0, 8);
    const scratch = encode(encoder, { sums, doubtful });
    encoder.copyBufferToBuffer(sums, 0, staging, 0, sumWords * 4);
    encoder.copyBufferToBuffer(doubtful, 0, staging, sumWords * 4, tail);
    device.queue.submit([encoder.finish()]);
    // Destroying after submission is safe: the queue keeps what it still needs.
    context.free(...scratch);
    const words = await context.read(staging, sumWords * 4 + tail);
    const found = words.subarray(0, sumWords);
    const count = words[sumWords];
    if (count > this.capacity) return { sums: found, doubtful: null };
    if (count > this.eager) return { sums: found, doubtful: await this.readRest(count) };
    return { sums: found, doubtful: words.subarray(sumWords + 2, sumWords + 2 + count * 2) };
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

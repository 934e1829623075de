/** Policies that score candidates, on the device. */

import type { GpuContext } from '../../gpu/context.js';
import { LARGEST_NORM, packWeights, weightsStride } from '../../policy/linear/kernel.js';
import type { Screen } from '../../policy/screen.js';
import { GROUP, powerOfTwo, STAGE } from './kernels.js';

/** Groups of policies from which on larger ones are worth compiling. */
const GROUPS = 8;
/** Fewer policies than this in workgroup memory are not worth that their group shares so few readings of events. */
const FEWEST_STAGED = 4;

export class ScreenWeights {
  /** Policies that are the CPU's. */
  readonly onCpu = new Set<number>();
  /** Weights of all policies, where they fit one binding. */
  private resident: GPUBuffer | null = null;
  private readonly largest: number;

  constructor(
    private readonly context: GpuContext,
    readonly screen: Screen,
  ) {
    let most = 0;
    for (let p = 0; p < screen.policies; p++) {
      const norm = screen.norm(p);
      // A policy of zeros ties everywhere; a huge one might leave the range of f32.
      if (norm === 0 || norm > LARGEST_NORM) this.onCpu.add(p);
      else most = Math.max(most, norm);
    }
    this.largest = most;
  }

  /** Uploads the weights, where they fit. */
  prepare(): void {
    const bytes = weightsStride(this.screen) * 4 * this.screen.policies;
    const { maxStorageBufferBindingSize, maxBufferSize } = this.context.device.limits;
    if (bytes <= Math.min(maxStorageBufferBindingSize, maxBufferSize))
      this.resident = this.upload(0, this.screen.policies);
  }

  private upload(from: number, to: number): GPUBuffer {
    return this.context.upload(
      'weights',
      packWeights(this.screen, from, to, (p) => this.onCpu.has(p)),
    );
  }

  /** Policies of a workgroup, at most `most`; fewer where there are few in all, which a smaller kernel serves as well. */
  group(most: number = GROUP): number {
    const few = Math.min(most, powerOfTwo(this.screen.policies / GROUPS));
    const room = Math.min(few, Math.floor(STAGE / this.quads));
    return room >= Math.min(few, FEWEST_STAGED) ? room : few;
  }

  /** vec4s of workgroup memory for the weights of so many policies; 0: they have no room there. */
  stage(group: number): number {
    const needed = group * this.quads;
    return needed > STAGE ? 0 : Math.min(STAGE, powerOfTwo(needed));
  }

  /** vec4s of a policy's weights. */
  private get quads(): number {
    return Math.max(1, this.screen.rows * Math.ceil(this.screen.dimension / 4));
  }

  /** Weights of policies from..to−1 in a buffer, the number there of the first, and what can go once work on it is submitted. */
  of(from: number, to: number): { weights: GPUBuffer; firstPolicy: number; scratch: GPUBuffer[] } {
    if (this.resident !== null) return { weights: this.resident, firstPolicy: from, scratch: [] };
    const weights = this.upload(from, to);
    return { weights, firstPolicy: 0, scratch: [weights] };
  }

  /** What the kernels' parameters say of the policies. @param norm largest of the contexts at hand. */
  params(norm: number) {
    const { screen } = this;
    return {
      rows: screen.rows,
      quads: Math.ceil(screen.dimension / 4),
      subnormalSlack: screen.slack(Math.min(norm, LARGEST_NORM), this.largest),
    };
  }

  /** Of contexts with such a norm: those that might leave the range of f32 leave all policies to the CPU. */
  meet(norm: number): void {
    if (norm > LARGEST_NORM) for (let p = 0; p < this.screen.policies; p++) this.onCpu.add(p);
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

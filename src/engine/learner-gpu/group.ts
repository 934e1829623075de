/** Replicas of one kernel on the device: their buffers, one dispatch after the other, what comes back. */

import type { GpuContext, Pipeline } from '../../gpu/context.js';
import type { KernelConstants } from '../../gpu/kernel.js';
import { STREAM } from '../../random/threefry.js';
import type { ReplayRules } from '../learner-contract.js';
import type { Chunk } from './chunk.js';
import { NEVER, PROGRESS, PROGRESS_WORDS, type ReplayKernel, SETTING_WORDS } from './kernels.js';
import type { LearnerKernel } from './learner-kernel.js';
import { type GroupPlan, planRoom } from './plan.js';

/** One replica: where it stands in the job, its setting's kernel, its number, the row of its subsample's list. */
export interface Member {
  readonly row: number;
  readonly kernel: LearnerKernel;
  readonly number: number;
  readonly list: number;
}

/** A chunk on the device. */
export interface LoadedChunk {
  readonly chunk: Chunk;
  readonly events: GPUBuffer;
  readonly tables: GPUBuffer;
  readonly lists: GPUBuffer;
  /** Words from one list to the next; 0: no lists, every event is in every subsample. */
  readonly listStride: number;
  /** By the name that `featuresKey` gives. */
  readonly features: ReadonlyMap<string, GPUBuffer>;
}

/** State of one replica, as it lies on the device. */
export interface ReplicaWords {
  readonly state: Uint32Array;
  readonly progress: Uint32Array;
}

/** A dispatch under way. */
export interface Dispatched {
  readonly staging: GPUBuffer;
  readonly uniform: GPUBuffer;
  /** Words of a replica's retained events. */
  readonly room: number;
}

/** What one replica did in one dispatch. */
export interface Step {
  readonly member: Member;
  /** Retained events, indices into the chunk. */
  readonly retained: Uint32Array;
  readonly consumed: number;
  readonly windows: number;
  readonly looks: number;
  readonly settled: number;
  /** The T-th match was found. */
  readonly finished: boolean;
  readonly ended: boolean;
  /** Events of a window. */
  readonly window: number;
}

/** A compiled kernel of the replay loop. */
export type ReplayPipeline = Pipeline<ReplayKernel['params'], keyof ReplayKernel['bindings']>;

export function featuresKey({ features }: LearnerKernel): string {
  return typeof features === 'string' ? features : `segment ${features.segment}`;
}

export class ReplayGroup {
  readonly kernel: LearnerKernel;
  private readonly replicas: GPUBuffer;
  private readonly progress: GPUBuffer;
  private readonly state: GPUBuffer;
  private readonly spare: GPUBuffer[] = [];

  constructor(
    private readonly context: GpuContext,
    readonly plan: GroupPlan,
    readonly members: readonly Member[],
    private readonly rules: ReplayRules,
    /** Of the kernel for a chunk. */
    private readonly constantsFor: (chunk: Chunk) => KernelConstants,
    private readonly dimension: number,
    /** State to resume from, per member; `null`: they begin. */
    savedState: readonly ReplicaWords[] | null = null,
  ) {
    this.kernel = members[0].kernel;
    const { stateWords } = this.kernel;
    const settings = new Uint32Array(members.length * SETTING_WORDS);
    const states = new Uint32Array(members.length * stateWords);
    const progress = new Uint32Array(members.length * PROGRESS_WORDS);
    members.forEach(({ kernel, number, list }, i) => {
      settings.set([number, list, ...kernel.parameters], i * SETTING_WORDS);
      kernel.fill(states.subarray(i * stateWords, (i + 1) * stateWords));
      progress[i * PROGRESS_WORDS + PROGRESS.chunk] = NEVER;
      if (savedState === null) return;
      states.set(savedState[i].state, i * stateWords);
      progress.set(savedState[i].progress, i * PROGRESS_WORDS);
    });
    this.replicas = context.upload('replay replicas', settings);
    this.progress = context.storage('replay progress', this.resultBytes(plan.capacity));
    context.write(this.progress, progress);
    this.state = context.upload('replay state', states);
  }

  /** Bytes of what a dispatch brings back, with room for so many retained events of a replica. */
  private resultBytes(room: number): number {
    return this.members.length * (PROGRESS_WORDS + room) * 4;
  }

  /** Compiled once per set of constants. */
  pipeline(chunk: Chunk): Promise<ReplayPipeline> {
    return this.context.pipeline(this.kernel.shader, this.constantsFor(chunk));
  }

  /** Plays on: at most `windows` windows of each replica. */
  record(pass: GPUComputePassEncoder, pipeline: ReplayPipeline, loaded: LoadedChunk, windows: number): Dispatched {
    const { chunk, listStride, features, events, tables, lists } = loaded;
    const { context, rules, plan, kernel, replicas, progress, state } = this;
    const room = planRoom(plan, windows, plan.width * kernel.slots);
    const uniform = context.uniform(pipeline, {
      seed: rules.seed,
      stream: STREAM.exploration,
      chunk: chunk.number,
      firstEvent: chunk.firstEvent,
      chunkEvents: chunk.count,
      replicas: this.members.length,
      capacity: room,
      windows,
      validEvents: rules.validEvents ?? NEVER,
      listStride,
      arms: chunk.arms,
      poolTable: chunk.poolTable,
      poolWords: chunk.poolWords,
      epochTable: chunk.epochTable,
      epochs: chunk.epochs,
      stateStride: kernel.stateWords,
      dimension: this.dimension,
      lowFeatures: chunk.count,
      zero: 0,
    });
    const buffers = {
      events,
      features: features.get(featuresKey(kernel)) ?? events,
      lists,
      tables,
      replicas,
      progress,
      state,
    };
    context.record(pass, pipeline, uniform, buffers, this.members.length, 1);
    const staging = this.spare.pop() ?? context.staging('replay results', this.resultBytes(plan.capacity));
    return { staging, uniform, room };
  }

  /** To follow the pass: brings back what the dispatch will have done. */
  copyResults(encoder: GPUCommandEncoder, { staging, room }: Dispatched): void {
    encoder.copyBufferToBuffer(this.progress, 0, staging, 0, this.resultBytes(room));
  }

  /** Calls `use` with what each replica did in a dispatch. The retained events of a step are gone when it returns. */
  async collect({ staging, uniform, room }: Dispatched, use: (step: Step) => void): Promise<void> {
    const { members, plan, kernel } = this;
    await this.context.look(staging, this.resultBytes(room), (words) => {
      for (const [i, member] of members.entries()) {
        const home = i * PROGRESS_WORDS;
        const first = members.length * PROGRESS_WORDS + i * room;
        use({
          member,
          retained: words.subarray(first, first + words[home + PROGRESS.retained]),
          consumed: words[home + PROGRESS.consumed],
          windows: words[home + PROGRESS.windows],
          looks: words[home + PROGRESS.looks],
          settled: words[home + PROGRESS.settled],
          finished: words[home + PROGRESS.finished] === 1,
          ended: words[home + PROGRESS.ended] === 1,
          window: plan.width * kernel.slots,
        });
      }
    });
    this.spare.push(staging);
    this.context.free(uniform);
  }

  /** Calls `use` with the state of every replica, [members, stateWords]; it is gone when that returns. */
  states<Result>(use: (words: Uint32Array) => Result): Promise<Result> {
    return this.fetch(this.state, this.members.length * this.kernel.stateWords * 4, use);
  }

  /** State of every replica; nothing may be in flight. */
  async words(): Promise<ReplicaWords[]> {
    const { stateWords } = this.kernel;
    const copy = (words: Uint32Array): Uint32Array => words.slice();
    const states = await this.states(copy);
    const progress = await this.fetch(this.progress, this.members.length * PROGRESS_WORDS * 4, copy);
    return this.members.map((_, i) => ({
      state: states.subarray(i * stateWords, (i + 1) * stateWords),
      progress: progress.subarray(i * PROGRESS_WORDS, (i + 1) * PROGRESS_WORDS),
    }));
  }

  private async fetch<Result>(buffer: GPUBuffer, bytes: number, use: (words: Uint32Array) => Result): Promise<Result> {
    const { context } = this;
    const staging = context.staging('replay words', bytes);
    try {
      const encoder = context.device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, staging, 0, bytes);
      context.device.queue.submit([encoder.finish()]);
      return await context.look(staging, bytes, use);
    } finally {
      context.free(staging);
    }
  }

  free(): void {
    this.context.free(this.replicas, this.progress, this.state, ...this.spare);
  }
}

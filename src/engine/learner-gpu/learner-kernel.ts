/** What the GPU engine must know of an algorithm: its kernel, its parameters as words, its state. */

import type { KernelConstants } from '../../gpu/kernel.js';
import type { Numerics } from '../../learner/learner.js';
import type { EventLog } from '../../log/event-log.js';
import type { ReplayKernel } from './kernels.js';

/** Per event of a chunk, beside arm, payoff and pool: nothing, the context, or the segment in a key column. */
export type Features = 'none' | 'contexts' | { readonly segment: string };

/** Bytes of workgroup memory that a kernel takes. */
export interface WorkgroupMemory {
  /** Whatever the width. */
  readonly fixed: number;
  readonly perLane: number;
  /** More where the state is held there. */
  readonly held: number;
  /** More, per lane, where scores are kept; `null`: the kernel keeps none. */
  readonly scoresPerLane: number | null;
}

/** One setting on the GPU. Settings with equal `key` share a pipeline and run side by side. */
export interface LearnerKernel {
  readonly key: string;
  readonly shader: ReplayKernel;
  /** Constants of its own hooks; those of the loop are the engine's. */
  readonly constants: KernelConstants;
  readonly features: Features;
  /** Events that a lane decides side by side. */
  readonly slots: number;
  /** True where nothing is learnt. */
  readonly stateless: boolean;
  /** True where updates commute, so that a window can be learnt from at once. */
  readonly bulk: boolean;
  /** True where f32 may leave a decision in doubt. */
  readonly doubts: boolean;
  /** With room for so many arms; `local`: only those of a chunk need to find room. */
  memory(arms: number): WorkgroupMemory;
  readonly local: boolean;
  /** Words of state of one replica. */
  readonly stateWords: number;
  /** At most SETTING_WORDS − 2 words. */
  readonly parameters: readonly number[];
  /** Writes the state of a fresh replica; `state` is zero. */
  fill(state: Uint32Array): void;
  /** The final state for people, as `Learner.state` gives it. */
  describe(state: Uint32Array): Record<string, unknown>;
  /** What `Learner.numerics` would say at the end. @param b Σ payoff times context of each arm, [K, d]; `null`: not known. */
  numerics?(state: Uint32Array, b: Float64Array | null): Numerics;
}

/**
 * @param parameters as `Algorithm.create` takes them.
 * @param frozen decisions are frozen between updates, so that there are two copies of the state.
 * @returns `null` where the kernel cannot take this log: the CPU engine replays it.
 */
export type MakeKernel = (parameters: object, log: EventLog, frozen: boolean) => LearnerKernel | null;

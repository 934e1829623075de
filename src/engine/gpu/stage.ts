/** What a run goes through: pieces of the log on the device, each of which all policies pass. */

import type { SumWord } from './planes.js';

/** Policies from..to−1 and where their results go. */
export interface Target {
  readonly from: number;
  readonly to: number;
  readonly sums: GPUBuffer;
  readonly doubtful: GPUBuffer;
  readonly doubtfulCapacity: number;
}

/** Entries on the device, with what deciding takes. */
export interface Piece {
  /** Block of each row of sums; a row is T and the stage's words, per policy. */
  readonly blocks: readonly number[];
  /** Cell in each slot, −1 in padding. */
  readonly cellOf: Int32Array;
  /** Events that it stands for. */
  readonly events: number;
  /** Decisions of a policy. */
  readonly decisions: number;
  /** Records the work of some policies. Returns buffers to free once it has been submitted. */
  encode(encoder: GPUCommandEncoder, target: Target): GPUBuffer[];
  free(): void;
}

export interface Stage {
  /** Policies whose answers come from the CPU. */
  readonly onCpu: ReadonlySet<number>;
  /** Words of a row of sums behind T. */
  readonly words: readonly SumWord[];
  /** Compiles, uploads, and yields piece by piece. */
  pieces(): AsyncGenerator<Piece>;
  leaveToCpu(policy: number): void;
  close(): void;
}

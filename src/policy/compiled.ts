/**
 * Compiled policies: what policy families compile to and engines run. A family reads and validates a spec and packs
 * its policies into one of three kinds of plain data (structured-cloneable, so that worker threads can take them):
 *
 * - `matrix`: the choice of every policy at every cell, known in advance (constant, table, choices, functions);
 * - `scored`: the candidate with the largest score (linear, joint-linear);
 * - `uniform`: a random candidate per event.
 *
 * A cell is a set of events at which a policy must choose alike, so it is decided once.
 */

import { checkRoom } from '../log/build/memory.js';
import type { Cells } from '../log/cells.js';

/** "No arm" in a Uint16 choice matrix: never matches. */
export const NO_ARM_16 = 0xffff;
/** "No arm" in a Uint32 choice matrix: never matches. */
export const NO_ARM_32 = 0xffffffff;

/** What all packed policies have. */
export interface CompiledBase {
  /** Family name, e.g. `linear`. */
  readonly family: string;
  /** P */
  readonly policies: number;
  /** Name of each policy, for people. Length P. */
  readonly names: readonly string[];
  /** Whole sentences for the result's warnings, e.g. that a table has no arm for some events. Absent: none. */
  readonly warnings?: readonly string[];
  /** Seed of their draws. Absent: they draw nothing. */
  readonly seed?: number;
  /** Names that the columns of the weights came with, in their order there. Absent: taken by place, or no weights. */
  readonly columns?: readonly string[];
}

/** Choices known in advance. */
export interface MatrixPolicies extends CompiledBase {
  readonly kind: 'matrix';
  readonly cells: Cells;
  /** [P, C] row-major: arm index, or NO_ARM_16 / NO_ARM_32 for "matches nothing". Uint16 where K < 65,535. */
  readonly choices: Uint16Array | Uint32Array;
}

/**
 * Policies that score candidates: f32 screens them, and f64 settles what it leaves in doubt. What their scores are is the
 * family's own: a line of `scored-families.ts`.
 */
export interface ScoredPolicies extends CompiledBase {
  readonly kind: 'scored';
  /** [P, …] row-major, as given (f64 stays f64). All finite. */
  readonly weights: Float32Array | Float64Array;
}

/** Candidate number ⌊u · |A_t| / 2³²⌋ with u the first Threefry word of key (seed, uniformPolicy), counter (event index, replica). */
export interface UniformPolicies extends CompiledBase {
  readonly kind: 'uniform';
  readonly seed: number;
  /** Replica of each policy, length P: the second counter word. */
  readonly replica: Uint32Array;
}

export type CompiledPolicies = MatrixPolicies | ScoredPolicies | UniformPolicies;

/** Bytes of a choice among K arms. */
export function choiceBytes(arms: number): number {
  return arms < NO_ARM_16 ? 2 : 4;
}

/**
 * A choice matrix, [P, C], of the narrowest type that holds K arms, filled with "no arm".
 *
 * @throws InputError with the sum, where it does not fit the memory.
 */
export function emptyChoices(policies: number, cells: number, arms: number): Uint16Array | Uint32Array {
  const size = policies * cells;
  const each = choiceBytes(arms);
  checkRoom(
    'the choices of the policies',
    `${policies} policies × ${cells} cells (distinct values, or events) × ${each} bytes`,
    each * size,
    'fewer policies at a time; or --memory (in code: memory), which goes through the log in batches',
  );
  return choiceBytes(arms) === 2 ? new Uint16Array(size).fill(NO_ARM_16) : new Uint32Array(size).fill(NO_ARM_32);
}

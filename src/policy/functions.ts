/** Policies written in code: any function from a context and its candidates to an arm. */

import type { EventLog } from '../log/event-log.js';

/** What a function may look up besides its arguments; the same at every event but for `featuresOf`. */
export interface FunctionSurroundings {
  /** Id of each arm index. */
  readonly ids: readonly string[];
  /** Name of each context column. */
  readonly columns: readonly string[];
  /** The table of arm features; `null` where the log has none. */
  readonly armFeatures: EventLog['armFeatures'];
  /**
   * z of a candidate as this event shows it, a copy; of length 0 where the log has no arm features.
   *
   * @param arm Arm index, one of the candidates.
   * @throws RangeError for any other.
   */
  featuresOf(arm: number): Float64Array;
}

/**
 * A policy: the arm it chooses, as arm index (a number) or arm id (text); `null` for none. It must be a pure function
 * of its arguments, because it is asked once for all events with the same context and candidates.
 *
 * @param context Length d. Valid during the call only: copy it to keep it.
 * @param candidates Arm indices in ascending order. An arm outside them may be returned; it matches nothing there.
 */
export type PolicyFunction = (
  context: Float64Array,
  candidates: readonly number[],
  surroundings: FunctionSurroundings,
) => number | string | null;

/** An entry of a policy set made of functions. Only code can make one. */
export interface FunctionSpec {
  /** The kind of policy. */
  family: 'function';
  /** Policies by name, in order. */
  functions: Readonly<Record<string, PolicyFunction>>;
  /** ε in 0 to 1: with this probability a candidate is drawn uniformly. */
  epsilon?: number | undefined;
}

/** An entry of a policy set with one policy per function, e.g. `policyFunctions({ first: (_, candidates) => candidates[0]! })`. */
export function policyFunctions(functions: Readonly<Record<string, PolicyFunction>>): FunctionSpec {
  return { family: 'function', functions };
}

/** An entry of a policy set with a single policy. */
export function policyFunction(name: string, choose: PolicyFunction): FunctionSpec {
  return policyFunctions({ [name]: choose });
}

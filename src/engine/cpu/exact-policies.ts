/** What decides scored policies in f64, as the reference does, where f32 cannot or need not. */

import type { ScoredPolicies } from '../../policy/compiled.js';
import type { Screen } from '../../policy/screen.js';
import type { CpuJob } from './job.js';

/** Runs in one thread. */
export interface ExactPolicies {
  /**
   * Writes the choices (arms, or feature rows) of policies at cells start..start+count−1: of policies[n] from
   * out[places[n]] on.
   *
   * @param count at most the chunk that it was made for.
   */
  choose(policies: readonly number[], start: number, count: number, out: Uint32Array, places: readonly number[]): void;
}

/** @param chunk most cells at a time. */
export type MakeExact<Policies extends ScoredPolicies> = (
  job: CpuJob,
  compiled: Policies,
  screen: Screen,
  chunk: number,
) => ExactPolicies;

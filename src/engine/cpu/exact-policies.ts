/** What decides scored policies in f64, as the reference does, where f32 cannot or need not. */

import type { ScoredBatch } from '../../policy/batch.js';
import type { Screen } from '../../policy/screen.js';
import type { TrialOrder } from './arm-order.js';
import type { CpuJob } from './job.js';

/** Runs in one thread. */
export interface ExactPolicies {
  /**
   * Adds the matches of policies at entries start..start+count−1, which are cells of block b, to the statistics.
   *
   * @param count at most the chunk that it was made for.
   */
  match(policies: readonly number[], b: number, start: number, count: number): void;
  /**
   * Writes the choices (arms, or feature rows) of policies at cells start..start+count−1: of policies[n] from
   * out[places[n]] on.
   *
   * @param count at most the chunk that it was made for.
   */
  choose(policies: readonly number[], start: number, count: number, out: Uint32Array, places: readonly number[]): void;
}

/** @param chunk most entries at a time. */
export type MakeExact<Batch extends ScoredBatch> = (
  job: CpuJob,
  batch: Batch,
  screen: Screen,
  trial: TrialOrder,
  chunk: number,
) => ExactPolicies;

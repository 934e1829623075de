/** What estimators see of a log, or of a batch of one. */

import type { PayoffScale } from './sums/payoff-scale.js';

/** A key column. */
export interface KeyLevels {
  /** Of the whole log. */
  readonly levels: readonly string[];
  /** Level of each event, [L]. */
  readonly code: Uint32Array;
}

export interface EventNumbers {
  /** L, or events of the batch. */
  readonly events: number;
  readonly payoff: {
    readonly scale: PayoffScale;
    /** [L], whole steps. */
    readonly steps: Uint32Array;
    /** The largest of the whole log. */
    readonly maxSteps: number;
  };
  /** p_t of the logged arm, [L]; `null`: not logged. */
  readonly propensity: Float64Array | null;
  /** Ids of the K arms. */
  readonly arms: { readonly ids: readonly string[] };
  /** The logged arm, [L]. */
  readonly arm: Uint32Array;
  /** Candidate sets: set s is arms[offsets[s] .. offsets[s + 1]); `pool` is the set of each event, `null`: 0. */
  readonly pools: { readonly offsets: Uint32Array; readonly arms: Uint32Array; readonly pool: Uint32Array | null };
  /** Key columns by name; absent: none are at hand. */
  readonly keys?: ReadonlyMap<string, KeyLevels>;
}

/** q̂ of a reward model, in payoffs. */
export interface Predictions {
  /** [R, K] row-major, finite at candidates. */
  readonly values: Float64Array;
  readonly rows: number;
  /** Row of each event of the batch, [L]; `null`: event t has row t. */
  readonly row: Uint32Array | null;
}

/** The versioned result of an evaluation: what the JSON file holds, word for word. */

import type { MatchCheck } from '../estimate/due-matches.js';
import type { EngineReport } from '../run/backend.js';
import type { BlockRows } from './block-rows.js';

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
export const RESULT_VERSION = 1;

/** One policy's row. */
export interface PolicyResult {
  /** Position in the policy set, 0-based over all entries. */
  index: number;
  name: string;
  family: string;
  /** T, the retained events. */
  matches: number;
  /** Ĝ, the total payoff of retained events, in payoff units. */
  payoff: number;
  /** ĝ = Ĝ / T; `null` where T = 0. */
  value: number | null;
  /** [lower, upper] at the stated confidence; the whole payoff range where T = 0. */
  interval: [number, number];
  /** Algorithm 1 only: L, the events consumed until the T-th match (or the whole log). */
  consumed?: number;
  /** Algorithm 1 only: false where the log ended before T matches. */
  complete?: boolean;
  /** On request: statistics per block, in payoff units. */
  blocks?: BlockRows;
}

/** The log, as the result describes it. */
export interface LogDescription {
  files: string[];
  format: string;
  where: string | null;
  events: number;
  arms: number;
  pools: number;
  contextDimension: number;
  distinctContexts: number | null;
  /** [first, last] as ISO 8601 in UTC; `null` where the log has no time. */
  period: [string, string] | null;
  payoff: { low: number; high: number; step: number; rounded: boolean };
  /** Where repeated views count as one event: the events before. */
  distinctViews?: { events: number };
  droppedRows: { kind: string; count: number; first: string; lost?: 'row' | 'candidate' | 'stretch' | 'nothing' }[];
  /** Where the log has costs: payoff = offset + scale · cost. */
  payoffFromCost?: { scale: number; offset: number };
}

/** A test whether the logged arm depends on a column, the time or the position. */
export interface UniformityFactor {
  /** What it might depend on, in words or as the name of the column. */
  factor: string;
  /** Events that were counted. */
  events: number;
  /** Pearson's statistic and its degrees of freedom; `null` where groups have too few events. */
  statistic: number | null;
  degrees: number | null;
  /** As of this test alone, and corrected for all tests that were made. */
  p: number;
  corrected: number;
}

/** How the logging policy was found to be uniform, or that the caller asserted it. */
export interface UniformityDescription {
  basis: 'propensities' | 'chi-square' | 'assumed' | 'empty log';
  /** p-value of the chi-square test over pools; `null` where it was not made. */
  pValue: number | null;
  assumed: boolean;
  detail: string;
  /** Smallest p first. */
  factors: UniformityFactor[];
  /**
   * The policy or replica whose matches are furthest from what is due on a uniform log; `null` where there is nothing to compare.
   */
  matches: MatchCheck | null;
  /** Columns of the context that were not tested, where there are very many. */
  untestedColumns?: number;
}

export interface EvaluationResult {
  hindcast: string;
  version: typeof RESULT_VERSION;
  log: LogDescription;
  uniformity: UniformityDescription;
  estimator: { name: 'replay'; algorithm: 1 | 2; validEvents: number | null };
  interval: { method: string; confidence: number };
  blocks: { count: number; kind: string; events?: number[]; labels?: string[] };
  engine: EngineReport & { fallback: string | null; verified: number | null };
  seeds: { policies: number[] };
  warnings: string[];
  /** Policies left out of `policies` by `--top`, counted; absent where all are there. */
  omitted?: number;
  /** Best value first; policies without a value last; equal values by index. */
  policies: PolicyResult[];
}

/** The versioned result of an evaluation: what the JSON file holds, word for word. */

import type { EngineReport } from '../engine/contract.js';
import type { MatchCheck } from '../estimate/due-matches.js';
import type { EstimatorDescription, PolicyEstimate } from '../estimate/estimates.js';
import type { AnyInterval } from '../estimate/interval/choose-interval.js';
import type { PolicyStanding, Selection } from '../estimate/selection/select.js';
import type { SequenceName } from '../estimate/sequence/index.js';
import type { SequenceBounds } from '../estimate/sequence/method.js';
import type { BadRows, EstimatedPropensities, PayoffFromCost, Thinned } from '../log/event-log.js';
import type { ColumnUse, InputFile, ReadingRecord } from '../log/inputs.js';
import type { Mapping } from '../log/mapping.js';
import type { PolicySpec } from '../policy/families.js';
import type { RewardModelDescription } from '../reward-model/contract.js';
import type { HoldOut } from '../run/levels/hold-out.js';
import type { PolicySegment, Segments } from '../run/levels/segments.js';
import type { LoggedValue } from '../run/selection.js';
import type { BlockRows, BlocksDescription } from './block-rows.js';

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
export const RESULT_VERSION = 2;

/** One policy's row. */
export interface PolicyResult extends PolicyEstimate, Partial<PolicyStanding> {
  /** Position in the policy set, 0-based over all entries. */
  index: number;
  /** Name of the policy, unique in the set or not. */
  name: string;
  /** Kind of policy. */
  family: PolicySpec['family'];
  /** Algorithm 1 only: L, the events consumed until the T-th match (or the whole log). */
  consumed?: number;
  /** Algorithm 1 only: false where the log ended before T matches. */
  complete?: boolean;
  /** On request: bounds after each look, of which those at all looks hold together. */
  sequence?: SequenceBounds;
  /** With segments: the policy in each, in the order of `segments.levels` of the result. */
  segments?: PolicySegment[];
  /** On request: statistics per block, in payoff units. */
  blocks?: BlockRows;
}

/** The log, as the result describes it. */
export interface LogDescription {
  files: string[];
  format: string;
  where: string | null;
  /**
   * The mapping as it was used, ready to be a mapping file: patterns spelt out, with what options said and the keys that policies
   * look up. `null`: the format needs none, the log was made in code, or packed logs that were read as one have different ones.
   */
  mapping: Mapping | null;
  /** Every column of the log and what became of it. */
  columns: ColumnUse[];
  /** Further options of the reading, as in code. */
  options: ReadingRecord;
  events: number;
  arms: number;
  pools: number;
  contextDimension: number;
  distinctContexts: number | null;
  /** [first, last] as ISO 8601 in UTC; `null` where the log has no time. */
  period: [string, string] | null;
  payoff: { low: number; high: number; step: number; rounded: boolean };
  /**
   * Where a service dropped events before they were logged (`pdrop`): its rates. Where there are several, an event counts
   * 1/(1 − rate) in every value, weight and error; `matches` and `payoff` are of the events that there are.
   */
  dropRates?: number[];
  /** Where repeated views count as one event: the events before. */
  distinctViews?: { events: number };
  /** Where events were thinned out, so that what is left is logged uniformly: how, and how many there were; before views count as one. */
  thinned?: Thinned;
  /** Where propensities are shares of arms, and not those of the log. */
  estimatedPropensities?: EstimatedPropensities;
  droppedRows: BadRows[];
  /** Where the log has costs: payoff = offset + scale · cost. */
  payoffFromCost?: PayoffFromCost;
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

/** A confidence sequence, and when the log was looked at. */
export interface SequenceDescription {
  /** Which. */
  method: SequenceName;
  /** n*, the number of events at which bounds are tightest. */
  at: number;
  /** With this probability, for each policy by itself, its value lies within the bounds at all looks, later ones included. */
  level: number;
  /** Events up to each look. */
  looks: number[];
  /** Of looks by period: the start of each, ISO 8601. */
  periods?: string[];
}

/** What policies are worth by a log. */
export interface EvaluationResult {
  /** Version of hindcast. */
  hindcast: string;
  /** Version of the layout of the result. */
  version: typeof RESULT_VERSION;
  /** Of results of the command line: the line that makes it again, of the same files. */
  command?: string;
  /** The log. */
  log: LogDescription;
  /** All that the result was made of but what was given in code, policies and learners there among it. */
  inputs: InputFile[];
  /** How logging was found to be uniform. */
  uniformity: UniformityDescription;
  /** What `value` and `interval` of each policy are, and what the list is sorted by: the first of `estimators`. */
  estimator: EstimatorDescription;
  /** Every one that was asked for. */
  estimators: EstimatorDescription[];
  /** What payoffs were predicted by, where an estimator goes by a model. */
  rewardModel?: RewardModelDescription;
  /** What intervals of the first estimator are, and the level of all. */
  interval: { method: AnyInterval; confidence: number };
  /** Where policies have a `sequence`: what it is. */
  sequence?: SequenceDescription;
  /** Blocks of events that statistics were kept of. */
  blocks: BlocksDescription;
  /** The engine: `fallback` says why it is not the one that was asked for, `verified` how many policies were decided twice; `null`: neither. */
  engine: EngineReport & { fallback: string | null; verified: number | null };
  /** Seeds of policies that draw. */
  seeds: { policies: number[] };
  /** What a reader of the result must be told, in whole sentences. */
  warnings: string[];
  /** What the policy that logged the events earned per event; of a hold-out on the part to pick on. */
  logged: LoggedValue;
  /** What holds for all policies at once; `null`: nothing was to be said, or could be. */
  selection: Selection | null;
  /** On request: the log by values of key columns. */
  segments?: Segments;
  /** Where policies were picked on a part of the log, which all else is of: what the best are worth on the other. */
  holdOut?: HoldOut;
  /** Policies left out of `policies` by `--top`, counted; absent where all are there. */
  omitted?: number;
  /** Best value first; policies without a value last; equal values by index. */
  policies: PolicyResult[];
}

/**
 * The event log: what every reader produces and every engine consumes. Plain typed-array columns,
 * on shared memory where the platform has it, so that worker threads read them without a copy.
 *
 * Symbols as in Li et al. (WSDM 2011): L events, K arms, contexts of length d.
 */

import type { PayoffScale } from '../estimate/sums/payoff-scale.js';
import type { PayoffRounding } from '../estimate/sums/rounding.js';
import type { ColumnUse, InputFile, ReadingRecord } from './inputs.js';

/** Key of the rates at which events were dropped, where there are several. */
export const DROP_RATE = 'pdrop';

/** Arms, dictionary-encoded: an explicit order, else numeric, else by code point; never by appearance. */
export interface ArmDictionary {
  /** Identifier of each arm, as text; index = arm index. Length K. */
  readonly ids: readonly string[];
  /** Arm index of an identifier. */
  readonly index: ReadonlyMap<string, number>;
}

/** Contexts as a table of rows that events point at, so that repeated contexts are stored and decided once. */
export interface ContextTable {
  /** d, the length of a context; 0 where the log has none. */
  readonly dimension: number;
  /** Number of rows. */
  readonly rows: number;
  /** [rows, d], row-major. f32 only where every value is exactly representable in f32. */
  readonly values: Float32Array | Float64Array;
  /** Row of each event, length L; `null`: event t has row t (rows = L). */
  readonly row: Uint32Array | null;
  /** Name of each of the d columns, e.g. `age`, `user_feature_0=4ae3…`, `(intercept)`. */
  readonly columns: readonly string[];
  /** Of the whole log, where this is a batch of one; absent: those of this table and its events. */
  readonly sizes?: ContextSizes;
}

/** How large the contexts of a whole log are. */
export interface ContextSizes {
  /** Largest |x_j| of each column, length d. */
  readonly largest: Float64Array;
  /** Events of the arm that has most. */
  readonly rows: number;
  /** Regressions on them verify others: they are to be made in another way. */
  readonly verifies?: boolean;
  /** The columns were brought to like sizes (`--scale`). */
  readonly scaled?: boolean;
}

/** Candidate sets, stored once each. */
export interface PoolTable {
  /** Number of distinct candidate sets, at least 1. */
  readonly count: number;
  /** Pool s holds `arms[offsets[s] .. offsets[s+1])`. Length count + 1. */
  readonly offsets: Uint32Array;
  /** Arm indices, strictly ascending within a pool. */
  readonly arms: Uint32Array;
  /** Pool of each event, length L; `null`: every event has pool 0. */
  readonly pool: Uint32Array | null;
  /**
   * The pool that stands for all arms of the log, whichever these are, because its events name no candidates; `null`: every
   * set was named. Absent: not known. Matters where logs with other arms are joined.
   */
  readonly allArms?: number | null;
}

/** Payoffs as whole steps above the scale's origin. */
export interface PayoffColumn {
  /** Steps of each event, length L. */
  readonly steps: Uint32Array;
  /** Largest entry of `steps` (0 for an empty log). */
  readonly maxSteps: number;
  readonly scale: PayoffScale;
  /** Where the scale's range comes from: the caller, [0, 1] because every payoff lies in it, or the payoffs themselves. */
  readonly rangeBasis?: 'declared' | 'unit' | 'observed';
  /** What is known of payoffs that were rounded; absent: nothing, or they are exact. */
  readonly rounding?: PayoffRounding;
}

/** A column kept by value, for table policies, users and periods. */
export interface KeyColumn {
  /** Distinct values as text, sorted (numeric if every value is an integer, else by code point). */
  readonly levels: readonly string[];
  /** Level of each event, length L. */
  readonly code: Uint32Array;
}

/**
 * Features z of candidate arms. Where an arm's features change (an article that is edited, action features that come with
 * each event), it has a row per version, and a candidate set names the versions it shows: the same arms with other
 * versions are another pool.
 */
export interface ArmFeatureTable {
  /** Features of an arm. */
  readonly dimension: number;
  /** Number of rows, ordered by arm, then by first appearance; K where no arm has versions. */
  readonly rows: number;
  /** [rows, dimension], row-major. */
  readonly values: Float64Array;
  /** Row of each entry of `pools.arms` (same length), strictly ascending within a pool; `null`: row a is arm a's (rows = K). */
  readonly row: Uint32Array | null;
  /** Name of each feature. */
  readonly columns: readonly string[];
}

/** Rows that were dropped on request, or that a reader forgave, counted by kind. */
export interface BadRows {
  /** Short, stable name, e.g. `payoff is not a number`. */
  readonly kind: string;
  /** How many there were. */
  readonly count: number;
  /** The first one, described in full. */
  readonly first: string;
  /** What each cost: its row (where absent), a candidate of its row, a stretch of a file, or nothing at all. */
  readonly lost?: 'row' | 'candidate' | 'stretch' | 'nothing';
}

/** Missing values of a column, in the rows that the filter lets through. */
export interface MissingValues {
  /** Name of the column. */
  readonly column: string;
  /** Rows without a value in it. */
  readonly rows: number;
  /** Events whose value was filled in; rows that are left were dropped. */
  readonly filled: number;
  /** What it was filled in with: a number, which may be the mean of the others, or a level; `null`: nothing was. */
  readonly with: { readonly value?: number; readonly isMean?: boolean; readonly level?: string } | null;
  /** Where the first one is. */
  readonly first: string;
}

/** Payoff of an event whose log has its cost: offset + scale · cost. */
export interface PayoffFromCost {
  /** Not 0. */
  readonly scale: number;
  /** Payoff of cost 0. */
  readonly offset: number;
}

/** How a log was thinned: an event was kept with probability κ / (|A_t| p_t). */
export interface Thinned {
  /** Events before. */
  readonly events: number;
  /** Events that were kept. */
  readonly kept: number;
  /** κ: the least of candidates × propensity; also the share of the events that is kept on average. */
  readonly leastPropensity: number;
  /** κ is what the caller knows of the logging policy; else the least of the events, which depends on the log. */
  readonly declared: boolean;
  /** Seed of the draws. */
  readonly seed: number;
}

/** How propensities were estimated: shares of arms in cells of one candidate set and equal values of key columns. */
export interface EstimatedPropensities {
  /** Names of the columns. */
  readonly keys: readonly string[];
  readonly cells: number;
  /** Cells with fewer than 20 events per candidate. */
  readonly few: number;
}

/** Where a log came from and what happened on the way. */
export interface LogSource {
  /** Files in the given order; empty for a log made in code. */
  readonly files: readonly string[];
  /** Name of the reader or preset; `columns`, `simulate`: made in code. */
  readonly format: string;
  /** Columns by their meaning, where the log has a mapping. */
  readonly columns?: {
    readonly arm: string;
    readonly payoff: string;
    readonly propensity?: string;
    readonly time?: string;
    readonly user?: string;
  };
  /** SQL filter, if one was given. */
  readonly where: string | null;
  /** Rows in the files, before `where`. `null` where it was not counted. */
  readonly rows: number | null;
  /** Where repeated views count as one (`distinctViews`): the events before. */
  readonly distinctViews?: { readonly events: number };
  /** Where events were thinned out, so that what is left is logged uniformly (`thinLog`); before views count as one. */
  readonly thinned?: Thinned;
  /** Where propensities are not those of the log. */
  readonly estimatedPropensities?: EstimatedPropensities;
  readonly badRows: readonly BadRows[];
  /** Columns with missing values that were filled in or cost their rows; absent: none, or it was not counted. */
  readonly missing?: readonly MissingValues[];
  /** What a user of any result of this log must be told, in whole sentences; absent: nothing. */
  readonly warnings?: readonly string[];
  /** Where the log has costs: payoff = offset + scale · cost. */
  readonly payoffFromCost?: PayoffFromCost;
  /**
   * Shares of events that were dropped before they were logged, ascending; of several the key `pdrop` (`DROP_RATE`) has that of each
   * event. Absent: none was.
   */
  readonly dropRates?: readonly number[];
  /** The mapping as it was used (`Mapping`); absent: the log has none, or its files have different ones. */
  readonly mapping?: Readonly<Record<string, unknown>>;
  /** Every column of the files, and what became of it; absent: as the parts of the log say. */
  readonly uses?: readonly ColumnUse[];
  /** Options of the reading that are not in the mapping. */
  readonly options?: ReadingRecord;
  /** The files with their hashes; absent: the log was made in code. */
  readonly inputs?: readonly InputFile[];
}

/** One log of randomized decisions, or a batch of one (see `stream.ts`). Never mutated. */
export interface EventLog {
  /** Index in the whole log of this one's event 0; absent: 0. Draws and choices that are listed by event count from it. */
  readonly firstEvent?: number;
  /** L, the number of events. */
  readonly events: number;
  /** The K arms. */
  readonly arms: ArmDictionary;
  /** Logged arm of each event, length L. Always a member of the event's pool. */
  readonly arm: Uint32Array;
  /** Payoff of each event. */
  readonly payoff: PayoffColumn;
  /** Context of each event. */
  readonly contexts: ContextTable;
  /** Candidates of each event. */
  readonly pools: PoolTable;
  /** Probability with which the logged arm was chosen, in (0, 1], length L; `null` where not logged. */
  readonly propensity: Float64Array | null;
  /** Time of each event in milliseconds since 1970-01-01 UTC (fractions kept), length L; `null` where not logged. */
  readonly time: Float64Array | null;
  /** User of each event; `null` where not logged. */
  readonly user: KeyColumn | null;
  /** Further columns kept by value, by column name (what table policies look up). */
  readonly keys: ReadonlyMap<string, KeyColumn>;
  /** Features of candidates; `null`: the log has none. */
  readonly armFeatures: ArmFeatureTable | null;
  /**
   * Source row of each event (0-based over all files, before `where`), length L; `null`: event t is row t (of a batch: row
   * firstEvent + t).
   */
  readonly sourceRow: Uint32Array | null;
  /** Where the log came from. */
  readonly source: LogSource;
}

/**
 * What engines screen in f32 before f64 settles what is left in doubt: for each policy a weight vector v_r per row r, for
 * each event a vector y, and the scores v_r · y of the rows that the event's pool lists. A linear policy's rows are the
 * arms and its y is the context. Other families bring their policies to the same form (`joint/screen.ts`), and may leave
 * out of the scores what all rows have in common.
 *
 * The promise: where |v_r · y − v_s · y|, computed in f32 in any order, fused or not, subnormals flushed or not, exceeds
 * errorFactor · norm + slack, the reference's scores of r and s are different and ordered alike.
 */

import type { PoolTable } from '../log/event-log.js';

export interface Screen {
  readonly policies: number;
  /** Number of rows; what pools list and choices name. Rows ascend with arms within a pool. */
  readonly rows: number;
  /** Whether v is made for screening, and takes memory beside the weights as they are given. */
  readonly isDerived: boolean;
  /** What y and its part of the bound are made of: screens of one name make the same of a log. Absent: that is not known. */
  readonly inputs?: string;
  /** Length of v and y. */
  readonly dimension: number;
  /** Candidate sets as lists of rows. */
  readonly pools: PoolTable;
  /** v of a policy, [rows, dimension], before or after rounding to f32. Valid until the next call. */
  weights(policy: number): Float32Array | Float64Array;
  /** A policy's part of the bound. 0: all its scores are 0; above `LARGEST_NORM`: f32 or the bound might overflow. */
  norm(policy: number): number;
  /** Writes y of an event to `out` at `at`, `at + stride`, …. */
  write(event: number, out: Float32Array | Float64Array, at: number, stride: number): void;
  /** Norm of an event's context. Above `LARGEST_NORM`: f32 or the bound might overflow. */
  contextNorm(event: number): number;
  /** An event's part of the bound, from the norm of its context. */
  errorFactor(contextNorm: number): number;
  /** Absolute error that flushed subnormals may add, from the largest norms at hand. */
  slack(contextNorm: number, policyNorm: number): number;
  /** Row that the reference chooses. */
  choice(policy: number, event: number): number;
}

/** Up to so many rows any log is screened: what a tile or a trial order costs is small. */
const FEW_ROWS = 1024;
/** Rows over candidates beyond which screening is not worth it. */
const ROWS_PER_CANDIDATE = 16;

/**
 * Whether screening pays. What it derives takes policies × rows, and rows that are shown once each (features that come with every
 * event) are grouped in vain; then engines compute scores directly.
 */
export function isWorthScreening({ isDerived, rows, pools }: Pick<Screen, 'isDerived' | 'rows' | 'pools'>): boolean {
  if (!isDerived || rows <= FEW_ROWS) return true;
  let largest = 0;
  for (let s = 0; s < pools.count; s++) largest = Math.max(largest, pools.offsets[s + 1] - pools.offsets[s]);
  return rows <= ROWS_PER_CANDIDATE * largest;
}

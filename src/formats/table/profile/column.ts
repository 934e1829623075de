/** What is known of a column before anybody says what it means. */

/** What most of a column's values are: the narrowest kind that all of them are of, missing ones aside. */
export type ColumnKind = 'integer' | 'number' | 'time' | 'list' | 'text' | 'empty';

/** One column of all files. */
export interface ColumnProfile {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Rows without a value: null, or empty text; among numbers also NaN, NA, N/A, null and None. */
  readonly missing: number;
  /** Distinct values; above 10,000 an estimate to some percent. */
  readonly distinct: number;
  /** Least and greatest number of a column of numbers. */
  readonly low: number | null;
  readonly high: number | null;
  /** Two values as they are written, the first and the last in text order. */
  readonly examples: readonly string[];
}

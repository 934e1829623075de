/** How a log is read: what `readLog` and every reader take. */

import type { Mapping } from './mapping.js';

export interface ReadOptions {
  /** A reader (`csv`, `parquet`, `jsonl`) or a preset that brings its mapping (`obd`). Default: by ending or content. */
  readonly format?: string;
  /** Which column is what. Needed unless `format` is a preset. */
  readonly mapping?: Mapping;
  /** SQL condition over the columns of the files; only rows for which it is true are read. */
  readonly where?: string;
  /** Further key columns, beside those of the mapping. */
  readonly keys?: readonly string[];
  /** Every arm, in the order of their indices; overrides the mapping's. */
  readonly arms?: readonly (string | number)[];
  /** Declared range of payoffs; overrides the mapping's. */
  readonly payoffRange?: readonly [number, number];
  /** Drop rows with bad values, and count them by kind, instead of failing at the first. */
  readonly skipBadRows?: boolean;
  /** Fail at the first deviation from a format's grammar, also at those that readers of that format are known to forgive. */
  readonly strict?: boolean;
  /** A directory of the Open Bandit Dataset: user-item affinities are a further arm feature, which differs by event. */
  readonly affinities?: boolean;
  /** Count consecutive events of one user with the same arm as one, of the largest payoff (`distinctViews`); after `where`. */
  readonly distinctViews?: boolean;
  /** Told after every batch: how much is read (0 to 1), and the rows so far. */
  readonly onProgress?: (fraction: number, rows: number) => void;
  readonly signal?: AbortSignal;
}

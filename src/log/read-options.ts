/** How a log is read: what `readLog` and every reader take. */

import type { Mapping } from './mapping.js';

/** Payoff of an event whose log has its cost: offset + scale · cost. */
export interface PayoffFromCost {
  /** Not 0. */
  readonly scale: number;
  readonly offset: number;
}

export interface ReadOptions {
  /** A reader (`csv`, `parquet`, `jsonl`, `vw`, `dsjson`) or a preset that brings its mapping (`obd`). Default: by ending or content. */
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
  /** Columns with a role (payoff, arm, propensity, candidates, time, user) that may be contexts or keys too; results warn of it. */
  readonly allowLeak?: readonly string[];
  /** Drop rows with bad values, and count them by kind, instead of failing at the first. */
  readonly skipBadRows?: boolean;
  /** Bytes of the longest line of a text file (record, where one spans lines). Default: 64 MB; `r6a`, `r6b`: 1 MiB. */
  readonly maxLine?: number;
  /** Fail at the first deviation from a format's grammar, also at those that readers of that format are known to forgive. */
  readonly strict?: boolean;
  /** A directory of the Open Bandit Dataset: user-item affinities are a further arm feature, which differs by event. */
  readonly affinities?: boolean;
  /** Sort events by time before anything that depends on their order; those of one time stay in the order of the files. */
  readonly sortByTime?: boolean;
  /** `dsjson`: leave out events whose EventId was there before; they are counted. Default: they count again, with a warning. */
  readonly dropRepeatedEvents?: boolean;
  /** Count consecutive events of one user with the same arm as one, of the largest payoff (`distinctViews`); after `where`. */
  readonly distinctViews?: boolean;
  /** `vw`, `dsjson`: features that become columns, by full name, `*` for any text. Default: all. */
  readonly features?: readonly string[];
  /** `vw`, `dsjson`: most columns that contexts, or actions, may have. Default: 1,000. */
  readonly featureLimit?: number;
  /**
   * `vw`, `dsjson` with a line or object per action: what an action's arm id is. `tag`, or the name of a feature with one
   * `*`, which stands for the id (`Action^article=*`). Default: the action's position in its event, from 1.
   */
  readonly armId?: string;
  /** `vw`, `dsjson`: how a cost becomes a payoff. Default: payoff = −cost. */
  readonly payoffFromCost?: PayoffFromCost;
  /** Told after every batch: how much is read (0 to 1), and the rows so far. */
  readonly onProgress?: (fraction: number, rows: number) => void;
  readonly signal?: AbortSignal;
}

/** How a log is read: what `readLog` and every reader take. */

import type { Encoding } from '../files/encodings.js';
import type { Impute } from './build/missing.js';
import type { PayoffFromCost } from './event-log.js';
import type { Mapping } from './mapping.js';

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
  /** What a missing payoff counts as; results warn of it. Default: it is an error. */
  readonly missingPayoff?: number;
  /** Missing values of one-hot columns and keys are a level of their own, `(missing)`. Default: they are errors. */
  readonly missingLevel?: boolean;
  /**
   * What missing numbers of the context are filled in with, by column (`*` for any text): the mean of the others, in the rows that are
   * read, or 0. Beside those of the mapping. Default: they are errors.
   */
  readonly impute?: Readonly<Record<string, Impute>>;
  /** Drop rows with bad values, and count them by kind, instead of failing at the first. */
  readonly skipBadRows?: boolean;
  /** Bytes of the longest line of a text file (record, where one spans lines). Default: 64 MB; `r6a`, `r6b`: 1 MiB. */
  readonly maxLine?: number;
  /** CSV, JSON lines: how characters are bytes. `utf-16`: by its byte order mark. Default: `utf-8`. */
  readonly encoding?: Encoding;
  /** CSV, JSON lines: what stands before the decimals of numbers in text. Default: `.`; with `,` a number with a dot is none. */
  readonly decimalSeparator?: '.' | ',';
  /** Fail at the first deviation from a format's grammar, also at those that readers of that format are known to forgive. */
  readonly strict?: boolean;
  /** A directory of the Open Bandit Dataset: user-item affinities are a further arm feature, which differs by event. */
  readonly affinities?: boolean;
  /** Sort events by time before anything that depends on their order; those of one time stay in the order of the files. */
  readonly sortByTime?: boolean;
  /** Leave out events whose id (`eventId` of a mapping, EventId of `dsjson`) was there before; they are counted. Default: they count again, with a warning. */
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

/** Options of a simulated world, and their defaults. */

import { InputError } from '../../errors.js';
import { checkOptions, type OptionShape, option } from '../../options/check-options.js';
import { checkWhole } from '../draws.js';

/** How the article of a visit is chosen in the exploration log. */
export type LoggingPolicy =
  | {
      /** Every candidate with the same probability. */
      readonly policy: 'uniform';
    }
  /** With probability ε a candidate at random, else the one with the largest score, the older on ties. */
  | {
      /** At random now and then, else the best. */
      readonly policy: 'epsilon-greedy';
      /** ε, above 0, at most 1. */
      readonly epsilon: number;
    }
  /** Probabilities in proportion to exp(score / temperature). Scores are click rates, so 0.01 is a usual temperature. */
  | {
      /** The better, the more often. */
      readonly policy: 'softmax';
      /** At least 0.001. */
      readonly temperature: number;
    };

/** What a simulated world is like. */
export interface WorldOptions {
  /** A whole number in 0..2³²−1. */
  readonly seed: number;
  /**
   * Users as in R6A (five memberships that sum to 1, and a constant; articles have such features too) or as in R6B (136
   * features that are 0 or 1; articles have none). Default `r6a`.
   */
  readonly kind?: 'r6a' | 'r6b';
  /** Length of the world, from 2009-05-01 UTC on; default 5, at most 10,000. */
  readonly days?: number;
  /** Fewest and most articles on the page, or always so many; default [15, 25]. */
  readonly pool?: number | readonly [least: number, most: number];
  /** Articles that enter the page per hour, one at a time; default 3, 0 for a page that stays, at most 60. */
  readonly changesPerHour?: number;
  /** Lowest and highest probability of a click; default [0.02, 0.1]. */
  readonly clickRates?: readonly [low: number, high: number];
  /** How much click rates move within a day and with the age of an article, in [0, 1]; default 0.5; 0: not at all. */
  readonly drift?: number;
  /** Number of people; default 100,000. */
  readonly users?: number;
  /** Mean number of visits in a row (with those of others between) of the same person; default 3; 1: every visit is a fresh draw. */
  readonly visitsPerSession?: number;
  /** Default: uniform. */
  readonly logging?: LoggingPolicy;
  /**
   * Hidden from the log: on each day live visits (see `online`) have their click probabilities multiplied by one factor in
   * 1 ± this, as editors' rules on a live page do. In [0, 1); default 0.
   */
  readonly businessRules?: number;
}

/** Ranges are checked below. */
export const WORLD_OPTIONS: OptionShape<WorldOptions> = {
  seed: option.elsewhere,
  kind: option.oneOf('r6a', 'r6b'),
  days: option.number,
  pool: option.elsewhere,
  changesPerHour: option.number,
  clickRates: option.elsewhere,
  drift: option.number,
  users: option.number,
  visitsPerSession: option.number,
  logging: option.elsewhere,
  businessRules: option.number,
};

const policy = option.oneOf('uniform', 'epsilon-greedy', 'softmax');

/** Options of each logging policy. */
const LOGGING = {
  uniform: { policy },
  'epsilon-greedy': { policy, epsilon: option.number },
  softmax: { policy, temperature: option.number },
} as const;

/** Options with their defaults filled in. */
export interface WorldSettings extends Required<Omit<WorldOptions, 'pool'>> {
  readonly pool: readonly [least: number, most: number];
}

export const DAY = 86_400_000;
export const HOUR = 3_600_000;
/** 2009-05-01 UTC, the first day of R6A. */
export const WORLD_START = Date.UTC(2009, 4, 1);

/** @throws InputError that names the option, what it was and what it may be. */
export function worldSettings(options: WorldOptions): WorldSettings {
  checkOptions(options, WORLD_OPTIONS);
  const { pool = [15, 25], logging = { policy: 'uniform' } } = options;
  const settings: WorldSettings = {
    seed: options.seed,
    kind: options.kind ?? 'r6a',
    days: options.days ?? 5,
    pool: typeof pool === 'number' ? [pool, pool] : pool,
    changesPerHour: options.changesPerHour ?? 3,
    clickRates: options.clickRates ?? [0.02, 0.1],
    drift: options.drift ?? 0.5,
    users: options.users ?? 100_000,
    visitsPerSession: options.visitsPerSession ?? 3,
    logging,
    businessRules: options.businessRules ?? 0,
  };
  between('days', settings.days, 0, 10_000, 'open');
  const [least, most] = settings.pool;
  checkWhole('the smallest page', least, 1);
  checkWhole('the largest page', most, least);
  if (most > 10_000) refuse('pool', most, 'at most 10,000 articles on a page');
  between('changesPerHour', settings.changesPerHour, 0, 60);
  between('drift', settings.drift, 0, 1);
  checkWhole('the number of users', settings.users, 1);
  if (settings.users > 2 ** 24) refuse('users', settings.users, 'at most 16,777,216');
  between('visitsPerSession', settings.visitsPerSession, 1, 1000);
  between('businessRules', settings.businessRules, 0, 1);
  const [low, high] = settings.clickRates;
  if (!(low >= 0 && low <= high && high * (1 + settings.businessRules) <= 1)) {
    const needed = 'two probabilities, the lower first, which business rules may not raise above 1';
    refuse('clickRates', `${low}, ${high}`, needed);
  }
  checkLogging(logging);
  return settings;
}

function checkLogging(logging: LoggingPolicy): void {
  checkOptions<object>(logging, { ...LOGGING['epsilon-greedy'], ...LOGGING.softmax }, 'logging');
  if (logging.policy === undefined) refuse('logging.policy', undefined, 'uniform, epsilon-greedy or softmax');
  checkOptions<object>(logging, LOGGING[logging.policy], 'logging');
  if (logging.policy === 'uniform') return;
  if (logging.policy === 'epsilon-greedy') {
    between('logging.epsilon', logging.epsilon, 0, 1, 'open');
    return;
  }
  // Below this a candidate may get probability 0, and no estimator would know what it is worth.
  between('logging.temperature', logging.temperature, 0.001, Number.MAX_VALUE);
}

/** Bounds are included, but for `open` the lower one. */
function between(name: string, value: unknown, low: number, high: number, lower?: 'open'): void {
  if (typeof value === 'number' && value <= high && (lower === 'open' ? value > low : value >= low)) return;
  const bounds =
    high === Number.MAX_VALUE ? `of at least ${low}` : `${lower === 'open' ? 'above' : 'from'} ${low}, at most ${high}`;
  refuse(name, value, `a number ${bounds}`);
}

function refuse(name: string, got: unknown, needed: string): never {
  const option = name.slice(name.lastIndexOf('.') + 1);
  const path = option === name ? undefined : name;
  throw new InputError({ path, problem: `option ${option} is not valid`, got: String(got), needed });
}

/** Options of reward models, from code or from a command line: what they may be, and which go together. */

import { z } from 'zod';
import { InputError } from '../errors.js';
import { JOINT_FEATURES, type JointFeatures } from '../log/joint-features.js';
import { checkOptions, type OptionShape, option } from '../options/check-options.js';
import { FOLD_BY, type FoldBy, MOST_FOLDS } from './folds.js';

/** Every model that is fitted to the log, with a line for help texts. */
export const REWARD_MODELS = {
  ridge: 'a linear regression per arm',
  logistic: 'a logistic regression per arm',
  mean: 'the shrunk mean payoff of each arm, whatever the context',
  'arm-features': 'one linear regression on features of context and arm',
} as const;

export type RewardModelName = keyof typeof REWARD_MODELS;

export const REWARD_MODEL_NAMES = Object.keys(REWARD_MODELS) as RewardModelName[];

/** How payoffs are predicted for estimators that take a model. */
export interface RewardModelOptions {
  /** Model to fit to the log; default `ridge`. Not with `predictions`. */
  readonly rewardModel?: RewardModelName;
  /** λ > 0 of `ridge`, `logistic` and `arm-features`, on every column; default 1. */
  readonly ridge?: number;
  /** Folds of cross-fitting, 1 to 1,000; 1: none, and results warn of it. Default 5. */
  readonly folds?: number;
  /** Events that share a fold: one, those of a user, those of a UTC day. Default: `user` where the log names users, else `event`. */
  readonly foldBy?: FoldBy;
  /** What `arm-features` makes of context and arm, as in joint-linear policies; default `both`, without contexts `arm`. */
  readonly jointFeatures?: JointFeatures;
  /**
   * A file of predictions made elsewhere, in place of a model: .npy of shape [L, K], or Parquet with L rows; events in the order of
   * the log, arms in the order of its arms.
   */
  readonly predictions?: string;
  /**
   * With `predictions`: a column of the log, kept by value, that has the file's row of each event, numbered from 0, so that the file needs
   * a row per distinct context and candidate set only.
   */
  readonly predictionRows?: string;
}

export const REWARD_MODEL_OPTIONS: OptionShape<RewardModelOptions> = {
  rewardModel: option.oneOf(...REWARD_MODEL_NAMES),
  ridge: z.number({ error: 'a number above 0' }).positive({ error: 'a number above 0' }),
  folds: option.whole(1, MOST_FOLDS),
  foldBy: option.oneOf(...FOLD_BY),
  jointFeatures: option.oneOf(...JOINT_FEATURES),
  predictions: z
    .string({ error: 'the path of a .npy or .parquet file' })
    .refine((name) => /\.(npy|parquet|pq)$/i.test(name), { error: 'the path of a .npy or .parquet file' }),
  predictionRows: option.text,
};

const OPTION_NAMES = Object.keys(REWARD_MODEL_OPTIONS) as (keyof RewardModelOptions)[];

/** Those of a larger set of options that are about reward models, without what was left out. */
export function rewardModelOptions(options: RewardModelOptions): RewardModelOptions {
  return Object.fromEntries(
    OPTION_NAMES.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  );
}

/** True where any option says something of a reward model: estimators without one are to refuse it. */
export function givesRewardModel(options: RewardModelOptions): boolean {
  return OPTION_NAMES.some((name) => options[name] !== undefined);
}

/** @throws InputError for a value out of range, or for options that do not go together. */
export function checkRewardModelOptions(options: RewardModelOptions): void {
  checkOptions(options, REWARD_MODEL_OPTIONS);
  const { rewardModel, predictions, predictionRows, folds, foldBy, ridge, jointFeatures } = options;
  if (predictions !== undefined) {
    const other = OPTION_NAMES.find((name) => !/^prediction/.test(name) && options[name] !== undefined);
    if (other !== undefined) throw together(other, 'predictions, which are made elsewhere');
  } else if (predictionRows !== undefined)
    throw together(
      'predictionRows',
      'a model that is fitted to the log',
      'give --predictions (in code: predictions) too',
    );
  const model = rewardModel ?? 'ridge';
  if (ridge !== undefined && model === 'mean') throw together('ridge', 'the reward model mean, which has no λ');
  if (jointFeatures !== undefined && model !== 'arm-features') {
    throw together(
      'jointFeatures',
      `the reward model ${model}`,
      '--reward-model arm-features (in code: rewardModel) is the one that is fitted to them',
    );
  }
  if (folds === 1 && foldBy !== undefined) throw together('foldBy', 'a single fold, which is no cross-fitting');
}

function together(name: keyof RewardModelOptions, other: string, hint = 'leave one of the two out'): InputError {
  return new InputError({ problem: `option ${name} does not go with ${other}`, hint });
}

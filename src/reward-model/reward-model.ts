/** Reward models q̂(x, a): what dm, dr, dr-clip, switch-dr, dros and sndr predict payoffs with. A model = a file and a line here. */

import type { EventLog } from '../log/event-log.js';
import { ArmFeatureModel } from './arm-features.js';
import type { RewardModel } from './contract.js';
import { DEFAULT_FOLDS, Folds } from './folds.js';
import { LogisticModel } from './logistic.js';
import { MeanModel } from './mean.js';
import { checkRewardModelOptions, type RewardModelOptions } from './options.js';
import { RidgeModel } from './ridge.js';

export type { Predictions, RewardModel, RewardModelDescription } from './contract.js';

const DEFAULT_LAMBDA = 1;

/**
 * A reward model for a log, to be fitted to its events.
 *
 * @param head the log, with or without its events.
 * @param events L of the whole log.
 * @param options and `memory`: bytes that the process may take; `null` or absent: no bound.
 * @throws InputError for options that do not go together or that the log cannot follow, and for files that cannot be used.
 */
export async function openRewardModel(
  head: EventLog,
  events: number,
  { memory = null, ...options }: RewardModelOptions & { readonly memory?: number | null } = {},
): Promise<RewardModel> {
  checkRewardModelOptions(options);
  const { rewardModel = 'ridge', ridge = DEFAULT_LAMBDA, foldBy } = options;
  if (options.predictions !== undefined) {
    // Node, which reads files, only where there are any.
    const { openPredictions } = await import('./files/predictions.js');
    return openPredictions(options.predictions, head, events, options.predictionRows);
  }
  const folds = new Folds(head, options.folds ?? DEFAULT_FOLDS, foldBy);
  switch (rewardModel) {
    case 'mean':
      return new MeanModel(head, folds);
    case 'ridge':
      return new RidgeModel(head, folds, ridge, memory);
    case 'logistic':
      return new LogisticModel(head, folds, ridge, memory);
    case 'arm-features':
      return new ArmFeatureModel(head, folds, ridge, memory, options.jointFeatures);
  }
}

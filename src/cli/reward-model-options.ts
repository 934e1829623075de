/** Options of the reward model, for estimators that go by one. */

import { type Command, Option } from 'commander';
import { JOINT_FEATURES } from '../log/joint-features.js';
import { FOLD_BY, MOST_FOLDS } from '../reward-model/folds.js';
import { REWARD_MODELS } from '../reward-model/options.js';
import { numberBetween, wholeNumber } from './values.js';

export function addRewardModelOptions(command: Command): Command {
  const models = Object.entries(REWARD_MODELS).map(([name, what]) => `${name} (${what})`);
  return command
    .optionsGroup('Reward model (dm, dr, dr-clip, switch-dr, dros, sndr):')
    .option('--reward-model <name>', `${models.join(', ')}; default: ridge`)
    .option(
      '--ridge <λ>',
      'its penalty, on every column (default: 1)',
      numberBetween('--ridge', 0, Number.POSITIVE_INFINITY),
    )
    .option(
      '--folds <N>',
      'each part of N is predicted by a fit to the others (default: 5; 1: none is left out)',
      wholeNumber('--folds', 1, MOST_FOLDS),
    )
    .option(
      '--fold-by <name>',
      `what shares a part: ${FOLD_BY.join(', ')} (default: user where the log has users, else event)`,
    )
    .addOption(
      new Option('--joint-features <name>', 'of arm-features: what is made of context and arm').choices(JOINT_FEATURES),
    )
    .option('--predictions <file>', 'predictions made elsewhere, .npy or Parquet, events × arms')
    .option('--prediction-rows <column>', 'column that numbers their rows from 0, where they are not events');
}

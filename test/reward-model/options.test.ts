/** Options of reward models that cannot be, or do not go together. */

import { expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import type { RewardModelOptions } from '#dist/reward-model/options.js';
import { checkRewardModelOptions, givesRewardModel, rewardModelOptions } from '#dist/reward-model/options.js';
import { openRewardModel } from '#dist/reward-model/reward-model.js';
import { fourEvents } from '../policy/small-log.js';

const BAD: [options: object, message: RegExp][] = [
  [
    { rewardModel: 'rigde' },
    /rewardModel is not usable\n.*rigde\n.*ridge, logistic, mean, arm-features\n.*did you mean "ridge"/,
  ],
  [{ rewardModel: 3 }, /rewardModel is not usable/],
  [{ ridge: 0 }, /ridge is not usable\n.*got: +0\n.*above 0/],
  [{ ridge: -1 }, /above 0/],
  [{ ridge: Number.NaN }, /above 0/],
  [{ ridge: Number.POSITIVE_INFINITY }, /above 0/],
  [{ ridge: '1' }, /above 0/],
  [{ folds: 0 }, /folds is not usable\n.*got: +0\n.*from 1 to 1000/],
  [{ folds: 2.5 }, /from 1 to 1000/],
  [{ folds: 1001 }, /from 1 to 1000/],
  [{ foldBy: 'users' }, /foldBy is not usable\n.*users\n.*event, user, day\n.*did you mean "user"/],
  [{ foldBy: 'event', folds: 1 }, /option foldBy does not go with a single fold/],
  [{ jointFeatures: 'all', rewardModel: 'arm-features' }, /jointFeatures is not usable/],
  [{ jointFeatures: 'both' }, /option jointFeatures does not go with the reward model ridge/],
  [{ predictions: 'q.csv' }, /predictions is not usable\n.*q.csv\n.*\.npy or \.parquet/],
  [{ predictions: 7 }, /predictions is not usable/],
  [
    { predictions: 'q.npy', rewardModel: 'ridge' },
    /option rewardModel does not go with predictions, which are made elsewhere/,
  ],
  [{ predictions: 'q.npy', folds: 2 }, /folds.*predictions/],
  [
    { predictionRows: 'pair' },
    /option predictionRows does not go with a model that is fitted to the log\n.*--predictions/,
  ],
  [{ rewardModel: 'mean', ridge: 1 }, /option ridge does not go with the reward model mean/],
  [{ lambda: 1 }, /lambda/],
];

it.each(BAD)('%j', async (options, message) => {
  expect(() => checkRewardModelOptions(options as RewardModelOptions)).toThrow(InputError);
  expect(() => checkRewardModelOptions(options as RewardModelOptions)).toThrow(message);
  await expect(openRewardModel(fourEvents(), 4, options as RewardModelOptions)).rejects.toThrow(message);
});

const UNFIT: [options: RewardModelOptions, message: RegExp][] = [
  [{ foldBy: 'user' }, /folds cannot be made by user: the log has no users/],
  [{ foldBy: 'day' }, /folds cannot be made by day: the log has no times/],
];

it.each(UNFIT)('%j on a log without what it takes', async (options, message) => {
  const log = fourEvents({ time: undefined });
  checkRewardModelOptions(options);
  await expect(openRewardModel(log, 4, options)).rejects.toThrow(message);
});

it('sums that do not fit the memory are refused with what they come to', async () => {
  await expect(openRewardModel(fourEvents(), 4, { memory: 500 })).rejects.toThrow(
    /got: +5 folds × 3 arms × 5 sums \(of 2 context columns\) × 8 bytes = 0 MB\n.*needed.*\n.*--folds.*mean/,
  );
});

it('are told apart from others', () => {
  const options = { rewardModel: 'ridge' as const, ridge: undefined, device: 'cpu' };
  expect(rewardModelOptions(options)).toEqual({ rewardModel: 'ridge' });
  expect([givesRewardModel(options), givesRewardModel({ ridge: undefined })]).toEqual([true, false]);
});

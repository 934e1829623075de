/**
 * Preset for the files of the Open Bandit Dataset (Saito, Aihara, Matsutani & Narita, arXiv:2008.07146):
 * one campaign's CSV under one behaviour policy. The order of the file is kept.
 */

import type { Mapping } from '../../log/mapping.js';

/** Context: one-hot of `user_feature_0..3`, then a constant 1. The position is kept as a key. */
export const OBD_MAPPING: Mapping = {
  arm: 'item_id',
  payoff: 'click',
  payoffRange: [0, 1],
  propensity: 'propensity_score',
  time: 'timestamp',
  context: { onehot: ['user_feature_0', 'user_feature_1', 'user_feature_2', 'user_feature_3'] },
  intercept: true,
  keys: ['position'],
};

/** Reward models on the men's logs, against an own program: means of what they predict for policies that choose one arm, or all alike. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { EventLog } from '#dist/log/event-log.js';
import { openLog } from '#dist/open/open.js';
import type { RewardModelOptions } from '#dist/reward-model/options.js';
import { predictionsOf } from '../reward-model/fitted.js';
import { reference, SUBSETS, sharedFile } from './reference.js';

interface Own {
  meta: { K: number };
  subsets: Record<string, { policies: Record<string, Record<string, { value: number }>> }>;
}

const MODELS: [name: string, options: RewardModelOptions][] = [
  ['ridge_all', { rewardModel: 'ridge', folds: 1 }],
  ['ridge_cf2', { rewardModel: 'ridge', folds: 2, foldBy: 'event' }],
  ['shrunk', { rewardModel: 'mean', folds: 1 }],
];

/** Σ |terms| bounds what a mean's rounding can be. */
function mean(values: readonly number[]): { mean: number; size: number } {
  const total = values.reduce((sum, value) => sum + value, 0);
  const size = values.reduce((sum, value) => sum + Math.abs(value), 0);
  return { mean: total / values.length, size: size / values.length };
}

describe.each(['bts', 'random'])('the men of %s', (logger) => {
  const { subsets, meta } = reference<Own>(`estimators_${logger}_men.json`);

  describe.each(Object.keys(subsets))('%s', (subset) => {
    let log: EventLog;
    beforeAll(async () => {
      log = await openLog({
        files: [sharedFile(`data/obd/${logger}/men/men.csv${logger === 'bts' ? '.gz' : ''}`)],
        format: 'obd',
        where: SUBSETS[subset],
      });
    });

    it.each(MODELS)('%s', async (name, options) => {
      const { at } = await predictionsOf(log, options);
      expect(log.arms.ids).toHaveLength(meta.K);
      const { policies } = subsets[subset];
      const constants = Object.keys(policies).filter((policy) => policy.startsWith('constant'));
      expect(constants).toHaveLength(3);
      const events = Array.from({ length: log.events }, (_, t) => t);
      for (const policy of constants) {
        const arm = log.arms.index.get(policy.split(' ')[1]) ?? -1;
        const got = mean(events.map((t) => at(t, arm)));
        expect(Math.abs(got.mean - policies[policy][`dm[${name}]`].value)).toBeLessThanOrEqual(1e-11 * got.size);
      }
      const uniform = mean(events.flatMap((t) => log.arms.ids.map((_, a) => at(t, a))));
      const { value } = policies.uniform[`dm[${name}]`];
      expect(Math.abs(uniform.mean - value)).toBeLessThanOrEqual(1e-11 * uniform.size);
    });
  });
});

/** Every constant policy on the men's log, against the Open Bandit Pipeline 0.5.5. */
import { describe, expect, it } from 'vitest';
import { engines } from './engines.js';
import { inSetOrder, MEN, reference, SUBSETS, sharedFile } from './reference.js';

interface Constants {
  subsets: Record<
    string,
    { n_rounds: number; constant: { a: number; n_match: number; sum_reward_match: number; rm: number }[] }
  >;
}

const { subsets } = reference<Constants>('obp_static_random_men.json');

describe.each(engines())('constant policies on $name', ({ run }) => {
  it.each(Object.keys(subsets))('%s', async (subset) => {
    const { n_rounds, constant } = subsets[subset];
    const result = await run({
      log: { files: [sharedFile(MEN)], format: 'obd', where: SUBSETS[subset] },
      policies: [{ family: 'constant' }],
    });
    expect(result.log.events).toBe(n_rounds);
    const { T, G, value } = inSetOrder(result);
    expect(constant.map(({ a }) => a)).toEqual(Array.from({ length: 34 }, (_, a) => a));
    expect(T).toEqual(constant.map(({ n_match }) => n_match));
    expect(G).toEqual(constant.map(({ sum_reward_match }) => sum_reward_match));
    // OBP takes the mean of r·1[match] / mean 1[match], which rounds three times; no match is 0 there and null here.
    const off = value.flatMap((v, a) => {
      const { rm, n_match } = constant[a];
      const same = n_match === 0 ? v === null : v !== null && Math.abs(v - rm) <= 4 * Number.EPSILON * rm;
      return same ? [] : [{ a, value: v, rm, n_match }];
    });
    expect(off).toEqual([]);
  });
});

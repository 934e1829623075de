import { expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { sharedFile } from '../reference.js';

it('0.333333 is a third', async () => {
  const path = (name: string) => sharedFile(`cases/propensity-six-digits/${name}`);
  const { uniformity, policies } = await evaluate({
    log: { files: [path('log.vw')] },
    policies: path('policies.json'),
    device: 'cpu',
  });
  expect(uniformity).toMatchObject({ basis: 'propensities', assumed: false });
  expect(policies.map(({ index, matches, payoff }) => [index, matches, payoff])).toEqual([
    [0, 98, 31],
    [2, 94, 28],
    [1, 108, 29],
  ]);
});

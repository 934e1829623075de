import { expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { sharedFile } from '../reference.js';

it('propensities of 0.5 do not make arms shown 80 : 20 uniform', async () => {
  const path = (name: string) => sharedFile(`cases/p-half-arms-80-20/${name}`);
  const mapping = { arm: 'arm', payoff: 'payoff' };
  for (const propensity of [undefined, 'p']) {
    const log = { files: [path('log.csv')], mapping: propensity === undefined ? mapping : { ...mapping, propensity } };
    await expect(evaluate({ log, policies: path('policies.json'), device: 'cpu' })).rejects.toThrowError(
      /the logged arms are not uniform within their candidate sets: .* p < 1e-12/,
    );
  }
});

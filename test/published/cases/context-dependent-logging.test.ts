import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { sharedFile } from '../reference.js';

const path = (name: string) => sharedFile(`cases/context-dependent-logging/${name}`);
const log = {
  files: [path('by-context.csv')],
  mapping: { arm: 'arm', payoff: 'pay', context: [{ column: 'dev', encode: 'onehot' as const }] },
};
const policies = path('policies.json');

it('arms that depend on a level are refused, with the table of the levels', async () => {
  await expect(evaluate({ log, policies, device: 'cpu' })).rejects.toThrowError(
    /depends on dev: p < 1e-12, corrected .*\n +dev +arm +events +shown +due\n +x +a +2,043 +79\.9 % +33\.3 %\n/,
  );
});

it('the matches of a table show it as well, whatever columns are read', async () => {
  const table = (JSON.parse(readFileSync(policies, 'utf8')) as { family: string }[]).filter(
    ({ family }) => family === 'table',
  );
  const assumed = await evaluate({ log, policies, device: 'cpu', assumeUniform: true });
  expect(table.length).toBeGreaterThan(0);
  expect(assumed.uniformity).toMatchObject({ assumed: true, matches: { matches: 4808, due: 2000, p: 0 } });
  expect(assumed.uniformity.matches?.z).toBeCloseTo(2808 / Math.sqrt((6000 * 2) / 9), 6);
});

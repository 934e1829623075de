/** A price in euros and in cents, collinear: LinUCB retains what 80-digit arithmetic does (the case's reference.py). */
import { expect, it } from 'vitest';
import { replay } from '#dist/replay.js';
import { sharedFile } from '../reference.js';

it('124 matches and 50 clicks', async () => {
  const folder = 'cases/linucb-eur-and-cent';
  const { learners, engine, warnings } = await replay(
    {
      files: [sharedFile(`${folder}/log.csv`)],
      mapping: {
        arm: 'arm',
        payoff: 'payoff',
        context: ['eur', 'cent'].map((column) => ({ column, encode: 'numeric' as const })),
        intercept: true,
      },
    },
    sharedFile(`${folder}/learners.json`),
    { device: 'cpu', assumeUniform: true, verify: true },
  );
  const [{ matches, mean, numerics }] = learners;
  expect([matches, mean]).toEqual([124, 50 / 124]);
  expect(numerics?.condition).toBeGreaterThan(1e16);
  expect(numerics?.residual).toBeLessThan(1e-13);
  expect(engine.verified).toMatchObject({ differing: 0, passed: true });
  expect(warnings.filter((text) => text.includes('digits'))).toEqual([]);
});

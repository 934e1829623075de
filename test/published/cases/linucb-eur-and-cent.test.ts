/** A price in euros and in cents, collinear: LinUCB retains what 80-digit arithmetic does (the case's reference.py). */
import { expect, it } from 'vitest';
import { type ReplayOptions, replay } from '#dist/replay.js';
import { sharedFile } from '../reference.js';

const folder = 'cases/linucb-eur-and-cent';

const run = (options: ReplayOptions) =>
  replay(
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
    { device: 'cpu', assumeUniform: true, verify: true, ...options },
  );

it('124 matches and 50 clicks', async () => {
  const { learners, engine, warnings } = await run({});
  const [{ matches, mean, numerics }] = learners;
  expect([matches, mean]).toEqual([124, 50 / 124]);
  expect(numerics?.condition).toBeGreaterThan(1e16);
  expect(numerics?.residual).toBeLessThan(1e-13);
  expect(engine.verified).toMatchObject({ differing: 0, passed: true });
  expect(warnings.filter((text) => text.includes('digits'))).toEqual([]);
});

// Matches and clicks of test/large/linear_reference.py, which scales and solves in 80 digits.
it.each([
  ['standard', 133, 55, 201.656],
  ['max', 121, 52, 151.126],
] as const)('--scale %s', async (scale, retained, clicks, condition) => {
  const { learners, engine } = await run({ scale });
  const [{ matches, mean, numerics }] = learners;
  expect([matches, mean]).toEqual([retained, clicks / retained]);
  // Both norms are estimates: never too large, and as a rule within a factor of 3 (Higham 1988).
  expect(numerics?.condition).toBeLessThan(condition * (1 + 1e-5));
  expect(numerics?.condition).toBeGreaterThan(condition / 9);
  expect(engine.verified).toMatchObject({ differing: 0, passed: true });
});

/** A date as a number of eight digits beside a 0/1 column: fits that need step control and relative criteria. */
import { expect, it } from 'vitest';
import { replay } from '#dist/replay.js';
import { sharedFile } from '../reference.js';

it('glm-ucb on dates as numbers: 54 matches, 32 clicks, as by Newton with 40 digits', async () => {
  const folder = 'cases/glm-ucb-yyyymmdd';
  const { learners, warnings } = await replay(
    {
      files: [sharedFile(`${folder}/log.csv`)],
      mapping: {
        arm: 'arm',
        payoff: 'payoff',
        context: ['x', 'y'].map((column) => ({ column, encode: 'numeric' as const })),
        intercept: true,
      },
    },
    sharedFile(`${folder}/learners.json`),
    { device: 'cpu', assumeUniform: true },
  );
  const [{ matches, mean, numerics }] = learners;
  expect([matches, mean]).toEqual([54, 32 / 54]);
  expect(numerics).toMatchObject({ fits: 54, notConverged: 0 });
  expect(numerics?.decrement).toBeLessThan(1e-8);
  // θ = 0 would have a loss of ln 2 at each event; 4e7 came of steps that raised it.
  expect(numerics?.loss).toBeLessThan(54 * Math.LN2);
  expect(warnings.filter((text) => text.includes('converge'))).toEqual([]);
});

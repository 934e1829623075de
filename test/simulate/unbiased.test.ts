/**
 * Replay against the truth over 500 simulated worlds: fixed policies against their true values on the same visits, learners
 * against themselves running live (Li et al., WSDM 2011, Theorem 1). `examples/unbiased.mjs` prints the same as a table.
 */
import { describe, expect, it } from 'vitest';
import { NotUniformError } from '#dist/errors.js';
import { evaluate } from '#dist/evaluate.js';
import { epsilonGreedy } from '#dist/learner/set/entries.js';
import { replay } from '#dist/replay.js';
import { simulate } from '#dist/simulate/simulate.js';
import { runUnbiased } from '../../examples/unbiased.mjs';
import { LONG } from '../long.js';

describe('uniform logging', () => {
  it('makes replay right on average: within three standard errors over 500 seeds', LONG, async () => {
    const { rows } = await runUnbiased({ seeds: 500 });
    expect(rows.map(({ name }) => name)).toEqual([
      'newest article',
      'oldest article',
      'by membership',
      'by kind of user',
      'linear',
      'epsilon-greedy epsilon=0.1',
      'ucb1',
      'linucb alpha=0.5',
    ]);
    for (const { name, rated, known, difference, standardError, z } of rows) {
      expect(rated, name).toBeGreaterThan(490);
      expect(Math.abs(z), name).toBeLessThan(3);
      // Errors so small that a bias of a tenth of the value, for learners a twentieth, would not pass.
      expect(standardError, name).toBeLessThan(known / 20);
      expect(Math.abs(difference), name).toBeLessThan(known / 10);
    }
  });
});

describe('logging that is not uniform', () => {
  it.each([
    { policy: 'epsilon-greedy', epsilon: 0.5 },
    { policy: 'softmax', temperature: 0.02 },
  ] as const)('is refused: %o', async (logging) => {
    const { log } = simulate({ events: 2000, seed: 1, logging });
    const alone = { device: 'cpu', threads: 1 } as const;
    await expect(evaluate({ log, policies: [{ family: 'constant' }], estimators: 'replay', ...alone })).rejects.toThrow(
      NotUniformError,
    );
    await expect(replay(log, [epsilonGreedy({ epsilon: 0.1 })], alone)).rejects.toThrow(NotUniformError);
    // Without propensities the test of the logged arms still finds out, given events enough.
    const longer = simulate({ events: 60_000, seed: 1, days: 1, changesPerHour: 0, logging });
    const bare = { ...longer.log, propensity: null };
    await expect(replay(bare, [epsilonGreedy({ epsilon: 0.1 })], alone)).rejects.toThrow(NotUniformError);
  });
});

/**
 * @module-tag long
 *
 * How often what is said of all learners at once holds, in worlds whose truth is known (`examples/trust-learners.mjs`): 60 logs of each
 * kind.
 */

import { expect, it } from 'vitest';
import { CELLS, runTrust } from '../../../examples/trust-learners.mjs';

const LOGS = 60;
/** Below this the share of so many logs is with a probability of 1 in 1,000, if each holds with 95 %. */
const LEAST = 0.95 - 3.1 * Math.sqrt((0.95 * 0.05) / LOGS);

it.each(CELLS)(
  '$name: bands, the best set, the winner and differences hold of these runs, and not of other logs',
  async (cell) => {
    const [row] = await runTrust({ logs: LOGS, draws: 1000 }, [cell]);
    expect(row.bands).toBeGreaterThan(LEAST);
    expect(row.set).toBeGreaterThan(LEAST);
    expect(row.winner).toBeGreaterThan(LEAST);
    expect(row.lower).toBeGreaterThan(LEAST);
    expect(row.wrong).toBeLessThan(1 - LEAST);
    // What a learner would have learned from another log is in no block, so results say so.
    expect(row.everywhere).toBeLessThan(row.bands);
    // With a probability of 1 in 1,000 some learner that draws at random is said to commit early in more than 3 of 60 logs.
    expect(row.random).toBeLessThanOrEqual(3 / LOGS);
    if (cell.repeats === 1) expect(row.greedy).toBe(0);
    else expect(row.greedy).toBeGreaterThan(row.random);
  },
);

/**
 * @module-tag long
 *
 * How often what is said of all policies at once holds, in worlds whose truth is known (`examples/trust.mjs`, which takes 200): 60 logs of each kind.
 */

import { describe, expect, it } from 'vitest';
import { CELLS, runAlike, runTrust } from '../../../examples/trust.mjs';

const LOGS = 60;
/** Below this the share of so many logs is with a probability of 1 in 1,000, if each holds with 95 %. */
const least = (logs: number): number => 0.95 - 3.1 * Math.sqrt((0.95 * 0.05) / logs);

describe.each(CELLS)('$name', (cell) => {
  it('bands, the best set, the winner and differences hold as often as they say, where single intervals never do', async () => {
    const [row] = await runTrust({ logs: LOGS, draws: 1000 }, [cell]);
    expect(row.bands).toBeGreaterThan(least(LOGS));
    expect(row.set).toBeGreaterThan(least(LOGS));
    expect(row.winner).toBeGreaterThan(least(LOGS));
    expect(row.lower).toBeGreaterThan(least(LOGS));
    expect(row.versusLog).toBeGreaterThan(least(LOGS / 2));
    expect(row.versusPolicy).toBeGreaterThan(least(LOGS / 2));
    // Of 500 intervals of one log at 95 % some miss: over all logs hardly one holds all.
    expect(row.alone).toBeLessThan(0.05);
    // Picking flatters, and what it adds is for the most part taken away.
    expect(row.uncorrected).toBeGreaterThan(0);
    expect(Math.abs(row.corrected)).toBeLessThan(row.uncorrected / 2);
  });
});

it('where all policies are alike, any is called better in 5 % of the logs at most', async () => {
  const { log, policy } = await runAlike({ logs: 1000, policies: 100, draws: 1000 });
  // With a probability of 1 in 1,000 the share of 500 logs is further above 5 %.
  const most = 0.05 + 3.1 * Math.sqrt((0.05 * 0.95) / 500);
  expect(log).toBeLessThan(most);
  expect(policy).toBeLessThan(most);
});

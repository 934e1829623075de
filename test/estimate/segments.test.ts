/**
 * How often statements about segments and hold-outs are wrong, on logs whose true values are known: no policy is better than another,
 * so that whatever wins has won by chance.
 */
import { expect, it } from 'vitest';
import { evaluate } from '#dist/index.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { WorldDraws } from '#dist/simulate/draws.js';
import { inTwoSizes } from '../long.js';

const EVENTS = 6000;
const ARMS = 20;
const RATE = 0.08;
const SEGMENTS = ['a', 'b', 'c', 'd'];

function flatLog(seed: number) {
  const draws = new WorldDraws(seed);
  const list = Array.from({ length: EVENTS }, (_, t) => t);
  return logFromColumns({
    arms: ARMS,
    armIndex: Uint32Array.from(list, (t) => draws.below(ARMS, t, 0)),
    payoff: list.map((t) => Number(draws.below(10_000, t, 1) < 10_000 * RATE)),
    payoffRange: [0, 1],
    // One of them is rare.
    keys: { segment: list.map((t) => SEGMENTS[Math.min(3, Math.floor(draws.below(310, t, 2) / 100))]) },
    user: list.map((t) => `u${draws.below(2000, t, 3)}`),
  });
}

const options = { policies: [{ family: 'constant' as const }], device: 'cpu', threads: 1, draws: 2000 } as const;
const holds = (value: number, [low, high]: readonly [number, number]): boolean => low <= value && value <= high;

inTwoSizes('bands hold in all segments at once, and no segment differs where none does', [15, 400], async (logs) => {
  let [missed, claimed, naive] = [0, 0, 0];
  for (let seed = 0; seed < logs; seed++) {
    const { policies, segments } = await evaluate({
      ...options,
      ...{ log: flatLog(seed), by: ['segment'], assumeUniform: true },
    });
    const all = policies.flatMap(({ segments = [] }) => segments);
    if (!all.every(({ band = [0, 1] }) => holds(RATE, band))) missed++;
    if (!all.every(({ interval }) => holds(RATE, interval))) naive++;
    if (segments?.levels.some(({ winner }) => winner?.differs === true)) claimed++;
  }
  // 5 % are due at most: four deviations more are no chance.
  const most = 0.05 * logs + 4 * Math.sqrt(0.05 * 0.95 * logs);
  expect(missed).toBeLessThanOrEqual(most);
  expect(claimed).toBeLessThanOrEqual(most);
  // Intervals one by one nearly always miss somewhere.
  expect(naive).toBeGreaterThan(0.8 * logs);
});

inTwoSizes('the pick is held to its word on the part that had no share in picking', [100, 600], async (logs) => {
  let [covered, flattered, bias] = [0, 0, 0];
  for (let seed = 0; seed < logs; seed++) {
    const { policies, holdOut } = await evaluate({
      ...options,
      ...{ log: flatLog(seed), selectOn: 0.5, assumeUniform: true, bands: false, draws: undefined },
    });
    const [pick] = holdOut?.policies ?? [];
    if (holds(RATE, pick.interval)) covered++;
    if (holds(RATE, policies[0].interval)) flattered++;
    bias += (pick.value ?? 0) - RATE;
  }
  const due = (level: number): number => level * logs - 4 * Math.sqrt(level * (1 - level) * logs);
  expect(covered).toBeGreaterThanOrEqual(due(0.94));
  expect(flattered).toBeLessThan(0.85 * logs);
  // An estimate from 150 matches has the deviation √(p (1 − p)/150).
  expect(Math.abs(bias / logs)).toBeLessThan(4 * Math.sqrt((RATE * (1 - RATE)) / 150 / logs));
});

it('what is picked by days is better than the log itself where it is', async () => {
  const draws = new WorldDraws(5);
  const list = Array.from({ length: 8000 }, (_, t) => t);
  const arm = list.map((t) => draws.below(4, t, 0));
  const log = logFromColumns({
    ...{ arms: 4, armIndex: Uint32Array.from(arm), time: list.map((t) => 1.7e12 + t * 60_000) },
    payoff: list.map((t) => Number(draws.below(100, t, 1) < (arm[t] === 2 ? 30 : 10))),
  });
  const { holdOut } = await evaluate({ ...options, log, selectOn: 'days', baseline: 'log' });
  expect(holdOut?.policies[0].index).toBe(2);
  expect(holdOut?.difference).toMatchObject({ name: expect.stringMatching(/log/), better: true });
  expect(holdOut?.difference?.lower).toBeGreaterThan(0.1);
  expect(holdOut?.difference?.lower).toBeLessThan(0.15);
});

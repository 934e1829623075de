/** UCB1 on the men's log and on digits: the reference's trajectories, event by event. */
import { expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { candidatesAt } from '#dist/learner/candidates.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { MEN, reference, SUBSETS, sharedFile, sharedText } from '../published/reference.js';
import { learner } from './helpers.js';

interface Run {
  n_logged: number;
  T: number;
  G: number;
  per_arm_T: number[];
  per_arm_G: number[];
}

/** Algorithm 2 on a log of clicks, as a row of the reference. */
function replayed(log: EventLog, parameters: object) {
  const one = learner('ucb1', parameters, log);
  const perArmT = log.arms.ids.map(() => 0);
  const perArmG = log.arms.ids.map(() => 0);
  const rows: number[] = [];
  for (let t = 0; t < log.events; t++) {
    const arm = log.arm[t];
    if (one.choose(t, candidatesAt(log, t)) !== arm) continue;
    const click = log.payoff.steps[t];
    one.update(t, arm, click, click);
    perArmT[arm]++;
    perArmG[arm] += click;
    rows.push(log.sourceRow === null ? t : log.sourceRow[t]);
  }
  const G = perArmG.reduce((sum, clicks) => sum + clicks, 0);
  return { T: rows.length, G, per_arm_T: perArmT, per_arm_G: perArmG, rows };
}

const needed = ({ T, G, per_arm_T, per_arm_G }: Omit<Run, 'n_logged'>, rows: number[]) => ({
  T,
  G,
  per_arm_T,
  per_arm_G,
  rows,
});

const alphaOf = (name: string) => Number(/alpha=([\d.]+)/.exec(name)?.[1]);

type MenRun = Run & { accepted_rows: number[] };
const men = Object.entries(reference<{ runs: Record<string, MenRun> }>('own_sequential_random_men.json').runs).filter(
  ([name]) => name.startsWith('ucb|'),
);

it('the men’s log has its 8 runs', () => expect(men).toHaveLength(8));

it.each(men)('men, default tie tolerance: %s', async (name, run) => {
  const log = await readLog([sharedFile(MEN)], { where: SUBSETS[name.split('|')[1]], format: 'obd' });
  expect(log.events).toBe(run.n_logged);
  expect(replayed(log, { alpha: alphaOf(name) })).toEqual(needed(run, run.accepted_rows));
});

type DigitsRun = Run & { accepted_events: number[] };
const digits = Object.entries(reference<{ runs: Record<string, DigitsRun> }>('own_digits.json').runs).filter(([name]) =>
  name.startsWith('ucb|'),
);

it('digits has UCB runs', () => expect(digits.length).toBeGreaterThan(0));

it.each(digits)('digits: %s', (name, run) => {
  const lines = sharedText('data/digits_bandit/log_uniform_seed1.csv').trim().split('\n').slice(1);
  const events = lines.map((line) => line.split(',').map(Number));
  const log = logFromColumns({
    arm: events.map(([, , action]) => action),
    payoff: events.map(([, , , reward]) => reward),
  });
  // Two scores come within 6.3e-7 of each other here: a tie under the default tolerance, none under the reference's.
  const parameters = { alpha: alphaOf(name), tieTolerance: 1e-9 };
  expect(replayed(log, parameters)).toEqual(needed(run, run.accepted_events));
});

/** LinUCB on the men's log and on digits: the reference's trajectories, event by event. */
import { expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { linucb } from '#dist/learner/linear/linucb.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { MEN, reference, SUBSETS, sharedFile, sharedText } from '../../published/reference.js';
import { learnerOf, plainReplay } from './helpers.js';

interface Run {
  n_logged: number;
  T: number;
  G: number;
  per_arm_T: number[];
  per_arm_G: number[];
  accepted_rows: number[];
}

/** The reference's own tolerance. */
const tieTolerance = 1e-9;

function needed({ T, G, per_arm_T, per_arm_G }: Omit<Run, 'n_logged' | 'accepted_rows'>, retained: number[]) {
  return { T, G, perArmT: per_arm_T, perArmG: per_arm_G, retained };
}

const men = Object.entries(reference<{ runs: Record<string, Run> }>('own_sequential_random_men.json').runs).filter(
  ([name]) => name.startsWith('linucb') && name.includes('|tie=tol|'),
);

const logs = new Map<string, Promise<EventLog>>();

/** The men's log, one subset, with the position in the context or not. */
function menLog(subset: string, position: boolean): Promise<EventLog> {
  const key = `${subset} ${position}`;
  let log = logs.get(key);
  if (log === undefined) {
    const onehot = ['user_feature_0', 'user_feature_1', 'user_feature_2', 'user_feature_3', 'position'];
    log = readLog([sharedFile(MEN)], {
      where: SUBSETS[subset],
      ...(position
        ? {
            mapping: {
              arm: 'item_id',
              payoff: 'click',
              payoffRange: [0, 1],
              propensity: 'propensity_score',
              context: { onehot },
              intercept: true,
            },
          }
        : { format: 'obd' }),
    });
    logs.set(key, log);
  }
  return log;
}

it('the men’s log has its 25 runs', () => expect(men).toHaveLength(25));

it.each(men)('men: %s', async (name, run) => {
  const [learner, subset, alpha] = name.split('|');
  const log = await menLog(subset, learner === 'linucb_posfeat');
  expect(log.events).toBe(run.n_logged);
  const got = plainReplay(learnerOf(linucb, log, { alpha: Number(alpha.split('=')[1]), tieTolerance }), log);
  expect(got).toEqual(needed(run, run.accepted_rows));
});

type DigitsRun = Omit<Run, 'accepted_rows'> & { accepted_events: number[] };

const digitRuns = Object.entries(reference<{ runs: Record<string, DigitsRun> }>('own_digits.json').runs).filter(
  ([name]) => /^linucb\|.*tie=tol/.test(name),
);

function digitsLog(): EventLog {
  const table = (name: string) => sharedText(`data/digits_bandit/${name}`).trim().split('\n').slice(1);
  const pixels = table('digits.csv').map((line) => [
    ...line
      .split(',')
      .slice(2)
      .map((value) => Number(value) / 16),
    1,
  ]);
  const events = table('log_uniform_seed1.csv').map((line) => line.split(',').map(Number));
  return logFromColumns({
    arm: events.map(([, , action]) => action),
    payoff: events.map(([, , , reward]) => reward),
    propensity: events.map((row) => row[4]),
    context: events.map(([, row]) => pixels[row]),
  });
}

const digits = digitsLog();

it('digits has its six runs', () => expect(digitRuns).toHaveLength(6));

it.each(digitRuns)('digits: %s', (name, run) => {
  const alpha = Number(name.split('|')[1].split('=')[1]);
  const got = plainReplay(learnerOf(linucb, digits, { alpha, tieTolerance }), digits);
  expect(got).toEqual(needed(run, run.accepted_events));
  // The default tolerance retains the same events: no gap here is that small.
  expect(plainReplay(learnerOf(linucb, digits, { alpha }), digits)).toEqual(got);
});

/**
 * @module-tag long
 *
 * Learners on the men's log and on digits: every T, G, per-arm count and retained row of an independent implementation.
 */
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { replay } from '#dist/replay.js';
import type { ReplicaResult } from '#dist/report/replay-result.js';
import { readDigitsLog } from './digits.js';
import { defaultApplies, learnerOf, menLog, selected, withTolerances } from './sequential-runs.js';

function only(result: Awaited<ReturnType<typeof replay>>): ReplicaResult {
  const [replica] = result.learners[0].replicas ?? [];
  return replica;
}

describe('the men log', () => {
  const runs = selected('own_sequential_random_men.json');

  it('has the runs that this file is about', () => {
    expect(runs.filter(([name]) => name.startsWith('ucb|'))).toHaveLength(8);
    expect(runs.filter(([name]) => name.startsWith('linucb')).length).toBeGreaterThan(20);
  });

  it('leaves one pair of runs out of the default tolerance, for a gap of 8e-7', () => {
    expect(runs.filter(([name, run]) => !defaultApplies(name, run)).map(([name]) => name)).toEqual([
      'linucb|all|alpha=0.0|tie=tol|sm',
      'linucb|all|alpha=0.0|tie=tol|inv',
    ]);
  });

  it.each(withTolerances(runs))('%s, tolerance %d', async (name, tolerance, run) => {
    const log = menLog(name);
    const { matches, payoff, retained } = only(
      await replay(log, [learnerOf(name, tolerance)], { replicas: true, device: 'cpu', threads: 1 }),
    );
    expect({ matches, payoff, retained }).toEqual({ matches: run.T, payoff: run.G, retained: run.accepted_rows });
    const opened = await readLog(log.files, { ...log, keys: [] });
    const eventOf = new Map(Array.from({ length: opened.events }, (_, t) => [opened.sourceRow?.[t] ?? t, t]));
    const trials = new Array<number>(opened.arms.ids.length).fill(0);
    const clicks = new Array<number>(opened.arms.ids.length).fill(0);
    for (const row of retained ?? []) {
      const t = eventOf.get(row) as number;
      trials[opened.arm[t]]++;
      clicks[opened.arm[t]] += opened.payoff.steps[t];
    }
    expect({ trials, clicks }).toEqual({ trials: run.per_arm_T, clicks: run.per_arm_G });
  });
});

describe('digits', () => {
  const log = readDigitsLog();
  const runs = selected('own_digits.json');

  it('leaves the UCB runs out of the default tolerance, for gaps of 6e-7', () => {
    expect(runs.filter(([name, run]) => !defaultApplies(name, run)).map(([name]) => name)).toEqual([
      'ucb|alpha=0.1',
      'ucb|alpha=1.0',
    ]);
  });

  it.each(withTolerances(runs))('%s, tolerance %d', async (name, tolerance, run) => {
    const { matches, payoff, retained } = only(
      await replay(log, [learnerOf(name, tolerance)], { replicas: true, device: 'cpu', threads: 1 }),
    );
    expect({ matches, payoff, retained }).toEqual({ matches: run.T, payoff: run.G, retained: run.accepted_events });
  });
});

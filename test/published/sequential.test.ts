/** Learners on the men's log and on digits: every T, G, per-arm count and retained row of an independent implementation. */
import { describe, expect, it } from 'vitest';
import type { LearnerInput } from '#dist/learner/learner-set.js';
import { readLog } from '#dist/log/read.js';
import { replay } from '#dist/replay.js';
import type { ReplicaResult } from '#dist/report/replay-result.js';
import { readDigitsLog } from './digits.js';
import { MEN, reference, SUBSETS, sharedFile } from './reference.js';

interface Run {
  T: number;
  G: number;
  per_arm_T: number[];
  per_arm_G: number[];
  /** Row of the file (men). */
  accepted_rows?: number[];
  /** Event of the log (digits). */
  accepted_events?: number[];
  tie_stats: { min_gap_at_or_above_1e9: number | null };
}

/** Tolerance of the reference's tie rule, and our own. */
const TIE = 1e-9;
const DEFAULT = 1e-6;

/** `ucb|pos1|alpha=0.1` → the learner; the reference's `ucb` is our `ucb1`. */
function learnerOf(name: string, tieTolerance: number): LearnerInput {
  return { algorithm: name.startsWith('ucb') ? 'ucb1' : 'linucb', alpha: alphaOf(name), tieTolerance };
}

function alphaOf(name: string): number {
  return Number(/alpha=([\d.]+)/.exec(name)?.[1]);
}

/**
 * True where our default tolerance must give the same run: the reference met no gap between two scores that is not a tie to
 * it but one to us. Scores are below 4 max(1/4, α) in these runs, and the tolerance is relative to them.
 */
function defaultApplies(name: string, { tie_stats: { min_gap_at_or_above_1e9: gap } }: Run): boolean {
  return gap === null || gap > DEFAULT * Math.max(1, 4 * alphaOf(name));
}

/** Every run with the reference's tolerance, and with ours where it applies. */
function withTolerances(runs: readonly [string, Run][]): [name: string, tolerance: number, run: Run][] {
  return runs.flatMap(([name, run]) =>
    [TIE, ...(defaultApplies(name, run) ? [DEFAULT] : [])].map((tolerance): [string, number, Run] => [
      name,
      tolerance,
      run,
    ]),
  );
}

/** Learners of one file, and what a run of the reference says. */
function selected(file: string): [string, Run][] {
  const { runs } = reference<{ runs: Record<string, Run> }>(file);
  return Object.entries(runs).filter(([name]) => name.startsWith('ucb|') || /^linucb(_posfeat)?\|.*tie=tol/.test(name));
}

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
    const subset = SUBSETS[name.split('|')[1]];
    const features = [0, 1, 2, 3].map((k) => `user_feature_${k}`);
    const log = name.startsWith('linucb_posfeat')
      ? {
          files: [sharedFile(MEN)],
          where: subset,
          mapping: {
            arm: 'item_id',
            payoff: 'click',
            propensity: 'propensity_score',
            context: { onehot: [...features, 'position'] },
            intercept: true,
          },
        }
      : { files: [sharedFile(MEN)], format: 'obd', where: subset };
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

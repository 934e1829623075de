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
}

/** Tolerance of the reference's tie rule. */
const TIE = 1e-9;

/** `ucb|pos1|alpha=0.1` → the learner; the reference's `ucb` is our `ucb1`. */
function learnerOf(name: string): LearnerInput {
  const alpha = Number(/alpha=([\d.]+)/.exec(name)?.[1]);
  return { algorithm: name.startsWith('ucb') ? 'ucb1' : 'linucb', alpha, tieTolerance: TIE };
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

  it.each(runs)('%s', async (name, run) => {
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
      await replay(log, [learnerOf(name)], { replicas: true, device: 'cpu', threads: 1 }),
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

  it.each(selected('own_digits.json'))('%s', async (name, run) => {
    const { matches, payoff, retained } = only(
      await replay(log, [learnerOf(name)], { replicas: true, device: 'cpu', threads: 1 }),
    );
    expect({ matches, payoff, retained }).toEqual({ matches: run.T, payoff: run.G, retained: run.accepted_events });
  });
});

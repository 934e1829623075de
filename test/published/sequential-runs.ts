/** Runs of an independent implementation of LinUCB and UCB1 on the men's log and on digits, and what they are runs of. */
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import type { LogFiles } from '#dist/open/open.js';
import { MEN, reference, SUBSETS, sharedFile } from './reference.js';

export interface Run {
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
export const TIE = 1e-9;
export const DEFAULT = 1e-6;

/** `ucb|pos1|alpha=0.1` → the learner; the reference's `ucb` is our `ucb1`. */
export function learnerOf(name: string, tieTolerance: number): LearnerInput {
  return { algorithm: name.startsWith('ucb') ? 'ucb1' : 'linucb', alpha: alphaOf(name), tieTolerance };
}

function alphaOf(name: string): number {
  return Number(/alpha=([\d.]+)/.exec(name)?.[1]);
}

/**
 * True where our default tolerance must give the same run: the reference met no gap between two scores that is not a tie to
 * it but one to us. Scores are below 4 max(1/4, α) in these runs, and the tolerance is relative to them.
 */
export function defaultApplies(name: string, { tie_stats: { min_gap_at_or_above_1e9: gap } }: Run): boolean {
  return gap === null || gap > DEFAULT * Math.max(1, 4 * alphaOf(name));
}

/** Every run with the reference's tolerance, and with ours where it applies. */
export function withTolerances(runs: readonly [string, Run][]): [name: string, tolerance: number, run: Run][] {
  return runs.flatMap(([name, run]) =>
    [TIE, ...(defaultApplies(name, run) ? [DEFAULT] : [])].map((tolerance): [string, number, Run] => [
      name,
      tolerance,
      run,
    ]),
  );
}

/** Learners of one file, and what a run of the reference says. */
export function selected(file: string): [string, Run][] {
  const { runs } = reference<{ runs: Record<string, Run> }>(file);
  return Object.entries(runs).filter(([name]) => name.startsWith('ucb|') || /^linucb(_posfeat)?\|.*tie=tol/.test(name));
}

/** The men's log as a run names it: a subset, and whether the position is part of the context. */
export function menLog(name: string): LogFiles {
  const subset = SUBSETS[name.split('|')[1]];
  if (!name.startsWith('linucb_posfeat')) return { files: [sharedFile(MEN)], format: 'obd', where: subset };
  const features = [0, 1, 2, 3].map((k) => `user_feature_${k}`);
  return {
    files: [sharedFile(MEN)],
    where: subset,
    mapping: {
      arm: 'item_id',
      payoff: 'click',
      propensity: 'propensity_score',
      context: { onehot: [...features, 'position'] },
      intercept: true,
    },
  };
}

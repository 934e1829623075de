/** What a report compares, be it policies or learners: rows of one shape, best first. */

import type { Difference, Selection } from '../../estimate/selection/select.js';
import type { BlockRows, BlocksDescription } from '../block-rows.js';
import type { LearnerResult, ReplayResult } from '../replay-result.js';
import type { EvaluationResult, PolicyResult } from '../result.js';
import { withShortLearners, withShortPolicies } from './short-names.js';

export type Range = readonly [low: number, high: number];

/** A policy or a learner. */
export interface Row {
  readonly index: number;
  readonly name: string;
  readonly family: string;
  readonly matches: number;
  /** Value of a policy, mean of a learner; `null`: nothing is known. */
  readonly value: number | null;
  /** What holds for it by itself; of a learner over its replicas. */
  readonly interval: Range | null;
  /** What holds for all at once, or at all looks; `null`: there is no such. */
  readonly band: Range | null;
  readonly mayBeBest: boolean;
  readonly difference: Difference | null;
  /** Effective events, where there are weights. */
  readonly ess: number | null;
  /** Share of all weight that the heaviest match has. */
  readonly largestShare: number | null;
  readonly blocks: BlockRows | null;
  /** Of learners. */
  readonly replicas: LearnerResult['replicas'] | null;
  readonly learner: LearnerResult | null;
}

export interface Report {
  readonly kind: 'evaluation' | 'replay';
  readonly result: EvaluationResult | ReplayResult;
  /** One of what is compared, and several. */
  readonly noun: readonly [one: string, many: string];
  /** Best first; those without a value last. */
  readonly rows: readonly Row[];
  /** Rows, and those that the result leaves out. */
  readonly total: number;
  readonly logged: EvaluationResult['logged'];
  readonly selection: Selection | null;
  readonly baseline: Selection['baseline'];
  /** What `band` of a row is; `null`: rows have none. */
  readonly bandName: 'band' | 'sequence' | null;
  /** 1 − α of intervals and bands. */
  readonly level: number;
  readonly blocks: BlocksDescription;
  /** Payoffs count alike, so that a value is payoff over matches in any part of the log. */
  readonly unweighted: boolean;
}

/** @param whole read from JSON, or as it would be. */
export function evaluationReport(whole: EvaluationResult): Report {
  const result = withShortPolicies(whole);
  const { policies, omitted = 0, selection, sequence, interval, logged, blocks, estimator } = result;
  return {
    ...{ kind: 'evaluation', result, noun: ['policy', 'policies'], logged, selection, blocks },
    rows: policies.map(policyRow).sort(bestFirst),
    total: policies.length + omitted,
    baseline: selection?.baseline ?? null,
    bandName: sequence !== undefined ? 'sequence' : selection !== null ? 'band' : null,
    level: interval.confidence,
    unweighted: estimator.name === 'replay' && estimator.algorithm !== 1,
  };
}

/** @param whole read from JSON, or as it would be. */
export function replayReport(whole: ReplayResult): Report {
  const result = withShortLearners(whole);
  const { learners, selection, interval, logged, blocks, estimator } = result;
  const rows = learners.map(learnerRow);
  return {
    ...{ kind: 'replay', result, noun: ['learner', 'learners'], logged, selection, blocks },
    rows: rows.sort(bestFirst),
    total: rows.length,
    baseline: selection?.baseline ?? null,
    bandName: selection === null ? null : 'band',
    level: interval.confidence,
    unweighted: estimator.algorithm !== 1,
  };
}

function policyRow(policy: PolicyResult): Row {
  const { index, name, family, matches, value, interval, sequence, band, weights } = policy;
  const [low, high] = [sequence?.lower.at(-1), sequence?.upper.at(-1)];
  return {
    ...{ index, name, family, matches, value, interval },
    band: low !== undefined && high !== undefined ? [low, high] : (band ?? null),
    mayBeBest: policy.mayBeBest ?? false,
    difference: policy.difference ?? null,
    ess: weights?.ess ?? null,
    largestShare: weights?.largestShare ?? null,
    blocks: policy.blocks ?? null,
    ...{ replicas: null, learner: null },
  };
}

function learnerRow(learner: LearnerResult): Row {
  const { index, name, algorithm, matches, mean, interval, band } = learner;
  return {
    ...{ index, name, family: algorithm, matches, value: mean, interval },
    band: mean === null ? null : (band ?? null),
    mayBeBest: learner.mayBeBest ?? false,
    difference: learner.difference ?? null,
    ...{ ess: null, largestShare: null, blocks: null },
    ...{ replicas: learner.replicas ?? null, learner },
  };
}

/** As results have them; files that were edited may not. */
function bestFirst(a: Row, b: Row): number {
  return (b.value ?? Number.NEGATIVE_INFINITY) - (a.value ?? Number.NEGATIVE_INFINITY) || a.index - b.index;
}

/** The row of the winner; without a selection the first with a value; `null`: nothing is known of any. */
export function leader({ rows, selection }: Report): Row | null {
  const winner = selection?.winner ?? null;
  if (winner !== null) return rows.find(({ index }) => index === winner.index) ?? null;
  const [first] = rows;
  return first === undefined || first.value === null ? null : first;
}

/** The wider of what is said of a row: its band, else its interval. */
export function widest({ band, interval }: Row): Range | null {
  return band ?? interval;
}

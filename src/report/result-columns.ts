/** A result as columns, one row per policy, learner or replica: what CSV and Parquet files hold. */

import type { PolicyStanding } from '../estimate/selection/select.js';
import type { LearnerResult, ReplayResult, ReplicaResult } from './replay-result.js';
import type { EvaluationResult, PolicyResult } from './result.js';
import { segmentName } from './segments-table.js';

export type CellValue = string | number | boolean | null;

/** A column; `count` is a whole number. */
export interface ResultColumn {
  readonly name: string;
  readonly type: 'count' | 'number' | 'text' | 'flag';
  readonly values: readonly CellValue[];
}

type Field<Row> = readonly [
  name: string,
  type: ResultColumn['type'],
  cell: (row: Row) => string | number | boolean | null | undefined,
];

const POLICY: readonly Field<PolicyResult>[] = [
  ['index', 'count', (p) => p.index],
  ['name', 'text', (p) => p.name],
  ['family', 'text', (p) => p.family],
  ['matches', 'count', (p) => p.matches],
  ['payoff', 'number', (p) => p.payoff],
  ['value', 'number', (p) => p.value],
  ['lower', 'number', (p) => p.interval[0]],
  ['upper', 'number', (p) => p.interval[1]],
];

const BANDS: readonly Field<Partial<PolicyStanding>>[] = [
  ['bandLower', 'number', (p) => p.band?.[0]],
  ['bandUpper', 'number', (p) => p.band?.[1]],
  ['mayBeBest', 'flag', (p) => p.mayBeBest],
];

const DIFFERENCE: readonly Field<Partial<PolicyStanding>>[] = [
  ['difference', 'number', (p) => p.difference?.value],
  ['differenceLower', 'number', (p) => p.difference?.lower],
  ['lift', 'number', (p) => p.difference?.lift],
  ['better', 'flag', (p) => p.difference?.better],
];

/** Of a hold-out: the best on the part that they were not picked on. */
const heldOut = ({ policies }: NonNullable<EvaluationResult['holdOut']>): readonly Field<PolicyResult>[] => {
  const held = new Map(policies.map((policy) => [policy.index, policy]));
  return [
    ['heldOutMatches', 'count', ({ index }) => held.get(index)?.matches],
    ['heldOutValue', 'number', ({ index }) => held.get(index)?.value],
    ['heldOutLower', 'number', ({ index }) => held.get(index)?.interval[0]],
    ['heldOutUpper', 'number', ({ index }) => held.get(index)?.interval[1]],
  ];
};

/** Of each segment: the policy there, by the segment's name. */
const segmented = ({ levels, criticalValue }: NonNullable<EvaluationResult['segments']>): Field<PolicyResult>[] =>
  levels.flatMap((segment, v) => {
    const name = segmentName(segment);
    const bands: Field<PolicyResult>[] = [
      [`${name}.bandLower`, 'number', (p) => p.segments?.[v]?.band?.[0]],
      [`${name}.bandUpper`, 'number', (p) => p.segments?.[v]?.band?.[1]],
    ];
    return [
      [`${name}.matches`, 'count', (p) => p.segments?.[v]?.matches],
      [`${name}.value`, 'number', (p) => p.segments?.[v]?.value],
      [`${name}.lower`, 'number', (p) => p.segments?.[v]?.interval[0]],
      [`${name}.upper`, 'number', (p) => p.segments?.[v]?.interval[1]],
      ...(criticalValue === null ? [] : bands),
    ];
  });

const WEIGHTS: readonly Field<PolicyResult>[] = [
  ['ess', 'number', (p) => p.weights?.ess],
  ['meanWeight', 'number', (p) => p.weights?.mean],
  ['largestWeight', 'number', (p) => p.weights?.largest],
  ['largestShare', 'number', (p) => p.weights?.largestShare],
  ['noOverlap', 'number', (p) => p.weights?.noOverlap],
];

const SEQUENCE: readonly Field<PolicyResult>[] = [
  ['sequenceLower', 'number', (p) => p.sequence?.lower.at(-1)],
  ['sequenceUpper', 'number', (p) => p.sequence?.upper.at(-1)],
];

const ERROR: Field<PolicyResult> = ['standardError', 'number', (p) => p.standardError];

/** Of an estimator that cuts weights: what that removes, and M where it was chosen for each policy. */
const cuts = (estimator: EvaluationResult['estimators'][number], prefix = ''): readonly Field<PolicyResult>[] => {
  const { name, clip, switch: most, shrinkage } = estimator;
  const share: Field<PolicyResult> = [`${prefix}clippedShare`, 'number', (p) => p.estimates[name]?.clippedShare];
  const chosen: Field<PolicyResult> = [`${prefix}clip`, 'number', (p) => p.estimates[name]?.clip];
  return [...(clip === 'auto' ? [chosen] : []), ...((clip ?? most ?? shrinkage) === undefined ? [] : [share])];
};

/** Of an estimator beside the first. */
const besides = (estimator: EvaluationResult['estimators'][number]): readonly Field<PolicyResult>[] => {
  const { name } = estimator;
  return [
    [`${name}.value`, 'number', (p) => p.estimates[name]?.value],
    [`${name}.standardError`, 'number', (p) => p.estimates[name]?.standardError],
    [`${name}.lower`, 'number', (p) => p.estimates[name]?.interval[0]],
    [`${name}.upper`, 'number', (p) => p.estimates[name]?.interval[1]],
    ...cuts(estimator, `${name}.`),
  ];
};

const LEARNER: readonly Field<LearnerResult>[] = [
  ['index', 'count', (l) => l.index],
  ['name', 'text', (l) => l.name],
  ['algorithm', 'text', (l) => l.algorithm],
  ['parameters', 'text', (l) => JSON.stringify(l.parameters)],
  ['mean', 'number', (l) => l.mean],
  ['std', 'number', (l) => l.std],
  ['min', 'number', (l) => l.min],
  ['max', 'number', (l) => l.max],
  ['matches', 'number', (l) => l.matches],
  ['lower', 'number', (l) => l.interval?.[0]],
  ['upper', 'number', (l) => l.interval?.[1]],
  ['estimates', 'count', (l) => l.estimates],
  ['empty', 'count', (l) => l.empty],
  ['runsDiffer', 'flag', (l) => l.runsDiffer],
];

interface Run {
  readonly learner: LearnerResult;
  readonly replica: ReplicaResult;
}

const REPLICA: readonly Field<Run>[] = [
  ['index', 'count', ({ learner }) => learner.index],
  ['name', 'text', ({ learner }) => learner.name],
  ['replica', 'count', ({ replica }) => replica.replica],
  ['seed', 'count', ({ replica }) => replica.seed],
  ['matches', 'count', ({ replica }) => replica.matches],
  ['payoff', 'number', ({ replica }) => replica.payoff],
  ['value', 'number', ({ replica }) => replica.value],
];

/**
 * One row per policy; bands and differences where they were made; `consumed` and `complete` only for Algorithm 1, the standard error and weights where an estimator is not
 * replay, values of the others named by them; bounds after the last look where there are confidence sequences.
 */
export function policyColumns({
  estimator,
  estimators,
  policies,
  selection,
  sequence,
  segments,
  holdOut,
}: EvaluationResult): ResultColumn[] {
  const { algorithm, name } = estimator;
  const [, ...others] = estimators;
  const more =
    name === 'replay' && others.length === 0 ? [] : [ERROR, ...cuts(estimator), ...WEIGHTS, ...others.flatMap(besides)];
  const looks = sequence === undefined ? [] : SEQUENCE;
  const levels = [
    ...(holdOut === undefined ? [] : heldOut(holdOut)),
    ...(segments === undefined ? [] : segmented(segments)),
  ];
  const early = algorithm === 1 ? algorithm1<PolicyResult>((p) => p) : [];
  return columns([...POLICY, ...standing(selection), ...looks, ...more, ...levels, ...early], policies);
}

/**
 * One row per learner, or per replica where replicas are in the result; `consumed` and `complete` only for Algorithm 1.
 * Retained rows, blocks and states are for JSON.
 */
export function learnerColumns({ estimator, learners, selection }: ReplayResult): ResultColumn[] {
  if (learners.every(({ replicas }) => replicas === undefined))
    return columns([...LEARNER, ...standing(selection)], learners);
  const runs = learners.flatMap((learner) => (learner.replicas ?? []).map((replica) => ({ learner, replica })));
  return columns([...REPLICA, ...(estimator.algorithm === 1 ? algorithm1<Run>(({ replica }) => replica) : [])], runs);
}

/** What is said of all rows at once. */
function standing(selection: EvaluationResult['selection']): readonly Field<Partial<PolicyStanding>>[] {
  if (selection === null) return [];
  return selection.baseline === null ? BANDS : [...BANDS, ...DIFFERENCE];
}

function algorithm1<Row>(part: (row: Row) => { consumed?: number; complete?: boolean }): Field<Row>[] {
  return [
    ['consumed', 'count', (row) => part(row).consumed],
    ['complete', 'flag', (row) => part(row).complete],
  ];
}

function columns<Row>(fields: readonly Field<Row>[], rows: readonly Row[]): ResultColumn[] {
  return fields.map(([name, type, cell]) => ({ name, type, values: rows.map((row) => cell(row) ?? null) }));
}

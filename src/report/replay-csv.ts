/** Result of a replay → CSV: one line per learner, or per replica where replicas are in the result. */

import { type CsvColumn, csvText } from './csv.js';
import type { LearnerResult, ReplayResult, ReplicaResult } from './replay-result.js';

const LEARNER: readonly CsvColumn<LearnerResult>[] = [
  ['index', (l) => l.index],
  ['name', (l) => l.name],
  ['algorithm', (l) => l.algorithm],
  ['parameters', (l) => JSON.stringify(l.parameters)],
  ['mean', (l) => l.mean],
  ['std', (l) => l.std],
  ['min', (l) => l.min],
  ['max', (l) => l.max],
  ['matches', (l) => l.matches],
  ['lower', (l) => l.interval?.[0]],
  ['upper', (l) => l.interval?.[1]],
  ['estimates', (l) => l.estimates],
  ['empty', (l) => l.empty],
];

interface Run {
  learner: LearnerResult;
  replica: ReplicaResult;
}

const REPLICA: readonly CsvColumn<Run>[] = [
  ['index', ({ learner }) => learner.index],
  ['name', ({ learner }) => learner.name],
  ['replica', ({ replica }) => replica.replica],
  ['seed', ({ replica }) => replica.seed],
  ['matches', ({ replica }) => replica.matches],
  ['payoff', ({ replica }) => replica.payoff],
  ['value', ({ replica }) => replica.value],
];

const ALGORITHM_1: readonly CsvColumn<Run>[] = [
  ['consumed', ({ replica }) => replica.consumed],
  ['complete', ({ replica }) => replica.complete],
];

/** Retained rows, blocks and states are for JSON; `consumed` and `complete` only for Algorithm 1. */
export function toReplayCsv(result: ReplayResult): string {
  if (result.learners.every(({ replicas }) => replicas === undefined)) return csvText(LEARNER, result.learners);
  const columns = result.estimator.algorithm === 1 ? [...REPLICA, ...ALGORITHM_1] : REPLICA;
  const runs = result.learners.flatMap((learner) => (learner.replicas ?? []).map((replica) => ({ learner, replica })));
  return csvText(columns, runs);
}

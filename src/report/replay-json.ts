/** Result of a replay → JSON in the layout of the others: one learner per line, and one replica per line where asked for. */

import { flat, resultJson } from './json.js';
import type { LearnerResult, ReplayResult } from './replay-result.js';

/** Order of keys in a result file. */
const RESULT_KEYS: readonly (keyof ReplayResult)[] = [
  'hindcast',
  'version',
  'command',
  'log',
  'inputs',
  'uniformity',
  'estimator',
  'replay',
  'scale',
  'interval',
  'logged',
  'selection',
  'blocks',
  'engine',
  'warnings',
  'learners',
];

const LEARNER_KEYS: readonly (keyof LearnerResult)[] = [
  'index',
  'name',
  'algorithm',
  'parameters',
  'mean',
  'std',
  'min',
  'max',
  'matches',
  'interval',
  'band',
  'mayBeBest',
  'difference',
  'runsDiffer',
  'estimates',
  'empty',
  'numerics',
];

const REPLICA_KEYS = [
  'replica',
  'seed',
  'matches',
  'payoff',
  'value',
  'consumed',
  'complete',
  'retained',
  'blocks',
  'state',
];

/** The whole result, newline at the end. Parsing it gives the object back. */
export function toReplayJson(result: ReplayResult): string {
  return resultJson(result, RESULT_KEYS, 'learners', learner);
}

function learner({ replicas, ...row }: LearnerResult): string {
  const text = flat(row, LEARNER_KEYS);
  if (replicas === undefined) return text;
  const lines = replicas.map((replica) => `      ${flat(replica, REPLICA_KEYS)}`);
  return `${text.slice(0, -2)}, "replicas": [\n${lines.join(',\n')}\n    ] }`;
}

/** A small made-up result of a replay of learners. */

import type { LearnerResult, ReplayResult } from '#dist/report/replay-result.js';
import { sample } from './sample.js';

/** One learner's row; fields that matter to a test are given. */
export function learner(part: Partial<LearnerResult> & { index: number }): LearnerResult {
  return {
    ...{ name: `linucb alpha=${part.index}`, algorithm: 'linucb', parameters: { alpha: part.index } },
    ...{ mean: 0.05, std: 0.004, min: 0.04, max: 0.06, matches: 480.5, interval: [0.047, 0.053] },
    ...{ estimates: 10, empty: 0, runsDiffer: false },
    ...part,
  };
}

/** A whole result; fields that matter to a test are given. */
export function replaySample(part: Partial<ReplayResult> = {}): ReplayResult {
  const { hindcast, log, inputs, uniformity, blocks, engine, warnings, logged, selection } = sample();
  return {
    ...{ hindcast, version: 1, log, inputs, uniformity, blocks, warnings, logged, selection },
    engine: { ...engine, verified: null },
    estimator: { name: 'replay', algorithm: 2, validEvents: null },
    replay: { repeats: 10, subsample: 1, seed: 0, updateEvery: null, learnFrom: 'retained' },
    interval: { method: 'student-t', confidence: 0.95 },
    learners: [learner({ index: 0 }), learner({ index: 1, mean: 0.061, interval: [0.058, 0.064] })],
    ...part,
  };
}

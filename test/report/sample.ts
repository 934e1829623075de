/** A small made-up result that shows every feature of a report. */

import type { EvaluationResult, PolicyResult } from '#dist/report/result.js';

/** One policy's row; fields that matter to a test are given. */
export function policy(part: Partial<PolicyResult> & { index: number }): PolicyResult {
  return {
    name: `weights.npy[${part.index}]`,
    family: 'linear',
    matches: 500,
    payoff: 25,
    value: 0.05,
    standardError: 0.0097,
    interval: [0.0341, 0.0728],
    estimates: {},
    ...part,
  };
}

const REPLAY: EvaluationResult['estimator'] = { name: 'replay', interval: 'wilson', algorithm: 2, validEvents: null };

/** A whole result; fields that matter to a test are given. */
export function sample(part: Partial<EvaluationResult> = {}): EvaluationResult {
  return {
    hindcast: '0.1.0',
    version: 2,
    log: {
      files: ['men.csv'],
      format: 'obd',
      where: 'position = 1',
      mapping: null,
      columns: [],
      options: {},
      events: 10_000,
      arms: 34,
      pools: 1,
      contextDimension: 27,
      distinctContexts: 240,
      period: ['2019-11-24T00:00:00.000Z', '2019-11-30T23:59:58.250Z'],
      payoff: { low: 0, high: 1, step: 1, rounded: false },
      droppedRows: [],
    },
    inputs: [],
    uniformity: {
      basis: 'propensities',
      pValue: null,
      assumed: false,
      detail: 'every logged propensity is 1 / |candidates|',
      factors: [],
      matches: null,
    },
    estimator: REPLAY,
    estimators: [REPLAY],
    interval: { method: 'wilson', confidence: 0.95 },
    blocks: { count: 64, kind: 'run' },
    engine: {
      device: 'gpu',
      adapter: 'SwiftShader Device (LLVM 10.0.0)',
      threads: 2,
      settledOnCpu: 12,
      decisions: 20_000_000,
      seconds: 0.57,
      fallback: null,
      verified: 8,
    },
    seeds: { policies: [] },
    warnings: [],
    logged: { events: 10_000, value: 0.0381, interval: [0.0344, 0.042] },
    selection: null,
    policies: [
      policy({ index: 17, value: 0.0612, interval: [0.0431, 0.0861], matches: 474, payoff: 29 }),
      policy({ index: 3 }),
      policy({
        index: 4,
        name: 'never matches',
        family: 'constant',
        matches: 0,
        payoff: 0,
        value: null,
        interval: [0, 1],
      }),
    ],
    ...part,
  };
}

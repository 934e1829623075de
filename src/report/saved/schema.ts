/** What a saved result must hold for a report to be drawn from it: the layout of `result.ts` and `replay-result.ts`, as data. */

import { z } from 'zod';
import { REPLAY_VERSION } from '../replay-result.js';
import { RESULT_VERSION } from '../result.js';

const text = z.string();
const number = z.number();
const count = z.number().int().min(0);
const flag = z.boolean();
const value = number.nullable();
const share = z.number().min(0).max(1);
const level = z.number().gt(0).lt(1);
/** [low, high] */
const range = z.tuple([number, number]).refine(([low, high]) => low <= high, { error: 'the lower end first' });

const difference = z.looseObject({ value, lower: value, better: flag, lift: value });
const standing = { band: range.optional(), mayBeBest: flag.optional(), difference: difference.optional() };
const blockRows = z.looseObject({
  matches: z.array(count),
  payoff: z.array(number),
  payoffSquared: z.array(number).optional(),
});
const logged = z.looseObject({ events: count, value, interval: range });

const inputFile = z.looseObject({ role: text, path: text.nullable(), bytes: count.nullable(), hash: text });

const log = z.looseObject({
  files: z.array(text),
  format: text,
  where: text.nullable(),
  mapping: z.record(text, z.unknown()).nullable(),
  columns: z.array(z.looseObject({ name: text, roles: z.array(text), unused: text.optional() })),
  options: z.record(text, z.unknown()),
  events: count,
  arms: count,
  pools: count,
  contextDimension: count,
  distinctContexts: count.nullable(),
  period: z.tuple([text, text]).nullable(),
  payoff: z.looseObject({ low: number, high: number, step: number, rounded: flag }),
  droppedRows: z.array(
    z.looseObject({
      kind: text,
      count,
      first: text,
      lost: z.enum(['row', 'candidate', 'stretch', 'nothing']).optional(),
    }),
  ),
  distinctViews: z.looseObject({ events: count }).optional(),
  thinned: z
    .looseObject({ events: count, kept: count, leastPropensity: number, declared: flag, seed: count })
    .optional(),
  payoffFromCost: z.looseObject({ scale: number, offset: number }).optional(),
});

const uniformity = z.looseObject({
  basis: text,
  pValue: value,
  assumed: flag,
  detail: text,
  factors: z.array(
    z.looseObject({ factor: text, events: count, statistic: value, degrees: value, p: number, corrected: number }),
  ),
  matches: z.looseObject({ name: text, z: number, p: number }).nullable(),
  untestedColumns: count.optional(),
});

const engine = z.looseObject({
  device: z.enum(['cpu', 'gpu']),
  adapter: text,
  threads: count,
  settledOnCpu: count,
  decisions: count,
  inGroups: count.optional(),
  parts: count.optional(),
  seconds: number.min(0),
  lanes: z.looseObject({ events: count, slots: count }).optional(),
  memory: z.looseObject({ limit: number, least: number, peak: number.nullable() }).optional(),
  fallback: text.nullable(),
});

const selection = z
  .looseObject({
    level,
    blocks: count,
    draws: count,
    seed: count,
    criticalValue: number,
    criticalError: number,
    independentPolicies: number,
    bestSet: z.looseObject({ size: count, indices: z.array(count), paired: flag }),
    winner: z
      .looseObject({ index: count, uncorrected: number, corrected: value, interval: range, lower: number })
      .nullable(),
    baseline: z
      .looseObject({ name: text, index: count.nullable(), value: number, criticalValue: number, margin: number })
      .nullable(),
  })
  .nullable();

const blocks = z.looseObject({
  count,
  kind: text,
  events: z.array(count).optional(),
  labels: z.array(text).optional(),
  logged: z.array(number).optional(),
});

const estimator = z.looseObject({
  name: text,
  interval: text,
  algorithm: z.union([z.literal(1), z.literal(2)]).optional(),
  validEvents: count.nullable().optional(),
  clip: z.union([number, z.literal('auto')]).optional(),
  switch: number.optional(),
  shrinkage: number.optional(),
});

const common = {
  hindcast: text,
  command: text.optional(),
  log,
  inputs: z.array(inputFile),
  uniformity,
  blocks,
  warnings: z.array(text),
  logged,
  selection,
};

const weights = z.looseObject({ ess: number, mean: number, largest: number, largestShare: share });

const policy = z.looseObject({
  ...{ index: count, name: text, family: text, matches: count, payoff: number, value, interval: range, ...standing },
  estimates: z.record(text, z.looseObject({ value, interval: range })),
  sequence: z.looseObject({ lower: z.array(number), upper: z.array(number) }).optional(),
  weights: weights.optional(),
  consumed: count.optional(),
  complete: flag.optional(),
  segments: z.array(z.looseObject({ matches: count, value, interval: range, band: range.optional() })).optional(),
  blocks: blockRows.optional(),
});

const segment = z.looseObject({
  level: z.record(text, text),
  events: count,
  logged: value,
  winner: z
    .looseObject({
      index: count,
      name: text,
      matches: count,
      value,
      interval: range,
      band: range.optional(),
      differs: flag.nullable(),
    })
    .nullable(),
});

const part = z.looseObject({ events: count, share });

/** The result of `evaluate`. */
export const EVALUATION = z.looseObject({
  version: z.literal(RESULT_VERSION),
  ...common,
  estimator,
  estimators: z.array(estimator).min(1),
  rewardModel: z
    .looseObject({
      name: text,
      parameters: z.record(text, z.unknown()),
      folds: z.looseObject({ count, by: text }).nullable(),
    })
    .optional(),
  interval: z.looseObject({ method: text, confidence: level }),
  sequence: z
    .looseObject({ method: text, at: number, level, looks: z.array(count), periods: z.array(text).optional() })
    .optional(),
  engine: engine.extend({ verified: count.nullable() }),
  seeds: z.looseObject({ policies: z.array(count) }),
  segments: z.looseObject({ keys: z.array(text), criticalValue: value, levels: z.array(segment) }).optional(),
  holdOut: z
    .looseObject({
      by: z.enum(['users', 'days', 'blocks']),
      ...{ selection: part, evaluation: part, leftOut: count, logged },
      difference: z.looseObject({ name: text, value: number, lower: number, better: flag }).nullable(),
      policies: z.array(
        z.looseObject({ index: count, name: text, selected: value, matches: count, value, interval: range }),
      ),
    })
    .optional(),
  omitted: count.optional(),
  policies: z.array(policy),
});

const replica = z.looseObject({
  replica: count,
  seed: count,
  matches: count,
  payoff: number,
  value,
  blocks: blockRows.optional(),
});

const learner = z.looseObject({
  ...{ index: count, name: text, algorithm: text, parameters: z.record(text, z.unknown()) },
  ...{ mean: value, std: value, min: value, max: value, matches: number, interval: range.nullable(), ...standing },
  ...{ estimates: count, empty: count, runsDiffer: flag.nullable() },
  replicas: z.array(replica).optional(),
});

const verification = z.looseObject({
  ...{ replicas: count, decisions: count, differing: count, beyond: count, largest: number, broken: count },
  ...{ tolerance: number, every: flag, passed: flag, first: text.nullable() },
});

/** The result of `replay`. */
export const REPLAY = z.looseObject({
  version: z.literal(REPLAY_VERSION),
  ...common,
  estimator: z.looseObject({
    name: text,
    algorithm: z.union([z.literal(1), z.literal(2)]),
    validEvents: count.nullable(),
  }),
  replay: z.looseObject({
    repeats: count,
    subsample: share,
    seed: count,
    updateEvery: z.union([count, z.looseObject({ period: number })]).nullable(),
    learnFrom: text,
  }),
  scale: z
    .looseObject({
      method: text,
      contexts: z.array(z.looseObject({ offset: number, divisor: number })),
      armFeatures: z.array(z.looseObject({ offset: number, divisor: number })),
    })
    .optional(),
  interval: z.looseObject({ method: text, confidence: level }),
  engine: engine.extend({ verified: verification.nullable() }),
  learners: z.array(learner),
});

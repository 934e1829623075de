/** Random logs and policies for property tests: small, but with everything that a log may have. */
import fc from 'fast-check';
import { type BlockStatistics, totals } from '#dist/estimate/block-statistics.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { LinearBatch, PolicyBatch } from '#dist/policy/batch.js';
import { compilePolicySet, parsePolicySet } from '#dist/policy/policy-set.js';
import { randomLinearPolicies } from '#dist/simulate/linear-policies.js';
import { type UniformLogOptions, uniformLog } from '#dist/simulate/random-log.js';

/** Options of a random log; `least` events. */
export function logOptions(least = 0, most = 400): fc.Arbitrary<UniformLogOptions> {
  return fc.record(
    {
      events: fc.integer({ min: least, max: most }),
      arms: fc.integer({ min: 1, max: 12 }),
      dimension: fc.integer({ min: 1, max: 5 }),
      seed: fc.integer({ min: 0, max: 0xffffffff }),
      // Small integers make exact ties common.
      values: fc.constantFrom<UniformLogOptions['values']>('f32', 'f64', [-1, 0, 1, 2]),
      payoff: fc.constantFrom<UniformLogOptions['payoff']>({ kind: 'binary', rate: 0.3 }, { kind: 'steps', max: 9 }),
      pools: fc.integer({ min: 1, max: 6 }),
      distinctContexts: fc.integer({ min: 1, max: 40 }),
    },
    { requiredKeys: ['events', 'arms', 'dimension', 'seed', 'values', 'payoff'] },
  );
}

export interface World {
  log: EventLog;
  linear: LinearBatch;
  batches: PolicyBatch[];
}

/** A log with policies of three kinds on it. */
export async function makeWorld(options: UniformLogOptions, policies = 7): Promise<World> {
  const log = uniformLog(options);
  const linear = linearBatch(log, linearWeights(options, policies), policies);
  const set = parsePolicySet([{ family: 'constant' }, { family: 'uniform', seed: options.seed, replicas: 3 }]);
  return { log, linear, batches: [linear, ...(await compilePolicySet(set, log))] };
}

export function linearWeights({ arms, dimension, seed, values }: UniformLogOptions, policies: number): Float32Array {
  const weights = randomLinearPolicies({ policies, arms, dimension, seed });
  return typeof values === 'string' ? weights : weights.map(Math.round);
}

export function linearBatch(
  { arms, contexts }: EventLog,
  weights: Float32Array | Float64Array,
  policies: number,
): LinearBatch {
  const names = Array.from({ length: policies }, (_, p) => `linear ${p}`);
  return {
    kind: 'linear',
    family: 'linear',
    policies,
    names,
    weights,
    arms: arms.ids.length,
    dimension: contexts.dimension,
  };
}

/** Totals of every policy: what must not depend on the split. */
export function allTotals(stats: BlockStatistics): unknown[] {
  return Array.from({ length: stats.policies }, (_, p) => totals(stats, p));
}

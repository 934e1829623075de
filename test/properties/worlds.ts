/** Random logs and policies for property tests: small, but with everything that a log may have. */
import fc from 'fast-check';
import { periodBlocks, userBlocks } from '#dist/estimate/blocks/block-makers.js';
import { type BlockPlan, runBlocks } from '#dist/estimate/blocks/blocks.js';
import { totals } from '#dist/estimate/estimators/replay-totals.js';
import type { BlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { CompiledPolicies } from '#dist/policy/compiled.js';
import type { LinearPolicies } from '#dist/policy/linear/cpu.js';
import { compilePolicySet, parsePolicySet } from '#dist/policy/policy-set.js';
import { WorldDraws } from '#dist/simulate/draws.js';
import { randomLinearPolicies } from '#dist/simulate/linear-policies.js';
import { type UniformLogOptions, uniformLog } from '../random-log.mjs';

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
  linear: LinearPolicies;
  compiledEntries: CompiledPolicies[];
}

/** A log with policies of three kinds on it. */
export async function makeWorld(options: UniformLogOptions, policies = 7): Promise<World> {
  const log = uniformLog(options);
  const linear = linearPolicies(log, linearWeights(options, policies), policies);
  const set = parsePolicySet([{ family: 'constant' }, { family: 'uniform', seed: options.seed, replicas: 3 }]);
  return { log, linear, compiledEntries: [linear, ...(await compilePolicySet(set, log))] };
}

export function linearWeights({ arms, dimension, seed, values }: UniformLogOptions, policies: number): Float32Array {
  const weights = randomLinearPolicies({ policies, arms, dimension, seed });
  return typeof values === 'string' ? weights : weights.map(Math.round);
}

export function linearPolicies(
  { arms, contexts }: EventLog,
  weights: Float32Array | Float64Array,
  policies: number,
): LinearPolicies {
  const names = Array.from({ length: policies }, (_, p) => `linear ${p}`);
  return {
    kind: 'scored',
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

/** The log's events in another order, with one payoff for all. */
export function rebuilt({ events, arms, arm, contexts, pools }: EventLog, order: Uint32Array, payoff = 0): EventLog {
  const d = contexts.dimension;
  const rows = Array.from(order, (t) => {
    const row = contexts.row === null ? t : contexts.row[t];
    return contexts.values.subarray(row * d, (row + 1) * d);
  });
  return logFromColumns({
    armIndex: Array.from(order, (t) => arm[t]),
    arms: arms.ids.length,
    payoff: new Float64Array(events).fill(payoff),
    context: events === 0 ? { values: [], dimension: d } : rows,
    candidates: {
      pools: Array.from({ length: pools.count }, (_, s) => pools.arms.subarray(pools.offsets[s], pools.offsets[s + 1])),
      pool: Array.from(order, (t) => (pools.pool === null ? 0 : pools.pool[t])),
    },
  });
}

/** Blocks of any kind: runs, periods of a time in no order, groups of users. */
export const blockPlans: fc.Arbitrary<(events: number) => BlockPlan> = fc.oneof(
  fc.integer({ min: 1, max: 500 }).map((blocks) => (events: number) => runBlocks(events, blocks)),
  fc.tuple(fc.integer({ min: 1, max: 50 }), fc.nat(0xffff)).map(([period, seed]) => (events: number) => {
    const draws = new WorldDraws(seed);
    return periodBlocks(
      Float64Array.from({ length: events }, (_, t) => draws.below(500, t, 0)),
      period,
    );
  }),
  fc.tuple(fc.integer({ min: 1, max: 20 }), fc.nat(0xffff)).map(([blocks, seed]) => (events: number) => {
    const draws = new WorldDraws(seed);
    const user = Uint32Array.from({ length: events }, (_, t) => draws.below(30, t, 0));
    return userBlocks(
      user,
      blocks,
      Uint32Array.from({ length: 30 }, (_, u) => draws.draw(u, 1).first),
    );
  }),
);

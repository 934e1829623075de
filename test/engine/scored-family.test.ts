/** A scored family that engines have never heard of: what it says of itself is all that they need. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Backend } from '#dist/engine/contract.js';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { GpuBackend } from '#dist/engine/gpu/backend.js';
import { periodBlocks } from '#dist/estimate/blocks/block-makers.js';
import { type BlockPlan, runBlocks } from '#dist/estimate/blocks/blocks.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { contextCells } from '#dist/log/cells.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { ScoredPolicies } from '#dist/policy/compiled.js';
import { errorFactor, normOf, subnormalSlack } from '#dist/policy/linear/kernel.js';
import type { DecisionLog, ScoredFamily } from '#dist/policy/scored-family.js';
import type { Screen } from '#dist/policy/screen.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { generator } from '../cases/draws.js';
import { referenceStatistics, statisticsDifference, summandsOf } from '../statistics.js';

vi.mock('#dist/policy/scored-families.js', async (original) => {
  const table = await original<typeof import('#dist/policy/scored-families.js')>();
  return {
    scoredFamily: (compiled: ScoredPolicies) => (compiled.family === 'affine' ? affine : table.scoredFamily(compiled)),
    screenOf: (compiled: ScoredPolicies, log: DecisionLog) =>
      compiled.family === 'affine' ? affine.screen(compiled as AffinePolicies, log) : table.screenOf(compiled, log),
  };
});

/** score(a) = w_a · x + b_a; weights are [P, K, d + 1]. */
interface AffinePolicies extends ScoredPolicies {
  readonly arms: number;
}

const rowOf = ({ row }: DecisionLog['contexts'], event: number) => (row === null ? event : row[event]!);

function chosen({ weights, arms }: AffinePolicies, { contexts, pools }: DecisionLog, policy: number, event: number) {
  const { dimension: d, values } = contexts;
  const set = pools.pool === null ? 0 : pools.pool[event]!;
  let best = Number.NEGATIVE_INFINITY;
  let choice = -1;
  for (let i = pools.offsets[set]!; i < pools.offsets[set + 1]!; i++) {
    const at = (policy * arms + pools.arms[i]!) * (d + 1);
    let score = 0;
    for (let j = 0; j < d; j++) score += weights[at + j]! * values[rowOf(contexts, event) * d + j]!;
    score += weights[at + d]!;
    if (score <= best) continue;
    best = score;
    choice = pools.arms[i]!;
  }
  return choice;
}

function screened(compiled: AffinePolicies, log: DecisionLog): Screen {
  const { contexts } = log;
  const d = contexts.dimension + 1;
  const size = compiled.arms * d;
  return {
    ...{ policies: compiled.policies, rows: compiled.arms, isDerived: false, dimension: d, pools: log.pools },
    weights: (policy) => compiled.weights.subarray(policy * size, (policy + 1) * size),
    norm: (policy) =>
      Math.max(
        ...Array.from({ length: compiled.arms }, (_, a) =>
          normOf(compiled.weights, (policy * compiled.arms + a) * d, d),
        ),
      ),
    write(event, out, at, stride) {
      for (let j = 0; j < d - 1; j++) out[at + j * stride] = contexts.values[rowOf(contexts, event) * (d - 1) + j]!;
      out[at + (d - 1) * stride] = 1;
    },
    contextNorm: (event) => normOf(contexts.values, rowOf(contexts, event) * (d - 1), d - 1) + 1,
    errorFactor: (norm) => errorFactor(d, norm),
    slack: (contextNorm, policyNorm) => subnormalSlack(d, contextNorm, policyNorm),
    choice: (policy, event) => chosen(compiled, log, policy, event),
  };
}

const affine: ScoredFamily<AffinePolicies> = {
  scores: 'arms',
  cells: (_, log) => contextCells(log),
  columns: () => [],
  choice: chosen,
  scoreCandidates: () => {
    throw new Error('these policies choose');
  },
  screen: screened,
};

const [EVENTS, ARMS, D] = [2000, 7, 3];
const TIME = Float64Array.from({ length: EVENTS }, (_, t) => (t * 7919) % EVENTS);

function logOf({ rows, pools }: { rows: number | null; pools: boolean }): EventLog {
  const draw = generator(5);
  const row = Array.from({ length: EVENTS }, () => Math.floor(draw() * (rows ?? EVENTS)));
  const sets = [[0, 1, 2, 3, 4, 5, 6], [1, 4, 6], [2]];
  const pool = row.map(() => (pools ? Math.floor(draw() * 3) : 0));
  const table = Float32Array.from({ length: (rows ?? EVENTS) * D }, () => draw() * 2 - 1);
  return logFromColumns({
    armIndex: pool.map((s) => sets[s]![Math.floor(draw() * sets[s]!.length)]!),
    arms: ARMS,
    payoff: row.map(() => Math.floor(draw() * 3)),
    payoffRange: [0, 2],
    context: {
      values: row.flatMap((one, t) => Array.from(table.subarray((rows === null ? t : one) * D).subarray(0, D))),
      dimension: D,
    },
    ...(pools ? { candidates: { pools: sets, pool } } : {}),
  });
}

function affinePolicies(policies: number): AffinePolicies {
  const draw = generator(6);
  // Quarters make exact ties: the lowest arm wins them.
  const weights = Float64Array.from({ length: policies * ARMS * (D + 1) }, (_, i) =>
    i < (policies * ARMS * (D + 1)) / 2 ? Math.round(draw() * 8 - 4) / 4 : draw() * 2 - 1,
  );
  const names = Array.from({ length: policies }, (_, p) => `affine ${p}`);
  return { kind: 'scored', family: 'affine', policies, names, weights, arms: ARMS };
}

const LOGS: readonly [string, EventLog][] = [
  ['contexts of their own', logOf({ rows: null, pools: false })],
  ['contexts of their own, three pools', logOf({ rows: null, pools: true })],
  ['few contexts', logOf({ rows: 90, pools: false })],
  ['few contexts, three pools', logOf({ rows: 90, pools: true })],
];

describe('an unknown scored family', () => {
  let opened: OpenDevice;
  let engines: readonly Backend[];
  beforeAll(async () => {
    opened = await openTestDevice();
    engines = [new CpuBackend({ threads: 1 }), new GpuBackend(opened.device, { threads: 1 })];
  });
  afterAll(async () => {
    for (const engine of engines) await engine.close();
  });

  it.each(LOGS)(`is decided as its reference does, on the CPU and on ${ADAPTER}: %s`, async (_, log) => {
    const compiled = affinePolicies(9);
    const plans: BlockPlan[] = [runBlocks(log.events, 5), periodBlocks(TIME, 300)];
    for (const plan of plans) {
      for (const summands of [summandsOf(log), summandsOf(log).slice(0, 2)]) {
        const want = referenceStatistics(log, plan, compiled, summands);
        expect(want.matches.some((matches) => matches > 0)).toBe(true);
        for (const engine of engines)
          expect(statisticsDifference(await engine.evaluate(log, plan, compiled, summands), want)).toBeNull();
      }
    }
  });

  it('is refused by name where the table lacks it', async () => {
    const log = LOGS[0]![1];
    const work = engines[0]!.evaluate(log, runBlocks(log.events, 2), { ...affinePolicies(2), family: 'nobody' }, []);
    await expect(work).rejects.toThrow('no scores are known of the policy family nobody');
  });
});

/** Events that are decided in groups: every sum is the definition's, whatever boxes hold. */

import { afterAll, describe, expect, it } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { makeGroups } from '#dist/engine/cpu/groups/groups.js';
import { makeWorklist } from '#dist/engine/worklist.js';
import { type BlockPlan, blockEvents, runBlocks } from '#dist/estimate/blocks/blocks.js';
import { emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import type { Summand } from '#dist/estimate/sums/summands.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { CompiledPolicies } from '#dist/policy/compiled.js';
import { simulateToday } from '#dist/simulate/today.js';
import { generator, linearPolicies, makeLog, randomLinear } from '../../cases/cases.js';
import { inTwoSizes } from '../../long.js';
import { columnsOf, referenceStatistics, statisticsDifference, sumsOf } from '../../statistics.js';

interface Work {
  readonly log: EventLog;
  readonly plan: BlockPlan;
  readonly compiled: CompiledPolicies;
}

const engines = [true, false].map((groups) => new CpuBackend({ threads: 1, groups }));
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

/** What is added up: matches, and what tables have for choices as well, which are decided in other groups. */
const SUMS: Record<string, (log: EventLog) => Summand[]> = {
  'match columns': columnsOf,
  'four tables': (log) => sumsOf(log, 4),
  'one table': (log) => sumsOf(log, 1),
};

/** The first difference from the definition, with groups or without. @param engine the one with groups. */
async function difference(
  { log, plan, compiled }: Work,
  [engine, plain] = engines,
  sums = columnsOf,
): Promise<string | null> {
  const columns = sums(log);
  const needed = referenceStatistics(log, plan, compiled, columns);
  const grouped = statisticsDifference(await engine.evaluate(log, plan, compiled, columns), needed);
  return grouped ?? statisticsDifference(await plain.evaluate(log, plan, compiled, columns), needed);
}

/** As `makeLog` and random policies have it. */
function work(shape: Parameters<typeof makeLog>[0], policies = 6, blocks = 3): Work {
  const log = makeLog(shape);
  return { log, plan: runBlocks(log.events, blocks), compiled: randomLinear(policies, log, 7, shape.f64) };
}

/** Two arms, of which the first wins where the first feature is above 0, at features of so many values on both sides of it. */
function atBoundary(value: (step: number) => number): Work {
  const log = makeLog({
    ...{ events: 3000, arms: 2, dimension: 2, f64: true },
    feature: (draw, _, j) => (j === 0 ? value(Math.floor(draw() * 5) - 2) : draw()),
  });
  const compiled = linearPolicies(4, 2, 2, (p, a, j) => (j === 0 ? (a === 0 ? 1 : -1) * (p + 1) : p / 2), true);
  return { log, plan: runBlocks(log.events, 2), compiled };
}

const CASES: Record<string, () => Work> = {
  'boxes whose edge is a boundary, where arms tie': () => atBoundary((step) => step),
  'boxes that end within rounding of a boundary': () => atBoundary((step) => step * 2 ** -60),
  'a boundary that f32 does not see': () => {
    const made = atBoundary((step) => step);
    const feature = (draw: () => number, _: number, j: number): number => (j === 0 ? 1 + draw() * 2 ** -30 : 1);
    const log = makeLog({ events: 2000, arms: 2, dimension: 2, f64: true, feature });
    return {
      ...made,
      log,
      plan: runBlocks(log.events, 2),
      compiled: linearPolicies(3, 2, 2, (_, a, j) => a * (2 * j - 1), true),
    };
  },
  'a few events that f32 puts on the wrong side of a boundary': () => {
    // The first rounds up, the second down.
    const near = (draw: () => number, j: number): number =>
      j === 0 ? 3 + (0.51 + 0.2 * draw()) * 2 ** -22 : 1 + (0.29 + 0.2 * draw()) * 2 ** -23;
    const log = makeLog({
      ...{ events: 3000, arms: 3, dimension: 2, f64: true },
      feature: (draw, t, j) => (t % 40 === 0 ? near(draw, j) : 8 * draw() - 4),
    });
    // Arms 0 and 1 tie where the first feature is three times the second; arm 2 wins elsewhere.
    const rows = [1, 0, 0, 3, -1, -1];
    const compiled = linearPolicies(4, 3, 2, (p, a, j) => rows[a * 2 + j] * (p + 1), true);
    return { log, plan: runBlocks(log.events, 2), compiled };
  },
  'arms of equal weights': () => {
    const log = makeLog({ events: 4000, arms: 6, dimension: 3 });
    const draw = generator(11);
    const rows = Array.from({ length: 5 * 3 * 3 }, () => draw() - 0.5);
    // Arms 2n and 2n + 1 are alike; in the last policy all are.
    const compiled = linearPolicies(5, 6, 3, (p, a, j) => rows[(p * 3 + (p === 4 ? 0 : a >> 1)) * 3 + j]);
    return { log, plan: runBlocks(log.events, 5), compiled };
  },
  'one event to a group': () => work({ events: 60, arms: 400, dimension: 4 }, 20),
  'all events alike': () => work({ events: 5000, arms: 5, dimension: 3, feature: (_, __, j) => j + 0.25 }),
  'widths of 0 beside widths of 2⁴⁰': () =>
    work({
      events: 4000,
      arms: 4,
      dimension: 4,
      feature: (draw, _, j) => (j % 2 === 0 ? 3 : (draw() - 0.5) * 2 ** 40),
    }),
  'contexts with norms from 2⁻⁴⁰ to 2⁴⁰': () =>
    work({ events: 4000, arms: 4, dimension: 3, feature: (draw, t) => (draw() - 0.5) * 2 ** ((t % 81) - 40) }),
  'contexts beyond f32': () =>
    work({ events: 500, arms: 3, dimension: 2, f64: true, feature: (draw) => draw() * 2 ** 130 }),
  'subnormals of f32': () =>
    work({ events: 500, arms: 3, dimension: 2, f64: true, feature: (draw) => (draw() - 0.5) * 2 ** -135 }),
  'd = 1': () => work({ events: 3000, arms: 7, dimension: 1 }),
  'd = 257': () => work({ events: 600, arms: 5, dimension: 257 }, 3),
  'K = 1': () => work({ events: 500, arms: 1, dimension: 3 }),
  'K = 33': () => work({ events: 2000, arms: 33, dimension: 5 }, 8),
  'K = 1,000': () => work({ events: 3000, arms: 1000, dimension: 3 }, 3),
  'pools that change every event': () =>
    work({ events: 1500, arms: 30, dimension: 4, pools: { count: 1500, size: 7, runs: 1 } }),
  'pools that last': () => work({ events: 6000, arms: 12, dimension: 4, pools: { count: 6, size: 5, runs: 700 } }),
  'P = 1': () => work({ events: 3000, arms: 6, dimension: 4 }, 1),
  'P = 4,097': () => work({ events: 400, arms: 6, dimension: 3 }, 4097),
  'trees of more than one piece, several chunks': () => work({ events: 50_000, arms: 2, dimension: 6 }, 2),
  'contexts that events share, so that cells are decided where groups are not': () =>
    work({ events: 3000, arms: 9, dimension: 3, feature: (_, t, j) => Math.sin(((t * 7) % 700) * (j + 1)) }, 20, 40),
  'contexts that events share, too many for a number of each candidate': () =>
    work({ events: 70_000, arms: 25, dimension: 3, feature: (_, t, j) => Math.sin((t % 50_000) * (j + 1)) }, 2),
  'more blocks than a task has': () => work({ events: 66_000, arms: 3, dimension: 2 }, 2, 66_000),
  'more blocks than events to most': () => work({ events: 900, arms: 3, dimension: 3 }, 4, 900),
};

describe.each(Object.entries(SUMS))('groups of events: %s', (_, sums) => {
  it.each(Object.entries(CASES))('%s', async (_, make) => {
    expect(await difference(make(), engines, sums)).toBeNull();
  });

  it('leaves few events to be looked at where contexts are shares, and says so', async () => {
    const { log, theta } = simulateToday({ events: 20_000, seed: 3, articles: 20 });
    const draw = generator(4);
    const compiled = linearPolicies(40, 20, 6, (_, a, j) => theta[a * 6 + j] + 0.01 * draw());
    const plan = runBlocks(log.events, 8);
    const engine = new CpuBackend({ threads: 1, groups: true });
    expect(await difference({ log, plan, compiled }, [engine, engines[1]], sums)).toBeNull();
    const { inGroups = 0, decisions } = engine.report;
    expect(inGroups / decisions).toBeGreaterThan(0.2);
    expect(inGroups / decisions).toBeLessThanOrEqual(1);
    expect(engines[1].report.inGroups).toBeUndefined();
  });

  it('leaves a policy whose decisions are in doubt to f64, and counts none of them', async () => {
    const log = makeLog({ events: 8000, arms: 3, dimension: 2, feature: (draw) => 1 + draw() * 2 ** -30, f64: true });
    const compiled = linearPolicies(3, 3, 2, (p, a, j) => (p === 1 ? a - j : a * (1 - 2 * j)), true);
    const engine = new CpuBackend({ threads: 1, groups: true });
    const made = { log, plan: runBlocks(log.events, 3), compiled };
    expect(await difference(made, [engine, engines[1]], sums)).toBeNull();
    expect(engine.report.inGroups).toBe(log.events);
  });

  it('says the same with threads', async () => {
    const made = work({ events: 9000, arms: 6, dimension: 4 }, 37);
    const engine = new CpuBackend({ threads: 3, threadsFrom: 0, groups: true });
    const alone = new CpuBackend({ threads: 1, groups: true });
    expect(await difference(made, [engine, alone], sums)).toBeNull();
    expect(engine.report.inGroups).toBe(alone.report.inGroups);
    await engine.close();
  });

  inTwoSizes('random logs and policies of random shape', [40, 10_000], async (count) => {
    for (let seed = 0; seed < count; seed++) {
      const made = randomWork(seed);
      const found = await difference(made, engines, sums);
      if (found !== null) expect.fail(`seed ${seed}: ${found}`);
    }
  });
});

describe('groups of events', () => {
  it('gives way between runs of blocks, and ends there where the run is aborted', async () => {
    const { log, plan, compiled } = CASES['more blocks than a task has']();
    const worklist = makeWorklist(log, plan, compiled, columnsOf(log), false);
    const stats = emptyBlockStatistics(compiled.policies, blockEvents(plan), worklist.kinds);
    let times = 0;
    const pauses = { count: () => true, yieldToEventLoop: async () => void times++ };
    const groups = await makeGroups({ log, compiled, worklist, stats, lists: null }, true, pauses);
    expect(groups?.trees.length).toBeGreaterThan(1);
    expect(times).toBe(groups?.trees.length);
    const aborted = { count: () => true, yieldToEventLoop: () => Promise.reject(new Error('aborted')) };
    await expect(makeGroups({ log, compiled, worklist, stats, lists: null }, true, aborted)).rejects.toThrow('aborted');
  });

  it('is chosen where it pays, and only there', async () => {
    const { log } = simulateToday({ events: 40_000, seed: 3, articles: 20 });
    const columns = columnsOf(log);
    const plan = runBlocks(log.events, 8);
    const used = async (of: EventLog, policies: number, bounded = false): Promise<boolean> => {
      const engine = new CpuBackend({ threads: 1 });
      await engine.evaluate(of, plan, randomLinear(policies, of), columns, { bounded });
      return engine.report.inGroups !== undefined;
    };
    expect(await used(log, 1000)).toBe(true);
    expect(await used(log, 1000, true)).toBe(false);
    expect(await used(log, 30)).toBe(false);
    // Hardly two events have a pool and an arm in common.
    const alone = { events: 40_000, arms: 12, dimension: 6, pools: { count: 8000, size: 6 } };
    expect(await used(makeLog(alone), 900)).toBe(false);
  });
});

/** A log and policies of random shape: few or many of everything, values on a grid, drawn or repeated, pools or none. */
function randomWork(seed: number): Work {
  const draw = generator(1000 + seed);
  const among = <T>(values: readonly T[]): T => values[Math.floor(draw() * values.length)];
  const arms = among([1, 2, 3, 5, 17]);
  const events = among([1, 15, 16, 17, 70, 400]);
  const step = among([0, 0, 0.5, 0.25]);
  const factors = Array.from({ length: 9 }, () => among([0, 1, 1, 1, 2 ** -20, 2 ** 20]));
  const on = (value: number): number => (step === 0 ? value : Math.round(value / step) * step);
  const log = makeLog({
    ...{ events, arms, dimension: among([1, 2, 3, 6, 9]), seed, f64: draw() < 0.5 },
    feature: (next, _, j) => on(next() * 2 - 1) * factors[j],
    pools: draw() < 0.5 ? undefined : { count: among([1, 2, 9]), size: Math.ceil(draw() * arms), runs: among([1, 40]) },
  });
  const compiled = linearPolicies(
    among([1, 2, 7]),
    arms,
    log.contexts.dimension,
    () => on(draw() * 2 - 1),
    draw() < 0.5,
  );
  return { log, plan: runBlocks(events, among([1, 2, 5, 40])), compiled };
}

/** Any split of a log into blocks, chunks, threads, shards and files gives the same totals. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { blockEvents, runBlocks } from '#dist/estimate/blocks/blocks.js';
import { replayColumns } from '#dist/estimate/estimators/replay-totals.js';
import { addBlockStatistics, emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import { evaluate } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { inTwoSizes } from '../long.js';
import { columnsOf, statisticsDifference } from '../statistics.js';
import { allTotals, blockPlans, linearPolicies, linearWeights, logOptions, makeWorld } from './worlds.js';

const cpu = new CpuBackend({ threads: 1 });
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hindcast-test-'));
});
afterAll(async () => {
  await cpu.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

describe('the same totals for', () => {
  inTwoSizes('any blocks', [40, 150], async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(logOptions(), blockPlans, async (options, planOf) => {
        const { log, compiledEntries } = await makeWorld(options);
        for (const compiled of compiledEntries) {
          const whole = await cpu.evaluate(log, runBlocks(log.events, 1), compiled, replayColumns(log.payoff));
          const cut = await cpu.evaluate(log, planOf(log.events), compiled, replayColumns(log.payoff));
          expect(allTotals(cut)).toEqual(allTotals(whole));
        }
      }),
      { numRuns },
    );
  });

  inTwoSizes('any number of threads', [4, 12], async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(logOptions(), fc.integer({ min: 2, max: 4 }), async (options, threads) => {
        const { log, compiledEntries } = await makeWorld(options);
        const backend = new CpuBackend({ threads, threadsFrom: 0 });
        try {
          const plan = runBlocks(log.events, 9);
          for (const compiled of compiledEntries) {
            const needed = await cpu.evaluate(log, plan, compiled, columnsOf(log));
            expect(
              statisticsDifference(await backend.evaluate(log, plan, compiled, columnsOf(log)), needed),
            ).toBeNull();
          }
        } finally {
          await backend.close();
        }
      }),
      { numRuns },
    );
  });

  inTwoSizes('shards of a log, evaluated apart and added', [30, 100], async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(logOptions(1), cuts, async (options, at) => {
        const { log, linear } = await makeWorld(options);
        const plan = runBlocks(log.events, 1);
        const columns = replayColumns(log.payoff);
        const sum = emptyBlockStatistics(linear.policies, blockEvents(plan), columns);
        for (const [from, to] of batches(log.events, at)) {
          const shard = slice(log, from, to);
          const compiled = linearPolicies(shard, linear.weights, linear.policies);
          addBlockStatistics(
            sum,
            await cpu.evaluate(shard, runBlocks(to - from, 1), compiled, replayColumns(shard.payoff)),
          );
        }
        expect(statisticsDifference(sum, await cpu.evaluate(log, plan, linear, columns))).toBeNull();
      }),
      { numRuns },
    );
  });

  inTwoSizes('any files', [4, 12], async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(logOptions(1, 120), cuts, async (options, at) => {
        const { log } = await makeWorld(options);
        const rows = csvRows(log);
        const weights = { data: linearWeights(options, 7), shape: [7, options.arms, options.dimension] };
        const read = async (parts: readonly (readonly [number, number])[]) => {
          const files = parts.map((_, i) => join(folder, `part-${i}.csv`));
          for (const [i, [from, to]] of parts.entries()) {
            await writeFile(files[i], [rows[0], ...rows.slice(1 + from, 1 + to), ''].join('\n'));
          }
          const mapping = {
            arm: 'arm',
            payoff: 'payoff',
            candidates: 'candidates',
            propensity: 'propensity',
            context: ['x*'],
            arms: [...log.arms.ids],
            payoffRange: [log.payoff.scale.low, log.payoff.scale.high] as [number, number],
          };
          const result = await evaluate({
            log: { files, mapping },
            policies: [
              { family: 'linear', weights },
              { family: 'constant' },
              { family: 'uniform', seed: 5, replicas: 2 },
            ],
            device: 'cpu',
          });
          return result.policies;
        };
        expect(await read(batches(log.events, at))).toEqual(await read([[0, log.events]]));
      }),
      { numRuns },
    );
  });
});

/** Places of up to four cuts, as shares of the log. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 });

/** Runs of events between cuts; some may be empty. */
function batches(events: number, at: readonly number[]): [number, number][] {
  const ends = [...at.map((share) => Math.floor(share * events)), events].sort((a, b) => a - b);
  return ends.map((end, i) => [i === 0 ? 0 : ends[i - 1], end]);
}

/** Events from..to−1 as a log of their own, payoffs kept as steps. */
function slice(log: EventLog, from: number, to: number): EventLog {
  const { pools, contexts } = log;
  const d = contexts.dimension;
  const values = new Float64Array((to - from) * d);
  for (let t = from; t < to; t++) {
    const row = contexts.row === null ? t : contexts.row[t];
    for (let j = 0; j < d; j++) values[(t - from) * d + j] = contexts.values[row * d + j];
  }
  const shard = logFromColumns({
    armIndex: log.arm.subarray(from, to),
    arms: log.arms.ids.length,
    payoff: log.payoff.steps.subarray(from, to),
    context: { values, dimension: d },
    candidates: {
      pools: Array.from({ length: pools.count }, (_, s) => pools.arms.subarray(pools.offsets[s], pools.offsets[s + 1])),
      pool: pools.pool === null ? new Uint32Array(to - from) : pools.pool.subarray(from, to),
    },
  });
  // Steps of a shard alone may be larger ones (its payoffs may all be even); those of the whole log are what is added.
  return { ...shard, payoff: { ...log.payoff, steps: log.payoff.steps.subarray(from, to) } };
}

/** A log as CSV, a header first. Candidates are written out. */
function csvRows(log: EventLog): string[] {
  const { pools, contexts, arms } = log;
  const d = contexts.dimension;
  const { origin, numerator, denominator } = log.payoff.scale;
  const names = Array.from({ length: d }, (_, j) => `x${j}`);
  const rows = Array.from({ length: log.events }, (_, t) => {
    const set = pools.pool === null ? 0 : pools.pool[t];
    const row = contexts.row === null ? t : contexts.row[t];
    const candidates = [...pools.arms.subarray(pools.offsets[set], pools.offsets[set + 1])].map((a) => arms.ids[a]);
    return [
      arms.ids[log.arm[t]],
      ((origin + log.payoff.steps[t]) * numerator) / denominator,
      candidates.join('|'),
      1 / candidates.length,
      ...contexts.values.subarray(row * d, (row + 1) * d),
    ].join(',');
  });
  return [['arm', 'payoff', 'candidates', 'propensity', ...names].join(','), ...rows];
}

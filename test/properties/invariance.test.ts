/** What must not change an answer: order of events, scale of weights, order of policies; and what a constant payoff gives. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBlocks } from '#dist/estimate/blocks.js';
import { evaluate } from '#dist/evaluate.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { logFromColumns } from '#dist/log/columns.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { Backend } from '#dist/run/backend.js';
import { CpuBackend } from '#dist/run/cpu.js';
import { GpuBackend } from '#dist/run/gpu.js';
import { Draws } from '#dist/simulate/draws.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { statisticsDifference } from '../statistics.js';
import { allTotals, linearBatch, linearWeights, logOptions, makeWorld } from './worlds.js';

let opened: OpenDevice;
let gpu: GpuBackend;
const cpu = new CpuBackend({ threads: 1 });
beforeAll(async () => {
  opened = await openTestDevice();
  gpu = new GpuBackend(opened.device, { threads: 1 });
});
afterAll(async () => {
  await gpu?.close();
  opened?.device.destroy();
  await cpu.close();
});

const engines: { name: string; engine: () => Backend; numRuns: number }[] = [
  { name: 'CPU', engine: () => cpu, numRuns: 150 },
  { name: ADAPTER, engine: () => gpu, numRuns: 15 },
];

/** 0..n−1 in a random order. */
function shuffled(n: number, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  const draws = new Draws(seed);
  for (let i = n - 1; i > 0; i--) {
    const j = draws.below(i + 1, i, 0);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

describe.each(engines)('on $name', ({ engine, numRuns }) => {
  it('shuffling events changes no total of fixed policies', async () => {
    await fc.assert(
      fc.asyncProperty(logOptions(), fc.nat(0xffff), async (options, seed) => {
        const { log, linear } = await makeWorld(options);
        const plan = runBlocks(log.events, 4);
        const other = reorder(log, shuffled(log.events, seed));
        const batch = linearBatch(other, linear.weights, linear.policies);
        expect(allTotals(await engine().evaluate(other, plan, batch))).toEqual(
          allTotals(await engine().evaluate(log, plan, linear)),
        );
      }),
      { numRuns },
    );
  });

  it('scaling the weights of a linear policy by a power of two changes nothing', async () => {
    // Far from the ends of f64, so that no product becomes subnormal or infinite there; f32 may well overflow or flush.
    const power = fc.integer({ min: -400, max: 400 });
    await fc.assert(
      fc.asyncProperty(logOptions(), power, async (options, exponent) => {
        const { log, linear } = await makeWorld(options);
        const plan = runBlocks(log.events, 4);
        const weights = Float64Array.from(linear.weights, (w) => w * 2 ** exponent);
        const scaled = linearBatch(log, weights, linear.policies);
        const [got, needed] = [await engine().evaluate(log, plan, scaled), await engine().evaluate(log, plan, linear)];
        expect(statisticsDifference(got, needed)).toBeNull();
      }),
      { numRuns },
    );
  });

  it('permuting policies permutes results', async () => {
    const policies = 11;
    await fc.assert(
      fc.asyncProperty(logOptions(), fc.nat(0xffff), async (options, seed) => {
        const { log, linear } = await makeWorld(options, policies);
        const plan = runBlocks(log.events, 4);
        const order = shuffled(policies, seed);
        const size = linear.weights.length / policies;
        const weights = linear.weights.slice();
        order.forEach((from, to) => {
          weights.set(linear.weights.subarray(from * size, (from + 1) * size), to * size);
        });
        const totals = allTotals(await engine().evaluate(log, plan, linear));
        const permuted = allTotals(await engine().evaluate(log, plan, linearBatch(log, weights, policies)));
        expect(permuted).toEqual([...order].map((from) => totals[from]));
      }),
      { numRuns },
    );
  });
});

describe('a constant payoff c gives exactly c', () => {
  const interesting = [0, 1, 0.1, -3.7, 0.30000000000000004, 1 / 3, Math.PI, 1e-300, -1e300, 5e-324, Number.MAX_VALUE];
  const payoff = fc.oneof(fc.constantFrom(...interesting), fc.double({ noNaN: true, noDefaultInfinity: true }));

  it('for every policy with matches', async () => {
    await fc.assert(
      fc.asyncProperty(logOptions(1, 200), payoff, async (options, c) => {
        const { log } = await makeWorld(options);
        const weights = { data: linearWeights(options, 5), shape: [5, options.arms, options.dimension] };
        const { policies } = await evaluate({
          log: withPayoff(log, c),
          policies: [
            { family: 'linear', weights },
            { family: 'constant' },
            { family: 'uniform', seed: 1, replicas: 2 },
          ],
          device: 'cpu',
          // One random log in a thousand looks not uniform.
          assumeUniform: true,
        });
        // −0 is 0: no payoff differs by its sign alone.
        const off = policies.filter(({ matches, value }) => (matches === 0 ? value !== null : value !== c + 0));
        expect(off).toEqual([]);
      }),
      { numRuns: 200, examples: interesting.map((c) => [{ events: 100, arms: 3, dimension: 2, seed: 1 }, c]) },
    );
  });
});

/** The log's events in another order. */
function reorder(log: EventLog, order: Uint32Array): EventLog {
  const pick = (column: ArrayLike<number>): number[] => Array.from(order, (t) => column[t]);
  return { ...rebuilt(log, order), payoff: { ...log.payoff, steps: Uint32Array.from(pick(log.payoff.steps)) } };
}

/** The log with the same payoff at every event. */
function withPayoff(log: EventLog, c: number): EventLog {
  return rebuilt(
    log,
    Uint32Array.from({ length: log.events }, (_, t) => t),
    c,
  );
}

function rebuilt({ events, arms, arm, contexts, pools }: EventLog, order: Uint32Array, payoff = 0): EventLog {
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

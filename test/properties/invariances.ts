/** What must not change totals of fixed policies, as properties of an engine. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Backend } from '#dist/engine/contract.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { replayColumns } from '#dist/estimate/estimators/replay-totals.js';
import type { EventLog } from '#dist/log/event-log.js';
import { WorldDraws } from '#dist/simulate/draws.js';
import { inTwoSizes } from '../long.js';
import { statisticsDifference } from '../statistics.js';
import { allTotals, linearPolicies, logOptions, makeWorld, rebuilt } from './worlds.js';

/** 0..n−1 in a random order. */
function shuffled(n: number, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  const draws = new WorldDraws(seed);
  for (let i = n - 1; i > 0; i--) {
    const j = draws.below(i + 1, i, 0);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** Registers the properties. */
export function invariances(engine: () => Backend, runs: readonly [number, number]): void {
  inTwoSizes('shuffling events changes no total of fixed policies', runs, async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(logOptions(), fc.nat(0xffff), async (options, seed) => {
        const { log, linear } = await makeWorld(options);
        const plan = runBlocks(log.events, 4);
        const other = reorder(log, shuffled(log.events, seed));
        const compiled = linearPolicies(other, linear.weights, linear.policies);
        expect(allTotals(await engine().evaluate(other, plan, compiled, replayColumns(other.payoff)))).toEqual(
          allTotals(await engine().evaluate(log, plan, linear, replayColumns(log.payoff))),
        );
      }),
      { numRuns },
    );
  });

  inTwoSizes('scaling the weights of a linear policy by a power of two changes nothing', runs, async (numRuns) => {
    // Far from the ends of f64, so that no product becomes subnormal or infinite there; f32 may well overflow or flush.
    const power = fc.integer({ min: -400, max: 400 });
    await fc.assert(
      fc.asyncProperty(logOptions(), power, async (options, exponent) => {
        const { log, linear } = await makeWorld(options);
        const plan = runBlocks(log.events, 4);
        const weights = Float64Array.from(linear.weights, (w) => w * 2 ** exponent);
        const scaled = linearPolicies(log, weights, linear.policies);
        const [got, needed] = [
          await engine().evaluate(log, plan, scaled, replayColumns(log.payoff)),
          await engine().evaluate(log, plan, linear, replayColumns(log.payoff)),
        ];
        expect(statisticsDifference(got, needed)).toBeNull();
      }),
      { numRuns },
    );
  });

  inTwoSizes('permuting policies permutes results', runs, async (numRuns) => {
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
        const totals = allTotals(await engine().evaluate(log, plan, linear, replayColumns(log.payoff)));
        const permuted = allTotals(
          await engine().evaluate(log, plan, linearPolicies(log, weights, policies), replayColumns(log.payoff)),
        );
        expect(permuted).toEqual([...order].map((from) => totals[from]));
      }),
      { numRuns },
    );
  });
}

/** The log's events in another order. */
function reorder(log: EventLog, order: Uint32Array): EventLog {
  const pick = (column: ArrayLike<number>): number[] => Array.from(order, (t) => column[t]);
  return { ...rebuilt(log, order), payoff: { ...log.payoff, steps: Uint32Array.from(pick(log.payoff.steps)) } };
}

/** True values of policies on the very visits of a simulated log: exact, for every family, and what replay estimates. */
import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { evaluate } from '#dist/evaluate.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { policyFunctions } from '#dist/policy/functions.js';
import { randomLinearPolicies } from '#dist/simulate/linear-policies.js';
import { simulate } from '#dist/simulate/simulate.js';
import { simulateToday } from '#dist/simulate/today.js';
import { trueLinearValues, trueValues } from '#dist/simulate/truth.js';
import { candidates } from './bytes.js';

const world = simulate({ events: 12_000, seed: 5, days: 1 });
const { log } = world;
const K = log.arms.ids.length;
const DAY_START = new Date(world.start).toISOString();

/** Mean of p(t, π_t), over visits or as replay weighs them, by the definition. */
function byDefinition(choose: (t: number) => number): { value: number; perVisit: number; visits: number } {
  let [sum, total, weight, visits] = [0, 0, 0, 0];
  for (let t = 0; t < log.events; t++) {
    const page = candidates(log, t);
    const arm = choose(t);
    if (!page.includes(arm)) continue;
    const p = world.clickProbability(t, arm);
    sum += p;
    total += p / page.length;
    weight += 1 / page.length;
    visits++;
  }
  return { value: total / weight, perVisit: sum / visits, visits };
}

const segment = (t: number): number => log.keys.get('segment')?.code[t] as number;
const hour = (t: number): number => Math.floor(((log.time?.[t] as number) - world.start) / 3_600_000);
const weights = randomLinearPolicies({ policies: 1, arms: K, dimension: 6, seed: 3 });
const linearChoice = (t: number): number => {
  const x = log.contexts.row?.[t] as number;
  const score = (a: number): number =>
    Array.from({ length: 6 }, (_, j) => weights[a * 6 + j] * log.contexts.values[x * 6 + j]).reduce((p, q) => p + q);
  return candidates(log, t).reduce((best, a) => (score(a) > score(best) ? a : best));
};

const FAMILIES: [name: string, entry: PolicyInput, choose: (t: number) => number][] = [
  ['constant', { family: 'constant', arms: [log.arms.ids[9]] }, () => 9],
  [
    'table by key',
    { family: 'table', keys: ['segment'], tables: [{ choices: { 1: log.arms.ids[3], 4: log.arms.ids[8] } }] },
    (t) => [3, -1, -1, 8, -1][segment(t)],
  ],
  [
    'table by period',
    { family: 'table', period: '1h', origin: DAY_START, tables: [{ arms: log.arms.ids.slice(0, 24) }] },
    hour,
  ],
  ['linear', { family: 'linear', weights: { data: weights, shape: [1, K, 6] } }, linearChoice],
  ['function', policyFunctions({ newest: (_, page) => page[page.length - 1] }), (t) => candidates(log, t).at(-1) ?? -1],
];

describe('trueValues', () => {
  it.each(FAMILIES)('of %s is the mean click probability of its choices', async (_, entry, choose) => {
    const [{ value, perVisit, visits }] = await world.trueValues([entry]);
    const known = byDefinition(choose);
    expect(visits).toBe(known.visits);
    expect(visits).toBeGreaterThan(100);
    expect(value).toBeCloseTo(known.value, 13);
    expect(perVisit).toBeCloseTo(known.perVisit, 13);
  });

  it('has one value per policy, in the order of the set, and those of the first events on request', async () => {
    const values = await world.trueValues([{ family: 'constant' }]);
    expect(values.map(({ name }) => name)).toEqual(log.arms.ids.map((id) => `constant ${id}`));
    const [first] = await trueValues(world, [{ family: 'constant' }], { events: 100 });
    expect(first.visits).toBe(100);
    expect(first.perVisit).not.toBe(values[0].perVisit);
  });

  it('is null for a policy that never names a candidate', async () => {
    const [{ value, perVisit, visits }] = await world.trueValues([policyFunctions({ none: () => null })]);
    expect([value, perVisit, visits]).toEqual([null, null, 0]);
  });

  it('agrees with the quick way for linear policies, and works for the other world', async () => {
    const today = simulateToday({ events: 3000, seed: 2 });
    const shape: [number, number, number] = [1, today.log.arms.ids.length, 6];
    const data = randomLinearPolicies({ policies: 1, arms: shape[1], dimension: 6, seed: 3 });
    const [{ value }] = await trueValues(today, [{ family: 'linear', weights: { data, shape } }]);
    expect(value).toBeCloseTo(trueLinearValues(today, data)[0], 13);
  });

  it('refuses policies that do not fit the log', async () => {
    await expect(world.trueValues([{ family: 'constant', arms: ['nobody'] }])).rejects.toThrow(InputError);
  });

  it('is what replay estimates, whatever the sizes of pages', async () => {
    const names = FAMILIES.map(([, entry]) => entry);
    const truth = await world.trueValues(names);
    const { policies } = await evaluate({ log, policies: names, device: 'cpu', threads: 1 });
    for (const { index, value, matches } of policies) {
      const p = truth[index].value as number;
      expect(Math.abs((value as number) - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / matches));
    }
  });
});

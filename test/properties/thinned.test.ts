/** Logs of an ε-greedy policy that are thinned: values are those of uniform logs, for policies and for learners. */
import { describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { Draws } from '#dist/learner/draws.js';
import { linucb, ucb1 } from '#dist/learner/set/entries.js';
import { type LearnerInput, parseLearnerSet, prepareLearners } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { STREAM } from '#dist/random/threefry.js';
import { replay } from '#dist/replay.js';
import { WorldDraws } from '#dist/simulate/draws.js';
import { simulate } from '#dist/simulate/simulate.js';
import { LONG } from '../long.js';

/** Arms pay 1 with these probabilities, for users of two kinds, who are as many. */
const RATES = [
  [0.2, 0.35, 0.6, 0.25],
  [0.45, 0.3, 0.3, 0.1],
];
const K = 4;
const EPSILON = 0.3;
/** What the logging policy shows most to each kind: not always the best. */
const GREEDY = [1, 0];

/** L events of an ε-greedy logging policy. */
function world(seed: number, events: number): EventLog {
  const draws = new WorldDraws(seed);
  const list = Array.from({ length: events }, (_, t) => t);
  const kind = list.map((t) => draws.below(2, t, 1));
  const armIndex = Uint32Array.from(list, (t) => (draws.unit(t, 2) < EPSILON ? draws.below(K, t, 3) : GREEDY[kind[t]]));
  return logFromColumns({
    ...{ arms: K, armIndex },
    payoff: list.map((t) => (draws.unit(t, 4) < RATES[kind[t]][armIndex[t]] ? 1 : 0)),
    propensity: list.map((t) => EPSILON / K + (armIndex[t] === GREEDY[kind[t]] ? 1 - EPSILON : 0)),
    context: kind.map((x) => [1, x]),
    keys: { kind: kind.map(String) },
  });
}

const POLICIES: readonly PolicyInput[] = [
  { family: 'constant' },
  {
    family: 'table',
    keys: ['kind'],
    tables: [
      [2, 0],
      [1, 0],
      [0, 2],
    ].map(([first, second]) => ({ choices: { 0: first, 1: second } })),
  },
];
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const TRUE = [
  ...Array.from({ length: K }, (_, a) => mean(RATES.map((rates) => rates[a]))),
  mean([0.6, 0.45]),
  mean([0.35, 0.45]),
  mean([0.2, 0.3]),
];

const inOrder = { device: 'cpu', threads: 1 } as const;

describe('fixed policies', () => {
  it('are worth what they are on thinned logs, and not on the log as it is', async () => {
    const log = world(1, 60_000);
    const options = { log, policies: POLICIES, ...inOrder };
    const far = async (more: object): Promise<number[]> => {
      const { policies } = await evaluate({ ...options, ...more });
      return [...policies]
        .sort((a, b) => a.index - b.index)
        .map(({ value, matches }, i) => ((value as number) - TRUE[i]) / Math.sqrt((TRUE[i] * (1 - TRUE[i])) / matches));
    };
    for (const how of [{ leastPropensity: EPSILON }, {}, { leastPropensity: 0.1, thinSeed: 9 }]) {
      const scores = await far({ thin: true, ...how });
      expect(scores).toHaveLength(TRUE.length);
      for (const score of scores) expect(Math.abs(score)).toBeLessThan(4);
    }
    expect(Math.max(...(await far({ assumeUniform: true })).map(Math.abs))).toBeGreaterThan(10);
    await expect(evaluate({ ...options, estimators: 'replay' })).rejects.toThrow(/not uniform[\s\S]*--thin/);
    // Where nothing is asked for, weights make up for it without dropping an event.
    for (const { index, value, standardError } of (await evaluate(options)).policies)
      expect(Math.abs((value as number) - TRUE[index])).toBeLessThan(4 * (standardError as number));
  });

  // VowpalWabbit/coba#35: a logging policy, a policy and a thinning that drew the same numbers.
  it('are so where logging, thinning and policies have one seed', async () => {
    const visits = simulate({ events: 100_000, seed: 0, logging: { policy: 'epsilon-greedy', epsilon: 0.4 } });
    const policies = [{ family: 'uniform', seed: 0, replicas: 8 } as const];
    const truth = await visits.trueValues(policies);
    const result = await evaluate({ log: visits.log, policies, ...inOrder, thin: true, leastPropensity: 0.4 });
    expect(result.uniformity).toMatchObject({ basis: 'propensities', assumed: false });
    expect(result.warnings).toEqual([]);
    const kept = (result.log.thinned?.kept ?? 0) / 100_000;
    expect(Math.abs(kept - 0.4)).toBeLessThan(4 * Math.sqrt((0.4 * 0.6) / 100_000));
    for (const { index, value, matches } of result.policies) {
      const p = truth[index].value as number;
      expect(Math.abs((value as number) - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / matches));
    }
  });

  it('has intervals of which as many hold as they say', LONG, async () => {
    let covered = 0;
    const runs = 300;
    for (let run = 0; run < runs; run++) {
      const { policies } = await evaluate({
        ...{ log: world(100 + run, 4000), policies: POLICIES, ...inOrder },
        ...{ thin: true, leastPropensity: EPSILON, thinSeed: run },
      });
      for (const { index, interval } of policies)
        if (interval[0] <= TRUE[index] && TRUE[index] <= interval[1]) covered++;
    }
    // Policies of one log are not independent: as wide as if there were one per log.
    expect(Math.abs(covered / runs / TRUE.length - 0.95)).toBeLessThan(4 * Math.sqrt((0.95 * 0.05) / runs));
  });
});

/** ĝ of T events of a learner that chooses freely (a bucket test). */
async function live(input: LearnerInput, T: number, run: number): Promise<number> {
  const shape = world(1_000_000 + run, T);
  const [setting] = await prepareLearners(parseLearnerSet([input]), shape);
  const draws = new WorldDraws(2_000_000 + run);
  const learner = setting.create(shape, new Draws(3_000_000 + run, run, STREAM.exploration));
  const candidates = { arms: shape.pools.arms, from: 0, to: K };
  const kinds = shape.keys.get('kind')?.code as Uint32Array;
  let total = 0;
  for (let t = 0; t < T; t++) {
    const arm = learner.choose(t, candidates);
    const payoff = draws.unit(t, 4) < RATES[kinds[t]][arm] ? 1 : 0;
    learner.update(t, arm, payoff, payoff);
    total += payoff;
  }
  return total / T;
}

describe('learners', () => {
  it.each<[string, LearnerInput, number]>([
    ['UCB1', ucb1(), 0.33],
    ['LinUCB', linucb({ alpha: 0.5 }), 0.38],
  ])('%s on thinned logs earns what it earns live', LONG, async (_, input, atLeast) => {
    const [T, runs] = [100, 400];
    const replayed: number[] = [];
    const online: number[] = [];
    for (let run = 0; run < runs; run++) {
      const { learners, log } = await replay(world(10_000 + run, 2400), [input], {
        ...{ validEvents: T, seed: run, ...inOrder },
        ...{ thin: true, leastPropensity: EPSILON, thinSeed: run },
      });
      expect([log.thinned?.events, learners[0].matches]).toEqual([2400, T]);
      replayed.push(learners[0].mean as number);
      online.push(await live(input, T, run));
    }
    const squared = (values: readonly number[]): number =>
      mean(values.map((v) => (v - mean(values)) ** 2)) / (values.length - 1);
    const standardError = Math.sqrt(squared(replayed) + squared(online));
    expect(standardError).toBeLessThan(0.006);
    expect(Math.abs(mean(replayed) - mean(online))).toBeLessThan(3 * standardError);
    // Both have learnt: a random policy earns 0.32.
    expect(mean(online)).toBeGreaterThan(atLeast);
  });
});

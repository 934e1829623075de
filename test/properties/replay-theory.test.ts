/**
 * What theory says of replayed learners (Li et al., WSDM 2011): the first T valid events are distributed as T events of the
 * learner running live (Theorem 1), whatever the learner, and a learner that commits early shows why one log is not enough.
 */
import { describe, expect, it } from 'vitest';
import { Draws } from '#dist/learner/draws.js';
import { epsilonGreedy, ucb1 } from '#dist/learner/set/entries.js';
import { type LearnerInput, parseLearnerSet, prepareLearners } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { STREAM } from '#dist/random/threefry.js';
import { replay } from '#dist/replay.js';
import { PURPOSE, WorldDraws } from '#dist/simulate/draws.js';
import { LONG } from '../long.js';

/** Arms pay 1 with these probabilities, at every event. */
const RATES = [0.2, 0.35, 0.5, 0.25, 0.3];
const K = RATES.length;

/** L events of the world of `RATES`, logged uniformly; `arm` overrides the logged arm. */
function world(seed: number, events: number): EventLog {
  const draws = new WorldDraws(seed);
  const armIndex = Uint32Array.from({ length: events }, (_, t) => draws.below(K, t, PURPOSE.randomLogging));
  const payoff = Array.from(armIndex, (a, t) => (draws.unit(t, PURPOSE.randomPayoff) < RATES[a] ? 1 : 0));
  return logFromColumns({ armIndex, arms: K, payoff, propensity: new Float64Array(events).fill(1 / K) });
}

/** ĝ of T events of a learner that chooses freely. */
async function live(input: LearnerInput, T: number, run: number): Promise<number> {
  const shape = world(0, 1);
  const [setting] = await prepareLearners(parseLearnerSet([input]), shape);
  const draws = new WorldDraws(1_000_000 + run);
  const learner = setting.create(shape, new Draws(2_000_000 + run, run, STREAM.exploration));
  const candidates = { arms: shape.pools.arms, from: 0, to: K };
  let total = 0;
  for (let t = 0; t < T; t++) {
    const arm = learner.choose(t, candidates);
    const payoff = draws.unit(t, PURPOSE.randomPayoff) < RATES[arm] ? 1 : 0;
    learner.update(t, arm, payoff, payoff);
    total += payoff;
  }
  return total / T;
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const squaredError = (values: readonly number[]): number => {
  const m = mean(values);
  return values.reduce((sum, v) => sum + (v - m) ** 2, 0) / (values.length - 1) / values.length;
};

describe('Theorem 1', () => {
  it.each<[string, LearnerInput]>([
    ['ε-greedy', epsilonGreedy({ epsilon: 0.2 })],
    ['UCB1', ucb1()],
  ])('%s: the mean of the first 100 valid events is that of the learner running live', LONG, async (_, input) => {
    const [T, runs] = [100, 600];
    const replayed: number[] = [];
    const online: number[] = [];
    for (let run = 0; run < runs; run++) {
      // A fresh log for every run: replicas of one log would share its luck.
      const options = { validEvents: T, seed: run, device: 'cpu' as const, threads: 1 };
      const { learners } = await replay(world(run, 1200), [input], options);
      expect(learners[0].matches).toBe(T);
      replayed.push(learners[0].mean as number);
      online.push(await live(input, T, run));
    }
    const standardError = Math.sqrt(squaredError(replayed) + squaredError(online));
    expect(standardError).toBeLessThan(0.005);
    expect(Math.abs(mean(replayed) - mean(online))).toBeLessThan(3 * standardError);
    // Both have learnt: a random policy earns 0.32.
    expect(mean(online)).toBeGreaterThan(0.34);
  });
});

describe("the paper's Example: a learner that commits to an arm by its first context", () => {
  // Two arms; x = 0 or 1, as likely; arm 1 pays 1 and arm 0 nothing, whatever x. The learner plays arm x₁ for ever.
  const committed: LearnerInput = {
    name: 'commits to x₁',
    create: ({ contexts }) => {
      let arm = -1;
      return {
        choose: (event) => (arm >= 0 ? arm : contexts.values[contexts.row === null ? event : contexts.row[event]]),
        update: (_, chosen) => {
          arm = chosen;
        },
      };
    },
  };
  function example(seed: number, L: number): EventLog {
    const draws = new WorldDraws(seed);
    const events = Array.from({ length: L }, (_, t) => t);
    const armIndex = events.map((t) => draws.below(2, t, PURPOSE.randomLogging));
    const context = events.map((t) => [draws.below(2, t, PURPOSE.randomContext)]);
    return logFromColumns({ armIndex, arms: 2, payoff: armIndex, context });
  }

  it('one replica is 0 or 1, and stays so however long the log is', async () => {
    const log = example(11, 4000);
    const first = (await replay(log, [committed], { validEvents: 10, device: 'cpu' })).learners[0].mean;
    expect([0, 1]).toContain(first);
    for (const validEvents of [100, 1000, undefined]) {
      expect((await replay(log, [committed], { validEvents, device: 'cpu' })).learners[0].mean).toBe(first);
    }
  });

  it('replicas on logs of their own are 0.5 on average', LONG, async () => {
    const runs = 400;
    const values: number[] = [];
    for (let run = 0; run < runs; run++) {
      const { learners } = await replay(example(run, 40), [committed], { device: 'cpu', assumeUniform: true });
      values.push(learners[0].mean as number);
    }
    expect(new Set(values)).toEqual(new Set([0, 1]));
    expect(Math.abs(mean(values) - 0.5)).toBeLessThan(3 * (0.5 / Math.sqrt(runs)));
  });

  it('replicas on small subsamples of one log are 0 or 1 each, and 0.5 on average', LONG, async () => {
    const [repeats, p] = [400, 0.01];
    const options = { repeats, subsample: p, seed: 3, replicas: true, device: 'cpu' as const };
    const [row] = (await replay(example(11, 4000), [committed], options)).learners;
    for (const { value } of row.replicas ?? []) expect([0, 1]).toContain(value);
    expect(row).toMatchObject({ estimates: repeats, min: 0, max: 1 });
    // The i-th event that x₁ could match decides a replica with probability p (1 − p)^i: replicas share the luck of about
    // 2/p events, which no number of replicas averages out. At p = 0.5 the mean may be anywhere.
    const shared = p / (2 - p);
    const error = 0.5 * Math.sqrt(shared + (1 - shared) / repeats);
    expect(Math.abs((row.mean as number) - 0.5)).toBeLessThan(3 * error);
    expect(row.std).toBeCloseTo(0.5, 1);
  });
});

/** What the contract asks of every learner of the table, whoever wrote it. */
import { describe, expect, it } from 'vitest';
import { candidateNumber, candidatesAt } from '#dist/learner/candidates.js';
import { ALGORITHMS } from '#dist/learner/set/algorithms.js';
import { parseLearnerSet, prepareLearners } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { exploration } from './helpers.js';

const EVENTS = 300;
const K = 5;

/** Contexts, keys, times, arm features, and candidate sets of 1 to 5 arms that change from event to event. */
function richLog(pools: number[][]): EventLog {
  const draws = exploration(41);
  const every = Array.from({ length: EVENTS }, (_, t) => t);
  const pool = every.map((t) => draws.index(t, pools.length, 1));
  return logFromColumns({
    arms: K,
    armIndex: every.map((t) => pools[pool[t]][draws.index(t, pools[pool[t]].length, 2)]),
    payoff: every.map((t) => (draws.unit(t, 3) < 0.4 ? 1 : 0)),
    context: every.map((t) => [draws.unit(t, 4), draws.unit(t, 5), 1]),
    candidates: { pools, pool },
    keys: { segment: every.map((t) => `s${draws.index(t, 3, 6)}`) },
    time: every.map((t) => t * 30_000),
    timeUnit: 'ms' as const,
    armFeatures: Array.from({ length: K }, (_, a) => [a % 2, 1]),
  });
}

/** An entry for each algorithm, with what has no default. */
const entries = ALGORITHMS.map(({ name }) => {
  const more: Record<string, object> = {
    'epsilon-greedy': { epsilon: 0.2 },
    semp: { segment: 'segment' },
    exp4: { experts: [{ family: 'constant' }, { family: 'uniform' }] },
    'gamma-poisson': { discount: 0.9 },
  };
  return { algorithm: name, ...more[name] };
});

/** Learners that choose by a score: their decisions can be close. */
const SCORED = new Set('ucb ucb1 thompson linucb linucb-hybrid lin-thompson linrel glm-ucb cemp'.split(' '));

const log = richLog([[0, 1, 2, 3, 4], [1, 3], [0, 2, 4], [2], [1, 2, 3, 4]]);
const oneArm = logFromColumns({ ...columnsOf(20), arms: 1 });

function columnsOf(events: number) {
  return {
    armIndex: new Uint32Array(events),
    payoff: Array.from({ length: events }, (_, t) => t % 2),
    context: Array.from({ length: events }, () => [1]),
    keys: { segment: new Array<string>(events).fill('s') },
    time: Array.from({ length: events }, (_, t) => t),
    timeUnit: 'ms' as const,
    armFeatures: [[1]],
  };
}

const prepared = async (entry: object, on: EventLog) => (await prepareLearners(parseLearnerSet([entry]), on))[0];

/** Every decision and the final state of one replay that also learns from events that do not match. */
async function trajectory(entry: object, asksAhead: boolean) {
  const setting = await prepared(entry, log);
  const one = setting.create(log, exploration(5, 3));
  const chosen: number[] = [];
  for (let t = 0; t < log.events; t++) {
    const arm = one.choose(t, candidatesAt(log, t));
    if (asksAhead) {
      for (let ahead = 1; ahead < 8; ahead++)
        one.choose((t + ahead) % log.events, candidatesAt(log, (t + ahead) % log.events));
      expect(one.choose(t, candidatesAt(log, t))).toBe(arm);
    }
    chosen.push(arm);
    const steps = log.payoff.steps[t];
    if (arm === log.arm[t] || t % 3 === 0) one.update(t, log.arm[t], steps, steps);
  }
  return { chosen, state: JSON.stringify(one.state()) };
}

describe.each(entries)('$algorithm', (entry) => {
  it('chooses candidates, the same however far ahead it was asked, and again', async () => {
    const plain = await trajectory(entry, false);
    plain.chosen.forEach((arm, t) => {
      expect(candidateNumber(candidatesAt(log, t), arm)).toBeGreaterThanOrEqual(0);
    });
    expect(await trajectory(entry, true)).toEqual(plain);
    expect(plain.state).not.toMatch(/NaN|Infinity/);
  });

  it('has nothing to choose with one arm', async () => {
    const one = (await prepared(entry, oneArm)).create(oneArm, exploration());
    for (let t = 0; t < oneArm.events; t++) {
      expect(one.choose(t, candidatesAt(oneArm, t))).toBe(0);
      one.update(t, 0, t % 2, t % 2);
    }
  });

  it('matches where it chooses', async () => {
    const one = (await prepared(entry, log)).create(log, exploration());
    for (let t = 0; t < log.events; t++) {
      const set = candidatesAt(log, t);
      const arm = one.choose(t, set);
      for (let i = set.from; i < set.to; i++) {
        const matches = one.matches?.(t, set, set.arms[i]) ?? set.arms[i] === arm;
        expect(matches).toBe(set.arms[i] === arm);
      }
      one.update(t, log.arm[t], log.payoff.steps[t], log.payoff.steps[t]);
    }
  });

  it('has a margin above 0 where it chooses and below elsewhere, if it has scores', async () => {
    const one = (await prepared(entry, log)).create(log, exploration());
    expect(one.margin !== undefined).toBe(SCORED.has(entry.algorithm));
    for (let t = 0; t < log.events; t++) {
      const set = candidatesAt(log, t);
      const arm = one.choose(t, set);
      for (let i = set.from; i < set.to; i++) {
        const margin = one.margin?.(t, set, set.arms[i]) ?? (set.arms[i] === arm ? 1 : -1);
        expect(set.arms[i] === arm ? margin >= 0 : margin <= 0).toBe(true);
      }
      expect(one.choose(t, set)).toBe(arm);
      one.update(t, log.arm[t], log.payoff.steps[t], log.payoff.steps[t]);
    }
  });

  it('can be sent to a worker thread', async () => {
    const { parameters } = await prepared(entry, log);
    expect(structuredClone(parameters)).toEqual(parameters);
  });
});

it('leaves the log alone', async () => {
  const before = JSON.stringify([...log.arm, ...log.payoff.steps, ...log.contexts.values, ...log.pools.arms]);
  for (const entry of entries) await trajectory(entry, false);
  expect(JSON.stringify([...log.arm, ...log.payoff.steps, ...log.contexts.values, ...log.pools.arms])).toBe(before);
});

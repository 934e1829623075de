import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { type LearnerInput, online, type ReplayOptions, simulate, sortByTime } from '#dist/index.js';
import { noScore } from '#dist/learner/broken.js';
import { unitPayoff } from '#dist/learner/exponential/exp-weights.js';
import { exp3p, exp3pRates } from '#dist/learner/exponential/exp3p.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { replay } from '#dist/replay.js';
import { generator } from '../cases/draws.js';

const EVENTS = 400;

/** Two arms by turns of a seeded coin; `payoff` of a coin of its own. */
function logOf(payoff: (coin: number) => number = (coin) => coin, events = EVENTS) {
  const draw = generator(7);
  const coins = () => Array.from({ length: events }, () => (draw() < 0.5 ? 0 : 1));
  return logFromColumns({ arm: coins().map((coin) => 'ab'[coin]), payoff: coins().map(payoff) });
}

const play = (log: EventLog, learners: readonly LearnerInput[], options: Partial<ReplayOptions> = {}) =>
  replay(log, learners, { threads: 1, device: 'cpu', ...options });

/** Contexts of this size, and arm features. */
function contextLog(size: number): EventLog {
  const draw = generator(7);
  const context = Array.from({ length: EVENTS }, () => [size * (1 + draw()), size]);
  return logFromColumns({
    ...{ context, armIndex: context.map(() => Math.floor(2 * draw())), arms: 2 },
    payoff: context.map(() => Number(draw() < 0.5)),
    armFeatures: [[1], [2]],
  });
}

/** A learner whose numbers break, the setting that is to blame (none: the log), and what is said of it. */
const BROKEN: readonly (readonly [learner: LearnerInput, setting: string | null, said: RegExp, size?: number])[] = [
  [{ algorithm: 'ucb1', alpha: Number.MAX_VALUE }, 'alpha', /the score of arm ".*smaller alpha/s],
  [
    { algorithm: 'gamma-poisson', alpha: 1e12, gamma: 1e-300, periodEvents: 10 },
    'gamma',
    /event 0: the score of arm "a" is no finite number.*Infinity.*larger gamma/s,
  ],
  [{ algorithm: 'thompson', a: 5e-324, b: 5e-324 }, 'a', /the score of arm ".*got: {4}NaN/s],
  ...[Number.MIN_VALUE, 1e-99, 1e-20].map((gamma) => {
    const said = /the logarithm of the weight of arm "[ab]" is too large.*larger gamma/s;
    return [{ algorithm: 'exp3p', gamma, eta: 1, beta: 1 }, 'gamma', said] as const;
  }),
  [{ algorithm: 'linucb', alpha: Number.MAX_VALUE }, 'alpha', /event 0: the score of arm ".*smaller alpha/s, 10],
  [{ algorithm: 'lin-thompson', v: Number.MAX_VALUE }, 'v', /the score of arm ".*smaller v/s, 10],
  [{ algorithm: 'linucb-hybrid', alpha: Number.MAX_VALUE }, 'alpha', /the score of arm ".*smaller alpha/s, 10],
  [{ algorithm: 'glm-ucb', rho: Number.MAX_VALUE }, 'rho', /the score of arm ".*smaller rho/s, 10],
  [{ algorithm: 'linrel', alpha: Number.MAX_VALUE }, 'alpha', /the score of arm ".*smaller alpha/s, 10],
  [{ algorithm: 'cemp', lambda: 1e-320 }, null, /the score of arm ".*divided by lambda.*--scale/s, 1],
  [{ algorithm: 'linucb' }, null, /the score of arm ".*--scale/s, 1e200],
  [{ algorithm: 'lin-thompson' }, null, /the score of arm ".*--scale/s, 1e200],
  [{ algorithm: 'linucb-hybrid' }, null, /the score of arm ".*--scale/s, 1e200],
  [{ algorithm: 'linrel' }, null, /the score of arm ".*--scale/s, 1e200],
];

describe('numbers that leave f64 are refused, with learner, setting, arm and event', () => {
  it.each(BROKEN)('%o: %s', async (...one) => {
    const [learner, setting, said, size] = one as unknown as (typeof BROKEN)[number];
    const log = size === undefined ? logOf() : contextLog(size);
    const error = await failure(play(log, [{ algorithm: 'random' }, learner]));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toMatch(said);
    const path = setting === null ? '[1]' : `[1].${setting}`;
    const { algorithm } = learner as { algorithm: string };
    expect(error.message.startsWith(`${path}: learner ${algorithm}`)).toBe(true);
    expect(error.message).toMatch(/^[^\n]*, replica 0, event \d+: /);
  });

  it('on threads, with the same words', async () => {
    const learners = [{ algorithm: 'gamma-poisson', alpha: 1e12, gamma: 1e-300, periodEvents: 10 }] as const;
    // So much work that threads take it up; the first replica ends it.
    const log = logOf(undefined, 50_000);
    const [here, there] = await Promise.all(
      [1, 2].map((threads) => failure(play(log, learners, { threads, repeats: 2000, subsample: 0.9 }))),
    );
    expect(there).toBeInstanceOf(InputError);
    // Each replica has a subsample of its own.
    const plain = ({ message }: Error) => message.replace(/replica \d+, event \d+/, '');
    expect(plain(there)).toBe(plain(here));
    expect(there.message).toMatch(/^\[0\]\.gamma: learner gamma-poisson alpha=.*, replica \d+, event \d+: /);
  });

  it('the event is that of the whole log, and the row that of its file', async () => {
    // Backwards: arm 0 is first tried at event 1, arm 1 at event 2, and from two updates on ln t is positive.
    const armIndex = [0, 0, 0, 1, 1, 1, 0, 1];
    const columns = { armIndex, arms: 2, payoff: armIndex.map(() => 1), payoffRange: [0, 1] as const };
    const sorted = sortByTime(logFromColumns({ ...columns, time: armIndex.map((_, t) => 1e12 - t), timeUnit: 'ms' }));
    const learners = [{ algorithm: 'ucb1', alpha: Number.MAX_VALUE }] as const;
    const whole = await failure(play(sorted, learners, { assumeUniform: true }));
    expect(whole.message).toMatch(/event 3 \(row 4\): the score of arm "0"/);
    const batches = await failure(play(sorted, learners, { assumeUniform: true, stretchEvents: 2 }));
    expect(batches.message).toBe(whole.message);
  });

  it('updates that wait name their own event, on the whole log and in batches', async () => {
    const breaks = { needed: 'a number', hint: 'another one' };
    const learner: LearnerInput = {
      name: 'mine',
      create: (log) => ({
        choose: (event) => log.arm[event],
        update: (event, arm) => {
          if ((log.firstEvent ?? 0) + event === 27) throw noScore(arm, Number.NaN, breaks);
        },
        carry: () => {},
      }),
    };
    for (const stretchEvents of [undefined, 25, 10]) {
      const { message } = await failure(play(logOf(), [learner], { updateEvery: 20, stretchEvents }));
      expect(message).toMatch(/^\[0\]: learner mine, replica 0, event 27: the score of arm "[ab]" is no finite number/);
    }
  });

  it('live, in a simulated world', async () => {
    const world = simulate({ events: 2000, seed: 3 });
    const error = await failure(online(world, { algorithm: 'ucb1', alpha: Number.MAX_VALUE }, 2000));
    expect(error.message).toMatch(/^\[0\]\.alpha: learner ucb1 alpha=1\.79\S+, event \d+: the score of arm "/);
  });

  it('and weights of usual rates are not', async () => {
    const { learners } = await play(logOf(), [exp3pEntry(0.05), exp3pEntry(1e-6), { algorithm: 'exp3' }]);
    for (const { matches } of learners) expect(matches).toBeGreaterThan(EVENTS / 4);
  });
});

async function failure(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => null,
    (one: unknown) => one,
  );
  if (!(error instanceof Error)) throw new Error('nothing failed');
  return error;
}

const exp3pEntry = (gamma: number) => ({ algorithm: 'exp3p', gamma, eta: 0.1, beta: 0.01 }) as const;

it('exp3p: β of the smallest δ is that of ln(K/δ), which the quotient has lost', () => {
  const parameters = exp3p.schema.parse({ delta: Number.MIN_VALUE, horizon: 1e6 });
  // ln 2 + 1074 ln 2
  expect(exp3pRates(parameters, 2, 1).beta).toBeCloseTo(Math.sqrt((1075 * Math.LN2) / 2e6), 15);
});

it('a payoff range wider than f64 still has a middle', () => {
  const scale = (low: number, high: number) => ({ rounded: false, origin: 0, numerator: 1, denominator: 1, low, high });
  expect(unitPayoff(scale(-1.7e308, 1.7e308), 0)).toBe(0.5);
  expect(unitPayoff(scale(-1e308, 1.5e308), 1.5e308)).toBe(1);
  expect(unitPayoff(scale(0, 1e-320), 1e-320)).toBe(1);
});

describe('payoffs so small that a step of their range has no digits', () => {
  it('are refused', () => {
    expect(() => logOf((coin) => (1 + coin) * 1e-320 + coin * 5e-321)).toThrow(/payoffs lie too close together/);
  });
  it('and not where they are the same, or steps are exact', () => {
    expect(logOf(() => 1e-320).events).toBe(EVENTS);
    expect(logOf((coin) => coin * 1e-290).events).toBe(EVENTS);
  });
});

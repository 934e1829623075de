import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import type { LearnerInput, ReplayOptions } from '#dist/index.js';
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

describe('numbers that leave f64 are refused, with what broke', () => {
  const broken = [{ algorithm: 'gamma-poisson', alpha: 1e12, gamma: 1e-300, periodEvents: 10 }] as const;
  const infinite = /score of arm index 0 is no finite number.*Infinity/s;
  it('a mean of gamma-poisson', async () => {
    await expect(play(logOf(), broken)).rejects.toThrow(infinite);
  });
  it('on threads too, as the fault of the input that it is', async () => {
    // So much work that threads take it up; the first replica ends it.
    const failing = play(logOf(undefined, 50_000), broken, { threads: 2, repeats: 2000, subsample: 0.9 });
    const error = await failing.then(
      () => null,
      (one: unknown) => one,
    );
    expect(error).toBeInstanceOf(InputError);
    expect(String(error)).toMatch(infinite);
  });
  it('a bound of ucb1', async () => {
    const learners = [{ algorithm: 'ucb1', alpha: Number.MAX_VALUE }] as const;
    await expect(play(logOf(), learners)).rejects.toThrow(/score of arm index . is no finite number/);
  });
  it.each([Number.MIN_VALUE, 1e-99, 1e-20])('a weight of exp3p, γ = %f', async (gamma) => {
    const learners = [{ algorithm: 'exp3p', gamma, eta: 1, beta: 1 }] as const;
    await expect(play(logOf(), learners)).rejects.toThrow(/logarithm of an exponential weight is too large.*larger γ/s);
  });
  it('and weights of usual rates are not', async () => {
    const { learners } = await play(logOf(), [exp3pEntry(0.05), exp3pEntry(1e-6), { algorithm: 'exp3' }]);
    for (const { matches } of learners) expect(matches).toBeGreaterThan(EVENTS / 4);
  });
});

const exp3pEntry = (gamma: number) => ({ algorithm: 'exp3p', gamma, eta: 0.1, beta: 0.01 }) as const;

it('exp3p: β of the smallest δ is that of ln(K/δ), which the quotient has lost', () => {
  const parameters = exp3p.schema.parse({ delta: Number.MIN_VALUE, horizon: 1e6 });
  // ln 2 + 1074 ln 2
  expect(exp3pRates(parameters, 2, 1).beta).toBeCloseTo(Math.sqrt((1075 * Math.LN2) / 2e6), 15);
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

/** Confidence sequences: hard cases, what numpy and scipy make of one small log by the definitions, and the same bounds by a longer log. */

import { describe, expect, it } from 'vitest';
import { cutPeriods, eventBlocks } from '#dist/estimate/blocks/blocks.js';
import { ESTIMATOR_NAMES, findEstimator } from '#dist/estimate/estimators/index.js';
import { findSequence, SEQUENCE_NAMES } from '#dist/estimate/sequence/index.js';
import { BLOCKS_BETWEEN, defaultAt, defaultEvery, looksOf } from '#dist/estimate/sequence/looks.js';
import { mixtureBoundary, mixtureRate } from '#dist/estimate/sequence/normal-mixture.js';
import { CLICKS, HALF_STARS } from '../helpers.js';
import { type Asked, type Event, estimate, uniforms } from '../world.js';
import { sequenceOf } from './sequence-of.js';

const FITTING = [
  ['asymptotic', 'replay'],
  ['asymptotic', 'snips'],
  ['asymptotic', 'ips'],
  ['asymptotic', 'dr'],
  ['empirical-bernstein', 'replay'],
  ['empirical-bernstein', 'ips'],
] as const;

/** Arms drawn with 1/2, 1/4, 1/4; the policy takes turns. @param pay steps of the payoff, from a uniform number. */
function log(seed: number, length: number, pay: (u: number) => number): Event[] {
  const next = uniforms(seed);
  return Array.from({ length }, (_, t) => {
    const u = next();
    const arm = u < 0.5 ? 0 : u < 0.75 ? 1 : 2;
    return { k: pay(next()), p: [0.5, 0.25, 0.25][arm], arm, choice: t % 3, q: [0.1, 0.2, 0.3] };
  });
}

const clicks = (u: number): number => (u < 0.3 ? 1 : 0);

function made(events: readonly Event[], name: string, asked: Partial<Asked> = {}) {
  return estimate(events, { names: [name], block: 50, mostWeight: 4, ...asked });
}

describe.each(FITTING)('%s of %s', (method, name) => {
  it('says nothing before a match', () => {
    const early = log(1, 120, clicks).map((event) => ({ ...event, choice: (event.arm + 1) % 3 }));
    const { lower, upper } = sequenceOf(made([...early, ...log(2, 80, clicks)], name), method, 100);
    expect([lower.slice(0, 2), upper.slice(0, 2)]).toEqual([
      [0, 0],
      [1, 1],
    ]);
    const none = sequenceOf(made(early, name), method, 100);
    expect(none).toEqual({ lower: [0, 0, 0], upper: [1, 1, 1] });
  });

  it('of an empty log is the whole range', () => {
    expect(sequenceOf(made([], name), method, 1)).toEqual({ lower: [0], upper: [1] });
  });

  it('of one block is one look', () => {
    const { lower, upper } = sequenceOf(made(log(3, 40, clicks), name), method, 40);
    expect([lower.length, upper.length]).toEqual([1, 1]);
    expect(0 <= lower[0] && lower[0] < upper[0] && upper[0] <= 1).toBe(true);
  });

  it.each([
    ['nothing', 0],
    ['everything', 1],
  ])('where matches paid %s, closes in on it and keeps it', (_, k) => {
    const { lower, upper } = sequenceOf(
      made(
        log(4, 6000, () => k),
        name,
      ),
      method,
      1500,
    );
    // Values of ips and dr still vary with the weights: these take the end of the range for a value like others.
    const varies = name === 'dr' || (method === 'asymptotic' && name === 'ips');
    if (!varies) expect(lower.every((bound) => bound <= k) && upper.every((bound) => bound >= k)).toBe(true);
    const far = name === 'ips' || name === 'dr' ? 0.25 : 0.05;
    expect(Math.abs((k === 0 ? upper : lower)[119] - k)).toBeLessThan(far);
  });

  it('moves with the range of payoffs', () => {
    const events = log(5, 2000, clicks);
    const own = sequenceOf(made(events, name), method, 500);
    const doubled = sequenceOf(
      made(
        events.map((event) => ({ ...event, q: event.q?.map((q) => 2 * q) })),
        name,
        { scale: { ...CLICKS, numerator: 2, high: 2 } },
      ),
      method,
      500,
    );
    // A factor of two is exact but for the whole units of predictions.
    own.lower.forEach((bound, look) => {
      expect(doubled.lower[look]).toBeCloseTo(2 * bound, 9);
    });
    own.upper.forEach((bound, look) => {
      expect(doubled.upper[look]).toBeCloseTo(2 * bound, 9);
    });
  });

  it('of a longer log is the same at the looks that it shares', () => {
    const events = log(6, 3030, clicks);
    const longer = sequenceOf(made(events, name), method, 400);
    const shorter = sequenceOf(made(events.slice(0, 1270), name), method, 400);
    expect(shorter.lower.slice(0, 25)).toEqual(longer.lower.slice(0, 25));
    expect(shorter.upper.slice(0, 25)).toEqual(longer.upper.slice(0, 25));
  });

  it('does not depend on batches', () => {
    const events = log(7, 700, clicks);
    expect(sequenceOf(made(events, name, { batch: 33 }), method, 200)).toEqual(
      sequenceOf(made(events, name), method, 200),
    );
  });
});

it.each(['replay', 'ips'])('empirical Bernstein of %s never takes a bound back', (name) => {
  const { lower, upper } = sequenceOf(made(log(8, 5000, clicks), name), 'empirical-bernstein', 1000);
  for (let look = 1; look < lower.length; look++) {
    expect(lower[look]).toBeGreaterThanOrEqual(lower[look - 1]);
    expect(upper[look]).toBeLessThanOrEqual(upper[look - 1]);
  }
});

it('empirical Bernstein moves with payoffs from 10 to 11 as from 0 to 1', () => {
  const events = log(9, 3000, clicks);
  for (const name of ['replay', 'ips'])
    for (const mostWeight of [4, undefined]) {
      const own = sequenceOf(made(events, name, { mostWeight }), 'empirical-bernstein', 700);
      const scale = { ...CLICKS, origin: 10, low: 10, high: 11 };
      const moved = sequenceOf(made(events, name, { mostWeight, scale }), 'empirical-bernstein', 700);
      own.lower.forEach((bound, look) => {
        expect(moved.lower[look]).toBeCloseTo(10 + bound, 9);
      });
      own.upper.forEach((bound, look) => {
        expect(moved.upper[look]).toBeCloseTo(10 + bound, 9);
      });
    }
});

it('empirical Bernstein shows bounds that cross, where no value fits all looks', () => {
  const drifting = [...log(10, 4000, () => 0), ...log(11, 4000, () => 1)];
  const { lower, upper } = sequenceOf(made(drifting, 'replay'), 'empirical-bernstein', 1000);
  expect(lower[159]).toBeGreaterThan(upper[159]);
});

describe('by the definitions, event by event (numpy, scipy)', () => {
  // Half stars; mean weights are 2, which formulas do not mind.
  const events = Array.from({ length: 240 }, (_, t): Event => {
    const k = (t * 5) % 11;
    return { k: k < 8 ? k : 0, p: [0.5, 0.25, 0.25][t % 3], arm: t % 3, choice: (t * t) % 3 };
  });
  const of = (name: string, method: string, mostWeight?: number) =>
    sequenceOf(
      estimate(events, { names: [name], scale: HALF_STARS, block: 40, confidence: 0.8, mostWeight }),
      method,
      80,
    );
  /** Quantiles of scipy and stdlib agree to 10 digits; all else is f64 arithmetic. */
  const near = (got: readonly number[], needed: readonly number[]): void => {
    expect(got).toHaveLength(needed.length);
    got.forEach((bound, look) => {
      expect(Math.abs(bound - needed[look]), `look ${look}: got ${bound}`).toBeLessThan(1e-9);
    });
  };

  it('the boundary', () => {
    const level = { delta: 0.2, at: 80 };
    expect(mixtureRate(level)).toBeCloseTo(0.05823055656520108, 15);
    near(
      [40, 80, 240].map((n) => mixtureBoundary(n, level)),
      [2.513948456106447, 2.4525590652177756, 2.5197741078571507],
    );
  });

  it('asymptotic of replay', () => {
    const { lower, upper } = of('replay', 'asymptotic');
    near(
      lower,
      [
        0.6577727969313731, 0.8582894590720482, 0.9403175434736689, 0.9836616922195933, 1.0106829186215136,
        1.0187325919629309,
      ],
    );
    near(
      upper,
      [
        1.9045727591662798, 1.7103131545542325, 1.642774712399289, 1.5925776342623812, 1.562076036398227,
        1.5239132943930387,
      ],
    );
  });

  it('asymptotic of snips', () => {
    const { lower, upper } = of('snips', 'asymptotic');
    near(
      lower,
      [
        0.6471551212070601, 0.844848052182958, 0.9418061061410588, 0.9796085605929252, 1.0032786818593071,
        1.0094516541149423,
      ],
    );
    near(
      upper,
      [
        1.9731666701982775, 1.7501148589127968, 1.6919288192806337, 1.627090157814155, 1.5847861402970689,
        1.5419779405043514,
      ],
    );
  });

  it('empirical Bernstein of replay, over matches', () => {
    const { lower, upper } = of('replay', 'empirical-bernstein');
    near(lower, [0, 0.3251346767290536, 0.7471955688957237, 0.8865088112728546, 0.9529879773230753, 0.977579121916001]);
    near(upper, [5, 2.2674579158635395, 1.8565780160099372, 1.7009911887271456, 1.626451275013373, 1.5637742615426453]);
  });

  it('empirical Bernstein of ips, with a largest weight of 6 and without one', () => {
    const { lower, upper } = of('ips', 'empirical-bernstein', 6);
    near(lower, [0, 1.0786067025748851, 1.588994395126211, 1.7388548020995886, 1.8142305006281245, 1.8142305006281245]);
    near(upper, [5, 5, 4.580097462497834, 3.954523307680806, 3.6569455581964783, 3.419248783204484]);
    near(of('ips', 'empirical-bernstein').upper, [5, 0.15044070925403052, 0, 0, 0, 0]);
  });
});

describe('which estimators fit', () => {
  const estimators = ESTIMATOR_NAMES.map(findEstimator);
  const message = (name: string, estimator: string): string => {
    try {
      findSequence(name, findEstimator(estimator), estimators);
      return 'no error';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('is told by name', () => {
    expect(message('empirical-bernstein', 'snips')).toMatch(
      /does not fit the estimator snips[\s\S]*replay, ips[\s\S]*asympt/,
    );
    expect(message('asymptotic', 'cressie-read')).toMatch(/cressie-read[\s\S]*needed: +replay, snips, ips/);
    expect(message('normal', 'snips')).toMatch(/no such confidence sequence[\s\S]*asymptotic \(/);
    for (const [method, name] of FITTING) expect(message(method, name)).toBe('no error');
    expect(SEQUENCE_NAMES).toEqual(['asymptotic', 'empirical-bernstein']);
  });
});

describe('looks', () => {
  it('at runs of so many events stay where they are when the log grows', () => {
    const looks = (events: number) => looksOf(eventBlocks(events, 40));
    expect(looks(100)).toEqual({ ends: [1, 2, 3], events: [40, 80, 100] });
    expect(looks(130)).toEqual({ ends: [1, 2, 3, 4], events: [40, 80, 120, 130] });
    expect(looks(0)).toEqual({ ends: [1], events: [0] });
    expect(looks(80)).toEqual({ ends: [1, 2], events: [40, 80] });
  });

  it('at periods are one for each, however many blocks it has', () => {
    const starts = Float64Array.of(0, 10, 2 ** 22 + 10);
    const plan = cutPeriods([3, 5], starts, 86_400_000);
    expect(plan.blocks).toBe(3);
    expect(looksOf(plan)).toEqual({
      ends: [1, 3],
      events: [10, 2 ** 22 + 10],
      labels: ['1970-01-04T00:00:00Z', '1970-01-06T00:00:00Z'],
    });
  });

  it('are 64 of a log, where nothing is asked for, and the fewer events between them the earlier n* is', () => {
    for (const events of [1, 63, 64, 65, 1000, 12_345, 10 ** 7]) {
      const every = defaultEvery(defaultAt(events));
      expect(looksOf(eventBlocks(events, every), BLOCKS_BETWEEN).events.length).toBeLessThanOrEqual(64);
    }
    const plan = eventBlocks(6400, defaultEvery(defaultAt(6400)));
    expect([plan.blocks, looksOf(plan, BLOCKS_BETWEEN).events.length]).toEqual([256, 64]);
    // Sums of a block stay exact.
    expect(defaultEvery(10 ** 9)).toBe(2 ** 21);
  });

  it.each([0, 1.5, 2 ** 21 + 1, Number.NaN])('are no runs of %d events', (each) => {
    expect(() => eventBlocks(10, each)).toThrow(/number of events of a block[\s\S]*got: +/);
  });

  it('are not more than there can be blocks', () => {
    expect(() => eventBlocks(2 ** 21, 1)).toThrow(/too many blocks[\s\S]*at most 1048576/);
  });
});

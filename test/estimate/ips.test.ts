import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArchiveReader, ArchiveWriter } from '#dist/archive.js';
import { ArmWeights } from '#dist/estimate/estimators/arm-weights.js';
import type { EventNumbers } from '#dist/estimate/estimators/estimator.js';
import { ips } from '#dist/estimate/estimators/ips.js';
import { estimateOf } from '#dist/estimate/estimators/replay-totals.js';
import { emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import { STREAM, threefry2x32, toUnit } from '#dist/random/threefry.js';
import { CLICKS, clicks, HALF_STARS } from './helpers.js';

/** One policy that matches where `match` says, its statistics added up over blocks of three events. */
function estimate(numbers: EventNumbers, match: readonly boolean[], batch = numbers.events) {
  const run = ips.open(numbers, numbers.events, null);
  const parts: EventNumbers[] = [];
  for (let from = 0; from < numbers.events; from += batch) {
    const to = Math.min(numbers.events, from + batch);
    const steps = numbers.payoff.steps.slice(from, to);
    const propensity = numbers.propensity?.slice(from, to) ?? null;
    parts.push({ ...numbers, events: to - from, payoff: { ...numbers.payoff, steps }, propensity });
  }
  for (const part of parts) run.survey?.(part);
  const blocks = Math.ceil(numbers.events / 3);
  const stats = emptyBlockStatistics(1, new Float64Array(blocks).fill(3), run.kinds);
  let t = 0;
  for (const part of parts) {
    const columns = run.columns(part);
    for (let i = 0; i < part.events; i++, t++) {
      if (!match[t]) continue;
      const b = Math.floor(t / 3);
      stats.matches[b]++;
      columns.forEach(({ words }, c) => {
        stats.columns[c][b] += words[i];
      });
    }
  }
  return { run, ...run.estimate(stats, 0, { method: 'normal', confidence: 0.95, effectiveArms: 2 }) };
}

const numbers = (steps: readonly number[], propensity: readonly number[], scale = CLICKS): EventNumbers => ({
  events: steps.length,
  payoff: { scale, steps: Uint32Array.from(steps), maxSteps: Math.max(...steps, 0) },
  propensity: Float64Array.from(propensity),
  arms: { ids: ['a', 'b'] },
  arm: new Uint32Array(steps.length),
  pools: { offsets: Uint32Array.of(0, 2), arms: Uint32Array.of(0, 1), pool: null },
});

describe('ips', () => {
  it('is Σ V r / p / L, and its error that of a mean over all events', () => {
    const event = fc.tuple(fc.nat(10), fc.double({ min: 1e-4, max: 1, noNaN: true }), fc.boolean());
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 2, maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (events, batch) => {
          const log = numbers(
            events.map(([k]) => k),
            events.map(([, p]) => p),
            HALF_STARS,
          );
          const match = events.map(([, , v]) => v);
          const terms = events.map(([k, p, v]) => (v ? k / 2 / p : 0));
          const mean = terms.reduce((a, b) => a + b, 0) / terms.length;
          const variance = terms.reduce((sum, u) => sum + (u - mean) ** 2, 0) / (terms.length - 1) / terms.length;
          const { run, value, standardError } = estimate(log, match, batch);
          if (!match.includes(true)) {
            expect([value, standardError]).toEqual([null, null]);
            return;
          }
          const { rounding } = run.description as { rounding: number };
          expect(rounding).toBeLessThan(1e-6);
          expect(Math.abs((value ?? 0) - mean)).toBeLessThanOrEqual((rounding + 1e-15 * terms.length) * mean);
          // u² is rounded by as much: Σ (u − v)² ≥ 0 differs by at most that share of Σ u² + L v².
          const raw = terms.reduce((sum, u) => sum + u * u, 0) / (terms.length - 1) / terms.length;
          expect(Math.abs((standardError ?? 0) ** 2 - variance)).toBeLessThanOrEqual(
            4 * (2 ** -22 + 1e-15 * terms.length) * raw,
          );
          expect(estimate(log, match)).toMatchObject({ value, standardError });
        },
      ),
    );
  });

  it('on a uniform log is replay times matches over those due', () => {
    const steps = [1, 0, 1, 1, 0, 0, 1, 0];
    const match = [true, false, true, false, true, true, false, false];
    const { value } = estimate(
      numbers(
        steps,
        steps.map(() => 1 / 4),
      ),
      match,
    );
    expect(value).toBe(((estimateOf(clicks(2, 4), CLICKS).value ?? 0) * 4 * 4) / 8);
  });

  it('has no error where every event matches at the same weighted payoff, and none is known of one event', () => {
    expect(estimate(numbers([1, 1, 1], [1, 1, 1]), [true, true, true])).toMatchObject({
      value: 1,
      standardError: 0,
      interval: [1, 1],
    });
    expect(estimate(numbers([1], [0.5]), [true])).toMatchObject({ value: 2, standardError: null, interval: [0, 1] });
  });

  it('says nothing without matches, and its interval stays within the payoff range', () => {
    const log = numbers([1, 0, 0, 0, 1], [0.05, 0.5, 0.5, 0.5, 0.05]);
    expect(estimate(log, [false, false, false, false, false])).toMatchObject({ value: null, interval: [0, 1] });
    expect(estimate(log, [true, true, false, false, true])).toMatchObject({ value: 8, interval: [0, 1] });
    expect(estimate(log, [false, true, true, false, false])).toMatchObject({
      value: 0,
      standardError: 0,
      interval: [0, 1],
    });
  });

  it('doubts propensities whose mean of 1/p is not the number of candidates', () => {
    const warnings = (p: number) => estimate(numbers([1, 0, 1], [p, p, p]), [true, true, true]).run.warnings();
    expect(warnings(0.5)).toEqual([]);
    expect(warnings(0.25)).toEqual([]);
    expect(warnings(1).join()).toBe('');
    expect(warnings(0.05).join()).toMatch(
      /^the mean of 1\/propensity is 20, and with 2 candidates on average 2 is expected: /,
    );
    expect(estimate(numbers([1, 0], [1, 0.9], CLICKS), [true, true]).run.warnings()).toEqual([]);
  });

  it('takes payoffs below 0', () => {
    const scale = { rounded: false, origin: -3, numerator: 1, denominator: 1, low: -3, high: 4 };
    const { value } = estimate(numbers([0, 7, 3], [0.5, 0.25, 0.5], scale), [true, true, true]);
    expect(value).toBe((-3 / 0.5 + 4 / 0.25 + 0) / 3);
  });
});

describe('propensities against how often arms were shown', () => {
  const ARMS = ['a', 'b', 'c'];

  function uniforms(seed: number): () => number {
    const out = new Uint32Array(2);
    let next = 0;
    return () => {
      threefry2x32(seed, STREAM.simulation, next++, 0, out);
      return toUnit(out[0], out[1]);
    };
  }

  /** @param shares of the arms by context, the logging policy. @param written what the log says of the chosen one. */
  function warnings(
    seed: number,
    shares: readonly number[][],
    written: (p: number, row: readonly number[]) => number,
    events = 4000,
  ) {
    const random = uniforms(seed);
    const arm = new Uint32Array(events);
    const propensity = new Float64Array(events);
    for (let t = 0; t < events; t++) {
      const row = shares[Math.floor(random() * shares.length)];
      let u = random();
      while (arm[t] < row.length - 1 && u >= row[arm[t]]) u -= row[arm[t]++];
      propensity[t] = written(row[arm[t]], row);
    }
    const log: EventNumbers = {
      ...numbers(Array(events).fill(0), [...propensity]),
      arms: { ids: ARMS },
      arm,
      pools: { offsets: Uint32Array.of(0, 3), arms: Uint32Array.of(0, 1, 2), pool: null },
    };
    const run = ips.open(log, events, null);
    run.survey?.(log);
    return run.warnings();
  }
  const SKEWED = [
    [0.9, 0.08, 0.02],
    [0.2, 0.3, 0.5],
  ];

  it('says nothing of 300 logs whose propensities are right', () => {
    const accused = Array.from({ length: 300 }, (_, seed) => warnings(seed, SKEWED, (p) => p));
    expect(accused.flat()).toEqual([]);
  });

  it.each<[string, (p: number, row: readonly number[]) => number]>([
    ['another arm', (p, row) => row[(row.indexOf(p) + 1) % 3]],
    ['what is left of 1', (p) => 1 - p],
    ['an arm of a uniform log', (p) => 1 / 3 + p / 1e3],
  ])('doubts the probability of %s', (_, written) => {
    expect(warnings(1, SKEWED, written).join()).toMatch(/probability of the logged arm/);
  });

  it('names the arm, its sum and what is due', () => {
    const [warning] = warnings(1, [[0.7, 0.2, 0.1]], (p) => 1 - p, 5000);
    expect(warning).toMatch(/; "a": 11,\d{3} from 3,\d{3} events, while 5,000 offer it\./);
  });

  it('doubts an arm that was not always possible, and not one that is seldom shown', () => {
    const certain = [
      [0.5, 0.5, 0],
      [0.4, 0.3, 0.3],
    ];
    expect(warnings(1, certain, (p) => p).join()).toMatch(/not for "c": [^;]* the arm was not always possible/);
    expect(warnings(1, [[0.6, 0.399, 0.001]], (p) => p)).toEqual([]);
  });

  it('is the same in batches, and after it was carried over', () => {
    const weights = new ArmWeights({ ids: ARMS });
    const whole = new ArmWeights({ ids: ARMS });
    const restored = new ArmWeights({ ids: ARMS });
    const part = (arm: number[], pool: number[]): EventNumbers => ({
      ...numbers(
        arm.map(() => 0),
        arm.map(() => 0.01),
      ),
      arm: Uint32Array.from(arm),
      pools: { offsets: Uint32Array.of(0, 2, 3), arms: Uint32Array.of(0, 1, 2), pool: Uint32Array.from(pool) },
    });
    const parts = [part(Array(40).fill(0), Array(40).fill(0)), part([1, 2, 2], [0, 1, 1])];
    for (const one of parts) weights.add(one);
    whole.add(part([...Array(40).fill(0), 1, 2, 2], [...Array(40).fill(0), 0, 1, 1]));
    const writer = new ArchiveWriter();
    weights.carry(writer);
    restored.carry(new ArchiveReader(writer.bytes()));
    const [found] = weights.odd();
    expect(found).toMatchObject({ arm: 'a', events: 40, weight: 4000, offered: 41 });
    expect(whole.odd()).toEqual(weights.odd());
    expect(restored.odd()).toEqual(weights.odd());
  });
});

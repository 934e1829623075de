import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventNumbers } from '#dist/estimate/estimators/estimator.js';
import { ips } from '#dist/estimate/estimators/ips.js';
import { estimateOf } from '#dist/estimate/estimators/replay-totals.js';
import { emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import { CLICKS, clicks, HALF_STARS } from './helpers.js';

/** One policy that matches where `match` says, its statistics added up over blocks of three events. */
function estimate(numbers: EventNumbers, match: readonly boolean[], stretch = numbers.events) {
  const run = ips.open(numbers, numbers.events, null);
  const parts: EventNumbers[] = [];
  for (let from = 0; from < numbers.events; from += stretch) {
    const to = Math.min(numbers.events, from + stretch);
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
  pools: { offsets: Uint32Array.of(0, 2), pool: null },
});

describe('ips', () => {
  it('is Σ V r / p / L, and its error that of a mean over all events', () => {
    const event = fc.tuple(fc.nat(10), fc.double({ min: 1e-4, max: 1, noNaN: true }), fc.boolean());
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 2, maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (events, stretch) => {
          const log = numbers(
            events.map(([k]) => k),
            events.map(([, p]) => p),
            HALF_STARS,
          );
          const match = events.map(([, , v]) => v);
          const terms = events.map(([k, p, v]) => (v ? k / 2 / p : 0));
          const mean = terms.reduce((a, b) => a + b, 0) / terms.length;
          const variance = terms.reduce((sum, u) => sum + (u - mean) ** 2, 0) / (terms.length - 1) / terms.length;
          const { run, value, standardError } = estimate(log, match, stretch);
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

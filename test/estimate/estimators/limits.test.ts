/** The limits in which one estimator is another, and what adding to payoffs does to each: to the last bit wherever sums are the same. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clopperPearson } from '#dist/estimate/interval/clopper-pearson.js';
import type { PayoffScale } from '#dist/estimate/sums/payoff-scale.js';
import { CLICKS, HALF_STARS } from '../helpers.js';
import { type Event, estimate } from '../world.js';

const arm = fc.nat({ max: 2 });
const propensity = fc.double({ min: 0.02, max: 1, noNaN: true });
const prediction = fc.double({ min: -2, max: 9, noNaN: true });
const event = (parts: { k?: fc.Arbitrary<number>; p?: fc.Arbitrary<number>; q?: fc.Arbitrary<number> } = {}) =>
  fc.record({
    k: parts.k ?? fc.nat({ max: 10 }),
    p: parts.p ?? propensity,
    arm,
    choice: arm,
    q: fc.array(parts.q ?? prediction, { minLength: 3, maxLength: 3 }),
  });
const logOf = (parts?: Parameters<typeof event>[0]): fc.Arbitrary<Event[]> =>
  fc.array(event(parts), { minLength: 2, maxLength: 30 });
const FEW = { numRuns: 40 };
const scale = HALF_STARS;

const weightsOf = (events: readonly Event[]): number[] => events.map(({ p }) => 1 / p);
const isMatched = (events: readonly Event[]): boolean => events.some(({ arm, choice }) => arm === choice);
const withQ = (events: readonly Event[], q: number): Event[] => events.map((one) => ({ ...one, q: [q, q, q] }));
/** Value, error and interval. */
const of = (events: readonly Event[], name: string, more: Partial<Parameters<typeof estimate>[1]> = {}) =>
  estimate(events, { names: [name], scale, ...more }).row.estimates[name as 'dr'];

describe('to the last bit', () => {
  it.each([
    ['switch τ at the largest weight', 'switch-dr', 'dr', (most: number) => ({ switch: most })],
    ['switch τ above it', 'switch-dr', 'dr', (most: number) => ({ switch: 2 * most })],
    ['switch τ without end', 'switch-dr', 'dr', () => ({ switch: Number.POSITIVE_INFINITY })],
    ['λ without end', 'dros', 'dr', () => ({ shrinkage: Number.POSITIVE_INFINITY })],
    // w²/λ is below 2⁻⁵³, and 1 swallows it.
    ['λ beyond the digits', 'dros', 'dr', () => ({ shrinkage: 2 ** 90 })],
    ['dr clipped at the largest weight', 'dr-clip', 'dr', (most: number) => ({ clip: most })],
    ['ips clipped above it', 'ips-clip', 'ips', (most: number) => ({ clip: most + 1 })],
    ['snips clipped at it', 'snips-clip', 'snips', (most: number) => ({ clip: most })],
    ['switch τ below every weight', 'switch-dr', 'dm', () => ({ switch: 0.999 })],
    ['λ of next to nothing', 'dros', 'dm', () => ({ shrinkage: Number.MIN_VALUE })],
  ] as const)('%s: %s is %s', (_, name, other, parameters) => {
    fc.assert(
      fc.property(logOf(), fc.boolean(), (events, dependent) => {
        const told = parameters(Math.max(...weightsOf(events)));
        const [one, needed] = [of(events, name, { ...told, dependent }), of(events, other, { dependent })];
        expect([one?.value, one?.standardError]).toEqual([needed?.value, needed?.standardError]);
        // dm knows of no weights, and its interval goes by all events.
        if (other !== 'dm') expect(one?.interval).toEqual(needed?.interval);
      }),
      FEW,
    );
  });

  it('a model of zeros: dr is ips', () => {
    fc.assert(
      fc.property(logOf(), fc.boolean(), (events, dependent) => {
        const zeros = withQ(events, 0);
        const [dr, ips] = [of(zeros, 'dr', { dependent }), of(zeros, 'ips', { dependent })];
        // Of no match dr knows what the model says, and ips nothing.
        if (!isMatched(events)) expect([dr?.value, ips?.value]).toEqual([0, null]);
        else expect([dr?.value, dr?.standardError]).toEqual([ips?.value, ips?.standardError]);
      }),
      FEW,
    );
  });

  it('a constant model: sndr is snips, value and error, and dm is the constant', () => {
    // Whole, half and 2⁻¹⁰ steps of half a star are units of predictions.
    const constant = fc.integer({ min: -2048, max: 4096 }).map((steps) => steps / 1024);
    fc.assert(
      fc.property(logOf(), constant, (events, c) => {
        const log = withQ(events, c);
        const [sndr, snips, dm] = ['sndr', 'snips', 'dm'].map((name) => of(log, name));
        expect([dm?.value, dm?.standardError]).toEqual([c, 0]);
        if (!isMatched(events)) expect([sndr?.value, snips?.value]).toEqual([c, null]);
        else expect([sndr?.value, sndr?.standardError]).toEqual([snips?.value, snips?.standardError]);
      }),
      FEW,
    );
  });

  it('equal payoffs: snips is the payoff, without an error', () => {
    fc.assert(
      fc.property(logOf(), fc.nat({ max: 10 }), fc.boolean(), (events, k, dependent) => {
        // One block tells of no error.
        fc.pre(isMatched(events) && (!dependent || events.length > 3));
        const log = events.map((one) => ({ ...one, k }));
        for (const name of ['snips', 'snips-clip'])
          expect(of(log, name, { clip: name === 'snips' ? undefined : 3, dependent })).toMatchObject({
            value: k / 2,
            standardError: 0,
          });
      }),
      FEW,
    );
  });

  it('equal propensities: snips is replay, value and error', () => {
    fc.assert(
      fc.property(logOf(), propensity, fc.boolean(), (events, p, dependent) => {
        const log = events.map((one) => ({ ...one, p }));
        const [snips, replay] = ['snips', 'replay'].map((name) => of(log, name, { dependent }));
        expect(snips?.value).toBe(replay?.value);
        const [a, b] = [snips?.standardError ?? Number.NaN, replay?.standardError ?? Number.NaN];
        // Replay's sum of squares is rounded once more, and so are its divisions.
        if (isMatched(events) && (!dependent || events.length > 3))
          expect(Math.abs(a - b)).toBeLessThanOrEqual(8 * Number.EPSILON * b);
      }),
      FEW,
    );
  });
});

describe('payoffs that are all more by c', () => {
  /** Half stars from c on. */
  const shifted = (steps: number): PayoffScale => ({ ...scale, origin: steps, low: steps / 2, high: 5 + steps / 2 });

  it('move snips by c, and ips by c times the mean weight', () => {
    fc.assert(
      fc.property(logOf(), fc.integer({ min: -40, max: 40 }), (events, steps) => {
        fc.pre(isMatched(events));
        const c = steps / 2;
        const asked = { names: ['snips', 'ips'] };
        const [before, after] = [
          estimate(events, { ...asked, scale }).row,
          estimate(events, { ...asked, scale: shifted(steps) }).row,
        ];
        const [a, b] = [before.estimates, after.estimates];
        // Sums are exact, and a value is rounded once: numbers up to 25, or 25 · 50.
        const ulps = (value: number): number => 4 * Number.EPSILON * value;
        expect(Math.abs((b.snips?.value ?? 0) - (a.snips?.value ?? 0) - c)).toBeLessThanOrEqual(ulps(25));
        expect(b.snips?.standardError).toBe(a.snips?.standardError);
        const mean = before.weights?.mean ?? Number.NaN;
        expect(Math.abs((b.ips?.value ?? 0) - (a.ips?.value ?? 0) - c * mean)).toBeLessThanOrEqual(ulps(1250));
      }),
      FEW,
    );
  });

  it('move sndr by c, and dr by c if the model is moved too', () => {
    fc.assert(
      fc.property(logOf(), fc.integer({ min: -40, max: 40 }), (events, steps) => {
        const c = steps / 2;
        const moved = events.map((one) => ({ ...one, q: one.q?.map((q) => q + c) }));
        const asked = { names: ['sndr', 'dr', 'dm'] };
        const [before, after] = [
          estimate(events, { ...asked, scale }),
          estimate(moved, { ...asked, scale: shifted(steps) }),
        ];
        const matched = events.filter((one) => one.arm === one.choice);
        const W = matched.reduce((sum, { p }) => sum + 1 / p, 0) / events.length;
        // A prediction is rounded in both: once in Q, once in e, which counts W times in dr and once in sndr; and moved itself by
        // an ulp of numbers up to 29.
        const rounding =
          [before, after].reduce((sum, { run }) => sum + (run.descriptions[0].predictionRounding ?? 0), 0) + 2 ** -48;
        const off = (name: 'sndr' | 'dr' | 'dm', times: number): void => {
          const [a, b] = [
            before.row.estimates[name]?.value ?? Number.NaN,
            after.row.estimates[name]?.value ?? Number.NaN,
          ];
          expect(Math.abs(b - a - c)).toBeLessThanOrEqual(times * rounding + 2 ** -44);
        };
        off('dm', 1);
        off('sndr', 2);
        off('dr', 1 + W);
      }),
      FEW,
    );
  });

  it('move sndr without the model as with it', () => {
    fc.assert(
      fc.property(
        logOf({ q: fc.integer({ min: -16, max: 64 }).map((q) => q / 8) }),
        fc.integer({ min: -40, max: 40 }),
        (events, steps) => {
          fc.pre(isMatched(events));
          // Predictions of whole units: nothing is rounded but the value, of numbers up to 25 + 2 · 33.
          const [a, b] = [of(events, 'sndr'), of(events, 'sndr', { scale: shifted(steps) })];
          expect(Math.abs((b?.value ?? 0) - (a?.value ?? 0) - steps / 2)).toBeLessThanOrEqual(2 ** -45);
        },
      ),
      FEW,
    );
  });
});

describe('effective Clopper-Pearson', () => {
  it('of equal weights and clicks is Clopper-Pearson of so many matches, but for L/(L − 1)', () => {
    const clicks = logOf({ k: fc.nat({ max: 1 }) });
    fc.assert(
      fc.property(clicks, propensity, (events, p) => {
        const log = events.map((one) => ({ ...one, p }));
        const matches = log.filter((one) => one.arm === one.choice);
        fc.pre(matches.length > 0);
        const [T, G] = [matches.length, matches.filter(({ k }) => k === 1).length];
        const [lower, upper] = estimate(log, { names: ['snips'], scale: CLICKS }).row.interval;
        const sample = { mean: G / T, variance: 0, low: 0, high: 1, events: log.length, effectiveArms: 3 };
        const L = log.length;
        // V = s · max(s, √(s_w²/ESS)) with s² = L/(L − 1) · v(1 − v)/T, and the second without the factor: n = T (L − 1)/L. At either
        // end of the range the effective number is T itself.
        const n = G === 0 || G === T ? T : (T * (L - 1)) / L;
        const needed = clopperPearson({ ...sample, matches: n, steps: (G / T) * n }, 0.05);
        expect(Math.abs(lower - needed[0])).toBeLessThanOrEqual(1e-11);
        expect(Math.abs(upper - needed[1])).toBeLessThanOrEqual(1e-11);
      }),
      FEW,
    );
  });
});

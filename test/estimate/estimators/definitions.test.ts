/** Every estimator against its definition, term by term in f64, and the limits in which one is another. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PayoffScale, stepSize } from '#dist/estimate/sums/payoff-scale.js';
import { CLICKS, HALF_STARS } from '../helpers.js';
import { type Event, estimate } from '../world.js';

const NEGATIVE: PayoffScale = { rounded: false, origin: -7, numerator: 1, denominator: 4, low: -2, high: 8 };
const ROUNDED: PayoffScale = {
  rounded: true,
  origin: 0,
  numerator: 1,
  denominator: 1,
  low: -1,
  high: 9,
  base: -0.7,
  span: 8.1,
};
const [clip, most, shrinkage] = [4, 6, 30];
const NAMES = ['snips', 'ips', 'ips-clip', 'snips-clip', 'dm', 'dr', 'dr-clip', 'switch-dr', 'dros', 'sndr'];
const asked = { names: NAMES, clip, switch: most, shrinkage };

const arm = fc.nat({ max: 2 });
const event = (steps: number): fc.Arbitrary<Event> =>
  fc.record({
    k: fc.nat({ max: steps }),
    p: fc.double({ min: 0.02, max: 1, noNaN: true }),
    arm,
    choice: arm,
    q: fc.array(fc.double({ min: -2, max: 9, noNaN: true }), { minLength: 3, maxLength: 3 }),
  });
const log = (steps: number) => fc.array(event(steps), { minLength: 2, maxLength: 30 });

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const payoffOf = (scale: PayoffScale, k: number): number =>
  scale.rounded
    ? (scale.base ?? 0) + (k * (scale.span ?? 0)) / 2 ** 32
    : ((scale.origin + k) * scale.numerator) / scale.denominator;

/** What weights count as, by estimators that are told a parameter. */
const RULES: Record<string, (w: number) => number> = {
  'ips-clip': (w) => Math.min(w, clip),
  'snips-clip': (w) => Math.min(w, clip),
  'dr-clip': (w) => Math.min(w, clip),
  'switch-dr': (w) => (w <= most ? w : 0),
  dros: (w) => (shrinkage * w) / (w * w + shrinkage),
};

interface Rounding {
  /** Share of a weight. */
  readonly weights: number;
  /** Of a prediction, and of a payoff, in payoffs. */
  readonly predictions: number;
  readonly payoffs: number;
}

/**
 * Value and ψ by the definitions of the estimators' files, and how far rounding may move the value and Σ |ψ|: of w y by the share of
 * weights times w |y|, and by w times what moves y; of a ratio twice, above and below.
 */
function defined(name: string, events: readonly Event[], scale: PayoffScale, rounding: Rounding) {
  const L = events.length;
  const r = events.map(({ k }) => payoffOf(scale, k));
  const full = events.map(({ p, arm, choice }) => (arm === choice ? 1 / p : 0));
  const q = events.map(({ q = [], arm }) => q[arm]);
  const Q = events.map(({ q = [], choice }) => q[choice]);
  const e = r.map((payoff, t) => payoff - q[t]);
  const w = full.map(RULES[name] ?? ((one) => one));
  const W = sum(w);
  const y = /ips/.test(name) ? r : e;
  const moved = /ips/.test(name) ? rounding.payoffs : rounding.predictions + rounding.payoffs;
  const mean = (terms: readonly number[], shift: number) => {
    const value = sum(terms) / L;
    return { value, psi: terms.map((one) => (one - value) / L), valueBound: shift, psiBound: 2 * shift };
  };
  const sumBound = (rounding.weights * sum(w.map((one, t) => one * Math.abs(y[t]))) + W * moved) / L;
  if (/^ips/.test(name))
    return mean(
      r.map((payoff, t) => w[t] * payoff),
      sumBound,
    );
  if (name === 'dm') return mean(Q, rounding.predictions);
  if (!/^sn/.test(name))
    return mean(
      Q.map((one, t) => one + w[t] * e[t]),
      sumBound + rounding.predictions,
    );
  const ratio = W === 0 ? 0 : sum(y.map((one, t) => w[t] * one)) / W;
  const spread = W === 0 ? 0 : sum(y.map((one, t) => w[t] * Math.abs(one - ratio))) / W;
  const own = y.map((one, t) => (W === 0 ? 0 : (w[t] * (one - ratio)) / W));
  const ratioBound = 2 * rounding.weights * spread + moved;
  if (name !== 'sndr')
    return { value: ratio, psi: own, valueBound: ratioBound, psiBound: 2 * ratioBound + 2 * spread * rounding.weights };
  const model = mean(Q, rounding.predictions);
  return {
    value: model.value + ratio,
    psi: own.map((one, t) => one + model.psi[t]),
    valueBound: ratioBound + model.valueBound,
    psiBound: 2 * ratioBound + 2 * spread * rounding.weights + model.psiBound,
  };
}

/** What f64 does to a definition's sums of numbers up to 50 · 11. */
const F64 = 1e-10;

describe.each([
  ['clicks', CLICKS, 1],
  ['half stars', HALF_STARS, 10],
  ['payoffs below 0', NEGATIVE, 39],
  ['rounded payoffs', ROUNDED, 2 ** 32 - 1],
])('estimators of %s', (_, scale, steps) => {
  it('are what they are defined to be, value and error, by events and by blocks', () => {
    fc.assert(
      fc.property(log(steps), fc.boolean(), (events, dependent) => {
        const { run, row } = estimate(events, { ...asked, scale, dependent, interval: 'normal' });
        const matched = events.some(({ arm, choice }) => arm === choice);
        for (const { name, rounding = 0, predictionRounding = 0 } of run.descriptions) {
          const got = row.estimates[name];
          if (!matched && /ips/.test(name)) {
            expect(got).toMatchObject({ value: null, standardError: null });
            continue;
          }
          const payoffs = scale.rounded ? stepSize(scale) * 2 ** -20 : 0;
          const { value, psi, valueBound, psiBound } = defined(name, events, scale, {
            weights: rounding,
            predictions: predictionRounding,
            payoffs,
          });
          expect(Math.abs((got?.value ?? Number.NaN) - value)).toBeLessThanOrEqual(valueBound + F64);
          const parts = dependent ? blocksOf(psi, 3) : psi;
          const n = parts.length;
          if (n < 2) continue;
          // A root of squares is a norm: it moves by no more than what is added to ψ.
          const error = Math.sqrt((n / (n - 1)) * sum(parts.map((part) => part * part)));
          expect(Math.abs((got?.standardError ?? Number.NaN) - error)).toBeLessThanOrEqual(Math.SQRT2 * psiBound + F64);
        }
      }),
    );
  });

  it('say which share of the weight their parameter removes', () => {
    fc.assert(
      fc.property(log(steps), (events) => {
        const { row } = estimate(events, { ...asked, scale });
        const full = events.flatMap(({ p, arm, choice }) => (arm === choice ? [1 / p] : []));
        for (const name of NAMES) {
          const due = name in RULES && full.length > 0 ? 1 - sum(full.map(RULES[name])) / sum(full) : 0;
          const found = row.estimates[name as 'dr']?.clippedShare;
          // Each sum is rounded by 2⁻²⁰ of itself at most, and a share below 2⁻¹⁹ is none.
          if (name in RULES) expect(Math.abs((found ?? 1) - due)).toBeLessThanOrEqual(2 ** -18);
          else expect(found).toBeUndefined();
        }
      }),
      { numRuns: 50 },
    );
  });

  it('do not depend on how the log is cut', () => {
    const size = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(log(steps), size, size, (events, block, batch) => {
        const whole = estimate(events, { ...asked, scale });
        expect(estimate(events, { ...asked, scale, batch })).toEqual({
          ...whole,
          ...{ run: expect.anything(), standing: expect.anything() },
        });
        const other = estimate(events, { ...asked, scale, block, batch }).row;
        expect([other.value, other.standardError, other.weights]).toEqual([
          whole.row.value,
          whole.row.standardError,
          whole.row.weights,
        ]);
      }),
      { numRuns: 30 },
    );
  });
});

function blocksOf(psi: readonly number[], size: number): number[] {
  return Array.from({ length: Math.ceil(psi.length / size) }, (_, b) => sum(psi.slice(b * size, (b + 1) * size)));
}

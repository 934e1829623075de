import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { defaultInterval, INTERVAL_NAMES, INTERVALS, payoffInterval } from '#dist/estimate/interval/index.js';
import type { Totals } from '#dist/estimate/sums/exact-sums.js';
import { meanPayoff, type PayoffScale } from '#dist/estimate/sums/payoff-scale.js';
import { CLICKS, clicks, HALF_STARS, totalsOf } from './helpers.js';

const BINARY = { binary: true, effectiveArms: 20 };
const GENERAL = { binary: false, effectiveArms: 20 };

function close(got: readonly number[], expected: readonly number[], digits = 12): void {
  expect(got[0]).toBeCloseTo(expected[0], digits);
  expect(got[1]).toBeCloseTo(expected[1], digits);
}

/** Independent numbers: roots of the score equation, and of exact rational binomial tails, by bisection in Python (offline). */
const BINOMIAL = [
  // G, T, δ, Wilson, Clopper-Pearson. The first four are also rows of Newcombe (Statistics in Medicine 1998), Table I.
  [15, 148, 0.05, [0.0623863995307363, 0.16048724172330803], [0.05784401008344857, 0.161650490349479]],
  [81, 263, 0.05, [0.2552885198782743, 0.3662095769828001], [0.25273674558527115, 0.3676219226013514]],
  [0, 20, 0.05, [0, 0.1611251580528193], [0, 0.16843347098308534]],
  [1, 29, 0.05, [0.006113214292762662, 0.17175521879320282], [0.0008726468835799223, 0.17764429548872296]],
  [3, 17, 0.01, [0.04582970654468148, 0.4887567913067745], [0.020924344300441003, 0.510403750494893]],
  [17, 17, 0.1, [0.8627014037751333, 1], [0.8384338887392598, 1]],
] as const;

describe('published and independent numbers', () => {
  it.each(BINOMIAL)('%i of %i at δ = %d', (G, T, delta, ofWilson, ofClopperPearson) => {
    close(payoffInterval('wilson', clicks(G, T), CLICKS, 1 - delta, BINARY), ofWilson);
    close(payoffInterval('clopper-pearson', clicks(G, T), CLICKS, 1 - delta, BINARY), ofClopperPearson);
  });

  it('Clopper-Pearson without zeros or without ones has a closed form', () => {
    for (const T of [1, 2, 10, 1000, 1e7]) {
      const edge = (0.05 / 2) ** (1 / T);
      close(payoffInterval('clopper-pearson', clicks(0, T), CLICKS, 0.95, BINARY), [0, 1 - edge]);
      close(payoffInterval('clopper-pearson', clicks(T, T), CLICKS, 0.95, BINARY), [edge, 1]);
    }
  });

  it('Wilson keeps the digits of a tiny lower bound', () => {
    // One click in 10⁸ matches: the textbook form loses half the digits to cancellation. 50-digit arithmetic gives:
    const [lower, upper] = payoffInterval('wilson', clicks(1, 1e8), CLICKS, 0.95, BINARY);
    expect(lower / 1.76524555153255e-9).toBeCloseTo(1, 12);
    expect(upper / 5.66493404114364e-8).toBeCloseTo(1, 12);
  });

  it('half-star payoffs: normal and empirical Bernstein', () => {
    const steps = [
      ...Array(150).fill(1),
      ...Array(200).fill(2),
      ...Array(250).fill(5),
      ...Array(100).fill(10),
      ...Array(300).fill(0),
    ];
    const totals = totalsOf(steps, 20_000);
    close(payoffInterval('normal', totals, HALF_STARS, 0.95, GENERAL), [1.305142150287515, 1.494857849712485]);
    close(
      payoffInterval('empirical-bernstein', totals, HALF_STARS, 0.95, GENERAL),
      [1.2055477821129434, 1.5944522178870564],
    );
  });

  it('theorem 2: the set of values that satisfy |ĝ − g| ≤ (γ₁+γ₂) g/(1−γ₁)', () => {
    close(
      payoffInterval('theorem-2', clicks(250, 5000, 100_000), CLICKS, 0.95, BINARY),
      [0.03750589397612539, 0.06772571765827305],
    );
    const ten = { binary: true, effectiveArms: 10 };
    close(
      payoffInterval('theorem-2', clicks(600, 2000, 20_000), CLICKS, 0.95, ten),
      [0.23626948206659462, 0.3894133038084653],
    );
  });
});

describe('theorem 2 outside its premises', () => {
  it('is the whole range where γ₁ ≥ 1', () => {
    // 3 ln(4/0.05) = 13.1 matches are needed before anything can be said.
    expect(payoffInterval('theorem-2', clicks(5, 13, 260), CLICKS, 0.95, BINARY)).toEqual([0, 1]);
    expect(payoffInterval('theorem-2', clicks(5, 14, 280), CLICKS, 0.95, BINARY)[0]).toBe(0);
  });

  it('has no lower end below γ₁², where γ₂ > 1', () => {
    const [lower, upper] = payoffInterval('theorem-2', clicks(1, 1000, 20_000), CLICKS, 0.95, BINARY);
    expect(lower).toBe(0);
    expect(upper).toBeLessThan(0.05);
  });

  it('takes a policy that often names no candidate at its own rate', () => {
    const full = payoffInterval('theorem-2', clicks(250, 5000, 100_000), CLICKS, 0.95, BINARY);
    const rare = payoffInterval('theorem-2', clicks(50, 1000, 100_000), CLICKS, 0.95, BINARY);
    close(rare, payoffInterval('theorem-2', clicks(50, 1000, 20_000), CLICKS, 0.95, BINARY));
    expect(rare[1] - rare[0]).toBeGreaterThan(full[1] - full[0]);
    // More matches than L/K are chance, and do not narrow it.
    const lucky = payoffInterval('theorem-2', clicks(300, 6000, 100_000), CLICKS, 0.95, BINARY);
    close(lucky, full);
  });
});

/** A sample of one policy: totals, scale and context. */
interface Case {
  totals: Totals;
  scale: PayoffScale;
  binary: boolean;
}

const binaryCase: fc.Arbitrary<Case> = fc
  .tuple(fc.integer({ min: 0, max: 3000 }), fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 40 }))
  .map(([T, share, perMatch]) => ({
    totals: clicks(Math.round(T * share), T, T * perMatch),
    scale: CLICKS,
    binary: true,
  }));
const generalCase: fc.Arbitrary<Case> = fc
  .tuple(fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 300 }), fc.integer({ min: 1, max: 40 }))
  .map(([steps, perMatch]) => ({ totals: totalsOf(steps, steps.length * perMatch), scale: HALF_STARS, binary: false }));
const confidence = fc.double({ min: 0.01, max: 0.9999, noNaN: true });

/** The same data several times over. */
function repeated({ events, matches, payoff, square, centred }: Totals, n: number): Totals {
  return { events: n * events, matches: n * matches, payoff: n * payoff, square: n * square, centred: n * centred };
}

describe.each(INTERVALS)('$name', ({ name, payoffs }) => {
  const cases = payoffs === 'any' ? fc.oneof(binaryCase, generalCase) : binaryCase;
  const of = ({ totals, scale, binary }: Case, level: number) =>
    payoffInterval(name, totals, scale, level, { binary, effectiveArms: 12.5 });

  it('holds the estimate, inside the payoff range', () => {
    fc.assert(
      fc.property(cases, confidence, (sample, level) => {
        const [lower, upper] = of(sample, level);
        const value = meanPayoff(sample.scale, sample.totals.matches, sample.totals.payoff) ?? sample.scale.low;
        expect(lower).toBeGreaterThanOrEqual(sample.scale.low);
        expect(upper).toBeLessThanOrEqual(sample.scale.high);
        expect(lower).toBeLessThanOrEqual(value);
        expect(upper).toBeGreaterThanOrEqual(value);
      }),
    );
  });

  it('widens with confidence', () => {
    fc.assert(
      fc.property(cases, confidence, confidence, (sample, a, b) => {
        const [low, high] = of(sample, Math.min(a, b));
        const [lower, higher] = of(sample, Math.max(a, b));
        expect(lower).toBeLessThanOrEqual(low + 1e-12);
        expect(higher).toBeGreaterThanOrEqual(high - 1e-12);
      }),
    );
  });

  it('is not wider with the same data several times over', () => {
    fc.assert(
      fc.property(cases, confidence, fc.integer({ min: 2, max: 9 }), (sample, level, n) => {
        fc.pre(sample.totals.matches > 0);
        const [low, high] = of(sample, level);
        const [lower, higher] = of({ ...sample, totals: repeated(sample.totals, n) }, level);
        expect(higher - lower).toBeLessThanOrEqual(high - low + 1e-12);
      }),
    );
  });

  it('is the whole range without matches', () => {
    expect(payoffInterval(name, clicks(0, 0, 100), CLICKS, 0.95, BINARY)).toEqual([0, 1]);
    expect(payoffInterval(name, clicks(0, 0, 0), CLICKS, 0.95, BINARY)).toEqual([0, 1]);
  });

  it('holds c for a constant payoff c, and closes in on it', () => {
    const scale = payoffs === 'any' ? HALF_STARS : CLICKS;
    for (const k of payoffs === 'any' ? [0, 3, 7, 10] : [0, 1]) {
      const c = k / scale.denominator;
      const sample = (T: number) => ({ totals: totalsOf(Array(T).fill(k), 20 * T), scale, binary: payoffs !== 'any' });
      const [low, high] = of(sample(100), 0.95);
      const [lower, higher] = of(sample(100_000), 0.95);
      for (const bound of [c - low, high - c]) expect(bound).toBeGreaterThanOrEqual(0);
      expect(higher - lower).toBeLessThanOrEqual((high - low) / 3);
    }
  });

  it('works at one match', () => {
    const [lower, upper] = payoffInterval(name, clicks(1, 1), CLICKS, 0.95, BINARY);
    expect(lower).toBeGreaterThanOrEqual(0);
    expect(lower).toBeLessThan(0.3);
    expect(upper).toBe(1);
  });

  it.each([0, 1, -0.5, 95, Number.NaN])('refuses the confidence %s', (level) => {
    expect(() => payoffInterval(name, clicks(1, 2), CLICKS, level, BINARY)).toThrow(/confidence is not usable/);
  });
});

describe('the table', () => {
  it('scales with the payoffs', () => {
    // Clicks worth 5 in a range of −5..5: the same as clicks in 0..1, moved and stretched.
    const cents: PayoffScale = { rounded: false, origin: -5, numerator: 1, denominator: 1, low: -5, high: 5 };
    for (const { name, payoffs } of INTERVALS) {
      if (payoffs !== 'any') continue;
      const unit = payoffInterval(name, totalsOf([0, 1, 1, 0, ...Array(500).fill(1)], 10_000), CLICKS, 0.9, GENERAL);
      const wide = payoffInterval(name, totalsOf([0, 10, 10, 0, ...Array(500).fill(10)], 10_000), cents, 0.9, GENERAL);
      close(
        wide,
        unit.map((bound) => 10 * bound - 5),
        10,
      );
    }
  });

  it('says which intervals apply where one does not', () => {
    for (const { name, payoffs } of INTERVALS) {
      if (payoffs === 'any') continue;
      const call = () => payoffInterval(name, totalsOf([3, 4], 10), HALF_STARS, 0.95, GENERAL);
      expect(call).toThrow(InputError);
      expect(call).toThrow(/for 0\/1 payoffs, and this log has others[\s\S]*empirical-bernstein, normal, theorem-2/);
    }
    expect(() => payoffInterval('wald' as 'wilson', clicks(1, 2), CLICKS, 0.95, BINARY)).toThrow(
      /no such interval[\s\S]*wald[\s\S]*wilson, clopper-pearson/,
    );
  });

  it('has a default for every payoff', () => {
    expect(defaultInterval(true)).toBe('wilson');
    expect(defaultInterval(false)).toBe('empirical-bernstein');
    expect(new Set(INTERVAL_NAMES).size).toBe(INTERVALS.length);
  });

  it('hints at a confidence given in percent', () => {
    expect(() => payoffInterval('wilson', clicks(1, 2), CLICKS, 95, BINARY)).toThrow(/0\.95 for 95 %/);
  });

  it('of a range without width is that value', () => {
    expect(payoffInterval('normal', totalsOf([0, 0], 9), { ...CLICKS, low: 0, high: 0 }, 0.95, GENERAL)).toEqual([
      0, 0,
    ]);
  });
});

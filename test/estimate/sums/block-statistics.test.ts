import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addMatch,
  replayColumns,
  replayEstimate,
  replayKinds,
  totals,
} from '#dist/estimate/estimators/replay-totals.js';
import { addBlockStatistics, emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import { ExactSums, LIMB } from '#dist/estimate/sums/exact-sums.js';
import { CLICKS, GENERAL_KINDS, HALF_STARS, type Seen, statisticsOf, sumOf, totalsOf } from '../helpers.js';

const U32 = 2 ** 32 - 1;
const step = fc.oneof(
  fc.integer({ min: 0, max: U32 }),
  fc.constantFrom(0, 1, 2, 65535, 65536, 2 ** 26, 2 ** 31, U32 - 1, U32),
);
const seen: fc.Arbitrary<Seen> = fc.oneof(fc.constant(null), step);

/** Cuts `events` at the given positions (in any order, modulo the length). */
function split<T>(events: readonly T[], cuts: readonly number[]): T[][] {
  const at = [0, ...cuts.map((cut) => cut % (events.length + 1)).sort((a, b) => a - b), events.length];
  return at.slice(1).map((end, i) => events.slice(at[i], end));
}

/** The correctly rounded T·Q − G² over T, by BigInt. */
function exact(steps: readonly number[]) {
  const T = BigInt(steps.length);
  const G = steps.reduce((sum, k) => sum + BigInt(k), 0n);
  const Q = steps.reduce((sum, k) => sum + BigInt(k) ** 2n, 0n);
  return { payoff: Number(G), square: Number(Q), centred: T === 0n ? 0 : Number(T * Q - G * G) / steps.length };
}

describe('totals', () => {
  it('are those of exact integers, to the last bit, for any split', () => {
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 60 }), fc.array(fc.nat(), { maxLength: 12 }), (events, cuts) => {
        const whole = totals(statisticsOf([events]), 0);
        const steps = events.filter((k) => k !== null);
        expect(whole).toEqual({ events: events.length, matches: steps.length, ...exact(steps) });
        expect(totals(statisticsOf(split(events, cuts)), 0)).toEqual(whole);
        // One event at a time, as Algorithm 1 adds them.
        expect(totalsOf(steps, events.length)).toEqual(whole);
      }),
    );
  });

  it('of 0/1 payoffs need no squares and agree with general ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<Seen>(null, 0, 1), { maxLength: 60 }),
        fc.array(fc.nat(), { maxLength: 9 }),
        (events, cuts) => {
          const blocks = split(events, cuts);
          expect(totals(statisticsOf(blocks, true), 0)).toEqual(totals(statisticsOf(blocks), 0));
        },
      ),
    );
  });

  it('carry limbs near 2³² · 2³²', () => {
    const stats = emptyBlockStatistics(1, Float64Array.of(2 ** 21, 2 ** 21, 2 ** 21), GENERAL_KINDS);
    const n = 2 ** 21;
    const square = BigInt(n) * BigInt(U32) ** 2n;
    stats.matches.fill(n);
    const [payoff, low, high] = stats.columns;
    payoff.fill(n * U32);
    low.fill(n * Number(BigInt(U32) ** 2n % BigInt(LIMB)));
    high.fill(n * Number(BigInt(U32) ** 2n / BigInt(LIMB)));
    // Every payoff is the same, so there is no variance at all; raw sums of squares in f64 would leave some.
    expect(totals(stats, 0)).toEqual({
      events: 3 * n,
      matches: 3 * n,
      payoff: 3 * n * U32,
      square: Number(3n * square),
      centred: 0,
    });
  });

  it('of a limb that is full to the brim', () => {
    const sums = new ExactSums();
    const full = 2 ** 53 - 1;
    for (let i = 0; i < 3; i++) sums.addBlock(1, 1, full, full, full);
    const square = 3n * (BigInt(full) * BigInt(LIMB) + BigInt(full));
    expect(sums.totals().square).toBe(Number(square));
    expect(sums.totals().payoff).toBe(Number(3n * BigInt(full)));
  });

  it('cover the blocks asked for', () => {
    const stats = statisticsOf([[1, null], [2, 3], [null]]);
    expect(totals(stats, 0, 1, 2)).toEqual({ events: 2, matches: 2, payoff: 5, square: 13, centred: 0.5 });
    expect(totals(stats, 0, 2)).toEqual({ events: 1, matches: 0, payoff: 0, square: 0, centred: 0 });
  });
});

describe('addBlockStatistics', () => {
  it('merges parts in any grouping to the same totals', () => {
    const block = fc.array(seen, { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(block, block), { minLength: 1, maxLength: 8 }), (shards) => {
        const parts = shards.map((blocks) => statisticsOf(blocks));
        const merged = sumOf(parts);
        const reversed = sumOf([...parts].reverse());
        const inOne = statisticsOf([shards.flatMap(([first]) => first), shards.flatMap(([, second]) => second)]);
        for (const b of [0, 1]) {
          const { events: _, ...expected } = totals(inOne, 0, b, b + 1);
          expect(totals(merged, 0, b, b + 1)).toMatchObject(expected);
        }
        expect(reversed.columns).toEqual(merged.columns);
      }),
    );
  });

  it('adds at an offset, and takes the larger of maxima', () => {
    const into = emptyBlockStatistics(2, Float64Array.of(3, 3), [{ name: 'weight', reduce: 'max' }]);
    const part = { ...emptyBlockStatistics(1, Float64Array.of(3), into.kinds), matches: Float64Array.of(2) };
    part.columns[0][0] = 7;
    addBlockStatistics(into, part, 1, 1);
    addBlockStatistics(into, { ...part, columns: [Float64Array.of(5)] }, 1, 1);
    expect(Array.from(into.matches)).toEqual([0, 0, 0, 4]);
    expect(Array.from(into.columns[0])).toEqual([0, 0, 0, 7]);
  });

  it('never drops columns or cells', () => {
    const general = statisticsOf([[2]]);
    expect(() => addBlockStatistics(statisticsOf([[1]], true), general)).toThrow(
      'statistics of payoff, payoff², payoff², high word cannot be merged into statistics of payoff',
    );
    expect(() => addBlockStatistics(statisticsOf([[1]]), general, 0, 1)).toThrow(/do not fit into 1 × 1/);
  });
});

describe('the columns of replay', () => {
  it('hold k², in as few words as it takes', () => {
    expect([1, 2, 65535, 65536, U32].map((maxSteps) => replayKinds({ maxSteps }).length)).toEqual([1, 2, 2, 3, 3]);
    fc.assert(
      fc.property(step, (k) => {
        const [payoff, low, high] = replayColumns({ steps: Uint32Array.of(k), maxSteps: U32 }).map(
          ({ words }) => words[0],
        );
        expect(payoff).toBe(k);
        expect((BigInt(high) << 32n) + BigInt(low)).toBe(BigInt(k) ** 2n);
      }),
    );
  });

  it('are what a match adds', () => {
    fc.assert(
      fc.property(fc.constantFrom(1, 65535, U32), fc.array(step), (maxSteps, some) => {
        const steps = Uint32Array.from(some, (k) => Math.min(k, maxSteps));
        const stats = emptyBlockStatistics(1, Float64Array.of(steps.length), replayKinds({ maxSteps }));
        for (const k of steps) addMatch(stats, 0, k);
        const columns = replayColumns({ steps, maxSteps });
        expect(stats.columns.map(([sum]) => sum)).toEqual(
          columns.map(({ words }) => words.reduce((sum, w) => sum + w, 0)),
        );
      }),
    );
  });
});

describe('replayEstimate', () => {
  it('is the mean payoff of the matches', () => {
    expect(replayEstimate(statisticsOf([[1, 0, null], [1]], true), 0, CLICKS)).toEqual({
      matches: 3,
      payoff: 2,
      value: 2 / 3,
    });
    expect(replayEstimate(statisticsOf([[10, 3], [null]]), 0, HALF_STARS)).toEqual({
      matches: 2,
      payoff: 6.5,
      value: 3.25,
    });
  });

  it('is null without matches', () => {
    expect(replayEstimate(statisticsOf([[null]]), 0, CLICKS)).toEqual({ matches: 0, payoff: 0, value: null });
    expect(replayEstimate(statisticsOf([[]]), 0, CLICKS).value).toBeNull();
  });

  it('is exactly c for a constant payoff c', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: U32 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: -1000, max: 1000 }),
        (k, T, origin) => {
          const scale = { rounded: false, origin, numerator: 1, denominator: 100, low: -1e9, high: 1e9 };
          expect(replayEstimate(statisticsOf([Array(T).fill(k)]), 0, scale).value).toBe((origin + k) / 100);
        },
      ),
    );
  });
});

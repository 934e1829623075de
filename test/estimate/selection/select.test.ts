/** Bands, the best set, the winner and differences from made-up influences: the hard cases, and definitions told otherwise. */

import { describe, expect, it } from 'vitest';
import { drawMaxima, drawSums } from '#dist/engine/cpu/draws.js';
import { clopperPearson } from '#dist/estimate/interval/clopper-pearson.js';
import { zScore } from '#dist/estimate/interval/z-score.js';
import { criticalValue, oneSidedLevel, twoSidedLevel } from '#dist/estimate/selection/critical-value.js';
import { differenceLower, limitLevel } from '#dist/estimate/selection/difference.js';
import { selectSegments } from '#dist/estimate/selection/segments.js';
import { type SelectOptions, select } from '#dist/estimate/selection/select.js';
import { type Standing, scaleOf } from '#dist/estimate/selection/standing.js';
import { truncatedCdf } from '#dist/estimate/selection/truncated-normal.js';
import { truncation, winnerOf } from '#dist/estimate/selection/winner.js';
import { uniforms } from '../world.js';

const DRAWER = { maxima: drawMaxima, sums: drawSums };
const B = 64;
const OPTIONS: SelectOptions = {
  level: 0.95,
  draws: 2000,
  seed: 0,
  blocks: B,
  range: [0, 1],
  baseline: null,
  margin: 0,
};

/** T matches of which G paid, spread over the blocks by chance. */
function standing(matches: number, paid: number, seed: number): Standing {
  if (matches === 0)
    return { value: null, influence: new Float64Array(B), scale: 0, bounds: () => [0, 1], degrees: null };
  const random = uniforms(seed);
  const value = paid / matches;
  const influence = new Float64Array(B);
  for (let i = 0; i < matches; i++) influence[Math.floor(random() * B)] += ((i < paid ? 1 : 0) - value) / matches;
  const sample = { matches, steps: paid, mean: value, variance: 0, low: 0, high: 1, events: 1e6, effectiveArms: 2 };
  const bounds = (delta: number) => clopperPearson(sample, delta);
  return { value, influence, scale: scaleOf(influence), bounds, degrees: null };
}

const run = (standings: readonly Standing[], more: Partial<SelectOptions> = {}) =>
  select(standings, { ...OPTIONS, ...more }, DRAWER);

describe('bands', () => {
  it('are no wider than those of Bonferroni, and those of equal policies are as wide as that of one', async () => {
    const several = Array.from({ length: 40 }, (_, p) => standing(500, 30 + p, p));
    const { selection } = await run(several);
    expect(selection.criticalValue).toBeGreaterThan(zScore(0.05) - 4 * selection.criticalError);
    expect(selection.criticalValue).toBeLessThanOrEqual(zScore(0.05 / 40));
    const same = await run(Array.from({ length: 40 }, () => several[0]));
    // Four Monte-Carlo errors about the quantile of a single normal number.
    expect(Math.abs(same.selection.criticalValue - zScore(0.05))).toBeLessThan(4 * same.selection.criticalError);
    expect(same.selection.independentPolicies).toBeLessThan(1.4);
    for (const { band } of same.policies) expect(band).toEqual(several[0].bounds(same.selection.alpha));
  });

  it('draws that went too far are not believed beyond Bonferroni', () => {
    const far = new Float32Array(1000).fill(9);
    expect(criticalValue(far, 0.95, 5, 2)).toEqual({ value: zScore(0.01), error: 0 });
    expect(criticalValue(far, 0.95, 5, 1)).toEqual({ value: zScore(0.02), error: 0 });
    expect(criticalValue(new Float32Array(1000).fill(2), 0.95, 5, 2)).toEqual({ value: 2, error: 0 });
  });

  it('without matches, without clicks and with nothing but clicks: in the table, and in the set where nothing speaks against it', async () => {
    const { selection, policies } = await run([
      standing(0, 0, 1),
      standing(400, 0, 2),
      standing(300, 200, 3),
      standing(3, 3, 4),
    ]);
    expect(policies.map(({ band }) => band[0])).toEqual([0, 0, expect.any(Number), expect.any(Number)]);
    expect(policies[1].band[1]).toBeLessThan(0.05);
    expect(policies.map(({ mayBeBest }) => mayBeBest)).toEqual([true, false, true, true]);
    expect(selection.bestSet).toEqual({ size: 3, indices: [0, 2, 3], paired: true });
    // The one that always paid has the largest value, of which blocks tell no error.
    expect(selection.winner).toEqual({
      index: 3,
      uncorrected: 1,
      corrected: null,
      interval: policies[3].band,
      lower: policies[3].band[0],
    });
  });

  it('nothing matched: no winner, and every policy may be the best', async () => {
    const { selection } = await run([standing(0, 0, 1), standing(0, 0, 1)]);
    expect(selection.winner).toBeNull();
    expect(selection.bestSet.indices).toEqual([0, 1]);
    expect(selection.criticalValue).toBe(zScore(0.025));
  });

  it('few blocks: nothing is redrawn, Bonferroni holds', async () => {
    const { selection, policies } = await run([standing(500, 60, 1), standing(500, 50, 2)], { blocks: 29 });
    expect(selection).toMatchObject({ criticalValue: zScore(0.025), criticalError: 0, bestSet: { paired: false } });
    expect(selection.winner).toMatchObject({ index: 0, corrected: null, interval: policies[0].band });
  });
});

describe('the winner', () => {
  it('by itself: the interval of one normal number, and nothing to correct but chance', async () => {
    const one = standing(4000, 400, 5);
    const { selection } = await run([one], { draws: 20_000 });
    const { winner } = selection;
    // Hybrid: the normal interval at (α − β)/(1 − β) about the value, but for truncation at ± c_β.
    const [low, high] = winner?.interval ?? [0, 0];
    expect(Math.abs(low + high - 0.2)).toBeLessThan(0.05 * one.scale);
    expect((high - low) / 2 / one.scale).toBeGreaterThan(1.9);
    expect((high - low) / 2 / one.scale).toBeLessThan(2.1);
    // The mean of 20,000 normal numbers.
    expect(Math.abs((winner?.corrected ?? 0) - 0.1)).toBeLessThan((4 * one.scale) / Math.sqrt(20_000));
  });

  it('of equal values it is the first, and of many alike the correction is that of their number', async () => {
    const many = Array.from({ length: 200 }, (_, p) => standing(2000, 200, 100 + p));
    const { selection } = await run(many, { draws: 10_000 });
    expect(selection.winner?.index).toBe(0);
    // The largest of 200 independent normal numbers is 2.75 on average; of these, which share no block by chance alone.
    const curse = (0.1 - (selection.winner?.corrected ?? 0)) / many[0].scale;
    expect(curse).toBeGreaterThan(2);
    expect(curse).toBeLessThan(3.2);
    expect(selection.bestSet.size).toBe(200);
  });

  it('beside one that is as good, the interval is its band: the hybrid would shrink to a point at the low end', async () => {
    for (const [paid, seed] of [
      [200, 100],
      [200, 101],
      [199, 102],
    ]) {
      const pair = [standing(2000, 200, 1), standing(2000, paid, seed)];
      const { selection, policies } = await run(pair, { draws: 10_000 });
      const { interval, corrected, index } = selection.winner ?? { interval: [0, 0], corrected: 0, index: 0 };
      expect(corrected).toBeGreaterThanOrEqual(interval[0]);
      expect(corrected).toBeLessThanOrEqual(interval[1]);
      if (paid === 200) expect(interval).toEqual(policies[index].band);
    }
  });

  it('outside the payoff range: the interval is its band, which is cut to the range', async () => {
    const outside = { ...standing(2000, 200, 1), value: 3, bounds: (): [number, number] => [0, 1] };
    const { selection } = await run([outside, standing(2000, 150, 2)]);
    expect(selection.winner).toMatchObject({ uncorrected: 3, corrected: 1, interval: [0, 1], lower: 0 });
  });

  it('ahead of all others by far: no correction to speak of, and it alone is in the set', async () => {
    const { selection } = await run([standing(4000, 100, 1), standing(4000, 2000, 2), standing(4000, 120, 3)]);
    expect(selection.bestSet).toEqual({ size: 1, indices: [1], paired: true });
    expect(Math.abs((selection.winner?.corrected ?? 0) - 0.5)).toBeLessThan(0.001);
  });
});

describe('segments', () => {
  it('have bands for all policies in all of them at once: those of 50 independent policies in 5 of 10', async () => {
    const all = Array.from({ length: 5 }, (_, v) =>
      Array.from({ length: 10 }, (_, p) => standing(2000, 200, 10 * v + p)),
    );
    const question = { overall: 0, level: 0.95, draws: 5000, seed: 0, blocks: () => B };
    const of = (segments: number) => selectSegments({ ...question, segments, standings: (v) => all[v] }, DRAWER);
    const [one, five] = [await of(1), await of(5)];
    // Of independent normal numbers the quantile is just below Bonferroni's; 5,000 draws err by 0.02: five errors.
    expect(Math.abs(one.criticalValue - zScore(0.05 / 10))).toBeLessThan(0.1);
    expect(Math.abs(five.criticalValue - zScore(0.05 / 50))).toBeLessThan(0.1);
    const [first] = five.of(2).bands;
    expect(first).toEqual(all[2][0].bounds(twoSidedLevel(five.criticalValue)));
    expect(five.of(2).lower[0]).toBe(0);
  });
});

describe('differences', () => {
  it('to itself are 0 and not better; the bound is MOVER; a margin moves what counts as better', async () => {
    const standings = [standing(3000, 300, 1), standing(3000, 900, 2), standing(3000, 310, 3), standing(0, 0, 4)];
    const [first, second] = standings;
    const { selection, policies } = await run(standings, { baseline: { name: 'now', index: 0, standing: first } });
    expect(selection.baseline).toMatchObject({ name: 'now', value: 0.1, margin: 0 });
    expect(policies[0].difference).toEqual({ value: 0, lower: 0, better: false, lift: 0 });
    expect(policies[1].difference).toMatchObject({ better: true });
    expect(policies[1].difference?.lift).toBeCloseTo(2, 12);
    expect(policies[2].difference).toMatchObject({ better: false });
    expect(policies[3].difference).toEqual({ value: null, lower: null, better: false, lift: null });
    // By its formula, of limits at the level that the bound was made with.
    const critical = 2.5;
    const alpha = limitLevel(first, critical, B);
    expect(alpha).toBeLessThan(oneSidedLevel(critical));
    const rho = second.influence.reduce((sum, x, b) => sum + x * first.influence[b], 0) / second.scale / first.scale;
    const [l, u] = [0.3 - clopper(3000, 900, alpha)[0], clopper(3000, 300, alpha)[1] - 0.1];
    expect(differenceLower(second, first, critical, B)).toBeCloseTo(
      0.2 - Math.sqrt(l * l - 2 * rho * l * u + u * u),
      12,
    );
    // Limits that go by blocks have the degrees of freedom of these already.
    expect(limitLevel({ degrees: B - 1 }, critical, B)).toBe(oneSidedLevel(critical));
    const lower = policies[1].difference?.lower ?? 0;
    const margin = await run(standings, { baseline: { name: 'now', index: 0, standing: first }, margin: lower });
    expect(margin.policies[1].difference?.better).toBe(false);
  });

  it('to a baseline without a value there are none', async () => {
    const { selection, policies } = await run([standing(300, 30, 1), standing(0, 0, 2)], {
      baseline: { name: 'never shown', index: 1, standing: standing(0, 0, 2) },
    });
    expect(selection.baseline).toBeNull();
    expect(policies[0].difference).toBeUndefined();
  });

  const clopper = (matches: number, paid: number, alpha: number) =>
    clopperPearson(
      { matches, steps: paid, mean: paid / matches, variance: 0, low: 0, high: 1, events: 1, effectiveArms: 1 },
      2 * alpha,
    );
});

describe('quantiles', () => {
  it('of normal maxima are normal quantiles, within their stated error', () => {
    const random = uniforms(3);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const maxima = Float32Array.from({ length: 20_000 }, () => Math.abs(normal()));
    const { value, error } = criticalValue(maxima, 0.95, 1000, 2);
    // √(.95 · .05 / 20,000) over the density of |Z| at 1.96.
    expect(error).toBeCloseTo(Math.sqrt((0.95 * 0.05) / 20_000) / (2 * 0.0584), 2);
    expect(Math.abs(value - zScore(0.05))).toBeLessThan(4 * error);
    expect(twoSidedLevel(zScore(0.05))).toBeCloseTo(0.05, 12);
  });
});

describe('a truncated normal number', () => {
  it('far out in either tail, and without bounds', () => {
    expect(truncatedCdf(0.5, 0, 1, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)).toBeCloseTo(0.691462461, 9);
    expect(truncatedCdf(0, 0, 1, -1, 1)).toBeCloseTo(0.5, 12);
    // Beyond 30 the tail falls off as e^(−30 x): half of it by ln 2 / 30 or so.
    const half = Math.log(2) / 30;
    for (const sign of [1, -1]) {
      const [low, high] = sign > 0 ? [30, Number.POSITIVE_INFINITY] : [Number.NEGATIVE_INFINITY, -30];
      const share = truncatedCdf(sign * (30 + half), 0, 1, low, high);
      expect(Math.abs(share - 0.5)).toBeLessThan(0.002);
    }
    expect(truncatedCdf(50, 0, 1, 40, 50)).toBe(1);
    expect(truncatedCdf(40, 0, 1, 40, 50)).toBe(0);
  });

  it('the winner would have won at every value between its bounds, with the parts of the others that do not go with it', () => {
    const random = uniforms(31);
    for (let round = 0; round < 200; round++) {
      const rows = Array.from({ length: 6 }, () => Float64Array.from({ length: 8 }, () => random() - 0.5));
      const standings = rows.map((influence): Standing => {
        return { value: random(), influence, scale: scaleOf(influence), bounds: () => [0, 1], degrees: null };
      });
      const winner = winnerOf(standings);
      const { value: best, influence: own, scale } = standings[winner];
      const along = rows.map((row) => row.reduce((sum, x, b) => sum + x * own[b], 0) / scale ** 2);
      const wins = (value: number): boolean =>
        standings.every(({ value: other }, j) => value >= (other ?? 0) + along[j] * (value - (best ?? 0)) - 1e-12);
      const [low, high] = truncation(standings, winner);
      for (const share of [0, 0.3, 1]) {
        const value = Math.max(low, -9) + share * (Math.min(high, 9) - Math.max(low, -9));
        expect(wins(value)).toBe(true);
      }
      if (low > -9) expect(wins(low - 1e-6)).toBe(false);
      if (high < 9) expect(wins(high + 1e-6)).toBe(false);
    }
  });
});

/** Which M is chosen for a policy: by hand, and as the estimate of that M alone. */

import { describe, expect, it } from 'vitest';
import type { EstimatorName } from '#dist/estimate/estimators/index.js';
import { type Clipped, slope } from '#dist/estimate/estimators/slope.js';
import { clipsBelow, isClip } from '#dist/estimate/weights/clips.js';
import { type Asked, type Event, estimate } from '../world.js';

const one = (clip: number | null, value: number | null, standardError: number | null): Clipped => ({
  ...{ clip, value, standardError },
});

/** All orders of a list. */
function orders<One>(list: readonly One[]): One[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((first, i) => orders(list.filter((_, j) => j !== i)).map((rest) => [first, ...rest]));
}

describe('slope takes the narrowest estimate up to which', () => {
  it.each<[string, readonly Clipped[], number | null]>([
    // [0.1, 0.9], [0.1, 0.5], [0.12, 0.28], and then [0.01, 0.09].
    ['all agree', [one(null, 0.5, 0.4), one(10, 0.3, 0.2), one(5, 0.2, 0.08), one(2, 0.05, 0.04)], 5],
    // [0.1, 0.9], then [0.92, 1.08]; [0.84, 0.96] has points of both, but none of both at once.
    ['all have a point in common', [one(null, 0.5, 0.4), one(10, 1, 0.08), one(5, 0.9, 0.06)], null],
    ['intervals touch', [one(null, 0.5, 0.25), one(2, 0.125, 0.125)], 2],
    ['errors are known: one that is not may be any', [one(null, 0.5, null), one(10, 9, 0.6), one(5, 0.5, 0.5)], 10],
    // Errors fall where weights are cut, and may grow where a sum of weights in the denominator falls.
    ['all agree, by their errors and not by M', [one(null, 0.5, 0.1), one(10, 0.5, 0.3), one(5, 0.5, 0.2)], null],
    ['all agree; of equal errors the larger M', [one(20, 0.5, 0.1), one(5, 0.5, 0.1), one(10, 0.5, 0.1)], 20],
    ['all agree; none where clipping changes nothing', [one(5, 0, 0), one(null, 0, 0), one(2, 0, 0)], null],
  ])('%s, in any order', (_, estimates, clip) => {
    for (const order of orders(estimates)) expect(slope(order).clip).toBe(clip);
    expect(slope([...estimates, ...estimates]).clip).toBe(clip);
  });
});

describe('the grid', () => {
  it('is 2, 5, 10, 20, 50, … below the largest weight, or what is given there, once each and in order', () => {
    expect(clipsBelow('auto', 1.9)).toEqual([]);
    expect(clipsBelow('auto', 2)).toEqual([]);
    expect(clipsBelow('auto', 11)).toEqual([2, 5, 10]);
    expect(clipsBelow('auto', 10)).toEqual([2, 5]);
    expect(clipsBelow('auto', 1000.5)).toEqual([2, 5, 10, 20, 50, 100, 200, 500, 1000]);
    expect(clipsBelow([Number.POSITIVE_INFINITY, 20, 3.5, 20, 7], 19)).toEqual([3.5, 7]);
  });

  it('has numbers above 0', () => {
    for (const clip of [1, 0.5, 'auto', [3], [3, Number.POSITIVE_INFINITY]]) expect(isClip(clip)).toBe(true);
    for (const clip of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, [], [2, 0], [2, Number.NaN], ['2'], '2', null, {}])
      expect(isClip(clip)).toBe(false);
  });
});

/** So many times one paid event of weight 10, five of weight 2 of which one paid, and four that do not match. */
const copies = (times: number): Event[] =>
  Array.from({ length: times }, (): Event[] => [
    { k: 1, p: 0.1, arm: 0, choice: 0 },
    ...[1, 0, 0, 0, 0].map((k) => ({ k, p: 0.5, arm: 0, choice: 0 })),
    ...[1, 0, 0, 1].map((k) => ({ k, p: 0.5, arm: 1, choice: 0 })),
  ]).flat();

describe('ips-clip with M chosen among 2, 5 and none', () => {
  // v = 0.4, 0.7, 1.2 and s² = 0.64, 2.41, 8.96 over L − 1, L = 10 copies: 1.2 and 0.4 differ by s + s at L − 1 = 22.5, and 1.2 and
  // 0.7 (0.7 and 0.4) at 82.6 (61.5).
  it.each([
    [2, 2, 0.4],
    [3, 5, 0.7],
    [8, 5, 0.7],
    [9, null, 1.2],
  ])('of %i copies: %s', (times, clip, value) => {
    const { run, row } = estimate(copies(times), { names: ['ips-clip'], clip: [2, 5] });
    expect(row.estimates['ips-clip']).toMatchObject({ clip, value });
    expect(row.value).toBe(value);
    expect(row).not.toHaveProperty('clip');
    expect(run.descriptions).toMatchObject([{ name: 'ips-clip', clip: 'auto', grid: [2, 5] }]);
  });

  it('is none where there is nothing to choose by', () => {
    const unknown = (events: readonly Event[]) => estimate(events, { names: ['ips-clip'], clip: 'auto' }).row.estimates;
    expect(unknown([{ k: 1, p: 0.1, arm: 1, choice: 0 }])['ips-clip']).toMatchObject({ value: null, clip: null });
    expect(unknown([{ k: 1, p: 0.1, arm: 0, choice: 0 }])['ips-clip']).toMatchObject({
      standardError: null,
      clip: null,
    });
    // Nothing was paid, and no M has an error.
    const unpaid = copies(3).map((event) => ({ ...event, k: 0 }));
    expect(unknown(unpaid)['ips-clip']).toMatchObject({ value: 0, standardError: 0, clip: null });
    const { run, row } = estimate([], { names: ['ips-clip'], clip: 'auto' });
    expect([run.descriptions[0].grid, row.value]).toEqual([[], null]);
  });
});

it.each<EstimatorName>(['ips-clip', 'snips-clip', 'dr-clip'])('%s is that of the M that was chosen', (name) => {
  // Weights that are rounded, in steps that depend on M.
  const model = (event: Event, t: number): Event => ({ ...event, p: event.p * 0.9, q: [0.1 + (t % 3) / 8, 0.5, 0.2] });
  const seen = new Set<number | null | undefined>();
  for (const times of [1, 2, 3, 8, 9]) {
    const events = copies(times).map(model);
    const of = (asked: Partial<Asked>, as = name) =>
      estimate(events, { names: [as], block: 7, batch: 11, ...asked }).row.estimates[as];
    const chosen = of({ clip: [2, 5] });
    const { clip = null, ...estimated } = chosen ?? {};
    seen.add(clip);
    const unclipped = { ...of({}, name.replace('-clip', '') as EstimatorName), clippedShare: 0 };
    expect(estimated).toEqual(clip === null ? unclipped : of({ clip }));
  }
  expect(seen.size).toBeGreaterThan(1);
});

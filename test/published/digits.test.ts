/** Handwritten digits as a bandit: 64 real features and a constant, ten arms, uniform logging. */
import { describe, expect, it } from 'vitest';
import { D, readDigitsLog, readImages } from './digits.js';
import { engines } from './engines.js';
import { inSetOrder, reference, sineWeights } from './reference.js';

interface Digits {
  static_linear: { p: number[]; T: number[]; G: number[]; replay: number[] };
  nearest_centroid: { T: number; G: number; replay: number };
}

const { static_linear: linear, nearest_centroid: nearest } = reference<Digits>('own_digits.json');
const { pixels, label: labels } = readImages();

/**
 * The nearest of the ten mean images as a linear policy: least ‖x − c‖² is largest c · x − ‖c‖²/2. The reference does not
 * define its centroids; means over all 1,797 labelled rows reproduce its numbers.
 */
function centroidWeights(): number[][] {
  return Array.from({ length: 10 }, (_, label) => {
    const members = pixels.filter((_, row) => labels[row] === label);
    const mean = Array.from({ length: D - 1 }, (_, j) => members.reduce((sum, x) => sum + x[j], 0) / members.length);
    return [...mean, -mean.reduce((sum, c) => sum + c * c, 0) / 2];
  });
}

const log = readDigitsLog();

describe.each(engines())('digits on $name', ({ run }) => {
  it('100 linear policies', async () => {
    expect(linear.p).toEqual(Array.from({ length: 100 }, (_, p) => p));
    const result = await run({ log, policies: [{ family: 'linear', weights: sineWeights(100, 10, D) }] });
    const { T, G, value } = inSetOrder(result);
    expect(T).toEqual(linear.T);
    expect(G).toEqual(linear.G);
    expect(value).toEqual(linear.replay);
  });

  it('nearest centroid', async () => {
    const result = await run({ log, policies: [{ family: 'linear', weights: centroidWeights() }] });
    expect(result.policies).toMatchObject([{ matches: nearest.T, payoff: nearest.G, value: nearest.replay }]);
  });
});

/**
 * @module-tag long
 *
 * What the case study's scripts are meant to show, through their own functions, at sizes that a test can afford.
 */
import { describe, expect, it } from 'vitest';
import { runBucketTest } from '../../examples/bucket-test.mjs';
import { runErrorOfReplay } from '../../examples/error-of-replay.mjs';
import { runEstimators } from '../../examples/estimators.mjs';
import { runServingModels } from '../../examples/serving-models.mjs';

interface Side {
  views: number;
  clicks: number;
}
interface Fall {
  slope: number;
  standardError: number;
}
const rate = ({ views, clicks }: Side): number => clicks / views;

describe('the bucket test', () => {
  it('and replay give the serving policy, its articles and its days the same click rates, up to the luck of clicks', async () => {
    const { bucket, learner, articles, days } = await runBucketTest({ visits: 300_000, live: 100_000, days: 3 });
    expect(articles.length).toBeGreaterThan(4);
    expect(days.length).toBe(3);
    for (const { name, live, replayed } of [...articles, ...days] as { name: string; live: Side; replayed: Side }[]) {
      const p = rate(live);
      const error = Math.sqrt(p * (1 - p) * (1 / live.views + 1 / replayed.views));
      expect(Math.abs(rate(replayed) - p), name).toBeLessThan(4 * error);
    }
    const value = bucket.value as number;
    const error = Math.sqrt(value * (1 - value) * (1 / bucket.views + 1 / learner.matches));
    expect(Math.abs((learner.mean as number) - value)).toBeLessThan(3 * error);
  });
});

describe('the error of replay', () => {
  it('falls as 1/√T: the slope of its logarithm is −0.5 ± 0.05', async () => {
    const { all, rows, sizes } = await runErrorOfReplay({ logs: 30 });
    expect(rows.length).toBe(21);
    // Four standard errors lie between a slope of −0.5 and the bounds: one seed in 16,000 would be outside by chance.
    expect(all.standardError).toBeLessThan(0.0125);
    expect(Math.abs(all.slope + 0.5)).toBeLessThan(0.05);
    // And is as large as clicks alone make it: 630 squares know their mean to 6 %, so its root to 3 %.
    for (const i of sizes.keys()) expect(Math.abs(all.rms[i] / all.theory[i] - 1)).toBeLessThan(0.15);
    // The standard errors are right: slopes of single policies scatter about −0.5 as they say.
    const scores = rows.map(({ slope, standardError }: Fall) => (slope + 0.5) / standardError);
    const scatter = Math.sqrt(scores.reduce((sum: number, z: number) => sum + z * z, 0) / scores.length);
    expect(scatter).toBeGreaterThan(0.5);
    expect(scatter).toBeLessThan(1.8);
    // Ten seconds of work, on a machine that may be busy.
  }, 240_000);
});

describe('estimators of logs that are not uniform', () => {
  interface Estimated {
    epsilon: number;
    name: string;
    rated: number;
    bias: number;
    biasError: number;
    rmse: number;
    said: number | null;
    held: number;
  }

  it('are right on average where they say so, and know their error but for what clipping and models bring in', async () => {
    const logs = 60;
    const { rows } = (await runEstimators({ logs })) as { rows: Estimated[] };
    expect(rows.length).toBe(45);
    const of = (epsilon: number, name: string): Estimated =>
      rows.find((row) => row.epsilon === epsilon && row.name === name) as Estimated;
    for (const epsilon of [0.5, 0.1, 0.02]) {
      // Of nine means one is so far off in 230 times by chance.
      for (const name of ['ips', 'dr', 'replay, thinned']) {
        const { bias, biasError, rated } = of(epsilon, name);
        expect(Math.abs(bias), `${name} ${epsilon}`).toBeLessThan(3.5 * biasError);
        expect(rated).toBeGreaterThan(logs - 3);
      }
      // 60 squared errors of a bell know their mean to 18 %, and its root to 9 %: three times that.
      for (const name of ['snips', 'ips', 'dr', 'sndr', 'replay, thinned']) {
        const { rmse, said } = of(epsilon, name);
        if (epsilon > 0.02) expect(Math.abs(rmse / (said ?? 0) - 1), `${name} ${epsilon}`).toBeLessThan(0.27);
      }
      expect(of(epsilon, 'dm').held).toBeLessThan(0.2);
    }
    // M = 20 cuts nothing off weights up to 10, and much off those above: too little of ips, and less noise.
    expect(of(0.5, 'ips-clip').bias).toBe(of(0.5, 'ips').bias);
    for (const epsilon of [0.1, 0.02]) {
      const [clipped, whole] = [of(epsilon, 'ips-clip'), of(epsilon, 'ips')];
      expect(clipped.bias).toBeLessThan(-5 * clipped.biasError);
      expect(clipped.rmse).toBeLessThan(whole.rmse);
      expect(clipped.held).toBeLessThan(0.9);
    }
    for (const name of ['snips', 'ips', 'dr', 'sndr']) expect(of(0.5, name).held, name).toBeGreaterThan(0.86);
    // Half a minute of work, on a machine that may be busy.
  }, 300_000);
});

describe('serving models under hidden rules', () => {
  it('have ratios of replayed to live rates that follow the rules of the day, and each other', async () => {
    const { models, fits } = await runServingModels({ visits: 20_000, live: 10_000 });
    interface Day {
      ratio: number;
      factor: number;
      liveRate: number;
      replayRate: number;
    }
    for (const [name, days] of Object.entries(models) as [string, Day[]][]) {
      expect(days.length).toBe(18);
      // ρ · factor is 1 up to noise: some 2,000 valid events and 10,000 views a day.
      const products = days.map(({ ratio, factor }) => ratio * factor);
      const mean = products.reduce((a, b) => a + b) / 18;
      expect(Math.abs(mean - 1), name).toBeLessThan(0.12);
    }
    for (const { slope, deviation } of fits) {
      expect(Math.abs(slope - 1)).toBeLessThan(0.2);
      expect(deviation).toBeLessThan(0.3);
    }
  }, 60_000);
});

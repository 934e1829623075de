/** What the case study's scripts are meant to show, through their own functions, at sizes that a test can afford. */
import { describe, expect, it } from 'vitest';
import { runBucketTest } from '../../examples/bucket-test.mjs';
import { runErrorOfReplay } from '../../examples/error-of-replay.mjs';
import { runServingModels } from '../../examples/serving-models.mjs';

interface Side {
  views: number;
  clicks: number;
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
    const { slope, rows, pooled, sizes } = await runErrorOfReplay({ logs: 40, largest: 400, seed: 3 });
    expect(rows.length).toBe(6);
    expect(Math.abs(slope + 0.5)).toBeLessThan(0.05);
    // And is as large as clicks alone make it.
    const theory = (i: number): number =>
      Math.sqrt(rows.reduce((sum: number, row: { theory: number[] }) => sum + row.theory[i] ** 2, 0) / rows.length);
    for (const i of sizes.keys()) expect(Math.abs(pooled[i] / theory(i) - 1)).toBeLessThan(0.2);
  }, 60_000);
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

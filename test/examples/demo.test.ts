/** The demo, through its own functions: small and fast for its text, larger for its claim. */
import { describe, expect, it } from 'vitest';
import { displayWidth } from '#dist/report/text.js';
import { describeDemo, runDemo } from '../../examples/demo.mjs';
import { LONG } from '../long.js';

describe('demo', () => {
  it('is right on average: the mean of estimate − truth is within three standard errors of zero', LONG, async () => {
    const { meanError, standardError, covered, rated } = await runDemo({
      events: 100_000,
      policies: 400,
      every: 10,
      device: 'cpu',
    });
    expect(standardError).toBeGreaterThan(0.0001);
    expect(standardError).toBeLessThan(0.003);
    expect(Math.abs(meanError)).toBeLessThan(3 * standardError);
    expect(rated).toBe(400);
    // Not a test of coverage (that is test/estimate/coverage.test.ts): one log, so the errors of policies go together.
    expect(covered / rated).toBeGreaterThan(0.8);
  });

  it('is unbiased over logs: over eight seeds too', async () => {
    let sum = 0;
    let squares = 0;
    for (let seed = 100; seed < 108; seed++) {
      const { meanError, standardError } = await runDemo({
        events: 20_000,
        policies: 100,
        every: 4,
        seed,
        device: 'cpu',
      });
      sum += meanError;
      squares += standardError ** 2;
    }
    expect(Math.abs(sum)).toBeLessThan(3 * Math.sqrt(squares));
  });

  it('prints a ranking beside the truth, in 80 columns, the same for a seed', async () => {
    const options = { events: 5000, policies: 50, every: 5, seed: 3, device: 'cpu' } as const;
    const demo = await runDemo(options);
    const text = describeDemo(demo);
    for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    expect(text).toMatch(/rank {2}policy .* truth {2}true rank/);
    expect(text.replace(/\s+/g, ' ')).toMatch(/corrected for having been picked .* The truth: it is worth 0\.\d{4}\./);
    const withoutTimes = (s: string): string => s.replace(/^(engine|time) .*\n( .*\n)*/gm, '');
    expect(withoutTimes(describeDemo(await runDemo(options)))).toBe(withoutTimes(text));
  });
});

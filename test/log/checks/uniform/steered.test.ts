import { describe, expect, it } from 'vitest';
import { bordersOf, numericFactor } from '#dist/log/checks/uniform/context-factors.js';
import { testUniformity } from '#dist/log/checks/uniformity.js';
import { draws, STEERS, steeredLog } from './steered-log.mjs';

describe('uniformity within what the log knows', () => {
  it('passes fair logs of all sizes', () => {
    for (let i = 0; i < 40; i++) {
      const { below, share } = draws(7, 1000 + i);
      const events = Math.round(10 ** (3 + share()));
      const log = steeredLog(7, i, events, 2 + below(49), [10, 100, events][below(3)], undefined);
      expect(testUniformity(log), `log ${i}`).toMatchObject({ uniform: true });
    }
  });

  // Of 200 such logs each, all are refused but some of those steered by a number at K = 2, which are warned of.
  it.each(STEERS)('refuses a log of which a tenth is steered by its %s', (by) => {
    for (const way of ['spread', 'share'] as const) {
      for (const arms of [5, 20]) {
        expect(testUniformity(steeredLog(7, arms, 10_000, arms, 100, { by, way })), way).toMatchObject({
          uniform: false,
        });
      }
    }
  });
});

describe('bins of a number', () => {
  const labels = (...sample: number[]) => {
    const { groups, label } = numericFactor('x', 1, 0, bordersOf(Float64Array.from(sample)));
    return Array.from({ length: groups }, (_, group) => label(group));
  };

  it('are called by its values, 0 among them', () => {
    expect(labels(0, 1)).toEqual(['to 0', '0 to 0.5', '0.5 to 1', 'over 1']);
    expect(labels(-3, 5)).toEqual(['to -3', '-3 to 1', '1 to 5', 'over 5']);
  });
});

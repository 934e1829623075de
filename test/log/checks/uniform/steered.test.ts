import { describe, expect, it } from 'vitest';
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

import { describe, expect, it } from 'vitest';
import { logFromColumns, replay } from '#dist/index.js';
import { spreadWarnings } from '#dist/run/warnings/payoff-spread.js';

const columns = (payoff: (t: number) => number) => {
  const payoffs = Array.from({ length: 400 }, (_, t) => payoff((t * 7919) % 101));
  return logFromColumns({ armIndex: payoffs.map((_, t) => ((t * 31) % 7) % 2), arms: 2, payoff: payoffs });
};
const warned = (payoff: (t: number) => number) => spreadWarnings(columns(payoff).payoff).length;

describe('payoffs that differ by very little', () => {
  it('are told of against their size and 1', () => {
    expect(warned((t) => (t % 2) * 1e-9)).toBe(1);
    expect(warned((t) => 1e6 + (t % 2) * 0.1)).toBe(1);
    expect(warned((t) => -1e6 - (t % 2) * 0.1)).toBe(1);
    expect(warned((t) => (t % 2) * 9e-4)).toBe(1);
  });

  it('are not, where they differ enough, or not at all', () => {
    for (const payoff of [(t: number) => t % 2, (t: number) => (t % 2) * 2e-3, (t: number) => 1e6 + t * 100, () => 0]) {
      expect(warned(payoff)).toBe(0);
    }
  });

  it('stand in the result of a replay', async () => {
    const log = columns((t) => (t % 2) * 1e-9);
    const { warnings } = await replay(log, [{ algorithm: 'ucb1' }], { device: 'cpu', assumeUniform: true });
    expect(warnings.filter((text) => text.startsWith('payoffs lie within 1e-9 of each other'))).toHaveLength(1);
  });
});

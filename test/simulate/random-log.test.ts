import { describe, expect, it } from 'vitest';
import { uniformLog } from '../random-log.mjs';

const BASE = { events: 5000, arms: 7, dimension: 3, seed: 11 };

describe('uniformLog', () => {
  it('depends on its options alone', () => {
    const first = uniformLog(BASE);
    const second = uniformLog(BASE);
    expect(second.arm).toEqual(first.arm);
    expect(second.contexts.values).toEqual(first.contexts.values);
    expect(second.payoff.steps).toEqual(first.payoff.steps);
    // An event does not depend on how many follow.
    expect(uniformLog({ ...BASE, events: 100 }).arm).toEqual(first.arm.slice(0, 100));
    expect(uniformLog({ ...BASE, seed: 12 }).arm).not.toEqual(first.arm);
  });

  it('logs every arm alike, with bell-shaped f32 contexts and rare clicks', () => {
    const log = uniformLog({ ...BASE, events: 50_000 });
    const counts = new Float64Array(7);
    for (const a of log.arm) counts[a]++;
    const mean = 50_000 / 7;
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(4 * Math.sqrt(mean));
    expect(log.contexts.values).toBeInstanceOf(Float32Array);
    const sum = [...log.contexts.values].reduce((total, v) => total + v, 0);
    expect(Math.abs(sum)).toBeLessThan(4 * Math.sqrt(150_000));
    const clicks = log.payoff.steps.reduce((total, k) => total + k, 0);
    expect(Math.abs(clicks - 2500)).toBeLessThan(4 * Math.sqrt(2500));
    expect(log.propensity?.[0]).toBe(1 / 7);
    expect(log.pools.count).toBe(1);
  });

  it('has f64 contexts that f32 cannot hold', () => {
    const { values } = uniformLog({ ...BASE, values: 'f64' }).contexts;
    expect(values).toBeInstanceOf(Float64Array);
    expect(values.some((v) => Math.fround(v) !== v)).toBe(true);
  });

  it('chooses hard values from a list', () => {
    const hard = [0, 1, 1 + 2 ** -23, 2 ** -149, -(2 ** 100)];
    const { values } = uniformLog({ ...BASE, values: hard }).contexts;
    expect(new Set(values)).toEqual(new Set(hard));
  });

  it('repeats contexts', () => {
    const { contexts, events } = uniformLog({ ...BASE, distinctContexts: 17 });
    const rows = new Set(
      Array.from({ length: events }, (_, t) => (contexts.row?.[t] ?? t) * 3).map((x) =>
        contexts.values.subarray(x, x + 3).join(),
      ),
    );
    expect(rows.size).toBe(17);
    expect(contexts.rows).toBe(17);
  });

  it('draws candidate sets of every size, the logged arm among them', () => {
    const log = uniformLog({ ...BASE, pools: 40, smallestPool: 2 });
    const { offsets, arms, pool } = log.pools;
    const sizes = new Set<number>();
    for (let s = 0; s < log.pools.count; s++) {
      const members = arms.subarray(offsets[s], offsets[s + 1]);
      sizes.add(members.length);
      expect([...members]).toEqual([...new Set(members)].sort((a, b) => a - b));
    }
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2);
    expect(Math.max(...sizes)).toBe(7);
    for (let t = 0; t < log.events; t++) {
      const s = pool?.[t] ?? 0;
      expect(arms.subarray(offsets[s], offsets[s + 1])).toContain(log.arm[t]);
      expect(log.propensity?.[t]).toBe(1 / (offsets[s + 1] - offsets[s]));
    }
  });

  it('pays whole steps', () => {
    const { payoff } = uniformLog({ ...BASE, payoff: { kind: 'steps', max: 1000 } });
    expect(payoff.scale).toMatchObject({ rounded: false, low: 0, high: 1000 });
    expect(payoff.maxSteps).toBeLessThanOrEqual(1000);
    expect(payoff.maxSteps).toBeGreaterThan(990);
  });

  it('has no context, one arm or no events where that is asked for', () => {
    expect(uniformLog({ ...BASE, dimension: 0 }).contexts.dimension).toBe(0);
    expect(new Set(uniformLog({ ...BASE, arms: 1 }).arm)).toEqual(new Set([0]));
    expect(uniformLog({ ...BASE, events: 0 }).events).toBe(0);
  });

  it.each([
    [{ ...BASE, arms: 0 }, /number of arms/],
    [{ ...BASE, dimension: -1 }, /dimension/],
    [{ ...BASE, pools: 3, smallestPool: 8 }, /smallest candidate set/],
    [{ ...BASE, distinctContexts: 0 }, /distinct contexts/],
    [{ ...BASE, payoff: { kind: 'binary' as const, rate: 2 } }, /rate of payoffs/],
    [{ ...BASE, payoff: { kind: 'steps' as const, max: -2 } }, /largest payoff/],
  ])('refuses %o', (options, message) => {
    expect(() => uniformLog(options)).toThrow(message);
  });
});

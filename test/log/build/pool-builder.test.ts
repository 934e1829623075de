import { describe, expect, it } from 'vitest';
import { PoolBuilder, UNUSED_ARM } from '#dist/log/build/pool-builder.js';

/** Pools as lists of [arm id, features]. */
function listed(built: ReturnType<PoolBuilder['finish']>): [string, number[]][][] {
  const { arms, pools, armFeatures } = built;
  return Array.from({ length: pools.count }, (_, s) =>
    Array.from(pools.arms.subarray(pools.offsets[s], pools.offsets[s + 1]), (arm, i): [string, number[]] => {
      const row = armFeatures?.row?.[pools.offsets[s] + i] ?? arm;
      const d = armFeatures?.dimension ?? 0;
      return [arms.ids[arm], [...(armFeatures?.values.subarray(row * d, (row + 1) * d) ?? [])]];
    }),
  );
}

describe('PoolBuilder', () => {
  it('orders arms as numbers, whatever the order in which they came, and interns sets', () => {
    const builder = new PoolBuilder();
    const pool = (ids: string[]) => builder.pool(ids.map((id) => builder.version(builder.arm(id))));
    const events = Uint32Array.from([pool(['10', '9']), pool(['100', '9', '10']), pool(['9', '10'])]);
    const built = builder.finish(events);
    expect(built.arms.ids).toEqual(['9', '10', '100']);
    expect([...events]).toEqual([0, 1, 0]);
    expect(listed(built).map((one) => one.map(([id]) => id))).toEqual([
      ['9', '10'],
      ['9', '10', '100'],
    ]);
    expect([...built.armOf]).toEqual([1, 0, 2]);
    expect(built.armFeatures).toBeNull();
  });

  it('gives an arm whose features change a row per version, and its sets are different pools', () => {
    const builder = new PoolBuilder(['z']);
    const version = (id: string, z: number) => builder.version(builder.arm(id), [z]);
    const events = Uint32Array.from([
      builder.pool([version('b', 1), version('a', 5)]),
      builder.pool([version('a', 5), version('b', 2)]),
      builder.pool([version('b', 1), version('a', 5)]),
    ]);
    const built = builder.finish(events);
    expect([...events]).toEqual([0, 1, 0]);
    expect(built.armFeatures).toMatchObject({ rows: 3, dimension: 1, columns: ['z'] });
    expect([...(built.armFeatures?.values ?? [])]).toEqual([5, 1, 2]);
    expect(listed(built)).toEqual([
      [
        ['a', [5]],
        ['b', [1]],
      ],
      [
        ['a', [5]],
        ['b', [2]],
      ],
    ]);
  });

  it('has no versions where every arm keeps its features; 0 and −0 are the same', () => {
    const builder = new PoolBuilder(['z']);
    const first = builder.pool([builder.version(builder.arm('x'), [0]), builder.version(builder.arm('y'), [7])]);
    const second = builder.pool([builder.version(builder.arm('x'), [9, -0], 1)]);
    const built = builder.finish(Uint32Array.from([first, second]));
    expect(built.armFeatures).toMatchObject({ rows: 2, row: null });
    expect([...(built.armFeatures?.values ?? [])]).toEqual([0, 7]);
  });

  it('leaves out what no event has, and keeps what an explicit list names', () => {
    const builder = new PoolBuilder(['z']);
    builder.pool([builder.version(builder.arm('bad'), [1])]);
    const good = builder.pool([builder.version(builder.arm('good'), [2])]);
    expect(builder.finish(Uint32Array.from([good]))).toMatchObject({
      arms: { ids: ['good'] },
      armOf: Uint32Array.from([UNUSED_ARM, 0]),
    });
    const built = builder.finish(Uint32Array.from([good]), ['never', 'good']);
    expect(listed(built)).toEqual([[['good', [2]]]]);
    expect([...built.armOf]).toEqual([UNUSED_ARM, 1]);
    expect(built.armFeatures).toMatchObject({ rows: 1 });
    expect([...(built.armFeatures?.row ?? [])]).toEqual([0]);
  });

  it('of no events: one pool, of all arms', () => {
    const built = new PoolBuilder().finish(new Uint32Array(0), ['a', 'b']);
    expect([...built.pools.arms]).toEqual([0, 1]);
    expect(built.pools.pool).toBeNull();
  });
});

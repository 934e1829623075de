import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { UniformPolicies } from '#dist/policy/compiled.js';
import { uniformChoice } from '#dist/policy/uniform/cpu.js';
import { STREAM, threefry2x32 } from '#dist/random/threefry.js';
import { choices, compile, faultOf, fourEvents } from './small-log.js';

describe('constant', () => {
  it('has one policy per arm, in the order of the arms', async () => {
    const log = fourEvents();
    expect(await choices([{ family: 'constant' }], log)).toEqual([
      ['3', '3', '3', '3'],
      ['7', '7', '7', '7'],
      ['12', '12', '12', '12'],
    ]);
    const [compiled] = await compile([{ family: 'constant' }], log);
    expect(compiled).toMatchObject({ cells: { count: 1, of: null }, policies: 3 });
    expect(compiled).toHaveProperty('choices', Uint16Array.of(0, 1, 2));
  });

  it('restricts itself to the listed arms, ids as text or numbers', async () => {
    const found = await choices([{ family: 'constant', arms: ['12', 3] }], fourEvents());
    expect(found.map((row) => row[0])).toEqual(['12', '3']);
  });

  it('refuses unknown and repeated arms', async () => {
    const log = fourEvents();
    expect(await faultOf(() => compile([{ family: 'constant', arms: ['3', '13'] }], log))).toBe(
      'set.json, [0].arms[1]: unknown arm "13"\n  needed: one of the log\'s 3 arms: "3", "7", "12"',
    );
    const twice = [{ family: 'constant', arms: ['3', 3] }];
    expect(await faultOf(() => compile(twice, log))).toMatch(
      /\[0\]\.arms\[1\]: arm "3" is listed twice\n {2}got: {4}arms\[0\] and arms\[1\]/,
    );
  });

  it('serves a single arm and more arms than 16 bits hold', async () => {
    const one = logFromColumns({ arm: ['x'], payoff: [1] });
    expect(await choices([{ family: 'constant' }], one)).toEqual([['x']]);
    for (const arms of [33, 65534, 65535, 65536]) {
      const log = logFromColumns({ armIndex: [arms - 1], arms, payoff: [1] });
      const [compiled] = await compile([{ family: 'constant', arms: [arms - 1] }], log);
      expect(compiled).toHaveProperty('choices', (arms < 65535 ? Uint16Array : Uint32Array).of(arms - 1));
      expect(await choices([{ family: 'constant', arms: [arms - 1] }], log)).toEqual([[String(arms - 1)]]);
    }
  });
});

describe('uniform', () => {
  it('draws the candidate that the contract states', () => {
    const log = fourEvents({ candidates: [['7', '12'], ['3'], ['3', '7', '12'], ['3', '7']] });
    const compiled: UniformPolicies = {
      kind: 'uniform',
      family: 'uniform',
      policies: 5,
      names: [],
      seed: 99,
      replica: Uint32Array.of(0, 1, 2, 3, 4),
    };
    const pools = [[1, 2], [0], [0, 1, 2], [0, 1]];
    const out = new Uint32Array(2);
    for (let policy = 0; policy < 5; policy++) {
      pools.forEach((pool, event) => {
        threefry2x32(99, STREAM.uniformPolicy, event, policy, out);
        const expected = pool[Number((BigInt(out[0] ?? 0) * BigInt(pool.length)) >> 32n)];
        expect(uniformChoice(compiled, log, policy, event)).toBe(expected);
      });
    }
  });

  it('differs by seed and replica, and not from run to run', async () => {
    const log = logFromColumns({
      armIndex: new Array<number>(200).fill(0),
      arms: 10,
      payoff: new Array<number>(200).fill(0),
    });
    const set = [
      { family: 'uniform', replicas: 2 },
      { family: 'uniform', seed: 1 },
    ];
    const found = await choices(set, log);
    expect(await choices(set, log)).toEqual(found);
    expect(new Set(found.map((row) => row.join()))).toHaveLength(3);
    const [a, b] = await compile(set, log);
    expect([a?.names, b?.names]).toEqual([['uniform 0', 'uniform 1'], ['uniform (seed 1)']]);
  });

  it('never leaves the candidates, and takes each of them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0xffffffff }),
        fc.uniqueArray(fc.nat(32), { minLength: 1 }),
        (seed, pool) => {
          const events = 400;
          const log = logFromColumns({
            armIndex: new Array<number>(events).fill(pool[0] ?? 0),
            arms: 33,
            candidates: pool,
            payoff: new Array<number>(events).fill(0),
          });
          const compiled: UniformPolicies = {
            kind: 'uniform',
            family: 'uniform',
            policies: 1,
            names: [],
            seed,
            replica: Uint32Array.of(0),
          };
          const taken = new Set(Array.from({ length: events }, (_, event) => uniformChoice(compiled, log, 0, event)));
          for (const arm of taken) expect(pool).toContain(arm);
          if (pool.length <= 8) expect(taken.size).toBe(pool.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { linearChoice } from '#dist/policy/linear/cpu.js';
import { encodeNpy } from '#dist/policy/npy.js';
import { choices, compile, faultOf, fourEvents, memoryFiles } from './small-log.js';

const linear = (weights: unknown, more: object = {}) => [{ family: 'linear', weights, ...more }];

/** Choice among all arms for a single context, a weight row per arm. */
function choose(rows: number[][], x: number[], pool?: number[]): number {
  const arms = Uint32Array.from(pool ?? rows.map((_, arm) => arm));
  const candidates = { arms, from: 0, to: arms.length };
  return linearChoice(Float64Array.from(rows.flat()), 0, Float64Array.from(x), 0, x.length, candidates);
}

describe('linearChoice', () => {
  it('takes the largest score, and the lowest index of a tie', () => {
    expect(choose([[1], [3], [2]], [1])).toBe(1);
    expect(choose([[2], [3], [3]], [1])).toBe(1);
    expect(choose([[5], [5], [5]], [1])).toBe(0);
    expect(choose([[1], [3], [3]], [-1])).toBe(0);
    expect(choose([[0], [-0]], [1])).toBe(0);
    expect(choose([[-0], [0]], [1])).toBe(0);
  });

  it('looks at candidates only', () => {
    expect(choose([[9], [1], [2], [2]], [1], [1, 2, 3])).toBe(2);
    expect(choose([[9], [1], [2]], [1], [1])).toBe(1);
  });

  it('takes the first candidate where there is no context', () => {
    expect(choose([[], [], []], [])).toBe(0);
    expect(choose([[], [], []], [], [1, 2])).toBe(1);
  });

  it('adds in ascending order of columns', () => {
    // (1e16 + 1) − 1e16 = 0 but (1e16 − 1e16) + 1 = 1: only one order makes arm 1 win.
    expect(
      choose(
        [
          [0, 0, 0],
          [1e16, -1e16, 1],
          [1e16, 1, -1e16],
        ],
        [1, 1, 1],
      ),
    ).toBe(1);
    expect(
      choose(
        [
          [0.5, 0, 0],
          [1e16, 1, -1e16],
        ],
        [1, 1, 1],
      ),
    ).toBe(0);
  });

  it('tells scores apart by the last bit, subnormals included', () => {
    expect(choose([[1], [1 + Number.EPSILON]], [1])).toBe(1);
    expect(choose([[0], [Number.MIN_VALUE]], [1])).toBe(1);
    expect(choose([[2 ** -1074], [2 ** -1073]], [1])).toBe(1);
  });

  it('counts an overflow to NaN as the lowest score', () => {
    const max = Number.MAX_VALUE;
    expect(
      choose(
        [
          [max, max, -max],
          [0, 0, 0],
        ],
        [2, 0, 2],
      ),
    ).toBe(1); // ∞ − ∞
    expect(
      choose(
        [
          [0, 0, 0],
          [max, max, -max],
        ],
        [2, 0, 2],
      ),
    ).toBe(0);
    expect(
      choose(
        [
          [max, 0, -max],
          [max, 0, -max],
        ],
        [2, 0, 2],
      ),
    ).toBe(0);
    expect(
      choose(
        [
          [max, 0, -max],
          [-max, 0, 0],
        ],
        [2, 0, 2],
      ),
    ).toBe(0); // NaN and −∞ tie
    expect(
      choose(
        [
          [1, 0, 0],
          [max, 0, 0],
        ],
        [2, 0, 0],
      ),
    ).toBe(1); // ∞ wins
  });

  it('reads f32 and f64 tables at offsets', () => {
    const weights = Float32Array.of(9, 9, 9, 0, 1, 0);
    const contexts = Float64Array.of(7, 7, 0.5);
    const candidates = { arms: Uint32Array.of(5, 0, 1, 2), from: 1, to: 4 };
    expect(linearChoice(weights, 3, contexts, 2, 1, candidates)).toBe(1);
  });

  it('does not change when all weights are scaled by a power of two', () => {
    const value = fc.double({ min: -1e3, max: 1e3, noNaN: true }).map((v) => (Math.abs(v) < 1e-30 ? 0 : v));
    const shape = fc.tuple(fc.integer({ min: 1, max: 33 }), fc.integer({ min: 0, max: 6 }));
    const cases = shape.chain(([k, d]) =>
      fc.tuple(
        fc.array(fc.array(value, { minLength: d, maxLength: d }), { minLength: k, maxLength: k }),
        fc.array(value, { minLength: d, maxLength: d }),
        fc.integer({ min: -300, max: 300 }),
      ),
    );
    fc.assert(
      fc.property(cases, ([rows, x, power]) => {
        const scaled = rows.map((row) => row.map((w) => w * 2 ** power));
        expect(choose(scaled, x)).toBe(choose(rows, x));
      }),
      { numRuns: 500 },
    );
  });

  it('is the first maximum of the scores', () => {
    const small = fc.integer({ min: -2, max: 2 });
    const rows = fc.array(fc.array(small, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(rows, fc.array(small, { minLength: 3, maxLength: 3 }), (weights, x) => {
        const scores = weights.map((row) => row.reduce((sum, w, j) => sum + w * (x[j] ?? 0), 0));
        expect(choose(weights, x)).toBe(scores.indexOf(Math.max(...scores)));
      }),
    );
  });
});

describe('linear', () => {
  // Contexts [1, 0], [0, 1], [1, 1], [−1, 0.5]; arms 3, 7, 12.
  const first = [
    [0, 0],
    [1, 0],
    [0, 1],
  ];
  const second = [
    [2, 2],
    [0, 0],
    [1, 3],
  ];

  it('chooses with nested weights, of one policy or several', async () => {
    const log = fourEvents();
    expect(await choices(linear(first), log)).toEqual([['7', '12', '7', '12']]);
    expect(await choices(linear([first, second]), log)).toEqual([
      ['7', '12', '7', '12'],
      ['3', '12', '3', '12'],
    ]);
  });

  it('respects candidates', async () => {
    const log = fourEvents({ candidates: [['7'], ['3', '7'], ['3', '12'], ['3', '7']] });
    expect(await choices(linear(first), log)).toEqual([['7', '3', '12', '3']]);
  });

  it('keeps f64 as f64 and f32 as f32, from files and code', async () => {
    const log = fourEvents();
    for (const type of [Float32Array, Float64Array]) {
      const data = type.from([first, second].flat(2));
      const files = memoryFiles({ npy: { 'w.npy': [data, [2, 3, 2]] } });
      for (const weights of ['w.npy', { data, shape: [2, 3, 2] }]) {
        const [compiled] = await compile(linear(weights), log, files);
        expect(compiled).toMatchObject({
          kind: 'scored',
          policies: 2,
          arms: 3,
          dimension: 2,
          names: ['linear 0', 'linear 1'],
        });
        expect(compiled).toHaveProperty('weights', data);
      }
    }
  });

  it('reads Fortran order', async () => {
    // [2, 3, 2] with the first index fastest.
    const fortran = Float64Array.from(
      [0, 1].flatMap((j) => [0, 1, 2].flatMap((a) => [first[a]?.[j] ?? 0, second[a]?.[j] ?? 0])),
    );
    const bytes = encodeNpy(fortran, [2, 3, 2]);
    const text = new TextDecoder('latin1').decode(bytes).replace("'fortran_order': False", "'fortran_order': True ");
    const files = memoryFiles({ npy: { 'w.npy': Uint8Array.from(text, (c) => c.charCodeAt(0)) } });
    const [compiled] = await compile(linear('w.npy'), fourEvents(), files);
    expect(compiled).toHaveProperty('weights', Float64Array.from([first, second].flat(2)));
  });

  it('puts rows in the order of the log where arms are listed', async () => {
    const log = fourEvents();
    const reordered = [first[2], first[0], first[1]];
    expect(await choices(linear([reordered, reordered], { arms: ['12', 3, '7'] }), log)).toEqual([
      ['7', '12', '7', '12'],
      ['7', '12', '7', '12'],
    ]);
    const given = Float32Array.from(reordered.flat() as number[]);
    const copy = given.slice();
    await compile(linear({ data: given, shape: [3, 2] }, { arms: ['12', 3, '7'] }), log);
    expect(given).toEqual(copy);
  });

  it('names its policies', async () => {
    const [compiled] = await compile(linear([first, second], { names: ['old', 'new'] }), fourEvents());
    expect(compiled?.names).toEqual(['old', 'new']);
  });

  it('serves K = 1, K = 33 and d = 0', async () => {
    const one = logFromColumns({ arm: ['x', 'x'], payoff: [0, 1], context: [[1], [2]] });
    expect(await choices(linear([[-5]]), one)).toEqual([['x', 'x']]);
    const none = logFromColumns({ arm: ['y', 'x'], payoff: [0, 1] });
    expect(
      await choices(
        linear([
          [[], []],
          [[], []],
        ]),
        none,
      ),
    ).toEqual([
      ['x', 'x'],
      ['x', 'x'],
    ]);
    const many = logFromColumns({ armIndex: [0], arms: 33, payoff: [1], context: [[1]] });
    expect(await choices(linear(Array.from({ length: 33 }, (_, a) => [a === 32 ? 1 : 0])), many)).toEqual([['32']]);
  });

  const shapes: [shape: number[], message: RegExp][] = [
    [[100, 4, 2], /got: {4}\[100, 4, 2\]\n {2}needed: \[P, 3, 2\]: P policies, 3 arms, 2 context columns \(x0, x1\)/],
    [[100, 3, 5], /got: {4}\[100, 3, 5\]/],
    [[100, 3, 1], /got: {4}\[100, 3, 1\][\s\S]*intercept/],
    [[2, 3], /got: {4}\[2, 3\][\s\S]*arms and columns are swapped/],
    [[100, 2, 3], /swapped: weights\.transpose\(0, 2, 1\)/],
    [[6], /got: {4}\[6\]/],
    [[1, 1, 3, 2], /got: {4}\[1, 1, 3, 2\]/],
    [[0, 3, 2], /weights hold no policy/],
    [[], /got: {4}\[\]/],
  ];
  it.each(shapes)('refuses weights of shape %j', async (shape, message) => {
    const size = shape.reduce((product, n) => product * n, 1);
    const files = memoryFiles({ npy: { 'w.npy': [new Float32Array(size), shape] } });
    const found = await faultOf(() => compile(linear('w.npy'), fourEvents(), files));
    expect(found).toContain('dir/w.npy (set.json, [0].weights): weights');
    expect(found).toMatch(message);
  });

  it('names the place of weights that stand in the set', async () => {
    expect(await faultOf(() => compile(linear([[1, 2]]), fourEvents()))).toMatch(
      /^set\.json, \[0\]\.weights: weights have the wrong shape for this log\n {2}got: {4}\[1, 2\]/,
    );
  });

  it('refuses a weight that is not finite, with its index', async () => {
    for (const [value, index] of [
      [Number.NaN, 0],
      [Number.POSITIVE_INFINITY, 7],
      [Number.NEGATIVE_INFINITY, 11],
    ] as const) {
      const data = new Float32Array(12);
      data[index] = value;
      const files = memoryFiles({ npy: { 'w.npy': [data, [2, 3, 2]] } });
      const at = `[${Math.floor(index / 6)}, ${Math.floor(index / 2) % 3}, ${index % 2}]`;
      const found = await faultOf(() => compile(linear('w.npy'), fourEvents(), files));
      expect(found).toContain(`weight ${at} is not finite\n  got:    ${value}`);
    }
  });

  it('refuses integers, wrong numbers of names, and arms that are missing or unknown', async () => {
    const log = fourEvents();
    const files = memoryFiles({ npy: { 'w.npy': [new Int32Array(6), [3, 2]] } });
    expect(await faultOf(() => compile(linear('w.npy'), log, files))).toMatch(
      /weights must be floats\n {2}got: {4}dtype i4/,
    );
    expect(await faultOf(() => compile(linear(first, { names: ['a', 'b'] }), log))).toMatch(
      /\[0\]\.names: wrong number of names\n {2}got: {4}2\n {2}needed: 1/,
    );
    expect(await faultOf(() => compile(linear(first, { arms: ['3', '7'] }), log))).toMatch(
      /\[0\]\.arms: arms of the log have no weights\n {2}got: {4}2 arms; missing: "12"/,
    );
    expect(await faultOf(() => compile(linear(first, { arms: ['3', '7', '8'] }), log))).toMatch(
      /\[0\]\.arms\[2\]: unknown arm "8"/,
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { referenceStatistics } from '#dist/engine/verify/reference.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { evaluate } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { JOINT_FEATURES } from '#dist/log/joint-features.js';
import { jointDimension } from '#dist/policy/joint/features.js';
import { referenceChoice } from '#dist/policy/reference.js';
import { jointPolicies, makeJointLog } from '../cases/joint-cases.js';
import { choices, compile, faultOf, fourEvents, memoryFiles, versionedEvents } from './small-log.js';

const joint = (features: string, weights: unknown, more: object = {}) => [
  { family: 'joint-linear', features, weights, ...more },
];

/** Contexts [1, 0], [0, 1], [1, 1], [−1, 0.5]; features of arms 3, 7 and 12. */
const Z = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const log = fourEvents({ armFeatures: Z });

describe('the order of components', () => {
  /** Which arm a single weight of 1 chooses at each event. */
  async function unit(features: string, size: number, k: number): Promise<(string | null)[]> {
    const weights = Array.from({ length: size }, (_, i) => Number(i === k));
    return (await choices(joint(features, weights), log))[0];
  }

  it('arm: z', async () => {
    expect(await unit('arm', 3, 1)).toEqual(['7', '7', '7', '7']);
    expect(await unit('arm', 3, 2)).toEqual(['12', '12', '12', '12']);
  });

  it('concat: x, then z', async () => {
    expect(await unit('concat', 5, 0)).toEqual(['3', '3', '3', '3']);
    expect(await unit('concat', 5, 3)).toEqual(['7', '7', '7', '7']);
  });

  it('product: x_i z_j at i · dz + j', async () => {
    expect(await unit('product', 6, 1)).toEqual(['7', '3', '7', '3']);
    expect(await unit('product', 6, 5)).toEqual(['3', '12', '12', '12']);
  });

  it('both: x, then z, then the products', async () => {
    expect(await unit('both', 11, 4)).toEqual(['12', '12', '12', '12']);
    expect(await unit('both', 11, 6)).toEqual(['7', '3', '7', '3']);
  });
});

describe('the reference', () => {
  it('gives ties to the lowest arm index, among candidates only', async () => {
    expect(await choices(joint('arm', [5, 5, 5]), log)).toEqual([['3', '3', '3', '3']]);
    const some = fourEvents({ armFeatures: Z, candidates: [['7'], ['12', '3'], ['12', '7'], ['7', '12']] });
    expect(await choices(joint('arm', [5, 5, 5]), some)).toEqual([['7', '3', '7', '7']]);
  });

  it('reads the version that an event shows', async () => {
    const versions = versionedEvents([
      [5, 1],
      [6, 5],
      [2, 3],
      [1, 1],
    ]);
    expect(await choices(joint('arm', [[1], [-1]]), versions)).toEqual([
      ['7', '3', '3', '3'],
      ['3', '7', '12', '3'],
    ]);
  });

  it('rounds a product before it is weighed, and adds in order', () => {
    // Arm 1 scores the larger of the two, and arm 0 wins a tie.
    const [x, z] = [0.1, 0.7];
    const [right, wrong] = [3 * (x * z), 3 * x * z];
    expect(right).not.toBe(wrong);
    const one = logFromColumns({
      armIndex: [0],
      arms: 2,
      payoff: [0],
      context: [[x, 1]],
      armFeatures: [
        [z, 0],
        [0, Math.max(right, wrong)],
      ],
    });
    const weighed = jointPolicies(1, one, 'product', (_, k) => [3, 0, 0, 1][k]);
    expect(referenceChoice(weighed, one)(0, 0)).toBe(right > wrong ? 0 : 1);
    // (1e16 + 1) − 1e16 = 0 but (1e16 − 1e16) + 1 = 1.
    const order = logFromColumns({
      armIndex: [0],
      arms: 2,
      payoff: [0],
      armFeatures: [
        [1e16, 1, -1e16],
        [0, 0.5, 0],
      ],
    });
    const choose = referenceChoice(
      jointPolicies(1, order, 'arm', () => 1),
      order,
    );
    expect(choose(0, 0)).toBe(1);
  });

  it('is the first maximum of w · φ', () => {
    const small = fc.integer({ min: -2, max: 2 });
    const rows = (n: number, length: number) =>
      fc.array(fc.array(small, { minLength: length, maxLength: length }), { minLength: n, maxLength: n });
    const worlds = fc.record({
      features: fc.constantFrom(...JOINT_FEATURES),
      x: rows(3, 2),
      z: rows(5, 3),
      w: fc.array(small, { minLength: 11, maxLength: 11 }),
    });
    fc.assert(
      fc.property(worlds, ({ features, x, z, w }) => {
        const world = logFromColumns({ armIndex: [0, 1, 2], arms: 5, payoff: [0, 0, 0], context: x, armFeatures: z });
        const choose = referenceChoice(
          jointPolicies(1, world, features, (_, k) => w[k]),
          world,
        );
        x.forEach((context, t) => {
          const scores = z.map((row) => {
            const products = context.flatMap((xi) => row.map((zj) => xi * zj));
            const phi = {
              arm: row,
              concat: [...context, ...row],
              product: products,
              both: [...context, ...row, ...products],
            };
            return phi[features].reduce((sum, value, k) => sum + w[k] * value, 0);
          });
          expect(choose(0, t)).toBe(scores.indexOf(Math.max(...scores)));
        });
      }),
    );
  });
});

describe('packing', () => {
  it('takes nested lists, typed data, .npy of f32 and f64, and Parquet', async () => {
    const w = [
      [1, 0, 0],
      [0, 1, 0],
    ];
    const needed = [
      ['3', '3', '3', '3'],
      ['7', '7', '7', '7'],
    ];
    const data = Float32Array.from(w.flat());
    const files = memoryFiles({
      npy: { 'w.npy': [data, [2, 3]], 'v.npy': [Float64Array.from(w[1]), [3]] },
      parquet: { 'w.parquet': { first: [1, 0], second: [0, 1], third: [0, 0] } },
    });
    for (const weights of [w, { data, shape: [2, 3] }, 'w.npy', 'w.parquet'])
      expect(await choices(joint('arm', weights), log, files)).toEqual(needed);
    expect(await choices(joint('arm', 'v.npy'), log, files)).toEqual([needed[1]]);
    const [compiled] = await compile(joint('arm', 'w.npy', { names: ['a', 'b'] }), log, files);
    expect(compiled).toMatchObject({ kind: 'scored', family: 'joint-linear', dimension: 3, names: ['a', 'b'] });
    expect(compiled).toHaveProperty('weights', data);
  });

  const refused: [name: string, set: object[], log: EventLog, message: RegExp][] = [
    [
      'a log without arm features',
      joint('arm', [1]),
      fourEvents(),
      /\[0\]\.family: joint-linear policies weigh features of arms, and the log has none\n {2}try: {4}.*vw and dsjson.*r6a.*candidateFeatures/,
    ],
    [
      'products without contexts',
      joint('product', [1]),
      logFromColumns({ armIndex: [0], arms: 1, payoff: [0], armFeatures: [[1]] }),
      /\[0\]\.features: products need a context/,
    ],
    [
      'a wrong number of components',
      joint('both', [1, 2]),
      log,
      /\[0\]\.weights: weights have the wrong shape for this log\n {2}got: {4}\[2\]\n {2}needed: \[P, 11\]: P policies, 11 components of "both" \(2 context columns, then 3 arm features, then 2 × 3 products\)/,
    ],
    [
      'components of another φ',
      joint('concat', [[1, 2, 3]]),
      log,
      /as many as "features": "arm" has \(3 arm features\)/,
    ],
    ['weights turned over', joint('arm', [[1], [2], [3]]), log, /swapped: weights\.T/],
    ['weights as for linear', joint('arm', [[[1]]]), log, /nested one or two deep\n {2}got: {4}arrays nested 3 deep/],
    ['an unknown φ', joint('outer', [1]), log, /\[0\]\.features: .*"arm"\|"concat"\|"product"\|"both"/],
    ['no φ', [{ family: 'joint-linear', weights: [1] }], log, /\[0\]\.features/],
    ['a file of no known ending', joint('arm', 'w.csv'), log, /weights must be a \.npy or \.parquet file/],
    ['names', joint('arm', [1, 2, 3], { names: ['a', 'b'] }), log, /wrong number of names/],
    [
      'a weight that is not finite',
      joint('arm', { data: Float32Array.of(1, Number.NaN, 0), shape: [3] }),
      log,
      /weight \[1\] is not finite/,
    ],
  ];
  it.each(refused)('refuses %s', async (_, set, where, message) => {
    expect(await faultOf(() => compile(set, where))).toMatch(message);
  });

  it('refuses text in a Parquet file, with row and column', async () => {
    const files = memoryFiles({ parquet: { 'w.parquet': { a: [1, 2], b: [1, 'x'], c: [1, 1] } } });
    expect(await faultOf(() => compile(joint('arm', 'w.parquet'), log, files))).toMatch(
      /row 1, column "b": weight is not a number\n {2}got: {4}"x"/,
    );
  });
});

describe('evaluation', () => {
  it('verifies itself, and counts what the definition counts', async () => {
    const world = makeJointLog({
      events: 3000,
      arms: 8,
      dx: 3,
      dz: 2,
      pools: { count: 30, size: 5, runs: 100 },
      versions: 3,
    });
    const dimension = jointDimension('both', 3, 2);
    const weights = Array.from({ length: 6 }, (_, p) =>
      Array.from({ length: dimension }, (_unused, k) => Math.sin(p * 17 + k)),
    );
    const result = await evaluate({
      log: world,
      policies: [{ family: 'joint-linear', features: 'both', weights }],
      device: 'cpu',
      verify: 6,
      assumeUniform: true,
    });
    expect(result.engine.verified).toBe(6);
    const compiled = (await compile(joint('both', weights), world))[0];
    for (const { index, matches } of result.policies) {
      const stats = referenceStatistics(world, runBlocks(world.events), compiled, [], index);
      expect(matches).toBe(stats.matches.reduce((a, b) => a + b, 0));
    }
  });
});

/** What the regressions come to, against equations solved in other ways. */

import { Matrix, solve } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import type { EventLog } from '#dist/log/event-log.js';
import { loggedRows } from '#dist/log/feature-rows.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { JOINT_FEATURES, jointParts } from '#dist/log/joint-features.js';
import { writeJoint } from '#dist/policy/joint/features.js';
import type { RewardModelOptions } from '#dist/reward-model/options.js';
import { PLAIN, syntheticLog } from '../log/synthetic-log.js';
import { fittedModel, predictionsOf } from './fitted.js';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const contextOf = ({ contexts }: EventLog, t: number): number[] => {
  const { values, row, dimension: d } = contexts;
  const from = (row === null ? t : row[t]) * d;
  return Array.from(values.subarray(from, from + d));
};
const payoffOf = ({ payoff }: EventLog, t: number): number =>
  payoff.scale.rounded
    ? (payoff.scale.base ?? payoff.scale.low) + (payoff.steps[t] * (payoff.scale.span ?? 1)) / 2 ** 32
    : ((payoff.scale.origin + payoff.steps[t]) * payoff.scale.numerator) / payoff.scale.denominator;

/** θ of a ridge on rows, by another program's decomposition. */
function ridgeOf(rows: number[][], payoffs: number[], d: number, lambda: number): number[] {
  const x = rows.length === 0 ? Matrix.zeros(1, d) : new Matrix(rows);
  const y = Matrix.columnVector(rows.length === 0 ? [0] : payoffs);
  return solve(x.transpose().mmul(x).add(Matrix.eye(d).mul(lambda)), x.transpose().mmul(y)).to1DArray();
}
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * b[i], 0);

describe('ridge', () => {
  const log = syntheticLog({ ...PLAIN, events: 120, arms: 2, pools: 0, values: 'f64', payoff: 'stars', user: false });

  it.each([
    [1, 1],
    [3, 0.25],
  ])('of %d folds, λ = %d, is what the normal equations say', async (folds, ridge) => {
    const { at } = await predictionsOf(log, { folds, ridge });
    for (const fold of range(folds)) {
      for (const arm of [0, 1]) {
        const training = range(120).filter((t) => log.arm[t] === arm && (folds === 1 || t % folds !== fold));
        const rows = training.map((t) => contextOf(log, t));
        const payoffs = training.map((t) => payoffOf(log, t));
        const theta = ridgeOf(rows, payoffs, 6, ridge);
        for (const t of range(120).filter((one) => one % folds === fold))
          expect(at(t, arm)).toBeCloseTo(dot(contextOf(log, t), theta), 10);
      }
    }
  });

  it('of four contexts of their own: all that it knows of an event is what it is to predict (a public report)', async () => {
    const four = logFromColumns({
      arm: ['0', '0', '1', '1'],
      payoff: [1, 0, 1, 1],
      context: range(4).map((t) => range(4).map((j) => (j === t ? 1 : 0))),
    });
    const dm = async (options: RewardModelOptions): Promise<number> => {
      const { at } = await predictionsOf(four, options);
      return range(4).reduce((sum, t) => sum + at(t, 0) / 4, 0);
    };
    expect(await dm({ folds: 1 })).toBe(0.125);
    expect(await dm({ folds: 2, foldBy: 'event' })).toBe(0);
  });

  /** The solution of (S + I) θ = b of whole numbers, exactly, then rounded: Cramer's rule. */
  function exactly(rows: number[][], payoffs: number[], x: number[]): number {
    const d = x.length;
    const s = range(d).map((i) =>
      range(d).map((j) => rows.reduce((sum, row) => sum + BigInt(row[i]) * BigInt(row[j]), i === j ? 1n : 0n)),
    );
    const b = range(d).map((i) => rows.reduce((sum, row, k) => sum + BigInt(row[i]) * BigInt(payoffs[k]), 0n));
    const minor = (m: bigint[][], j: number): bigint[][] => m.slice(1).map((row) => row.filter((_, k) => k !== j));
    const det = (m: bigint[][]): bigint =>
      m.length === 0 ? 1n : m[0].reduce((sum, v, j) => sum + (j % 2 === 0 ? 1n : -1n) * v * det(minor(m, j)), 0n);
    const replaced = (j: number): bigint[][] => s.map((row, i) => row.map((v, k) => (k === j ? b[i] : v)));
    const numerator = range(d).reduce((sum, j) => sum + BigInt(x[j]) * det(replaced(j)), 0n);
    return Number((numerator * 10n ** 15n) / det(s)) / 1e15;
  }

  const UNITS: [what: string, context: (t: number) => number[]][] = [
    ['dates as yyyymmdd and a constant', (t) => [20240101 + (t % 28), 1]],
    ['a constant, then dates', (t) => [1, 20240101 + (t % 28)]],
    ['times in ms', (t) => [1_704_067_200_000 + 86_400_000 * (t % 9) + t, 1, t % 3]],
    ['a column twice, in other units', (t) => [t % 5, 1000 * (t % 5), 1]],
    ['columns that sum to another', (t) => [t % 2, 1 - (t % 2), 1, t % 7]],
    ['a huge column twice', (t) => [20240101 + (t % 28), 20240101 + (t % 28), 1]],
  ];

  it.each(UNITS)('%s: as whole numbers of any length say', async (_, context) => {
    const rows = range(300).map(context);
    const payoffs = range(300).map((t) => ((t * 7) % 11 < 3 ? 1 : 0));
    const { at, model } = await predictionsOf(
      logFromColumns({ arm: Array(300).fill('a'), payoff: payoffs, context: rows }),
      { folds: 1 },
    );
    for (const t of [0, 1, 17, 299]) expect(Math.abs(at(t, 0) - exactly(rows, payoffs, rows[t]))).toBeLessThan(1e-7);
    expect(model.warnings()).toHaveLength(
      1 + Number(model.warnings().some((text) => text.includes('follows from others'))),
    );
  });

  it('columns whose squares overflow are refused by name', async () => {
    const log = logFromColumns({
      arm: ['a', 'a'],
      payoff: [0, 1],
      context: [
        [1, 1e200],
        [2, 3],
      ],
    });
    await expect(fittedModel(log, { folds: 1 })).rejects.toThrow(/column "x1": .*too large.*overflow/);
    await expect(fittedModel(log, { folds: 1, rewardModel: 'logistic' })).rejects.toThrow(/column "x1"/);
  });
});

describe('mean', () => {
  it('is (clicks + 1) / (events + 200) of the other folds', async () => {
    const clicks = logFromColumns({ arm: ['a', 'b', 'a', 'a'], arms: ['a', 'b', 'c'], payoff: [1, 1, 0, 1] });
    const { at } = await predictionsOf(clicks, { rewardModel: 'mean', folds: 2 });
    // Event 0 is predicted by events 1 and 3, event 1 by 0 and 2.
    expect([at(0, 0), at(0, 1), at(0, 2)]).toEqual([2 / 201, 2 / 201, 1 / 200]);
    expect([at(1, 0), at(1, 1), at(1, 2)]).toEqual([2 / 202, 1 / 200, 1 / 200]);
  });

  it('scales other payoffs by their range', async () => {
    const stars = logFromColumns({ arm: ['a', 'a', 'b'], payoff: [5, 3, 1], payoffRange: [1, 5] });
    const { at } = await predictionsOf(stars, { rewardModel: 'mean', folds: 1 });
    expect(at(0, 0)).toBeCloseTo(1 + (4 * (1 + 0.5 + 1)) / 202, 14);
    expect(at(0, 1)).toBeCloseTo(1 + (4 * 1) / 201, 14);
  });
});

/** θ_j of an arm: what is predicted for the context e_j. */
async function thetaOf(log: EventLog, options: RewardModelOptions): Promise<number[][]> {
  const model = await fittedModel(log, options);
  const { dimension: d, columns } = log.contexts;
  const unit = (j: number): EventLog => ({
    ...log,
    events: 1,
    contexts: {
      dimension: d,
      columns,
      rows: 1,
      row: null,
      values: Float64Array.from(range(d), (i) => (i === j ? 1 : 0)),
    },
  });
  const { low, high } = log.payoff.scale;
  return log.arms.ids.map((_, a) =>
    range(d).map((j) => {
      const p = (model.predict(unit(j)).values[a] - low) / (high - low);
      return Math.log(p / (1 - p));
    }),
  );
}

describe('logistic', () => {
  it.each([
    ['clicks', 1],
    ['stars', 0.1],
    ['negative', 1],
  ] as const)('of %s, λ = %d: where the gradient is nothing', async (payoff, ridge) => {
    const log = syntheticLog({ ...PLAIN, events: 400, arms: 2, pools: 0, values: 'f64', payoff, user: false });
    const { low, high } = log.payoff.scale;
    const theta = await thetaOf(log, { rewardModel: 'logistic', ridge, folds: 1 });
    for (const arm of [0, 1]) {
      const gradient = theta[arm].map((value) => -ridge * value);
      let size = 0;
      for (const t of range(400).filter((one) => log.arm[one] === arm)) {
        const x = contextOf(log, t);
        const u = (payoffOf(log, t) - low) / (high - low);
        const p = 1 / (1 + Math.exp(-dot(x, theta[arm])));
        x.forEach((value, j) => {
          gradient[j] += (u - p) * value;
          size += Math.abs((u - p) * value);
        });
      }
      for (const one of gradient) expect(Math.abs(one)).toBeLessThan(1e-9 * size);
    }
  });

  it('without a context: n u − n p = λ ln(p / (1 − p)), of the other folds', async () => {
    const log = logFromColumns({
      arm: range(40).map((t) => (t % 4 === 3 ? 'b' : 'a')),
      arms: ['a', 'b', 'never'],
      payoff: range(40).map((t) => (t % 5 === 0 ? 1 : 0)),
    });
    const { at, model } = await predictionsOf(log, { rewardModel: 'logistic', folds: 2, ridge: 2 });
    for (const fold of [0, 1]) {
      for (const arm of [0, 1]) {
        const training = range(40).filter((t) => log.arm[t] === arm && t % 2 !== fold);
        const earned = training.filter((t) => t % 5 === 0).length;
        const p = at(fold, arm);
        expect(earned - training.length * p).toBeCloseTo(2 * Math.log(p / (1 - p)), 9);
      }
    }
    expect(at(0, 2)).toBe(0.5);
    expect(model.description.passes).toBeLessThan(10);
    expect(model.warnings().join('\n')).toMatch(
      /no context.*\n.*"never"\) was never logged.*the middle of the payoff range/,
    );
  });

  const HARD: [what: string, context: (t: number) => number[], ridge: number][] = [
    ['separable, λ = 1e-6', (t) => [t % 2 === 0 ? 1 : -1, 1], 1e-6],
    ['columns of any unit', (t) => [1e9 * (t % 7), 1e-9 * (t % 5), 1], 1],
    ['dates as yyyymmdd', (t) => [20240101 + (t % 28), 1], 1],
    ['a column twice', (t) => [t % 3, t % 3, 1], 1e-3],
  ];

  it.each(HARD)('%s: converges', async (_, context, ridge) => {
    const log = logFromColumns({
      arm: Array(200).fill('a'),
      payoff: range(200).map((t) => (t % 2 === 0 ? 1 : 0)),
      context: range(200).map(context),
    });
    const { at, model } = await predictionsOf(log, { rewardModel: 'logistic', ridge, folds: 1 });
    expect(range(200).every((t) => at(t, 0) >= 0 && at(t, 0) <= 1)).toBe(true);
    expect(model.warnings().filter((text) => text.includes('converged'))).toEqual([]);
    expect(model.description.passes).toBeLessThan(50);
  });

  it('payoffs that are all the same', async () => {
    const log = logFromColumns({ arm: Array(9).fill('a'), payoff: Array(9).fill(7) });
    expect(log.payoff.scale.low).toBe(log.payoff.scale.high);
    for (const rewardModel of ['logistic', 'mean'] as const) {
      const { at } = await predictionsOf(log, { rewardModel });
      expect(at(0, 0)).toBe(7);
    }
  });
});

describe('arm-features', () => {
  it.each(JOINT_FEATURES.flatMap((features) => [['arms', features] as const, ['versions', features] as const]))(
    'features of %s, %s: what the normal equations say',
    async (kind, jointFeatures) => {
      const log = syntheticLog({ ...PLAIN, events: 150, values: 'f64', payoff: 'stars', features: kind, user: false });
      const { at, model } = await predictionsOf(log, {
        rewardModel: 'arm-features',
        jointFeatures,
        folds: 2,
        ridge: 3,
      });
      const { dimension: dz, values: z, row } = log.armFeatures ?? expect.fail('no features');
      const d = Number(model.description.parameters.columns);
      const phi = (t: number, feature: number): number[] => {
        const out = new Float64Array(d);
        writeJoint(
          jointParts(jointFeatures),
          Float64Array.from(contextOf(log, t)),
          0,
          6,
          z,
          feature * dz,
          dz,
          out,
          0,
          1,
        );
        return Array.from(out);
      };
      const shown = loggedRows(log);
      for (const fold of [0, 1]) {
        const training = range(150).filter((t) => t % 2 !== fold);
        const rows = training.map((t) => phi(t, shown[t]));
        const payoffs = training.map((t) => payoffOf(log, t));
        const theta = ridgeOf(rows, payoffs, d, 3);
        for (const t of range(150).filter((one) => one % 2 === fold)) {
          const set = log.pools.pool?.[t] ?? 0;
          for (let i = log.pools.offsets[set]; i < log.pools.offsets[set + 1]; i++) {
            const arm = log.pools.arms[i];
            expect(at(t, arm)).toBeCloseTo(dot(phi(t, row?.[i] ?? arm), theta), 9);
          }
        }
      }
    },
  );

  it('refuses a log that has none, and products without a context', async () => {
    const plain = syntheticLog({ ...PLAIN, events: 5 });
    await expect(fittedModel(plain, { rewardModel: 'arm-features' })).rejects.toThrow(
      /needs features of arms, and the log has none\n.*\n.*--reward-model ridge/,
    );
    const bare = syntheticLog({ ...PLAIN, events: 5, dimension: 0, features: 'arms' });
    await expect(fittedModel(bare, { rewardModel: 'arm-features', jointFeatures: 'product' })).rejects.toThrow(
      /products need a context, and the log has none\n.*product/,
    );
    const model = await fittedModel(bare, { rewardModel: 'arm-features' });
    expect(model.description.parameters).toMatchObject({ jointFeatures: 'arm' });
  });
});

describe('arms', () => {
  const log = logFromColumns({
    arm: ['a', 'b', 'a', 'a', 'a', 'a'],
    arms: ['a', 'b', 'c', 'd'],
    payoff: [1, 1, 1, 0, 1, 1],
    context: range(6).map((t) => [t, 1]),
  });

  it.each([
    ['ridge', 0],
    ['logistic', 0.5],
  ] as const)('never logged, or in one fold only, are predicted by λ alone: %s', async (rewardModel, answer) => {
    const { at, model } = await predictionsOf(log, { rewardModel, folds: 3 });
    for (const t of range(6)) expect([at(t, 2), at(t, 3)]).toEqual([answer, answer]);
    // Arm b has one event, of fold 1.
    expect([at(1, 1), at(4, 1)]).toEqual([answer, answer]);
    expect(at(0, 1)).not.toBe(answer);
    const [never, sometimes, ...rest] = model.warnings();
    expect(never).toMatch(/^2 arms \("c", "d"\) were never logged/);
    expect(sometimes).toMatch(/^1 arm has all its events in one fold/);
    expect(rest).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { ArchiveReader, ArchiveWriter } from '#dist/archive.js';
import type { EventNumbers } from '#dist/estimate/event-numbers.js';
import { ArmWeights } from '#dist/estimate/weights/arm-weights.js';
import { PropensityCheck } from '#dist/estimate/weights/propensity-check.js';
import { ARMS, numbersOf, uniforms } from '../world.js';

describe('the mean of 1/p', () => {
  const warnings = (p: readonly number[]): string[] => {
    const check = new PropensityCheck({ arms: { ids: ARMS } });
    check.add(numbersOf(p.map((one, t) => ({ k: 0, p: one, arm: t % 3, choice: 0 }))));
    return check.warnings();
  };

  it.each([[[1 / 3, 1 / 3, 1 / 3]], [[0.2, 0.2, 0.2]], [[0.5, 0.9, 0.4]]])(
    '%j is about the number of candidates',
    (p) => {
      expect(warnings(p)).toEqual([]);
    },
  );

  it('is doubted where it is not', () => {
    expect(warnings([0.05, 0.05]).join()).toMatch(
      /^the mean of 1\/propensity is 20, and with 3 candidates on average 3 is expected: /,
    );
    expect(warnings([1, 1, 1]).join()).toMatch(/^the mean of 1\/propensity is 1, and with 3 candidates/);
  });
});

describe('propensities against how often arms were shown', () => {
  /** @param shares of the arms by context, the logging policy. @param written what the log says of the chosen one. */
  function warnings(
    seed: number,
    shares: readonly number[][],
    written: (p: number, row: readonly number[]) => number,
    events = 4000,
  ) {
    const random = uniforms(seed);
    const arm = new Uint32Array(events);
    const propensity = new Float64Array(events);
    for (let t = 0; t < events; t++) {
      const row = shares[Math.floor(random() * shares.length)];
      let u = random();
      while (arm[t] < row.length - 1 && u >= row[arm[t]]) u -= row[arm[t]++];
      propensity[t] = written(row[arm[t]], row);
    }
    const check = new PropensityCheck({ arms: { ids: ARMS } });
    check.add(numbersOf([...arm].map((one, t) => ({ k: 0, p: propensity[t], arm: one, choice: 0 }))));
    return check.warnings();
  }
  const SKEWED = [
    [0.9, 0.08, 0.02],
    [0.2, 0.3, 0.5],
  ];

  it('says nothing of 300 logs whose propensities are right', () => {
    const accused = Array.from({ length: 300 }, (_, seed) => warnings(seed, SKEWED, (p) => p));
    expect(accused.flat()).toEqual([]);
  });

  it.each<[string, (p: number, row: readonly number[]) => number]>([
    ['another arm', (p, row) => row[(row.indexOf(p) + 1) % 3]],
    ['what is left of 1', (p) => 1 - p],
    ['an arm of a uniform log', (p) => 1 / 3 + p / 1e3],
  ])('doubts the probability of %s', (_, written) => {
    expect(warnings(1, SKEWED, written).join()).toMatch(/probability of the logged arm/);
  });

  it('names the arm, its sum and what is due', () => {
    const [warning] = warnings(1, [[0.7, 0.2, 0.1]], (p) => 1 - p, 5000);
    expect(warning).toMatch(/; "a": 11,\d{3} from 3,\d{3} events, while 5,000 offer it\./);
  });

  it('doubts an arm that was not always possible, and not one that is seldom shown', () => {
    const certain = [
      [0.5, 0.5, 0],
      [0.4, 0.3, 0.3],
    ];
    expect(warnings(1, certain, (p) => p).join()).toMatch(/not for "c": [^;]* the arm was not always possible/);
    expect(warnings(1, [[0.6, 0.399, 0.001]], (p) => p)).toEqual([]);
  });

  it('is the same in batches, and after it was carried over', () => {
    const weights = new ArmWeights({ ids: ARMS });
    const whole = new ArmWeights({ ids: ARMS });
    const restored = new ArmWeights({ ids: ARMS });
    const part = (arm: number[], pool: number[]): EventNumbers => ({
      ...numbersOf(arm.map((one) => ({ k: 0, p: 0.01, arm: one, choice: 0 }))),
      pools: { offsets: Uint32Array.of(0, 2, 3), arms: Uint32Array.of(0, 1, 2), pool: Uint32Array.from(pool) },
    });
    const parts = [part(Array(40).fill(0), Array(40).fill(0)), part([1, 2, 2], [0, 1, 1])];
    for (const one of parts) weights.add(one);
    whole.add(part([...Array(40).fill(0), 1, 2, 2], [...Array(40).fill(0), 0, 1, 1]));
    const writer = new ArchiveWriter();
    weights.carry(writer);
    restored.carry(new ArchiveReader(writer.bytes()));
    const [found] = weights.odd();
    expect(found).toMatchObject({ arm: 'a', events: 40, weight: 4000, offered: 41 });
    expect(whole.odd()).toEqual(weights.odd());
    expect(restored.odd()).toEqual(weights.odd());
  });
});

/**
 * @module-tag long
 *
 * Linear policies on the men's log of the Open Bandit Dataset: every T and G of two independent implementations.
 */
import { describe, expect, it } from 'vitest';
import { engines } from './engines.js';
import { inSetOrder, MEN, MEN_SHAPE, reference, SUBSETS, sharedFile, sineWeights } from './reference.js';

interface Sums {
  T: number[];
  G: number[];
}

interface Few {
  meta: { K: number; D: number; context_columns: string[] };
  p: number[];
  n_logged: Record<string, number>;
  subsets: Record<string, Sums & { snips: number[] }>;
}

interface Many {
  meta: { p0: number; p1: number };
  summary: Record<
    string,
    {
      sum_T: number;
      sum_G: number;
      max_V: number;
      argmax_p_lowest: number;
      n_policies_with_max: number;
      T_min: number;
      T_max: number;
    }
  >;
  subsets: Record<string, Sums>;
}

const few = reference<Few>('own_linear_random_men.json');
const many = reference<Many>('own_many_random_men.json');
const { arms, dimension } = MEN_SHAPE;
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe.each(engines())('100 linear policies on $name', ({ run }) => {
  it.each(Object.keys(few.subsets))('%s', async (subset) => {
    expect(few.p).toEqual(Array.from({ length: 100 }, (_, p) => p));
    const result = await run({
      log: { files: [sharedFile(MEN)], format: 'obd', where: SUBSETS[subset] },
      policies: [{ family: 'linear', weights: sineWeights(few.p.length, arms, dimension) }],
    });
    expect(result.log).toMatchObject({ events: few.n_logged[subset], arms: few.meta.K, contextDimension: few.meta.D });
    const { T, G, value } = inSetOrder(result);
    const { T: neededT, G: neededG, snips } = few.subsets[subset];
    expect(T).toEqual(neededT);
    expect(G).toEqual(neededG);
    // Under uniform logging the self-normalised estimate is Ĝ/T.
    const off = value.flatMap((v, p) =>
      v !== null && Math.abs(v - snips[p]) <= 1e-13 ? [] : [{ p, value: v, snips: snips[p] }],
    );
    expect(off).toEqual([]);
  });
});

describe.each(engines())('10,000 linear policies on $name', ({ run }) => {
  it.each(Object.keys(many.subsets))(
    '%s',
    async (subset) => {
      const policies = many.meta.p1 - many.meta.p0;
      expect([many.meta.p0, policies]).toEqual([0, 10_000]);
      const result = await run({
        log: { files: [sharedFile(MEN)], format: 'obd', where: SUBSETS[subset] },
        policies: [{ family: 'linear', weights: sineWeights(policies, arms, dimension) }],
      });
      const { T, G } = inSetOrder(result);
      expect(T).toEqual(many.subsets[subset].T);
      expect(G).toEqual(many.subsets[subset].G);
      const [best] = result.policies;
      expect({
        sum_T: sum(T),
        sum_G: sum(G),
        max_V: best.value,
        argmax_p_lowest: best.index,
        n_policies_with_max: result.policies.filter(({ value }) => value === best.value).length,
        T_min: Math.min(...T),
        T_max: Math.max(...T),
      }).toEqual(many.summary[subset]);
      // 10⁸ decisions: over a minute on a software adapter that shares two cores.
    },
    600_000,
  );
});

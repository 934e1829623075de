/** Inverse propensity scoring on a log of Bernoulli Thompson sampling, against the Open Bandit Pipeline 0.5.5 and an own program. */
import { describe, expect, it } from 'vitest';
import type { EvaluationResult } from '#dist/report/result.js';
import { engines } from './engines.js';
import { reference, SUBSETS, sharedFile, sineWeights } from './reference.js';

interface Policy {
  n_match: number;
  ipw: number;
}

interface Pipeline {
  subsets: Record<
    string,
    { n_rounds: number; constant: (Policy & { a: number })[]; linear_argmax: (Policy & { p: number })[] }
  >;
}

interface Own {
  subsets: Record<
    string,
    {
      policies: Record<
        string,
        { sums: { T: number }; ips: { value: number; se_event: number; normal: [number, number] } }
      >;
    }
  >;
}

const LOG = sharedFile('data/obd/bts/men/men.csv.gz');
const pipeline = reference<Pipeline>('obp_static_bts_men.json').subsets;
const own = reference<Own>('estimators_bts_men.json').subsets;
const [arms, dimension] = [34, 27];
const policies = [
  { family: 'constant' as const },
  { family: 'linear' as const, weights: sineWeights(10, arms, dimension) },
];

const inOrder = ({ policies: rows }: EvaluationResult) => [...rows].sort((a, b) => a.index - b.index);
/** What the result says of rounding, and what f64 does to a sum of so many terms. */
const within = (got: number | null | undefined, needed: number, bound: number): boolean =>
  got != null && Math.abs(got - needed) <= bound * Math.abs(needed);

describe.each(engines())('ips on $name', ({ run }) => {
  it.each(Object.keys(pipeline))('%s: every constant policy and ten linear ones', async (subset) => {
    const { n_rounds, constant, linear_argmax } = pipeline[subset];
    const result = await run({
      log: { files: [LOG], format: 'obd', where: SUBSETS[subset] },
      policies,
      estimator: 'ips',
    });
    expect(result.log).toMatchObject({ events: n_rounds, arms, contextDimension: dimension });
    if (result.estimator.name !== 'ips') throw new Error('another estimator answered');
    const { rounding } = result.estimator;
    expect(rounding).toBeLessThanOrEqual(1e-6);
    const rows = inOrder(result);
    const needed = [...constant, ...linear_argmax];
    expect(rows.map(({ matches }) => matches)).toEqual(needed.map(({ n_match }) => n_match));
    const bound = rounding + n_rounds * Number.EPSILON;
    const off = rows.filter(({ value }, i) => {
      const { n_match, ipw } = needed[i];
      return n_match === 0 ? value !== null : !within(value, ipw, bound);
    });
    expect(off).toEqual([]);
  });

  it.each(Object.keys(own))('%s: standard errors and intervals', async (subset) => {
    const result = await run({
      log: { files: [LOG], format: 'obd', where: SUBSETS[subset] },
      policies,
      estimator: 'ips',
    });
    if (result.estimator.name !== 'ips') throw new Error('another estimator answered');
    const rows = inOrder(result);
    const names = Object.keys(own[subset].policies).filter((name) => /^constant|argmax$/.test(name));
    expect(names).toHaveLength(13);
    for (const name of names) {
      const { sums, ips } = own[subset].policies[name];
      const [kind, number] = name.split(' ');
      const { matches, value, standardError, interval } = rows[Number(number) + (kind === 'linear' ? arms : 0)];
      expect(matches, name).toBe(sums.T);
      // Squares are rounded by as much as they are, and a root halves it.
      const bound = 2 * result.estimator.rounding + 1e-11;
      expect(within(value, ips.value, bound), name).toBe(true);
      expect(within(standardError, ips.se_event, bound), name).toBe(true);
      const [low, high] = ips.normal;
      // Without clicks the reference's interval has no width; here it says nothing.
      const clipped = ips.se_event === 0 ? [0, 1] : [Math.max(0, low), Math.min(1, high)];
      expect(Math.abs(interval[0] - clipped[0]) <= bound * high, name).toBe(true);
      expect(Math.abs(interval[1] - clipped[1]) <= bound * high || ips.se_event === 0, name).toBe(true);
    }
  });
});

describe('ips', () => {
  const [cpu, gpu] = engines();

  it('is the same to the last bit on both engines, and in batches', async () => {
    const log = { files: [LOG], format: 'obd' as const };
    const [a, b, c] = [
      await cpu.run({ log, policies, estimator: 'ips' }),
      await gpu.run({ log, policies, estimator: 'ips' }),
      await cpu.run({ log, policies, estimator: 'ips', stretchEvents: 777 }),
    ];
    expect(b.policies).toEqual(a.policies);
    expect(c.policies).toEqual(a.policies);
    expect(c.estimator).toEqual(a.estimator);
  });
});

/** Every estimator on logs of the Open Bandit Dataset, against an own program in numpy. */
import { describe, expect, it } from 'vitest';
import type { EstimatorName } from '#dist/estimate/estimators/index.js';
import type { EvaluateOptions } from '#dist/evaluate.js';
import type { EvaluationResult, PolicyResult } from '#dist/report/result.js';
import { LONG } from '../long.js';
import { engines } from './engines.js';
import { ARMS, LINEAR, MEN_LOGS, menFile, menPolicies, menTable } from './men.js';
import { reference, SUBSETS } from './reference.js';
import { valueBound, type Weighed } from './weighted-bounds.js';

interface Known {
  readonly value: number;
  /** 1 − Σ min(w, M)/Σ w, of ips. */
  readonly clipped_share_of_w?: number | null;
  readonly se_event: number;
  readonly normal: readonly [number, number];
  readonly ecp?: readonly [number, number] | null;
}

type Policy = { readonly [estimator: string]: Known | null } & {
  readonly sums: {
    readonly nonzero_w: number;
    readonly w: number;
    readonly wr: number;
    readonly max_w: number;
    readonly ess: number;
    readonly mean_w: number;
    readonly max_w_share: number | null;
  };
};

interface Own {
  readonly subsets: Record<string, { readonly policies: Record<string, Policy> }>;
}

/** As the reference calls what its models are. */
const MODELS = {
  ridge_all: { folds: 1 },
  ridge_cf2: { folds: 2, foldBy: 'event' },
  shrunk: { rewardModel: 'mean', folds: 1 },
} as const satisfies Record<string, Partial<EvaluateOptions>>;
const CLIPS = [5, 20, 100] as const;
const WITHOUT_MODEL: EstimatorName[] = ['snips', 'ips', 'ips-clip', 'snips-clip', 'cressie-read'];
const WITH_MODEL: EstimatorName[] = ['dm', 'dr', 'dr-clip', 'switch-dr', 'dros', 'sndr'];

/** Names of the reference, and the policies that they are here. */
function* known(
  { policies: rows }: EvaluationResult,
  all: Record<string, Policy>,
): Generator<[string, PolicyResult, Policy]> {
  const inOrder = [...rows].sort((a, b) => a.index - b.index);
  for (const [name, one] of Object.entries(all)) {
    const [kind, number, how] = name.split(' ');
    if (kind === 'constant') yield [name, inOrder[Number(number)], one];
    if (kind === 'uniform') yield [name, inOrder[ARMS + LINEAR], one];
    if (kind === 'table') yield [name, inOrder[ARMS + 3 * LINEAR + 1], one];
    if (kind !== 'linear') continue;
    if (how === 'argmax') yield [name, inOrder[ARMS + Number(number)], one];
    if (how === 'eps0.1') yield [name, inOrder[ARMS + LINEAR + 1 + Number(number)], one];
    if (how === 'softmax4') yield [name, inOrder[ARMS + 2 * LINEAR + 1 + Number(number)], one];
  }
}

/** Predictions of all models lie within this, and of these logs less than 1 % of events are clicked. Regressions lose no more to f64. */
const SURROUNDINGS = { predicted: 1.5, fitted: 1e-9, paid: 0.01 };

const weighed = ({ wr, mean_w, ess, max_w }: Policy['sums'], events: number): Weighed => ({
  ...{ ips: wr / events, mean: mean_w, ess, most: max_w },
});

function check(
  result: EvaluationResult,
  all: Record<string, Policy>,
  events: number,
  names: Partial<Record<EstimatorName, string>>,
) {
  const off: string[] = [];
  let compared = 0;
  for (const [policy, row, one] of known(result, all)) {
    for (const [name, key] of Object.entries(names) as [EstimatorName, string][]) {
      const needed = one[key];
      const got = row.estimates[name];
      if (needed === null || one.sums.nonzero_w === 0) {
        if (/snips|ips/.test(name) && got?.value !== null) off.push(`${policy} ${name}: a value without matches`);
        continue;
      }
      compared++;
      const most = valueBound(result, name, { ...weighed(one.sums, events), value: needed.value }, SURROUNDINGS);
      if (!(Math.abs((got?.value ?? Number.NaN) - needed.value) <= most))
        off.push(`${policy} ${key}: ${got?.value} for ${needed.value} ± ${most}`);
      if (name === 'cressie-read') continue;
      // An error is a norm of influences: twice what moves the value, for the value in each, and √(L/(L−1)).
      const error = 4 * Math.SQRT2 * most + 1e-12;
      if (!(Math.abs((got?.standardError ?? Number.NaN) - needed.se_event) <= error))
        off.push(`${policy} ${key}: error ${got?.standardError} for ${needed.se_event} ± ${error}`);
    }
  }
  expect(off).toEqual([]);
  return compared;
}

const runs = engines();

describe.each(MEN_LOGS)('%s/men', (log) => {
  const own = reference<Own>(`estimators_${log}_men.json`).subsets;
  const files = [menFile(log)];

  describe.each(Object.keys(own))('%s', (subset) => {
    const at = {
      log: { files, format: 'obd' as const, where: SUBSETS[subset] },
      policies: [...menPolicies(log), menTable(log)],
      interval: 'normal' as const,
    };

    it.each(CLIPS)('values and errors without a model, clipped at %i', async (clip) => {
      const result = await runs[0].run({ ...at, estimators: WITHOUT_MODEL, clip });
      const names = {
        snips: 'snips',
        ips: 'ips',
        'ips-clip': `ips_clip${clip}`,
        'snips-clip': `snips_clip${clip}`,
        'cressie-read': 'cr',
      };
      expect(check(result, own[subset].policies, result.log.events, names)).toBeGreaterThan(50);
      for (const [name, row, { sums, [names['ips-clip']]: clipped }] of known(result, own[subset].policies)) {
        expect(row.matches, name).toBe(sums.nonzero_w);
        // Every weight is rounded by less than 10⁻⁶ of itself, clipped or not; all arms were logged.
        for (const by of ['ips-clip', 'snips-clip'] as const)
          expect(
            Math.abs((row.estimates[by]?.clippedShare ?? 1) - (clipped?.clipped_share_of_w ?? 0)),
            `${name} ${by}`,
          ).toBeLessThanOrEqual(2e-6);
        expect(row.weights?.noOverlap, name).toBe(0);
        const { ess, mean, largest, largestShare } = row.weights ?? { ess: 0, mean: 0, largest: 0, largestShare: 0 };
        expect(Math.abs(ess - sums.ess), name).toBeLessThanOrEqual(4e-6 * sums.ess);
        expect(Math.abs(mean - sums.mean_w), name).toBeLessThanOrEqual(1e-6 * sums.mean_w);
        // The largest is rounded to f32.
        expect(Math.abs(largest - sums.max_w), name).toBeLessThanOrEqual(2 ** -24 * sums.max_w);
        expect(Math.abs(largestShare - (sums.max_w_share ?? 0)), name).toBeLessThanOrEqual(2e-6);
      }
    });

    const models = Object.keys(MODELS) as (keyof typeof MODELS)[];
    it.each(models)('values and errors with the model %s', subset === 'all' ? {} : LONG, async (model) => {
      for (const [clip, most] of [
        [5, 10],
        [100, 40],
      ]) {
        const result = await runs[0].run({
          ...{ ...at, estimators: WITH_MODEL, clip, switch: most, shrinkage: 100 },
          ...MODELS[model],
        });
        const names = {
          dm: `dm[${model}]`,
          dr: `dr[${model}]`,
          'dr-clip': `dr_clip${clip}[${model}]`,
          'switch-dr': `switch${most}[${model}]`,
          dros: `dros100[${model}]`,
          sndr: `sndr[${model}]`,
        };
        expect(check(result, own[subset].policies, result.log.events, names)).toBeGreaterThan(60);
        for (const [name, row, one] of known(result, own[subset].policies))
          expect(
            Math.abs((row.estimates['dr-clip']?.clippedShare ?? 1) - (one[`ips_clip${clip}`]?.clipped_share_of_w ?? 0)),
            name,
          ).toBeLessThanOrEqual(2e-6);
      }
    });
  });

  it('is the same to the last bit on all engines, and in batches', log === 'bts' ? {} : LONG, async () => {
    const at = {
      log: { files, format: 'obd' as const },
      policies: [...menPolicies(log), menTable(log)],
      estimators: [...WITHOUT_MODEL.slice(0, 4), ...WITH_MODEL],
      ...{ clip: 20, switch: 40, shrinkage: 100, interval: 'normal' as const },
    };
    const [cpu, gpu] = runs;
    const [a, b, c] = [await cpu.run(at), await gpu.run(at), await cpu.run({ ...at, stretchEvents: 777 })];
    expect(b.policies).toEqual(a.policies);
    expect(c.policies).toEqual(a.policies);
    expect(c.estimators).toEqual(a.estimators);
  });
});

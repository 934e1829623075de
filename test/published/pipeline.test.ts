/**
 * The estimators of the Open Bandit Pipeline 0.5.5 that are here too, on the men's logs: every policy of the reference, with three
 * tables of predictions.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EstimatorName } from '#dist/estimate/estimators/index.js';
import { zScore } from '#dist/estimate/interval/z-score.js';
import { evaluate } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { encodeNpy } from '#dist/policy/npy.js';
import type { EvaluationResult, PolicyResult } from '#dist/report/result.js';
import { eachCase } from '../long.js';
import { ARMS, CHOOSING, KIND_NAMES, type Kind, MEN_LOGS, menPolicies, openMen, rowsOfMen } from './men.js';
import { reference } from './reference.js';
import { errorBound, roundings, valueBound } from './weighted-bounds.js';

/** Values of one policy by the name of the estimator, and its weights. */
type Known = Readonly<Record<string, number>>;
type Bounds = { readonly normal_95: readonly [number, number] };

interface Subset extends Record<Kind, Known | Known[]> {
  readonly n_rounds: number;
  /** Of each arm; of each arm at each position. */
  readonly q1_table: readonly number[];
  readonly q2_table: readonly (readonly number[])[];
  /** Of some policies. */
  readonly intervals: Record<string, { ipw: Bounds; snipw: Bounds; 'dr[q2]': Bounds }>;
}

const Z = zScore(0.05);

type Row = ReturnType<typeof rowsOfMen>[number];
type Model = 'q1' | 'q2' | 'q3';
const MODELS: Record<Model, (subset: Subset, arm: number, row: Row) => number> = {
  q1: ({ q1_table }, arm) => q1_table[arm],
  q2: ({ q2_table }, arm, { position }) => q2_table[arm][position - 1],
  q3: (_, arm, { third }) => 0.002 + 0.001 * ((arm + third) % 7),
};

/** Every model, with both pairs of a clip and a switch that the reference has; for all events each model once in every run. */
const cases = (subset: string) =>
  (Object.keys(MODELS) as Model[]).flatMap((model, i) =>
    [
      { clip: 5, switched: 10 },
      { clip: 20, switched: 40 },
    ].map((cut, j) => ({
      name: `${model}, clipped at ${cut.clip}, switched at ${cut.switched}`,
      ...{ model, ...cut, long: subset !== 'all' || (i + j) % 2 === 1 },
    })),
  );

const namesFor = ({
  model,
  clip,
  switched,
}: ReturnType<typeof cases>[number]): { [name in EstimatorName]?: string } => ({
  ips: 'ipw',
  snips: 'snipw',
  'ips-clip': `ipw_clip${clip}.0`,
  dm: `dm[${model}]`,
  dr: `dr[${model}]`,
  sndr: `sndr[${model}]`,
  'dr-clip': `dr_clip${clip}.0[${model}]`,
  'switch-dr': `switch-dr${switched}.0[${model}]`,
  dros: `dr-os100.0[${model}]`,
});

/** The reference's policies, and the same of a result. */
function pairs(
  { policies }: EvaluationResult,
  subset: Subset,
  kinds: readonly Kind[] = KIND_NAMES,
): [string, PolicyResult, Known][] {
  const rows = [...policies].sort((a, b) => a.index - b.index);
  const known = kinds.flatMap((kind) => [subset[kind]].flat().map((one) => [nameOf(kind, one), one] as const));
  expect(rows).toHaveLength(known.length);
  return known.map(([name, one], i) => [name, rows[i], one]);
}

/** As the reference's intervals call a policy. */
const nameOf = (kind: Kind, { a, p }: Known): string => `${kind}|${a === undefined ? `p=${p}` : `a=${a}`}`;

describe.each(MEN_LOGS)('%s/men', (men) => {
  const { subsets } = reference<{ subsets: Record<string, Subset> }>(`obp_static_${men}_men.json`);
  const rows = rowsOfMen(men);
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  describe.each(Object.keys(subsets))('%s', (name) => {
    const subset = subsets[name];
    let log: EventLog;
    beforeAll(async () => {
      log = await openMen(men, name);
    });

    if (men === 'random')
      it('replay', async () => {
        const policies = menPolicies(men, CHOOSING);
        const result = await evaluate({ log, policies, estimators: 'replay', device: 'cpu', threads: 1 });
        for (const [policy, row, { n_match, rm }] of pairs(result, subset, CHOOSING)) {
          expect(row.matches, policy).toBe(n_match);
          expect(row.value ?? 0, policy).toBeCloseTo(rm, 12);
        }
      });

    eachCase(cases(name), async (one) => {
      const { model, clip, switched } = one;
      // A row for each of the file, whatever the subset.
      const values = new Float64Array(rows.length * ARMS);
      rows.forEach((row, t) => {
        for (let arm = 0; arm < ARMS; arm++) values[t * ARMS + arm] = MODELS[model](subset, arm, row);
      });
      const predicted = values.reduce((a, b) => Math.max(a, b), 0);
      const predictions = join(folder, `${name}-${model}.npy`);
      writeFileSync(predictions, encodeNpy(values, [rows.length, ARMS]));
      const names = namesFor(one);
      const estimators = Object.keys(names) as EstimatorName[];
      const result = await evaluate({
        ...{ log, policies: menPolicies(men), predictions, estimators, device: 'cpu', threads: 1 },
        ...{ clip, switch: switched, shrinkage: 100, interval: 'normal' },
      });
      expect(result.log).toMatchObject({ events: subset.n_rounds, arms: ARMS });

      const off: string[] = [];
      const compare = (what: string, got: number | null | undefined, needed: number, bound: number) => {
        if (!(Math.abs((got ?? Number.NaN) - needed) <= bound)) off.push(`${what}: ${got} for ${needed} ± ${bound}`);
      };
      const { delta } = roundings(result, 'ips');
      for (const [policy, row, known] of pairs(result, subset)) {
        const { ipw: ips, mean_w: mean, max_w: most, ess } = known;
        const weighed = { ips, mean, most, ess };
        if (known.n_match !== undefined) compare(`${policy} matches`, row.matches, known.n_match, 0);
        for (const estimator of estimators) {
          const value = known[names[estimator] ?? ''];
          const bound = valueBound(result, estimator, { ...weighed, value }, { predicted });
          compare(`${policy} ${estimator}`, row.estimates[estimator]?.value, value, bound);
        }
        compare(`${policy} mean weight`, row.weights?.mean, mean, (delta + 1e-9) * mean);
        // The largest is kept as an f32.
        compare(`${policy} largest weight`, row.weights?.largest, most, 2 ** -24 * most);
        // (Σ w)² / Σ w², each of which moves by twice the share of a weight.
        compare(`${policy} ESS`, row.weights?.ess, ess, (4.01 * delta + 1e-9) * ess);

        const bounds = subset.intervals[policy];
        if (bounds === undefined) continue;
        const normal = (key: 'ipw' | 'snipw' | 'dr[q2]') => {
          const [lower, upper] = bounds[key].normal_95;
          return { value: (lower + upper) / 2, error: (upper - lower) / 2 / Z };
        };
        const errors = [['ips', 'ipw'] as const, ...(model === 'q2' ? [['dr', 'dr[q2]'] as const] : [])];
        for (const [estimator, key] of errors) {
          const got = row.estimates[estimator];
          const { value, error } = normal(key);
          const bound = errorBound(result, estimator, { ...weighed, error }, { predicted });
          compare(`${policy} error of ${estimator}`, got?.standardError, error, bound);
          // Where nothing paid the reference is sure of 0; here nothing is known.
          const ends = value === 0 ? [0, 1] : [-1, 1].map((sign) => Math.max(0, value + sign * Z * error));
          const within = valueBound(result, estimator, { ...weighed, value }, { predicted }) + Z * bound;
          for (const i of [0, 1]) compare(`${policy} interval of ${estimator}`, got?.interval[i], ends[i], within);
        }
        // There the error of snips is that of ips over Σ w / n, as if that were known and not drawn; here it is the ratio's own.
        const { error } = normal('snipw');
        const frozen = (row.estimates.ips?.standardError ?? Number.NaN) / (row.weights?.mean ?? 0);
        const bound = errorBound(result, 'ips', { ...weighed, error: error * mean }) / mean + 1.01 * delta * error;
        compare(`${policy} frozen error of snips`, frozen, error, bound + 1e-9 * error);
      }
      expect(off).toEqual([]);
    });
  });
});

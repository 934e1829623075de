/** The men's logs by VowpalWabbit's estimators (8ce3871): ips, snips, Cressie-Read and the Gaussian interval of ips. */
import { describe, expect, it } from 'vitest';
import { zScore } from '#dist/estimate/interval/z-score.js';
import { evaluate } from '#dist/evaluate.js';
import { KIND_NAMES, MEN_LOGS, menPolicies, openMen } from './men.js';
import { reference } from './reference.js';
import { errorBound, valueBound } from './weighted-bounds.js';

interface Known {
  readonly ips: number;
  readonly snips: number;
  readonly cressieread: number;
  readonly gaussian_interval: readonly [number, number];
}

const { runs, p_values } = reference<{ runs: Record<string, Known>; p_values: readonly number[] }>('vwest_men.json');
const KINDS = KIND_NAMES.filter((kind) => kind.startsWith('linear'));
/** No more events of these logs paid. */
const CLICKED = 0.01;

describe.each(MEN_LOGS)('%s/men', (men) => {
  it.each(['pos1', 'all'])('%s', async (subset) => {
    const result = await evaluate({
      ...{ log: await openMen(men, subset), policies: menPolicies(men, KINDS), device: 'cpu', threads: 1 },
      estimators: ['ips', 'snips', 'cressie-read'],
      interval: 'normal',
    });
    const rows = [...result.policies].sort((a, b) => a.index - b.index);
    const off: string[] = [];
    const compare = (what: string, got: number | null | undefined, needed: number, bound: number) => {
      if (!(Math.abs((got ?? Number.NaN) - needed) <= bound)) off.push(`${what}: ${got} for ${needed} ± ${bound}`);
    };
    const names = KINDS.flatMap((kind) => p_values.map((p) => `${men}|${subset}|${kind}|p=${p}`));
    expect(rows).toHaveLength(names.length);
    names.forEach((name, i) => {
      const known = runs[name];
      const { estimates, weights } = rows[i];
      if (weights === undefined) throw new Error('no weights');
      const weighed = { ips: known.ips, mean: weights.mean, ess: weights.ess, most: weights.largest };
      for (const [estimator, value] of [
        ['ips', known.ips],
        ['snips', known.snips],
        ['cressie-read', known.cressieread],
      ] as const) {
        const bound = valueBound(result, estimator, { ...weighed, value }, { paid: CLICKED });
        compare(`${name} ${estimator}`, estimates[estimator]?.value, value, bound);
      }
      const [lower, upper] = known.gaussian_interval;
      const error = (upper - lower) / 2 / zScore(0.05);
      const bound = errorBound(result, 'ips', { ...weighed, error });
      compare(`${name} error`, estimates.ips?.standardError, error, bound);
      // Where nothing paid, its interval is 0; here nothing is known.
      const ends = known.ips === 0 ? [0, 1] : [Math.max(0, lower), upper];
      const within = valueBound(result, 'ips', { ...weighed, value: known.ips }) + 2 * bound;
      for (const i of [0, 1]) compare(`${name} interval`, estimates.ips?.interval[i], ends[i], within);
    });
    expect(off).toEqual([]);
  });
});

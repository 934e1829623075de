/** Results for reports: of any number of policies, with bands, segments and all that a result may hold. */

import type { EvaluationResult, PolicyResult } from '#dist/report/result.js';
import { policy, sample } from '../sample.js';

/** Policies that are each a little worse than the one before. */
export function policies(count: number, name = (i: number): string => `policy ${i}`): PolicyResult[] {
  return Array.from({ length: count }, (_, i) => {
    const value = 0.08 - (0.05 * i) / count + 0.000_001 * ((i * 7919) % 13);
    return policy({
      ...{ index: i, name: name(i), family: i % 3 === 0 ? 'linear' : 'table' },
      ...{ matches: 900 + ((i * 31) % 200), payoff: 60 + (i % 9), value },
      interval: [value - 0.0071, value + 0.0073],
      band: [value - 0.0131, value + 0.0137],
      mayBeBest: i < 4,
      difference: { value: value - 0.0381, lower: value - 0.0493, better: value > 0.0493, lift: value / 0.0381 - 1 },
    });
  });
}

/** An evaluation of so many policies, compared with the log. */
export function evaluation(count: number, part: Partial<EvaluationResult> = {}): EvaluationResult {
  const rows = part.policies ?? policies(count);
  return sample({
    policies: rows,
    selection: {
      ...{ level: 0.95, blocks: 256, draws: 10_000, seed: 0, criticalValue: 3.1, criticalError: 0.02, alpha: 0.002 },
      independentPolicies: 25,
      bestSet: { size: Math.min(4, count), indices: rows.slice(0, 4).map(({ index }) => index), paired: true },
      winner: {
        ...{ index: rows[0].index, uncorrected: rows[0].value ?? 0, corrected: 0.0771, interval: [0.0688, 0.0859] },
        lower: 0.0669,
      },
      baseline: { name: 'the log', index: null, value: 0.0381, criticalValue: 2.9, margin: 0 },
    },
    ...part,
  });
}

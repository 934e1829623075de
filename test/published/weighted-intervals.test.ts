/** Intervals of weighted values against scipy's quantiles, from the reference's own values, errors and sums. */
import { describe, expect, it } from 'vitest';
import { effectiveClopperPearson } from '#dist/estimate/interval/weighted/effective-clopper-pearson.js';
import { empiricalBernstein } from '#dist/estimate/interval/weighted/empirical-bernstein.js';
import { fayFeuer } from '#dist/estimate/interval/weighted/fay-feuer.js';
import type { Moments } from '#dist/estimate/interval/weighted/moments.js';
import { normal } from '#dist/estimate/interval/weighted/normal.js';
import { reference } from './reference.js';

type Bounds = readonly [number, number] | null | undefined;

interface Known {
  readonly value: number;
  readonly se_event: number;
  readonly normal: Bounds;
  readonly ecp?: Bounds;
  readonly ff?: Bounds;
  readonly eb?: Bounds;
}

interface Sums {
  readonly events: number;
  readonly w: number;
  readonly w2: number;
  readonly wr: number;
  readonly max_w: number;
  readonly ess: number;
}

interface Own {
  readonly subsets: Record<
    string,
    {
      readonly lint: { readonly p_min: number };
      readonly policies: Record<string, { readonly sums: Sums; readonly ips: Known; readonly snips: Known | null }>;
    }
  >;
}

const DELTA = 0.05;
/** Quantiles of two libraries agree to about 10⁻⁹ of themselves; a limit of order 10⁻¹² is as good as 0. */
const close = (found: readonly number[], needed: Bounds, what: string): void =>
  needed?.forEach((bound, i) => {
    expect(Math.abs(found[i] - bound), `${what}: ${found[i]} for ${bound}`).toBeLessThanOrEqual(
      2e-9 * Math.abs(bound) + 1e-13,
    );
  });

function momentsOf({ value, se_event }: Known, { events, w, w2, wr, max_w, ess }: Sums, divisor: number): Moments {
  return {
    value,
    variance: se_event ** 2,
    // Payoffs are clicks: r² = r.
    independentVariance: w === 0 ? null : ((wr * w - wr * wr) * w2) / w ** 4,
    degrees: null,
    ess,
    largest: max_w / divisor,
    edge: value === 0 ? 0 : null,
    events,
    mostWeight: null,
    redrawn: () => new Float64Array(0),
  };
}

describe.each(['bts', 'random'])('intervals on %s/men', (log) => {
  const own = reference<Own>(`estimators_${log}_men.json`).subsets;

  it.each(Object.keys(own))('%s: four of them, of ips and snips, for every policy', (subset) => {
    const { lint, policies } = own[subset];
    let compared = 0;
    for (const [name, { sums, ips, snips }] of Object.entries(policies)) {
      for (const [estimator, known] of Object.entries({ ips, snips })) {
        if (known === null) continue;
        const moments = momentsOf(known, sums, estimator === 'ips' ? sums.events : sums.w);
        const what = `${name} ${estimator}`;
        if (known.ecp) close(effectiveClopperPearson(moments, DELTA), known.ecp, `${what} ecp`);
        if (known.ff) close(fayFeuer(moments, DELTA), known.ff, `${what} ff`);
        if (known.value > 0) close(normal(moments, DELTA), known.normal, `${what} normal`);
        if (known.eb) {
          const cut = empiricalBernstein({ ...moments, mostWeight: 1 / lint.p_min }, DELTA);
          close(
            cut.map((bound) => Math.min(1, Math.max(0, bound))),
            known.eb,
            `${what} eb`,
          );
        }
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(30);
  });
});

/** Bands, the winner, differences and the best set beside an independent program (`ref_bands.py`, `ref_pick.py`). */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { drawSums } from '#dist/engine/cpu/draws.js';
import { Estimates } from '#dist/estimate/estimates.js';
import { chooseEstimators } from '#dist/estimate/estimators/choose.js';
import { replayKinds } from '#dist/estimate/estimators/replay-totals.js';
import { studentT } from '#dist/estimate/interval/student-t.js';
import { contenders, undefeated } from '#dist/estimate/selection/best-set.js';
import { oneSidedLevel, twoSidedLevel } from '#dist/estimate/selection/critical-value.js';
import { limitLevel } from '#dist/estimate/selection/difference.js';
import { makeDraws } from '#dist/estimate/selection/draws.js';
import { minus, type Standing, scaleOf } from '#dist/estimate/selection/standing.js';
import { hybridInterval, type Known, truncation, winnerOf } from '#dist/estimate/selection/winner.js';
import { emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import type { EvaluateOptions } from '#dist/index.js';
import { evaluate } from '#dist/index.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { EvaluationResult } from '#dist/report/result.js';
import { LONG } from '../long.js';
import { D, readDigitsLog } from './digits.js';
import { engines } from './engines.js';
import { openMen } from './men.js';
import { MEN_SHAPE, reference, sineWeights } from './reference.js';

interface Critical {
  c: number;
  mc_se: number;
}
interface Run {
  policies: number;
  with_clicks: number;
  mc: { c_two_sided: Critical; c_one_sided: Critical; 'c_beta_.995': Critical };
  given_c: number;
  given_c_beta: number;
  alpha_c: number;
  bands: { p: number; T: number; G: number; v: number; se_block: number; band: [number, number] }[];
  winner: {
    k: number;
    v: number;
    s: number;
    truncation_low: number;
    truncation_high: number;
    hybrid: { lower: number; upper: number };
    band: [number, number];
  };
  base: Record<
    'policy_first' | 'log_mean',
    { value: number; mc_c: Critical; given_c1: number; c1_t: number; rows: { p: number; d: number; sd: number }[] }
  >;
  set_top20_by_value: { p: number; v: number; t: number; mc_p_value: number; in_set: boolean }[];
}

const OPTIONS = { confidence: 0.95, effectiveArms: 1, dependent: false, mostWeight: null };

const WORLDS = {
  digits: { log: async () => readDigitsLog(), policies: 100, arms: 10, dimension: D },
  random_men: {
    log: () => openMen('random', 'all'),
    policies: 1000,
    arms: MEN_SHAPE.arms,
    dimension: MEN_SHAPE.dimension,
  },
} as const;

/** Where the policies stand by these results, by index; and the log itself. */
function standingsOf(
  log: EventLog,
  { policies, blocks: { events = [] } }: EvaluationResult,
): { all: Standing[]; own: Standing } {
  const kinds = replayKinds(log.payoff);
  const sizes = Float64Array.from(events);
  const stats = emptyBlockStatistics(policies.length, sizes, kinds);
  for (const { index, blocks } of policies) {
    if (blocks === undefined) throw new Error('without statistics per block');
    stats.matches.set(blocks.matches, index * sizes.length);
    stats.columns[0].set(blocks.payoff, index * sizes.length);
  }
  const estimates = new Estimates(log, { chosen: chooseEstimators(['replay'], {}), validEvents: null });
  const logged = emptyBlockStatistics(1, sizes, kinds);
  logged.matches.set(sizes);
  let t = 0;
  sizes.forEach((size, b) => {
    for (let i = 0; i < size; i++) logged.columns[0][b] += log.payoff.steps[t++];
  });
  const all = policies.map((_, p) => estimates.standing(stats, p, OPTIONS));
  return { all, own: estimates.loggedStanding(logged, OPTIONS) };
}

describe.each(Object.keys(WORLDS) as (keyof typeof WORLDS)[])('%s', (world) => {
  const { policies, arms, dimension } = WORLDS[world];
  const runs = referenceRuns(world);

  it.each([64, 256])('%i blocks', async (blocks) => {
    const expected = runs[`blocks=${blocks}`];
    const log = await WORLDS[world].log();
    const asked: EvaluateOptions = {
      log,
      policies: [{ family: 'linear', weights: sineWeights(policies, arms, dimension) }],
      ...{ device: 'cpu', blocks, blockStatistics: true, draws: 20_000, baseline: 'log' },
    };
    const result = await evaluate(asked);
    expect(result.policies.filter(({ value }) => value !== null)).toHaveLength(expected.policies);
    const { all, own } = standingsOf(log, result);
    expect(all.filter(({ scale }) => scale > 0)).toHaveLength(expected.with_clicks);

    // ψ through s, and bands at the given level.
    expect(twoSidedLevel(expected.given_c)).toBeCloseTo(expected.alpha_c, 12);
    for (const { p, v, se_block, band } of expected.bands) {
      expect(all[p].value).toBeCloseTo(v, 12);
      expect(Math.abs(all[p].scale - se_block)).toBeLessThanOrEqual(1e-9 * se_block);
      const own = all[p].bounds(expected.alpha_c);
      expect(Math.abs(own[0] - band[0])).toBeLessThan(1e-6);
      expect(Math.abs(own[1] - band[1])).toBeLessThan(1e-6);
    }

    // Critical values, within four errors of both simulations.
    const { selection } = result;
    if (selection === null) throw new Error('no selection');
    near(selection.criticalValue, selection.criticalError, expected.mc.c_two_sided);
    near(selection.baseline?.criticalValue ?? 0, selection.criticalError, expected.base.log_mean.mc_c);
    expect(selection.alpha).toBe(twoSidedLevel(selection.criticalValue));
    for (const { index, band } of result.policies) expect(band).toEqual(all[index].bounds(selection.alpha));

    // The winner.
    const winner = winnerOf(all);
    expect(winner).toBe(expected.winner.k);
    expect(selection.winner).toMatchObject({ index: winner, uncorrected: all[winner].value });
    const [low, high] = truncation(all, winner);
    expect(low).toBeCloseTo(expected.winner.truncation_low, 9);
    expect(high).toBe(expected.winner.truncation_high);
    const hybrid = hybridInterval(all[winner] as Known, [low, high], 0.95, expected.given_c_beta);
    expect(Math.abs(hybrid[0] - expected.winner.hybrid.lower)).toBeLessThan(1e-6);
    expect(Math.abs(hybrid[1] - expected.winner.hybrid.upper)).toBeLessThan(1e-6);

    // Differences.
    for (const [name, base] of [
      ['policy_first', all[0]],
      ['log_mean', own],
    ] as const) {
      const { value, given_c1, c1_t, rows } = expected.base[name];
      expect(base.value).toBeCloseTo(value, 12);
      expect(limitLevel(base, given_c1, blocks)).toBeCloseTo(oneSidedLevel(c1_t), 12);
      expect(studentT(2 * oneSidedLevel(given_c1), blocks - 1)).toBeCloseTo(c1_t, 9);
      for (const { p, d, sd } of rows) {
        expect((all[p].value ?? 0) - (base.value ?? 0)).toBeCloseTo(d, 12);
        expect(Math.abs(scaleOf(minus(all[p].influence, base.influence)) - sd)).toBeLessThanOrEqual(1e-9 * sd);
      }
    }

    // The best set: the program compares with all policies, we with contenders, at 0.9 of its level.
    const first = contenders(all, twoSidedLevel(expected.given_c_beta)).filter((p) => all[p].scale > 0);
    const told = first.map((p) => all[p] as Known);
    const drawer = { sums: drawSums, maxima: () => Promise.reject(new Error('not asked for')) };
    const kept = new Set(undefeated(told, makeDraws(blocks, 20_000, 0), drawer, 0.045).map((i) => first[i]));
    for (const { p, in_set, mc_p_value } of expected.set_top20_by_value) {
      // Four errors of 20,000 draws and the difference of levels between them.
      if (Math.abs(mc_p_value - 0.05) > 0.012) expect({ p, in: kept.has(p) }).toEqual({ p, in: in_set });
    }
  });
});

function referenceRuns(world: string): Record<string, Run> {
  return reference<{ runs: Record<string, Run> }>(`pick_${world}.json`).runs;
}

function near(c: number, error: number, expected: Critical): void {
  expect(Math.abs(c - expected.c)).toBeLessThan(4 * Math.hypot(error, expected.mc_se));
}

interface Bands {
  [name: `sha256_${string}`]: string;
  runs: Record<string, { gaussian_two_sided: Critical; gaussian_one_sided: Critical }>;
}

/** A software GPU takes a minute for 20,000. */
const DRAWS = (name: string): number => (name === 'CPU' ? 20_000 : 1000);

describe.each(engines())('10,000 policies on $name', ({ name, run }) => {
  it.each([64, 256])('%i blocks', name === 'CPU' ? {} : LONG, async (blocks) => {
    const { runs, ...sums } = reference<Bands>('bands_random_men_all.json');
    const { arms, dimension } = MEN_SHAPE;
    const result = await run({
      log: await openMen('random', 'all'),
      policies: [{ family: 'linear', weights: sineWeights(10_000, arms, dimension) }],
      ...{ blocks, blockStatistics: true, draws: DRAWS(name) },
    });
    const rows = [...result.policies].sort((a, b) => a.index - b.index);
    const hash = (of: 'matches' | 'payoff'): string =>
      createHash('sha256')
        .update(new Uint8Array(Uint32Array.from(rows.flatMap((row) => row.blocks?.[of] ?? [])).buffer))
        .digest('hex');
    expect(hash('matches')).toBe(sums[`sha256_T_${blocks}`]);
    expect(hash('payoff')).toBe(sums[`sha256_G_${blocks}`]);
    const { selection } = result;
    if (selection === null) throw new Error('no selection');
    near(selection.criticalValue, selection.criticalError, runs[`blocks=${blocks}|clicks>=1`].gaussian_two_sided);
  });
});

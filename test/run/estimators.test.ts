/** Estimators through evaluate: which are taken where none is named, what results hold, errors between blocks, and batches. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { userHash } from '#dist/estimate/blocks/user-hash.js';
import type { EstimatorName } from '#dist/estimate/estimators/index.js';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { toJson } from '#dist/report/json.js';
import { eachCase } from '../long.js';
import { ALL_ESTIMATORS, columns, DAY, events, L, log, SKEWED } from './estimator-logs.js';
import { bare, everyFamily, expectSame, folder } from './evaluate-streams.js';
import { watched } from './stream-log.js';
import { skewedLog } from './thinned-log.js';

const cpu = { device: 'cpu', threads: 1 } as const;
const policies = [{ family: 'constant' as const }];

describe('where no estimator is named', () => {
  const name = async (propensity?: readonly number[], more: Partial<EvaluateOptions> = {}) =>
    (await evaluate({ log: logFromColumns({ ...columns, arm: alternating, propensity }), policies, ...cpu, ...more }))
      .estimator.name;
  const alternating = events.map((_, t) => 'ab'[t % 2]);

  it('uniform propensities, and none, are replayed; others are weighed', async () => {
    expect(await name(events.map(() => 0.5))).toBe('replay');
    expect(await name()).toBe('replay');
    expect(await name(events.map(({ p }) => p))).toBe('snips');
    expect(
      await name(
        events.map(({ p }) => p),
        { stretchEvents: 7 },
      ),
    ).toBe('snips');
  });

  it('an interval for counts asks for replay, and one for weighted values leaves the choice', async () => {
    const skewed = events.map(({ p }) => p);
    await expect(name(skewed, { interval: 'wilson' })).rejects.toThrow(/uniform/);
    expect(await name(skewed, { interval: 'effective-clopper-pearson' })).toBe('snips');
    expect(await name(skewed, { assumeUniform: true })).toBe('replay');
  });

  it('is as where the one that was taken is named', async () => {
    const named = await evaluate({ log, policies, ...cpu, estimators: 'snips' });
    const { policies: rows, estimators, interval } = await evaluate({ log, policies, ...cpu });
    expect({ rows, estimators, interval }).toEqual({
      rows: named.policies,
      ...{ estimators: named.estimators, interval: named.interval },
    });
  });
});

describe('results', () => {
  it('are by the first of a list, and hold all of it; a text is a list of one', async () => {
    const [text, list, several] = await Promise.all(
      ([`snips`, ['snips'], ['ips', 'snips', 'dr']] as const).map((estimators) =>
        evaluate({
          log,
          policies,
          ...cpu,
          estimators,
          ...(estimators.length === 3 ? { foldBy: 'event' as const } : {}),
        }),
      ),
    );
    expect(text.policies).toEqual(list.policies);
    expect(several.estimators.map(({ name }) => name)).toEqual(['ips', 'snips', 'dr']);
    for (const row of several.policies) {
      const { value, standardError, interval } = row;
      expect(Object.keys(row.estimates)).toEqual(['ips', 'snips', 'dr']);
      expect(row.estimates.ips).toEqual({ value, standardError, interval });
      const alone = list.policies.find(({ index }) => index === row.index);
      expect([row.estimates.snips, row.weights]).toEqual([alone?.estimates.snips, alone?.weights]);
    }
    // Ranked by ips.
    const values = several.policies.map(({ value }) => value ?? -1);
    expect(values).toEqual([...values].sort((a, b) => b - a));
  });

  it('say in JSON what weights are spread like', async () => {
    const result = await evaluate({ log, policies, ...cpu, estimators: 'snips' });
    const { policies: rows } = JSON.parse(toJson(result));
    for (const { index, weights, largestPayoffShare } of rows) {
      const matched = events.filter(({ arm }) => arm === 'ab'[index]);
      const w = matched.map(({ p }) => 1 / p);
      const paid = matched.map(({ p, payoff }) => payoff / p);
      const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
      // The largest is rounded to f32, and weights of 4/3 to 31 bits.
      expect(weights.ess).toBeCloseTo(sum(w) ** 2 / sum(w.map((one) => one * one)), 7);
      expect(weights.mean).toBeCloseTo(sum(w) / L, 7);
      expect(weights.largest).toBeCloseTo(Math.max(...w), 6);
      expect(weights.largestShare).toBeCloseTo(Math.max(...w) / sum(w), 6);
      expect(largestPayoffShare).toBeCloseTo(Math.max(...paid) / sum(paid), 6);
    }
    const uniform = logFromColumns({ ...columns, arm: events.map((_, t) => 'ab'[t % 2]) });
    const [replayed] = (await evaluate({ log: uniform, policies, ...cpu })).policies;
    expect([replayed.weights, replayed.largestPayoffShare]).toEqual([undefined, undefined]);
    expect(Object.keys(replayed.estimates)).toEqual(['replay']);
  });
});

describe('errors', () => {
  /** √(n/(n − 1) Σ (Σ ψ)²) of snips over groups of events. */
  function defined(arm: string, groupOf: (t: number) => number): number {
    const w = events.map((one) => (one.arm === arm ? 1 / one.p : 0));
    const W = w.reduce((a, b) => a + b, 0);
    const v = w.reduce((sum, one, t) => sum + one * events[t].payoff, 0) / W;
    const groups = new Map<number, number>();
    for (const [t, { payoff }] of events.entries())
      groups.set(groupOf(t), (groups.get(groupOf(t)) ?? 0) + (w[t] * (payoff - v)) / W);
    const n = groups.size;
    return Math.sqrt((n / (n - 1)) * [...groups.values()].reduce((sum, psi) => sum + psi * psi, 0));
  }
  const errors = async (blocks?: EvaluateOptions['blocks'], more: Partial<EvaluateOptions> = {}) => {
    const result = await evaluate({ log, policies, ...cpu, estimators: 'snips', blocks, ...more });
    return [...result.policies]
      .sort((a, b) => a.index - b.index)
      .map(({ standardError }) => standardError ?? Number.NaN);
  };
  const needed = (groupOf: (t: number) => number): number[] => ['a', 'b'].map((arm) => defined(arm, groupOf));
  // Weights are rounded by less than 10⁻⁹ of themselves, as 4/3 in 31 bits.
  const close = (found: readonly number[], due: readonly number[]): void =>
    found.forEach((error, i) => void expect(error).toBeCloseTo(due[i], 8));

  it('are those between events, also in runs of them', async () => {
    const byEvent = needed((t) => t);
    close(await errors(), byEvent);
    close(await errors(4), byEvent);
  });

  it('are those between days, and between groups of users', async () => {
    close(
      await errors({ period: DAY }),
      needed((t) => Math.floor(t / 5)),
    );
    close(
      await errors({ period: DAY }, { stretchEvents: 7 }),
      needed((t) => Math.floor(t / 5)),
    );
    const groups = 64;
    const group = (t: number): number => Math.floor((userHash(events[t].user) * groups) / 2 ** 32);
    const byUser = await errors({ users: groups });
    // Groups without users are no blocks.
    close(byUser, needed(group));
    expect(Math.abs(byUser[0] / needed((t) => t)[0] - 1)).toBeGreaterThan(0.01);
  });
});

describe('every estimator at once', () => {
  const cases = SKEWED.map(([name, of], i) => ({
    name: `${name}: in batches as in one, and verified`,
    of,
    long: i > 0,
  }));
  eachCase(cases, async ({ of: skewed, long }) => {
    const options = { policies: everyFamily(skewed), ...ALL_ESTIMATORS, ...cpu, verify: 5, blocks: 10 };
    const whole = await expectSame(skewed, options, long ? [7, 64] : [101]);
    expect(whole.engine.verified).toBe(5);
    expect(whole.estimators.map(({ name }) => name)).toEqual(ALL_ESTIMATORS.estimators);
    // Policies that choose no arm, or none of the candidates, at some events, are among them.
    expect(whole.warnings.join('\n')).toMatch(/has no arm for/);
  });

  it('M chosen for each policy: in batches, and where it is interrupted, as in one', async () => {
    const [, , [, skewed]] = SKEWED;
    const options = { policies: everyFamily(skewed), ...ALL_ESTIMATORS, ...cpu, clip: 'auto', blocks: 10 } as const;
    const whole = await expectSame(skewed, options, [101]);
    expect(whole.estimators[2]).toMatchObject({ name: 'ips-clip', clip: 'auto', grid: [2, 5, 10] });
    const chosen = whole.policies.map(({ estimates }) => estimates['snips-clip']?.clip);
    expect(new Set(chosen)).toEqual(new Set([null, 2, 5, 10]));
    const resume = join(folder, 'auto.state');
    const stream = watched(skewed, (begun) => {
      if (begun === 25) throw new Error('the power is out');
    });
    const cut = { ...options, stretchEvents: 32, resume, checkpointEvery: 0 };
    await expect(evaluate({ log: stream, ...cut })).rejects.toThrow('the power is out');
    await expect(evaluate({ log: skewed, ...cut, clip: 3 })).rejects.toThrow(/different options/);
    expect(bare(await evaluate({ log: skewed, ...options, resume }))).toEqual(whole);
  });

  it('of a policy does not depend on what is estimated beside it', async () => {
    const skewed = skewedLog({ events: 120 });
    const options = { log: skewed, policies, ...cpu, clip: undefined, switch: undefined, shrinkage: undefined };
    const all = await evaluate({ ...options, ...ALL_ESTIMATORS });
    for (const name of ['snips', 'dm', 'dr', 'sndr'] satisfies EstimatorName[]) {
      const alone = await evaluate({ ...options, estimators: name });
      for (const { index, estimates } of alone.policies)
        expect(estimates[name]).toEqual(all.policies.find((row) => row.index === index)?.estimates[name]);
    }
  });
});

describe('the largest weight that there can be', () => {
  const bound = { ...cpu, estimators: 'ips', interval: 'empirical-bernstein' } as const;

  it('is asked for where an interval goes by it, and held against the log', async () => {
    await expect(evaluate({ log, policies, ...bound })).rejects.toThrow(/goes by option leastPropensity/);
    await expect(evaluate({ log, policies, ...bound, leastPropensity: 0.9 })).rejects.toThrow(
      /leastPropensity is more than candidates × propensity of an event/,
    );
    const { interval } = await evaluate({ log, policies, ...bound, leastPropensity: 0.1 });
    expect(interval.method).toBe('empirical-bernstein');
    await expect(
      evaluate({ log, policies, ...cpu, estimators: 'snips', interval: 'normal', leastPropensity: 0.1 }),
    ).rejects.toThrow(/leastPropensity belongs to --thin/);
  });

  it("replay's own interval of that name stays the default's on uniform logs", async () => {
    const uniform = logFromColumns({
      arm: Array.from({ length: 40 }, (_, t) => 'ab'[t % 2]),
      payoff: Array.from({ length: 40 }, (_, t) => t % 3),
      propensity: Array(40).fill(0.5),
    });
    const { estimator } = await evaluate({ log: uniform, policies, ...cpu, interval: 'empirical-bernstein' });
    expect(estimator).toMatchObject({ name: 'replay', interval: 'empirical-bernstein' });
  });
});

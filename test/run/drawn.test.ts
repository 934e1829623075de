/** Policies that draw their arm, against the definitions, and where they are policies that choose. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EstimatorName } from '#dist/estimate/estimators/index.js';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { streamOf } from '#dist/log/stream-of.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { compilePolicySet, parsePolicySet } from '#dist/policy/policy-set.js';
import { replay } from '#dist/replay.js';
import type { EvaluationResult, PolicyResult } from '#dist/report/result.js';
import { ALL_ESTIMATORS, SKEWED } from './estimator-logs.js';
import { bare, everyFamily, expectSame, folder } from './evaluate-streams.js';
import { watched } from './stream-log.js';
import { skewedLog } from './thinned-log.js';

const cpu = { device: 'cpu', threads: 1 } as const;

/** Weights of linear policies on the arms of a log. */
function weightsFor(log: EventLog, policies = 2): number[][][] {
  const { dimension } = log.contexts;
  const arms = log.arms.ids.length;
  // The golden ratio keeps scores apart.
  const weight = (i: number): number => ((i * (Math.sqrt(5) - 1)) % 2) - 1;
  return Array.from({ length: policies }, (_, p) =>
    Array.from({ length: arms }, (_, a) =>
      Array.from({ length: dimension }, (_, j) => weight((p * arms + a) * dimension + j + 1)),
    ),
  );
}

const linear = (log: EventLog, policies = 2) => ({ family: 'linear' as const, weights: weightsFor(log, policies) });

const byIndex = ({ policies }: EvaluationResult): PolicyResult[] => [...policies].sort((a, b) => a.index - b.index);
const unnamed = (result: EvaluationResult) => byIndex(result).map(({ name, index, ...row }) => row);

/** A value and its error may be moved by this share: a weight by 2⁻²⁰ at most, a prediction by 2⁻³², an f64 by less. */
const NEAR = 2e-6;

function expectNear(a: EvaluationResult, b: EvaluationResult, names: readonly EstimatorName[]): void {
  const [left, right] = [byIndex(a), byIndex(b)];
  expect(left.length).toBe(right.length);
  left.forEach((row, i) => {
    for (const name of names) {
      const [one, other] = [row.estimates[name], right[i].estimates[name]];
      const numbers = (estimate = one) => [
        estimate?.value ?? -1,
        estimate?.standardError ?? -1,
        ...(estimate?.interval ?? []),
      ];
      numbers(one).forEach((number, n) => {
        expect(Math.abs(number - numbers(other)[n]), `${row.name}, ${name}, ${n}`).toBeLessThanOrEqual(
          NEAR * Math.max(1, Math.abs(number)),
        );
      });
    }
  });
}

it('is the same however slices of events and blocks lie', async () => {
  // Slices have 4,096 events; users are blocks out of the order of events.
  const log = skewedLog({ events: 2 * 4096 + 7 });
  const policies: PolicyInput[] = [{ ...linear(log, 1), temperature: 0.5 }];
  for (const blocks of [1, 5, { users: 3 }] as const) {
    const at = { policies, estimators: ['snips', 'dr'] as EstimatorName[], blocks, ...cpu };
    const { policies: needed } = await evaluate({ log, ...at });
    for (const stretchEvents of [4096, 3000])
      expect((await evaluate({ log: streamOf(log), ...at, stretchEvents })).policies).toEqual(needed);
  }
});

describe.each(SKEWED)('%s', (_, log) => {
  const base = linear(log);
  const all = { log, ...ALL_ESTIMATORS, ...cpu };

  it('ε = 0 is the policy itself, whatever it is estimated by', async () => {
    const plain = await evaluate({ ...all, policies: [base] });
    expect(unnamed(await evaluate({ ...all, policies: [{ ...base, epsilon: 0 }] }))).toEqual(unnamed(plain));
  });

  it('T → 0 is the policy itself, but for rounding', async () => {
    // No context is 0, where all would score alike.
    const values = log.contexts.values.map((value, i) => value + 0.3 + (i % 7) / 16);
    const moved = { ...all, log: { ...log, contexts: { ...log.contexts, values } } };
    const plain = await evaluate({ ...moved, policies: [base] });
    const cold = await evaluate({ ...moved, policies: [{ ...base, temperature: 1e-9 }] });
    expectNear(cold, plain, ALL_ESTIMATORS.estimators);
    expect(byIndex(cold).map(({ matches }) => matches)).toEqual(byIndex(plain).map(({ matches }) => matches));
  });

  it('ε = 1 is the uniform policy, whatever it is mixed with', async () => {
    const policies: PolicyInput[] = [
      { ...base, epsilon: 1 },
      { family: 'constant', arms: [log.arms.ids[0]], epsilon: 1 },
      // T → ∞, where all candidates score alike.
      { ...base, temperature: 1e9 },
    ];
    const result = await evaluate({ ...all, policies });
    const rows = byIndex(result);
    const [first] = rows;
    for (const row of rows) {
      expect(row.matches).toBe(log.events);
      for (const name of ALL_ESTIMATORS.estimators)
        expect(row.estimates[name]?.value ?? -1, `${row.name}, ${name}`).toBeCloseTo(
          first.estimates[name]?.value ?? -2,
          6,
        );
    }
    const weights = Array.from({ length: log.events }, (_, t) => uniform(log, t) / (log.propensity?.[t] ?? 0));
    expect(first.estimates.ips?.value).toBeCloseTo(mean(log, weights), 6);
    expect(first.weights?.mean).toBeCloseTo(weights.reduce((a, b) => a + b) / log.events, 6);
    expect(first.weights?.largest).toBeCloseTo(Math.max(...weights), 5);
  });

  it('is the same in batches, and with blocks of users', async () => {
    const policies: PolicyInput[] = [{ ...base, epsilon: 0.25 }, { ...base, temperature: 0.5 }, base];
    for (const estimators of [ALL_ESTIMATORS.estimators, ['snips', 'ips'] as const]) {
      const { clip, switch: most, shrinkage } = ALL_ESTIMATORS;
      const told = estimators.length > 2 ? { clip, switch: most, shrinkage } : {};
      const at = { log, policies, estimators: [...estimators], ...told, ...cpu };
      const whole = await evaluate(at);
      for (const stretchEvents of [1, 37, 299])
        expect((await evaluate({ ...at, stretchEvents })).policies).toEqual(whole.policies);
    }
  });
});

const uniform = ({ pools }: EventLog, t: number): number => {
  const set = pools.pool?.[t] ?? 0;
  return 1 / (pools.offsets[set + 1] - pools.offsets[set]);
};
const mean = ({ payoff, events }: EventLog, weights: readonly number[]): number =>
  weights.reduce((sum, w, t) => sum + w * payoff.steps[t], 0) / events;

describe('mixtures from the sums of what they mix', () => {
  const log = skewedLog({ events: 300, pools: false });
  const names = ['snips', 'ips', 'cressie-read'] as const;
  const policies = [0.001, 0.1, 0.5, 0.999].flatMap((epsilon): PolicyInput[] => [
    { ...linear(log), epsilon },
    { family: 'constant', epsilon },
  ]);
  const at = { log, policies, ...cpu };

  it('are what they are event by event', async () => {
    const sums = await evaluate({ ...at, estimators: names });
    // A clipped estimator needs the weight of each event.
    const each = await evaluate({ ...at, estimators: [...names, 'ips-clip'], clip: 1e6 });
    expectNear(sums, each, names);
    const rows = byIndex(each);
    byIndex(sums).forEach((row, i) => {
      expect(row.name).toBe(rows[i].name);
      expect([row.matches, row.payoff]).toEqual([rows[i].matches, rows[i].payoff]);
      for (const key of ['ess', 'mean', 'largest', 'largestShare'] as const) {
        const [a, b] = [row.weights?.[key] ?? -1, rows[i].weights?.[key] ?? -2];
        expect(Math.abs(a - b), `${row.name}, ${key}`).toBeLessThanOrEqual(4 * NEAR * b);
      }
    });
  });

  it('are so for policies of every family', async () => {
    const families = { log, policies: everyFamily(log, true), ...cpu };
    const sums = await evaluate({ ...families, estimators: names, verify: 30 });
    const each = await evaluate({ ...families, estimators: [...names, 'ips-clip'], clip: 1e6 });
    expectNear(sums, each, names);
    expect(sums.engine.verified).toBe(30);
  });

  it.each([
    [{ estimators: 'snips' }, 'ips'],
    [{ estimators: 'ips', interval: 'fay-feuer' }, 'snips'],
    [{ estimators: 'snips', interval: 'bootstrap' }, 'ips'],
  ] as [Partial<EvaluateOptions>, EstimatorName][])('have their intervals: %j', async (asked) => {
    const [name] = [asked.estimators].flat() as EstimatorName[];
    const sums = await evaluate({ ...at, ...asked });
    const each = await evaluate({ ...at, ...asked, estimators: [name, 'ips-clip'], clip: 1e6, interval: undefined });
    if (asked.interval === undefined) expectNear(sums, each, [name]);
    for (const { interval, value } of sums.policies) {
      expect(interval[0]).toBeLessThanOrEqual(value ?? 0);
      expect(interval[1]).toBeGreaterThanOrEqual(Math.min(1, value ?? 0));
    }
  });

  it('of one entry with several ε are decided once', async () => {
    const base = linear(log);
    const several = [0, 0.1, 0.5].map((epsilon) => ({ ...base, epsilon }));
    const once = await evaluate({ ...at, policies: [base, ...several], estimators: names });
    expect(once.engine.decisions).toBe(2 * 2 * log.events);
    // Made anew, the weights are others to the engine.
    const anew = await evaluate({
      ...at,
      policies: several.map((one) => ({ ...one, ...linear(log) })),
      estimators: names,
    });
    expect(unnamed(once).slice(2)).toEqual(unnamed(anew));
  });

  it('do not depend on other entries of the set', async () => {
    const alone = await evaluate({ ...at, policies: [policies[2]], estimators: names });
    const first = byIndex(await evaluate({ ...at, estimators: names })).filter(({ name }) =>
      alone.policies.some((one) => one.name === name),
    );
    expect(first.map(({ estimates, weights }) => ({ estimates, weights }))).toEqual(
      byIndex(alone).map(({ estimates, weights }) => ({ estimates, weights })),
    );
  });
});

describe('policies that choose and that draw, of every family', () => {
  const log = skewedLog({ events: 150 });

  it('are the same in batches, and where a run was interrupted', async () => {
    for (const [skewed, asked] of [
      [log, ALL_ESTIMATORS],
      [skewedLog({ events: 150, pools: false }), { estimators: ['snips', 'ips'] as const }],
    ] as const) {
      const options = { policies: everyFamily(skewed, true), ...asked, ...cpu, blocks: 10 };
      const whole = await expectSame(skewed, options, [64]);
      const resume = join(folder, `drawn-${asked.estimators.length}`);
      const stream = watched(skewed, (begun) => {
        // The last time that the log is gone through.
        if (begun === ('clip' in asked ? 14 : 9)) throw new Error('the power is out');
      });
      const part = { stretchEvents: 32, resume, checkpointEvery: 0 };
      await expect(evaluate({ log: stream, ...options, ...part })).rejects.toThrow('the power is out');
      expect(bare(await evaluate({ log: skewed, ...options, ...part }))).toEqual(whole);
    }
  });
});

describe('softmax', () => {
  const log = skewedLog({ events: 120 });
  const spec = linear(log, 1);
  const temperature = 0.7;

  it('is that of the scores, over the candidates', async () => {
    const { row, values, dimension } = log.contexts;
    const { pools } = log;
    const weights = Array.from({ length: log.events }, (_, t) => {
      const set = pools.pool?.[t] ?? 0;
      const x = (row?.[t] ?? t) * dimension;
      const candidates = Array.from(pools.arms.subarray(pools.offsets[set], pools.offsets[set + 1]));
      const powers = candidates.map((a) =>
        Math.exp(spec.weights[0][a].reduce((s, w, j) => s + w * values[x + j], 0) / temperature),
      );
      const sum = powers.reduce((a, b) => a + b);
      return powers[candidates.indexOf(log.arm[t])] / sum / (log.propensity?.[t] ?? 0);
    });
    const policies = [{ ...linear(log, 1), temperature }];
    const { policies: rows } = await evaluate({ log, policies, estimators: ['ips', 'snips'], ...cpu });
    const paid = weights.reduce((sum, w, t) => sum + w * log.payoff.steps[t], 0);
    const sum = weights.reduce((a, b) => a + b);
    expect(rows[0].estimates.ips?.value).toBeCloseTo(paid / log.events, 11);
    expect(rows[0].estimates.snips?.value).toBeCloseTo(paid / sum, 11);
    expect(rows[0].weights?.ess).toBeCloseTo(sum ** 2 / weights.reduce((all, w) => all + w * w, 0), 8);
    expect(rows[0].name).toBe('linear, T 0.7');
  });

  it('shares the probability among equal scores, where choosing takes the first', async () => {
    const tied = { ...spec, weights: [spec.weights[0].map((row) => row.map(() => 1))] };
    const policies: PolicyInput[] = [
      { ...tied, family: 'linear', temperature: 1e-300 },
      { family: 'linear', weights: tied.weights, epsilon: 1 },
    ];
    const [cold, even] = byIndex(await evaluate({ log, policies, estimators: ['ips'], ...cpu }));
    expect(cold.value).toBeCloseTo(even.value ?? -1, 9);
    expect(cold.matches).toBe(log.events);
  });

  it('mixes with uniform draws', async () => {
    const estimators = ['ips'] as const;
    const value = async (more: object) =>
      (await evaluate({ log, policies: [{ ...linear(log, 1), ...more }], estimators, ...cpu })).policies[0];
    const [hot, even, mixed] = [
      await value({ temperature }),
      await value({ epsilon: 1 }),
      await value({ temperature, epsilon: 0.25 }),
    ];
    expect(mixed.value).toBeCloseTo(0.75 * (hot.value ?? 0) + 0.25 * (even.value ?? 0), 9);
    expect(mixed.name).toBe('linear, T 0.7, ε 0.25');
  });
});

describe('what is asked of policies that draw', () => {
  const log = skewedLog({ events: 60 });
  const policies: PolicyInput[] = [{ family: 'constant' }, { family: 'constant', epsilon: 0.1 }];

  it('is snips where nothing is, of uniform logs too', async () => {
    const even = await evaluate({
      log: { ...log, propensity: Float64Array.from({ length: log.events }, (_, t) => uniform(log, t)) },
      ...{ policies, ...cpu },
    });
    expect(even.estimator.name).toBe('snips');
    expect((await evaluate({ log, policies, ...cpu })).estimator.name).toBe('snips');
  });

  it.each([
    [
      { estimators: 'replay' },
      /\[1\]\.epsilon: replay compares the logged arm with the one that a policy chooses.*snips/s,
    ],
    [{ estimators: ['ips', 'replay'] }, /\[1\]\.epsilon: replay/],
    [{ validEvents: 5 }, /\[1\]\.epsilon: replay/],
    [{ thin: true }, /\[1\]\.epsilon: replay/],
    [{ assumeUniform: true }, /\[1\]\.epsilon: replay/],
  ] as [Partial<EvaluateOptions>, RegExp][])('is no replay: %j', async (asked, message) => {
    await expect(evaluate({ log, policies, ...cpu, ...asked })).rejects.toThrow(message);
  });

  it('needs propensities', async () => {
    await expect(evaluate({ log: { ...log, propensity: null }, policies, ...cpu })).rejects.toThrow(
      /snips goes by propensities, and the log has none.*of uniformly random decisions they are 1 \/ candidates/s,
    );
  });

  it.each([
    [{ family: 'constant', epsilon: 1.5 }, /\[0\]\.epsilon: .*1\.5|\[0\]\.epsilon: Too big/s],
    [{ family: 'constant', epsilon: -0.1 }, /\[0\]\.epsilon/],
    [{ family: 'constant', epsilon: '0.1' }, /\[0\]\.epsilon: expected number/],
    [{ family: 'constant', temperature: 1 }, /unknown key "temperature"/],
    [{ ...linear(log), temperature: 0 }, /\[0\]\.temperature/],
    [{ ...linear(log), temperature: -1 }, /\[0\]\.temperature/],
    [{ ...linear(log), epsilom: 0.1 }, /did you mean "epsilon"/],
  ] as [PolicyInput, RegExp][])('is told right: %j', async (policy, message) => {
    await expect(evaluate({ log, policies: [policy], ...cpu })).rejects.toThrow(message);
  });
});

describe('what takes choices alone', () => {
  const log = skewedLog({ events: 30 });
  const drawing: PolicyInput = { family: 'constant', epsilon: 0.1 };

  it('says so of packed policies', async () => {
    await expect(compilePolicySet(parsePolicySet([{ family: 'constant' }, drawing]), log)).rejects.toThrow(
      /\[1\]\.epsilon: packed policies name the arm of an event, and these policies draw theirs[\s\S]*evaluate takes/,
    );
  });

  it('says so of experts', async () => {
    const learners = [{ algorithm: 'exp4' as const, gamma: 0.1, experts: [{ family: 'constant' as const }, drawing] }];
    await expect(replay(log, learners, { assumeUniform: true, ...cpu })).rejects.toThrow(
      /experts\[1\]\.epsilon: (experts|packed policies) name the arm of an event/,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { InputError, NotUniformError } from '#dist/errors.js';
import { evaluate } from '#dist/evaluate.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { policyFunctions } from '#dist/policy/functions.js';
import { uniformLog } from './random-log.mjs';

/** Six events, arms a and b, payoffs 1 0 1 1 0 1; arm a at events 0, 1, 3, arm b at 2, 4, 5. */
const log = logFromColumns({
  arm: ['a', 'a', 'b', 'a', 'b', 'b'],
  payoff: [1, 0, 1, 1, 0, 1],
  time: [0, 1, 2, 3, 4, 5].map((t) => Date.UTC(2009, 4, 1) + t * 60_000),
  user: ['u', 'v', 'u', 'w', 'v', 'u'],
});

describe('evaluate', () => {
  it('replays constant policies: matches, payoff, value and interval, best first, ties by index', async () => {
    const result = await evaluate({ log, policies: [{ family: 'constant' }], device: 'cpu' });
    expect(
      result.policies.map(({ index, name, matches, payoff, value }) => [index, name, matches, payoff, value]),
    ).toEqual([
      [0, expect.stringContaining('a'), 3, 2, 2 / 3],
      [1, expect.stringContaining('b'), 3, 2, 2 / 3],
    ]);
    const [lower, upper] = result.policies[0].interval;
    // Wilson's interval for 2 of 3 at 95 %, from its closed form with z = 1.959963984540054.
    expect(lower).toBeCloseTo(0.2076596008020477, 12);
    expect(upper).toBeCloseTo(0.9385080552796037, 12);
    expect(result).toMatchObject({
      version: 2,
      log: {
        events: 6,
        arms: 2,
        period: ['2009-05-01T00:00:00.000Z', '2009-05-01T00:05:00.000Z'],
        payoff: { low: 0, high: 1, step: 1, rounded: false },
      },
      estimator: { name: 'replay', algorithm: 2, validEvents: null },
      interval: { method: 'wilson', confidence: 0.95 },
      engine: { device: 'cpu', decisions: 12, settledOnCpu: 0 },
    });
  });

  it('gives null and the whole range without matches, and puts such policies last', async () => {
    const result = await evaluate({
      log,
      policies: [policyFunctions({ never: () => null, a: () => 'a' })],
      device: 'cpu',
    });
    expect(result.policies.map(({ index }) => index)).toEqual([1, 0]);
    expect(result.policies[1]).toMatchObject({ name: 'never', matches: 0, payoff: 0, value: null, interval: [0, 1] });
  });

  it('numbers policies over all entries of the set', async () => {
    const result = await evaluate({
      log,
      policies: [{ family: 'uniform', seed: 3, replicas: 2 }, { family: 'constant' }],
      device: 'cpu',
    });
    expect(result.policies.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3]);
    expect(result.seeds).toEqual({ policies: [3] });
  });

  it('stops at T valid events (Algorithm 1), reports L, and says where the log ended first', async () => {
    const result = await evaluate({ log, policies: [{ family: 'constant' }], device: 'cpu', validEvents: 2 });
    expect(result.estimator).toEqual({ name: 'replay', interval: 'wilson', algorithm: 1, validEvents: 2 });
    const [a, b] = [...result.policies].sort((x, y) => x.index - y.index);
    expect(a).toMatchObject({ matches: 2, payoff: 1, value: 0.5, consumed: 2, complete: true });
    expect(b).toMatchObject({ matches: 2, payoff: 1, value: 0.5, consumed: 5, complete: true });
    const long = await evaluate({ log, policies: [{ family: 'constant' }], device: 'cpu', validEvents: 4 });
    expect(long.policies[0]).toMatchObject({ matches: 3, consumed: 6, complete: false });
    expect(long.warnings.join()).toMatch(/ended before 4 valid events for 2 of 2 policies/);
  });

  it('returns block statistics on request, by runs, periods and users', async () => {
    const options = { log, policies: [{ family: 'constant' as const }], device: 'cpu' as const, blockStatistics: true };
    const runs = await evaluate({ ...options, blocks: 2 });
    expect(runs.blocks).toEqual({ count: 2, kind: 'run', events: [3, 3], logged: [2, 2] });
    expect(runs.policies[0].blocks).toEqual({ matches: [2, 1], payoff: [1, 1], payoffSquared: [1, 1] });
    const periods = await evaluate({ ...options, blocks: { period: 120_000 } });
    expect(periods.blocks).toMatchObject({ count: 3, kind: 'period', events: [2, 2, 2] });
    const users = await evaluate({ ...options, blocks: { users: 4 } });
    expect(users.blocks.events?.reduce((a, b) => a + b)).toBe(6);
    const sum = (values: readonly number[] = []): number => values.reduce((a, b) => a + b, 0);
    for (const { policies } of [runs, periods, users])
      for (const policy of policies) expect(sum(policy.blocks?.matches)).toBe(policy.matches);
  });

  it('refuses blocks that the log cannot be cut into', async () => {
    const bare = logFromColumns({ arm: ['a', 'b'], payoff: [0, 1] });
    const options = { log: bare, policies: [{ family: 'constant' as const }], device: 'cpu' as const };
    await expect(evaluate({ ...options, blocks: { period: 1000 } })).rejects.toThrow(/need the time of each event/);
    await expect(evaluate({ ...options, blocks: { users: 3 } })).rejects.toThrow(/need the user of each event/);
  });

  it('replays a biased log only when told to, and records it', async () => {
    const biased = logFromColumns({ arm: ['a', 'b'], payoff: [0, 1], propensity: [0.9, 0.1] });
    const options = { log: biased, policies: [{ family: 'constant' as const }], device: 'cpu' as const };
    await expect(evaluate({ ...options, estimators: 'replay' })).rejects.toThrow(NotUniformError);
    const result = await evaluate({ ...options, assumeUniform: true });
    expect(result.uniformity).toMatchObject({ basis: 'assumed', assumed: true });
    expect(result.warnings.join()).toMatch(/assumed/);
  });

  it('checks options before it works', async () => {
    const options = { log, policies: [{ family: 'constant' as const }] };
    await expect(evaluate({ ...options, confidence: 95 })).rejects.toThrow(/confidence/);
    await expect(evaluate({ ...options, validEvents: 0 })).rejects.toThrow(/valid events/);
    await expect(evaluate({ ...options, interval: 'wilso' as 'wilson' })).rejects.toThrow(/did you mean "wilson"\?/);
    await expect(evaluate({ ...options, policies: [] })).rejects.toThrow(/empty/);
  });

  it('says what a log is to callers who pass a path, and does not begin when aborted', async () => {
    const policies = [{ family: 'constant' as const }];
    const run = (value: unknown) => evaluate({ log: value as typeof log, policies, device: 'cpu' });
    await expect(run('log.csv')).rejects.toThrow(
      /neither an event log[\s\S]*got: {4}"log.csv"[\s\S]*files: \["log.csv"\]/,
    );
    await expect(run({ files: 'log.csv' })).rejects.toThrow(/^log\.files: neither/);
    await expect(run(undefined)).rejects.toBeInstanceOf(InputError);
    const signal = AbortSignal.abort(new Error('never mind'));
    await expect(evaluate({ log, policies, device: 'cpu', signal })).rejects.toThrow('never mind');
  });

  it('reports progress up to the total, and stops when aborted', async () => {
    const large = uniformLog({ events: 60_000, arms: 10, dimension: 0, seed: 1 });
    const steps: { done: number; total: number | null }[] = [];
    const policies = [{ family: 'uniform' as const, replicas: 200 }];
    await evaluate({ log: large, policies, device: 'cpu', threads: 1, onProgress: (step) => void steps.push(step) });
    expect(steps.at(-1)).toMatchObject({ done: 12_000_000, total: 12_000_000 });
    const controller = new AbortController();
    const run = evaluate({
      log: large,
      policies,
      device: 'cpu',
      threads: 1,
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(run).rejects.toThrow('enough');
  });

  it('does not mutate the log', async () => {
    const before = JSON.stringify([log.arm, log.payoff.steps, log.contexts.values]);
    await evaluate({ log, policies: [{ family: 'constant' }, { family: 'uniform' }], device: 'cpu' });
    expect(JSON.stringify([log.arm, log.payoff.steps, log.contexts.values])).toBe(before);
  });
});

describe('a log without events', () => {
  it('gives every policy null and the whole range, and says so', async () => {
    const empty = logFromColumns({ armIndex: [], arms: 3, payoff: [], payoffRange: [0, 1] });
    const result = await evaluate({ log: empty, policies: [{ family: 'constant' }], device: 'cpu' });
    expect(result.policies.map(({ matches, value, interval }) => [matches, value, interval])).toEqual(
      Array.from({ length: 3 }, () => [0, null, [0, 1]]),
    );
    expect(result.warnings.join()).toMatch(/the log has no events/);
  });
});

describe('evaluate by inverse propensity scoring', () => {
  /** Arm b where x is 1, mostly. */
  const skewed = logFromColumns({
    arm: ['a', 'b', 'b', 'a', 'b', 'a'],
    payoff: [1, 0, 1, 0, 1, 1],
    propensity: [0.5, 0.25, 0.5, 0.5, 0.5, 0.25],
    context: [[0], [0], [1], [1], [1], [0]],
  });
  const options = {
    log: skewed,
    policies: [{ family: 'constant' as const }],
    device: 'cpu' as const,
    estimators: 'ips' as const,
  };

  it('takes logs that replay refuses, and says what the values are', async () => {
    const result = await evaluate(options);
    expect(result.policies).toMatchObject([
      { index: 0, matches: 3, payoff: 2, value: (1 / 0.5 + 0 + 1 / 0.25) / 6, interval: [0, 1] },
      { index: 1, matches: 3, value: (0 + 1 / 0.5 + 1 / 0.5) / 6 },
    ]);
    expect(result.estimator).toMatchObject({ name: 'ips' });
    expect(result.interval).toEqual({ method: 'effective-clopper-pearson', confidence: 0.95 });
    expect(result.uniformity).toMatchObject({ assumed: false, matches: null });
    await expect(evaluate({ ...options, estimators: 'replay' })).rejects.toThrow(NotUniformError);
  });

  it('is the same in batches, and verified', async () => {
    const whole = await evaluate({ ...options, verify: true });
    expect(whole.engine.verified).toBe(2);
    for (const stretchEvents of [1, 2, 5]) {
      const { policies, estimator } = await evaluate({ ...options, stretchEvents });
      expect({ policies, estimator }).toEqual({ policies: whole.policies, estimator: whole.estimator });
    }
  });

  it('warns of propensities that cannot be those of the logged arms', async () => {
    const wrong = logFromColumns({ arm: ['a', 'b', 'a'], payoff: [1, 0, 1], propensity: [0.02, 0.03, 0.01] });
    const { warnings } = await evaluate({ ...options, log: wrong });
    expect(warnings.join()).toMatch(
      /the mean of 1\/propensity is 61\.1, and with 2 candidates on average 2 is expected/,
    );
  });

  it.each([
    ['no propensities', { log }, /the estimator ips goes by propensities, and the log has none/],
    [
      'another name',
      { estimators: ['snips', 'isp' as 'ips'] as const },
      /there is no such estimator\n {2}got: {4}isp\n {2}needed: one of replay /,
    ],
    ['Algorithm 1', { validEvents: 2 }, /option validEvents belongs to the estimator replay/],
    ['blocks of replay', { blockStatistics: true }, /option blockStatistics belongs to the estimator replay/],
    ['another interval', { interval: 'wilson' as const }, /the interval does not fit the estimator ips/],
  ])('refuses: %s', async (_, more, message) => {
    const run = evaluate({ ...options, ...more });
    await expect(run).rejects.toThrow(InputError);
    await expect(run).rejects.toThrow(message);
  });
});

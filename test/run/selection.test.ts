/** Statements about all policies at once through `evaluate`: what is compared with what, when they are made, and on every engine alike. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { toCsv } from '#dist/report/csv.js';
import type { EvaluationResult } from '#dist/report/result.js';
import { toTable } from '#dist/report/table.js';
import { openTestDevice } from '../adapter.js';
import { uniforms } from '../estimate/world.js';
import { ALL_ESTIMATORS } from './estimator-logs.js';

const random = uniforms(12);
const EVENTS = 2000;
const ARMS = ['a', 'b', 'c', 'd'];
const arm = Array.from({ length: EVENTS }, () => ARMS[Math.floor(4 * random())]);
const columns = {
  arm,
  payoff: arm.map((a) => Number(random() < 0.1 * (1 + ARMS.indexOf(a)))),
  context: arm.map(() => [random() - 0.5, 1]),
  user: arm.map((_, t) => `u${(t * 7) % 400}`),
  time: arm.map((_, t) => Date.UTC(2024, 0, 1) + t * 600_000),
};
const log = logFromColumns({ ...columns, propensity: arm.map(() => 0.25) });
/** The same arms were twice as likely or half as likely as they seem, event by event. */
const skewed = logFromColumns({ ...columns, propensity: arm.map((_, t) => [0.5, 0.125][t % 2]) });
const cpu = { device: 'cpu', threads: 1, draws: 1000 } as const;
const policies: EvaluateOptions['policies'] = [
  { family: 'constant' },
  { family: 'linear', weights: Array.from({ length: 9 }, (_, p) => ARMS.map((_, a) => [(p + a) % 3, (p * a) % 4])) },
];
const run = (more: Partial<EvaluateOptions> = {}): Promise<EvaluationResult> =>
  evaluate({ log, policies, ...cpu, ...more });

describe('the baseline', () => {
  it('is a policy by name or index, or the log, whose own mean is always there', async () => {
    const byName = await run({ baseline: 'constant b' });
    const byIndex = await run({ baseline: 1 });
    expect(byIndex.selection).toEqual(byName.selection);
    expect(byIndex.policies).toEqual(byName.policies);
    expect(byName.selection?.baseline?.value).toBe(byName.policies.find(({ index }) => index === 1)?.value);
    const toLog = await run({ baseline: 'log' });
    const paid = columns.payoff.reduce((a, b) => a + b, 0);
    expect(toLog.logged).toMatchObject({ events: EVENTS, value: paid / EVENTS });
    expect(toLog.selection?.baseline).toMatchObject({ name: 'the log', value: paid / EVENTS });
    expect((await run({ bands: false, draws: undefined })).logged).toEqual(toLog.logged);
    // The best arm pays 0.4, the log 0.25.
    expect(toLog.policies[0].difference).toMatchObject({ better: true });
    expect(toTable(toLog)).toMatch(/better by ≥[\s\S]*\(the log\) +2,000 /);
    expect(toCsv(toLog)).toMatch(/^index,.*,bandLower,bandUpper,mayBeBest,difference,differenceLower,lift,better\n/);
  });

  it('that is none of them, or several, is refused before a policy is evaluated', async () => {
    await expect(run({ baseline: 'constant e' })).rejects.toThrow(
      /not one of the policies[\s\S]*constant e[\s\S]*did you mean "constant/,
    );
    await expect(run({ baseline: 13 })).rejects.toThrow(/index from 0 to 12/);
    await expect(run({ baseline: '1.5' })).rejects.toThrow(/not one of the policies/);
    const twins: EvaluateOptions['policies'] = [
      { family: 'constant', arms: ['a'] },
      { family: 'constant', arms: ['a'] },
    ];
    await expect(run({ policies: twins, baseline: 'constant a' })).rejects.toThrow(/several are meant[\s\S]*: 0, 1/);
  });

  it('is told from a policy of the same name', async () => {
    const twins: EvaluateOptions['policies'] = [
      { family: 'constant', arms: ['a'] },
      { family: 'table', period: '10000d', tables: [{ name: 'constant a', arms: ['d'] }] },
    ];
    const result = await run({ policies: twins, baseline: 0 });
    expect(result.selection?.baseline).toMatchObject({ name: 'constant a', index: 0 });
    expect(result.policies[0]).toMatchObject({ index: 1, name: 'constant a' });
    expect(toTable(result).replaceAll(/\s+/g, ' ')).toMatch(/^constant a looks best.*It is better than constant a/);
    expect(toTable(await run({ policies: twins, baseline: 1 })).replaceAll(/\s+/g, ' ')).toContain(
      'It is the baseline.',
    );
  });

  it('that matched nothing is said, and nothing is compared', async () => {
    const narrow = logFromColumns({ arm: ['a', 'b', 'a', 'b'], arms: ['a', 'b', 'c'], payoff: [0, 1, 0, 1] });
    const result = await run({
      log: narrow,
      policies: [{ family: 'constant' }],
      ...{ baseline: 'constant c', assumeUniform: true },
    });
    expect(result.selection?.baseline).toBeNull();
    expect(result.warnings.join('\n')).toMatch(/baseline constant c matched no event/);
  });
});

describe('when', () => {
  it('there are two policies, or a baseline; not for one alone, Algorithm 1, an M for each, or if they are not wanted', async () => {
    const one: EvaluateOptions['policies'] = [{ family: 'constant', arms: ['d'] }];
    expect((await run()).selection).not.toBeNull();
    expect((await run({ policies: one })).selection).toBeNull();
    expect((await run({ policies: one, bands: true })).selection).not.toBeNull();
    expect((await run({ policies: one, baseline: 'log' })).policies[0].difference?.better).toBe(true);
    expect((await run({ validEvents: 10, draws: undefined })).selection).toBeNull();
    expect((await run({ bands: false, draws: undefined })).selection).toBeNull();
    expect((await run({ log: skewed, estimators: 'snips-clip', clip: 'auto', draws: undefined })).selection).toBeNull();
  });

  it('they are asked for and cannot be, that is an error; so are options without them', async () => {
    await expect(run({ bands: true, validEvents: 10, draws: undefined })).rejects.toThrow(/Algorithm 2/);
    await expect(run({ bands: false, draws: undefined, baseline: 'log' })).rejects.toThrow(/baseline.*none/);
    await expect(run({ margin: 0.1 })).rejects.toThrow(/margin[\s\S]*baseline/);
    await expect(run({ log: skewed, estimators: 'snips-clip', clip: 'auto', bands: true })).rejects.toThrow(
      /one M for all/,
    );
    await expect(run({ draws: 10 })).rejects.toThrow(/draws[\s\S]*1000/);
  });

  it('blocks are days, bands are by days, and few of them are warned of', async () => {
    const byDay = await run({ blocks: { period: 86_400_000 } });
    expect(byDay.selection?.blocks).toBe(14);
    expect(byDay.warnings.join('\n')).toMatch(/bands rest on 14 periods/);
    const byUser = await run({ blocks: { users: 40 } });
    expect(byUser.warnings.join('\n')).not.toMatch(/bands rest/);
    expect((await run()).selection?.blocks).toBe(256);
  });
});

describe('engines', () => {
  let opened: OpenDevice;
  beforeAll(async () => {
    opened = await openTestDevice();
  });
  afterAll(() => opened.device.destroy());

  it.each(['replay', ...ALL_ESTIMATORS.estimators] as const)('say the same to the last bit: %s', async (first) => {
    const { estimators, ...parameters } = ALL_ESTIMATORS;
    const others = estimators.filter((name) => name !== first);
    const weighed = {
      log: skewed,
      estimators: [first, ...others],
      ...parameters,
      baseline: 2,
      folds: 2,
      foldBy: 'event',
    };
    const asked: Partial<EvaluateOptions> = first === 'replay' ? { baseline: 'log' } : (weighed as never);
    const gpu = await run({ ...asked, device: 'gpu', gpuDevice: opened.device });
    expect(gpu.engine).toMatchObject({ device: 'gpu', fallback: null });
    const whole = await run(asked);
    const batches = await run({ ...asked, stretchEvents: 333 });
    for (const other of [gpu, batches])
      expect([other.selection, other.policies, other.logged]).toEqual([whole.selection, whole.policies, whole.logged]);
    const { selection, policies } = whole;
    expect(selection?.winner?.index).toBe(policies[0].index);
    for (const { value, band, matches } of policies) {
      const [low, high] = band ?? [];
      if (value !== null && matches > 0) expect(low).toBeLessThanOrEqual(value);
      if (value !== null && matches > 0) expect(high).toBeGreaterThanOrEqual(value);
    }
  });

  it('draw anew with another seed, and the same with the same', async () => {
    const [a, b, c] = [await run(), await run(), await run({ drawSeed: 1 })];
    expect(b.selection).toEqual(a.selection);
    expect(c.selection?.criticalValue).not.toBe(a.selection?.criticalValue);
    const error = Math.hypot(a.selection?.criticalError ?? 0, c.selection?.criticalError ?? 0);
    expect(Math.abs((c.selection?.criticalValue ?? 0) - (a.selection?.criticalValue ?? 0))).toBeLessThan(4 * error);
  });
});

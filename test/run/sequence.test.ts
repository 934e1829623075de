/** Confidence sequences of an evaluation: when the log is looked at, what a longer log changes, and what does not go with them. */

import { describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import type { EvaluateOptions } from '#dist/evaluate-options.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { policyColumns } from '#dist/report/result-columns.js';
import { toTable } from '#dist/report/table.js';
import { uniforms } from '../estimate/world.js';

const HOUR = 3_600_000;
const START = Date.UTC(2024, 0, 1);
const POLICIES: readonly PolicyInput[] = [{ family: 'constant' }, { family: 'uniform', seed: 3 }];

/** The first events of one log; payoffs 0 and 1, times an hour apart. @param rare probability of each arm but the first. */
function firstEvents(length: number, rare = 1 / 3, low = 0) {
  const next = uniforms(77);
  const drawn = Array.from({ length }, (_, t) => {
    const [u, v] = [next(), next()];
    const arm = u < rare ? 'b' : u < 2 * rare ? 'c' : 'a';
    const payoff = low + (v < (arm === 'b' ? 0.4 : 0.2) ? 1 : 0);
    return { arm, payoff, propensity: arm === 'a' ? 1 - 2 * rare : rare, time: START + t * HOUR };
  });
  return {
    arm: drawn.map(({ arm }) => arm),
    payoff: drawn.map(({ payoff }) => payoff),
    propensity: drawn.map(({ propensity }) => propensity),
    time: drawn.map(({ time }) => time),
    arms: ['a', 'b', 'c'],
  };
}

function run(length: number, options: Partial<EvaluateOptions>, rare?: number) {
  const log = logFromColumns(firstEvents(length, rare));
  return evaluate({ log, policies: POLICIES, device: 'cpu', bands: false, ...options });
}

describe('looks', () => {
  it('are after every so many events, and at the end', async () => {
    const { sequence, policies } = await run(1000, {
      sequence: 'asymptotic',
      sequenceAt: 300,
      blocks: { events: 400 },
    });
    expect(sequence).toEqual({ method: 'asymptotic', at: 300, level: 0.95, looks: [400, 800, 1000] });
    for (const { sequence: bounds } of policies) expect(bounds?.lower).toHaveLength(3);
  });

  it('are after every period', async () => {
    const blocks = { period: 24 * HOUR };
    const { sequence } = await run(60, { sequence: 'asymptotic', blocks, confidence: 0.9 });
    expect(sequence).toEqual({
      ...{ method: 'asymptotic', at: 15, level: 0.9, looks: [24, 48, 60] },
      periods: ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z', '2024-01-03T00:00:00Z'],
    });
  });

  it('are 64 of a log where nothing is asked for, four blocks to each', async () => {
    const { sequence, blocks, warnings } = await run(6400, { sequence: 'asymptotic' });
    expect([sequence?.at, blocks.count, sequence?.looks.length]).toEqual([1600, 256, 64]);
    expect(warnings.join('\n')).toMatch(/--sequence-at 1600 \(in code: sequenceAt\)/);
  });

  it.each([undefined, 1_000_000])('do not depend on batches (memory %s)', async (stretchEvents) => {
    const options = { sequence: 'asymptotic', sequenceAt: 100, blocks: { events: 90 } } as const;
    const whole = await run(700, options);
    const cut = await run(700, { ...options, memory: '4GB', stretchEvents: stretchEvents ?? 130 });
    expect(cut.policies.map(({ sequence }) => sequence)).toEqual(whole.policies.map(({ sequence }) => sequence));
  });
});

describe('a longer log', () => {
  const skewed: Partial<EvaluateOptions> = { estimators: 'ips', leastPropensity: 0.3 };
  it.each<[string, Partial<EvaluateOptions>, number | undefined]>([
    ['asymptotic, replay', { sequence: 'asymptotic' }, undefined],
    ['asymptotic, snips', { sequence: 'asymptotic' }, 0.1],
    ['asymptotic, by period', { sequence: 'asymptotic', blocks: { period: 100 * HOUR } }, 0.1],
    ['empirical Bernstein, replay', { sequence: 'empirical-bernstein' }, undefined],
    ['empirical Bernstein, ips', { sequence: 'empirical-bernstein', ...skewed }, 0.1],
  ])('says the same at looks that were there: %s', async (_, options, rare) => {
    const asked = { blocks: { events: 100 }, sequenceAt: 400, ...options };
    const [shorter, longer] = [await run(1250, asked, rare), await run(3000, asked, rare)];
    const boundsOf = (result: typeof shorter) =>
      new Map(
        result.policies.map(({ name, sequence }) => [
          name,
          [sequence?.lower.slice(0, shared), sequence?.upper.slice(0, shared)],
        ]),
      );
    const shared = (shorter.sequence?.looks.length ?? 0) - 1;
    expect(shared).toBeGreaterThanOrEqual(12);
    expect(shorter.sequence?.looks).toEqual([...(longer.sequence?.looks.slice(0, shared) ?? []), 1250]);
    expect(boundsOf(shorter)).toEqual(boundsOf(longer));
    expect(shorter.warnings.join('\n')).not.toMatch(/sequence-at/);
  });
});

it('the bounds after the last look stand in the table and in columns; the interval stays that of one look', async () => {
  const options = { sequenceAt: 300, blocks: { events: 100 } };
  const plain = await run(1000, { blocks: { events: 100 } });
  const result = await run(1000, { sequence: 'asymptotic', ...options });
  expect(result.policies.map(({ interval }) => interval)).toEqual(plain.policies.map(({ interval }) => interval));
  const table = toTable(result);
  expect(table).toMatch(/sequence +asymptotic, 95 % at all 10 looks and later ones; tightest at 300\s+events/);
  expect(table).toMatch(/95 % sequence/);
  const [best] = result.policies;
  const bounds = [best.sequence?.lower.at(-1) ?? 0, best.sequence?.upper.at(-1) ?? 0];
  expect(table).toContain(bounds.map((bound) => bound.toFixed(4)).join(' to '));
  expect(table).toMatch(/for all 4 at once\s+the confidence would have to be 0\.9875\./);
  const columns = new Map(policyColumns(result).map(({ name, values }) => [name, values[0]]));
  expect([columns.get('sequenceLower'), columns.get('sequenceUpper')]).toEqual(bounds);
  expect(policyColumns(plain).map(({ name }) => name)).not.toContain('sequenceLower');
});

it('a payoff range other than 0 to 1 is to be the same in later runs', async () => {
  const log = logFromColumns(firstEvents(400, undefined, 2));
  const { warnings } = await evaluate({ log, policies: POLICIES, device: 'cpu', sequence: 'asymptotic' });
  expect(warnings.join('\n')).toMatch(/payoff range 2 to 3: .*--payoff-range 2,3/);
});

it('bounds that cross are said to', async () => {
  const arm = Array.from({ length: 4000 }, (_, t) => 'ab'[t % 2]);
  const log = logFromColumns({ arm, payoff: arm.map((_, t) => (t < 2000 ? 0 : 1)) });
  const options = { device: 'cpu', sequence: 'empirical-bernstein', assumeUniform: true } as const;
  const { warnings, policies } = await evaluate({ log, policies: [{ family: 'constant' }], ...options });
  expect((policies[0].sequence?.lower.at(-1) ?? 0) > (policies[0].sequence?.upper.at(-1) ?? 0)).toBe(true);
  expect(warnings.join('\n')).toMatch(/"constant a": bounds of its confidence sequence cross.*1 more of 2 policies/);
});

describe('policies that draw', () => {
  const columns = firstEvents(900, 0.1);
  const log = logFromColumns({ ...columns, context: columns.arm.map(() => [1]) });
  const policies: PolicyInput[] = [{ family: 'linear', weights: [[[1], [0], [0]]], epsilon: 0.3 }];
  const options = { log, policies, device: 'cpu', sequenceAt: 300 } as const;

  it('have the sequences of those that weigh events', async () => {
    const bounds = async (more: Partial<EvaluateOptions>) => {
      const { policies: rows, estimator } = await evaluate({ ...options, ...more });
      const [{ value, sequence }] = rows;
      expect(sequence?.lower.at(-1)).toBeLessThan(value ?? 0);
      expect(sequence?.upper.at(-1)).toBeGreaterThan(value ?? 1);
      return estimator.name;
    };
    expect(await bounds({ sequence: 'asymptotic' })).toBe('snips');
    expect(await bounds({ sequence: 'empirical-bernstein', estimators: 'ips', leastPropensity: 0.3 })).toBe('ips');
    await expect(bounds({ sequence: 'empirical-bernstein' })).rejects.toThrow(/does not fit the estimator snips/);
  });
});

describe('refused', () => {
  const log = logFromColumns(firstEvents(60));
  const skewed = logFromColumns(firstEvents(60, 0.1));
  const loose = (options: object): EvaluateOptions => options as EvaluateOptions;
  const base = { log, policies: POLICIES, device: 'cpu' as const };
  const asked = { ...base, sequence: 'asymptotic' as const };

  it.each<[string, EvaluateOptions, RegExp]>([
    ['n* without a sequence', { ...base, sequenceAt: 5 }, /sequenceAt belongs to --sequence/],
    ['n* of none', { ...asked, sequenceAt: 0 }, /sequenceAt is not usable[\s\S]*got: +0[\s\S]*at least 1/],
    ['one that does not exist', loose({ ...asked, sequence: 'asymptotc' }), /did you mean "asymptotic"/],
    ['shares of the log', { ...asked, blocks: 20 }, /stay where they are[\s\S]*a number of blocks/],
    ['groups of users', { ...asked, blocks: { users: 20 } }, /stay where they are[\s\S]*groups of users/],
    ['valid events', { ...asked, validEvents: 5 }, /fixed number of valid events/],
    [
      'an M for each policy',
      { ...asked, log: skewed, estimators: 'snips-clip', clip: 'auto' },
      /one number for --clip/,
    ],
    ['no influence', { ...asked, log: skewed, estimators: 'cressie-read' }, /does not fit the estimator cressie-read/],
    [
      'empirical Bernstein of snips',
      { ...asked, log: skewed, sequence: 'empirical-bernstein', estimators: 'snips' },
      /does not fit the estimator snips[\s\S]*replay, ips[\s\S]*--sequence asymptotic/,
    ],
  ])('%s', async (_, options, message) => {
    await expect(evaluate(options)).rejects.toThrow(message);
  });

  it('periods of a log that is not in the order of time', async () => {
    const columns = firstEvents(60);
    const backwards = logFromColumns({ ...columns, time: columns.time.map((time) => 2 * START - time) });
    await expect(evaluate({ ...asked, log: backwards, blocks: { period: 24 * HOUR } })).rejects.toThrow(
      /blocks that follow the log[\s\S]*order of time/,
    );
  });
});

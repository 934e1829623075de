/** What holds for every reward model that is fitted to a log. */

import { describe, expect, it } from 'vitest';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { batchOf } from '#dist/log/stream-of.js';
import type { RewardModelOptions } from '#dist/reward-model/options.js';
import { openRewardModel } from '#dist/reward-model/reward-model.js';
import { PLAIN, type Shape, syntheticLog } from '../log/synthetic-log.js';
import { batchesOf, fittedModel, predictionsOf, tableOf } from './fitted.js';

const SHAPES: [name: string, shape: Shape][] = [
  ['a context per event, users', { ...PLAIN, events: 211, values: 'f64', payoff: 'stars', features: 'arms' }],
  ['contexts that repeat, versions of arms', { ...PLAIN, events: 211, contextRows: 7, features: 'versions' }],
  ['no context, payoffs of many digits', { ...PLAIN, events: 97, dimension: 0, payoff: 'rounded', features: 'arms' }],
];

const MODELS: [name: string, options: RewardModelOptions][] = [
  ['ridge', { rewardModel: 'ridge' }],
  ['ridge, by day', { rewardModel: 'ridge', folds: 3, foldBy: 'day' }],
  ['ridge, not cross-fitted', { rewardModel: 'ridge', folds: 1 }],
  ['mean', { rewardModel: 'mean' }],
  ['logistic', { rewardModel: 'logistic' }],
  ['arm-features', { rewardModel: 'arm-features', ridge: 0.5 }],
  ['arm-features, no products', { rewardModel: 'arm-features', jointFeatures: 'concat', folds: 2 }],
];

/** Days that differ, where the log's times lie within one. */
function overDays(log: EventLog): EventLog {
  return { ...log, time: Float64Array.from({ length: log.events }, (_, t) => (t % 11) * 86_400_000 - 3e8) };
}

describe.each(SHAPES)('%s', (_, shape) => {
  const log = overDays(syntheticLog({ ...shape, user: true }));

  it.each(MODELS)('%s: the same bits however the log is cut, saved and asked', async (_name, options) => {
    const table = tableOf(await fittedModel(log, options), log);
    expect(table.every(Number.isFinite)).toBe(true);
    expect(table.some((value) => value !== table[0])).toBe(true);
    for (const count of [2, 7]) {
      const batches = batchesOf(log, count);
      const model = await fittedModel(log, options, batches, true);
      expect(tableOf(model, log, batches)).toEqual(table);
      expect(tableOf(model, log)).toEqual(table);
    }
  });

  it.each(MODELS)('%s: the same bits with a table of contexts and with a context per event', async (_name, options) => {
    const { contexts, events } = log;
    const { row, dimension: d } = contexts;
    const values = Float64Array.from({ length: events * d }, (_, i) => {
      const t = Math.floor(i / d);
      return contexts.values[(row === null ? t : row[t]) * d + (i % d)];
    });
    const dense = { ...log, contexts: { ...contexts, values, rows: events, row: null } };
    const table = tableOf(await fittedModel(log, options), log);
    expect(tableOf(await fittedModel(dense, options), dense)).toEqual(table);
  });
});

describe.each(MODELS)('%s', (_, options) => {
  it('a log without events is fitted, and predicts nothing', async () => {
    const log = overDays(syntheticLog({ ...PLAIN, events: 0, features: 'arms' }));
    const model = await fittedModel(log, options);
    expect(model.predict(log).row ?? []).toHaveLength(0);
  });

  it('one event, which no other can predict', async () => {
    const log = overDays(syntheticLog({ ...PLAIN, events: 1, features: 'arms' }));
    const { at } = await predictionsOf(log, options);
    expect(Number.isFinite(at(0, 3))).toBe(true);
  });

  it('may not be asked before it is fitted', async () => {
    const log = overDays(syntheticLog({ ...PLAIN, events: 3, features: 'arms' }));
    const model = await openRewardModel(log, 3, options);
    expect(() => model.predict(log)).toThrow(RangeError);
  });

  it('says what it is, and what it takes', async () => {
    const log = overDays(syntheticLog({ ...PLAIN, features: 'arms' }));
    const model = await fittedModel(log, options);
    const { description, held, perEvent } = model;
    expect(description).toMatchObject({ name: options.rewardModel, crossFitted: options.folds !== 1 });
    expect(description.folds).toEqual({ count: options.folds ?? 5, by: options.foldBy ?? 'user' });
    expect(JSON.parse(JSON.stringify(description))).toEqual(description);
    expect(held).toBeGreaterThan(0);
    expect(perEvent).toBeGreaterThan(0);
    expect(model.warnings().some((warning) => /also to those that it predicts/.test(warning))).toBe(
      options.folds === 1,
    );
  });
});

describe('folds', () => {
  const users = ['ann', 'bob', 'cyd', 'dee', 'eve', 'fay', 'gus', 'hal'];
  /** Sixty-four events of one arm, of the users in turn. */
  const logOf = (payoff: (user: number) => number): EventLog =>
    logFromColumns({
      arm: Array(64).fill('0'),
      payoff: Array.from({ length: 64 }, (_, t) => payoff(t % 8)),
      user: Array.from({ length: 64 }, (_, t) => users[t % 8]),
    });
  const log = logOf((user) => 2 ** user);
  /** Of each user, who is predicted to earn something where only that user ever did. */
  const fittedTo = async (options: RewardModelOptions): Promise<Set<string>[]> => {
    const seen: Set<string>[] = [];
    for (const user of users.keys()) {
      const { at } = await predictionsOf(
        logOf((one) => (one === user ? 1 : 0)),
        options,
      );
      seen.push(new Set(Array.from({ length: 64 }, (_, t) => t).flatMap((t) => (at(t, 0) > 0 ? [users[t % 8]] : []))));
    }
    return seen;
  };

  it('by user: nobody is predicted by a model that saw payoffs of the same user, and by event everybody is', async () => {
    const byUser = await fittedTo({ folds: 4 });
    byUser.forEach((predicted, user) => {
      expect(predicted.has(users[user])).toBe(false);
    });
    const byEvent = await fittedTo({ folds: 3, foldBy: 'event' });
    expect(byEvent.every((predicted, user) => predicted.has(users[user]))).toBe(true);
  });

  it('by day: all events of a UTC day are of one fold, also before 1970', async () => {
    const days = overDays(log);
    const { at } = await predictionsOf(days, { folds: 3, foldBy: 'day', rewardModel: 'mean' });
    const of = new Map<number, number>();
    for (let t = 0; t < days.events; t++) {
      const day = Math.floor((days.time?.[t] ?? 0) / 86_400_000);
      expect(at(t, 0)).toBe(of.get(day) ?? at(t, 0));
      of.set(day, at(t, 0));
    }
    expect(of.size).toBe(11);
    expect(new Set(of.values()).size).toBe(3);
  });

  it('by event counts from the start of the whole log', async () => {
    const model = await fittedModel(log, { folds: 3, foldBy: 'event', rewardModel: 'mean' });
    const table = tableOf(model, log);
    expect(tableOf(model, { ...batchOf(log, 5, 64) }).slice(0, 5)).toEqual(table.slice(5, 10));
  });

  it('more folds than events: every event is predicted by all others', async () => {
    const { at } = await predictionsOf(batchOf(log, 0, 4), { folds: 1000, foldBy: 'event' });
    // (1 + 2 + 4 + 8 without its own) / (3 + λ)
    expect([0, 1, 2, 3].map((t) => at(t, 0))).toEqual([14 / 4, 13 / 4, 11 / 4, 7 / 4]);
  });

  it('that hold all events are refused', async () => {
    const one = { ...log, time: new Float64Array(64) };
    await expect(fittedModel(one, { foldBy: 'day' })).rejects.toThrow(
      /folds by day leave nothing to fit .*\n.*64 events/,
    );
  });
});

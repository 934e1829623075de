/** VowpalWabbit's own files: what is in them, by an independent parser (vw_expected.py), and IPS inputs by another program. */

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import { armIds, candidates, context, payoffs } from '../log/files.js';
import { reference, sharedFile } from './reference.js';
import expectedRows from './vw-expected.json' with { type: 'json' };

type Columns = Record<'actions' | 'action' | 'cost' | 'probability', string>;
const EXPECTED: Readonly<Record<string, Columns>> = expectedRows;

const file = (name: string) => sharedFile(`data/vw/train-sets__${name}`);

/** `0.5×2 1` → 0.5, 0.5, 1. */
function unfold(runs: string): number[] {
  return runs.split(' ').flatMap((run) => {
    const [value, count = '1'] = run.split('×');
    return Array.from({ length: Number(count) }, () => Number(value));
  });
}

const costs = (log: EventLog) => payoffs(log).map((payoff) => -payoff + 0);

/** Features of the action at a 0-based position of event t, by name; zeros left out. */
function action(log: EventLog, t: number, position: number): Record<string, number> {
  const { pools, armFeatures } = log;
  if (armFeatures === null) return {};
  const at = pools.offsets[pools.pool === null ? 0 : pools.pool[t]] + position;
  const row = armFeatures.row?.[at] ?? pools.arms[at];
  const d = armFeatures.dimension;
  const values = armFeatures.values.subarray(row * d, (row + 1) * d);
  return Object.fromEntries(armFeatures.columns.map((name, j) => [name, values[j]]).filter(([, value]) => value !== 0));
}

function contextOf(log: EventLog, t: number): Record<string, number> {
  const values = context(log, t);
  return Object.fromEntries(
    log.contexts.columns.map((name, j) => [name, values[j]]).filter(([, value]) => value !== 0),
  );
}

describe("VowpalWabbit's files", () => {
  it('are all there', () => {
    const names = readdirSync(sharedFile('data/vw')).filter((name) => /^train-sets__(?!ref__)/.test(name));
    expect(names.map((name) => name.replace('train-sets__', '')).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(Object.keys(EXPECTED))('%s: costs, actions, probabilities and numbers of actions', async (name) => {
    const expected = EXPECTED[name];
    const log = await readLog([file(name)], {});
    expect(armIds(log).map(Number)).toEqual(unfold(expected.action));
    expect(costs(log)).toEqual(unfold(expected.cost).map((cost) => cost + 0));
    expect([...(log.propensity ?? [])]).toEqual(unfold(expected.probability));
    expect(Array.from(log.arm, (_, t) => candidates(log, t).length)).toEqual(unfold(expected.actions));
    expect(candidates(log, 0)).toEqual(Array.from({ length: unfold(expected.actions)[0] }, (_, a) => String(a + 1)));
    const isText = !/json|cb_l_namespace/.test(name);
    expect(log.source.format).toBe(!isText ? 'dsjson' : /cb_eval|multi_cost/.test(name) ? 'vw-cb' : 'vw-adf');
    // Payoffs are exact.
    expect(log.payoff.scale.rounded).toBe(false);
  });

  it('tell the logged arm from its line, and the third event of cb_test.ldf is unlabelled', async () => {
    const log = await readLog([file('cb_test.ldf')], {});
    expect(log.source).toMatchObject({ rows: 3, payoffFromCost: { scale: -1, offset: 0 } });
    expect(log.source.badRows).toMatchObject([{ kind: 'event without a label', count: 1 }]);
    expect(log.sourceRow === null ? null : [...log.sourceRow]).toEqual([0, 1]);
    expect(contextOf(log, 0)).toEqual({ s_1: 1, s_2: 1 });
    expect(contextOf(log, 1)).toEqual({});
    expect(action(log, 0, 2)).toEqual({ a_3: 1, b_3: 1, c_3: 1 });
    expect(action(log, 1, 0)).toEqual({ b_1: 1, c_1: 1, d_1: 1 });
  });

  it('give real-valued features: cb_adf_sm.data', async () => {
    const log = await readLog([file('cb_adf_sm.data')], {});
    expect(action(log, 0, 0)).toEqual({ a: 0.5, b: 1 });
    expect(action(log, 3, 0)).toEqual({ a: 3, b: -1 });
    expect(action(log, 3, 3)).toEqual({ a: 2, b: -1 });
    // The second event is the first one again.
    expect(log.pools.count).toBe(3);
    expect(log.pools.pool?.[1]).toBe(log.pools.pool?.[0]);
  });

  it('give names and numbers of a namespace: explore_eval_egreedy.dat', async () => {
    const log = await readLog([file('explore_eval_egreedy.dat')], {});
    expect(contextOf(log, 0)).toEqual({ 'User^user=Anna': 1, 'User^time_of_day=evening': 1 });
    expect(action(log, 0, 1)).toMatchObject({ 'Action^politics': 42, 'Action^barrys': 96, 'Action^swimming': 2 });
    expect(log.armFeatures?.dimension).toBe(47);
    // explore_eval_tr_1.stderr: average loss -0.580000 over 50 updates.
    expect(costs(log).reduce((a, b) => a + b) / log.events).toBeCloseTo(-0.58, 12);
  });

  it('give categories of decision-service events: dsjson_cb.json', async () => {
    const log = await readLog([file('dsjson_cb.json')], {});
    expect(contextOf(log, 0)).toEqual({
      'FromUrl^timeofday=Afternoon': 1,
      'FromUrl^weather=Sunny': 1,
      'FromUrl^name=Cathy': 1,
    });
    expect(action(log, 0, 1)).toEqual({
      'i^constant': 1,
      'i^id=Cold brew': 1,
      'j^type=cold': 1,
      'j^origin=brazil': 1,
      'j^organic=yes': 1,
      'j^roast=light': 1,
    });
    // VowpalWabbit counts 10 features per action, its constant included: 3 shared, 6 of the action.
    expect(log.armFeatures?.rows).toBe(4);
    const time = log.time ?? new Float64Array(0);
    expect([time[0], time[22]]).toEqual([Date.UTC(2021, 1, 4, 16, 31, 29, 246), Date.UTC(2021, 1, 4, 16, 31, 47, 319)]);
    // metrics_time.json: dsjson_sum_cost_original.
    expect(costs(log).reduce((a, b) => a + b)).toBe(-12);
    const drinks = await readLog([file('dsjson_cb.json')], { armId: 'i^id=*', keys: ['FromUrl^weather'] });
    expect(drinks.arms.ids).toEqual(['Cappucino', 'Cold brew', 'Iced mocha', 'Latte']);
    expect(armIds(drinks)[0]).toBe('Latte');
    expect(drinks.keys.get('FromUrl^weather')?.levels).toEqual(['Rainy', 'Snowy', 'Sunny']);
    const tagged = await readLog([file('dsjson_cb.json')], { armId: 'tag' });
    expect(armIds(tagged)).toEqual(armIds(drinks));
  });

  it('give the same log whole and in parts, and in the default namespace', async () => {
    const whole = await readLog([file('dsjson_cb.json')], {});
    const parts = await readLog([file('dsjson_cb_part1.json'), file('dsjson_cb_part2.json')], {});
    expect({ ...parts, source: null }).toEqual({ ...whole, source: null });
    const plain = await readLog([file('dsjson_cb_default_ns.json')], {});
    expect(contextOf(plain, 0)).toEqual({ 'timeofday=Afternoon': 1, 'weather=Sunny': 1, 'name=Cathy': 1 });
  });

  it('forgive actions counted from 0, and report it', async () => {
    const log = await readLog([file('cb_features_w_zero_vals.dsjson')], {});
    expect(log.source.badRows).toMatchObject([{ kind: 'a counts actions from 0', count: 2, lost: 'nothing' }]);
    await expect(readLog([file('cb_features_w_zero_vals.dsjson')], { strict: true })).rejects.toThrow(
      /line 1, a: a counts/,
    );
  });
});

describe('own_vw_dsjson.json', () => {
  interface Own {
    n: number;
    results: Record<string, { T: number; G: number; ips: number; snips: number; sum_w: number }>;
    vw_published_metrics: { dsjson_sum_cost_original: number; dsjson_sum_cost_original_baseline: number };
  }

  it('constant policies: weights and rewards of the inverse propensity score', async () => {
    const own = reference<Own>('own_vw_dsjson.json');
    const log = await readLog([file('dsjson_cb.json')], {});
    expect(log.events).toBe(own.n);
    const rewards = payoffs(log);
    const propensity = log.propensity ?? new Float64Array(0);
    expect(Object.keys(own.results)).toEqual(log.arms.ids);
    for (const [id, { T, G, ips, snips, sum_w }] of Object.entries(own.results)) {
      const matches = armIds(log).flatMap((arm, t) => (arm === id ? [t] : []));
      const weights = matches.map((t) => 1 / propensity[t]);
      const sum = weights.reduce((a, b) => a + b, 0);
      const weighted = matches.reduce((total, t, i) => total + weights[i] * rewards[t], 0);
      expect([matches.length, matches.reduce((total, t) => total + rewards[t], 0)]).toEqual([T, G]);
      expect(sum).toBeCloseTo(sum_w, 12);
      expect(weighted / log.events).toBeCloseTo(ips, 14);
      expect(weighted / sum).toBeCloseTo(snips, 14);
    }
    const metrics = own.vw_published_metrics;
    expect(-rewards.reduce((a, b) => a + b)).toBe(metrics.dsjson_sum_cost_original);
    expect(-own.results[1].G).toBe(metrics.dsjson_sum_cost_original_baseline);
  });
});

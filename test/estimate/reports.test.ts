/**
 * Faults and questions that users of other programs reported of estimators, each with an input small enough to compute by hand. Numbers
 * are those of the list in the notes on estimators.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EstimatorName } from '#dist/estimate/estimators/index.js';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import { type LogColumns, logFromColumns } from '#dist/log/from-columns/columns.js';
import { openLog } from '#dist/open/open.js';
import { encodeNpy } from '#dist/policy/npy.js';
import { toTable } from '#dist/report/table.js';
import { WorldDraws } from '#dist/simulate/draws.js';
import { fault, MAPPING, read, write } from '../log/files.js';
import { type Event, estimate } from './world.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-reports-'));

/** Constant policies on a log from columns. */
async function evaluated(columns: LogColumns, options: Partial<EvaluateOptions> = {}) {
  return evaluate({
    ...{ log: logFromColumns(columns), policies: [{ family: 'constant' as const, arms: ['a'] }], device: 'cpu' },
    ...options,
  });
}

function predictions(name: string, rows: readonly (readonly number[])[]): string {
  const path = join(folder, `${name}.npy`);
  writeFileSync(path, encodeNpy(Float64Array.from(rows.flat()), [rows.length, rows[0].length]));
  return path;
}

/** Events that match with weight w; w = 0: that do not match. */
function weighted(w: readonly number[], r: readonly number[], q?: number): Event[] {
  return w.map((one, t) => ({
    k: r[t],
    p: one === 0 ? 0.5 : 1 / one,
    arm: one === 0 ? 1 : 0,
    choice: 0,
    ...(q === undefined ? {} : { q: [q, q, q] }),
  }));
}

it('1: snips of equal payoffs has no error, as its denominator is drawn with its numerator', async () => {
  const w = [2, 2, 2, 10];
  const result = await evaluated(
    {
      arm: ['a', 'a', 'a', 'a'],
      arms: ['a', 'b'],
      payoff: [1, 1, 1, 1],
      payoffRange: [0, 1],
      propensity: w.map((one) => 1 / one),
    },
    { estimators: ['snips', 'ips'] },
  );
  const { snips, ips } = result.policies[0].estimates;
  expect(snips).toMatchObject({ value: 1, standardError: 0 });
  // ESS = 16²/112, none of which paid less than 1.
  expect(snips?.interval[0]).toBeCloseTo(0.025 ** (112 / 256), 12);
  expect(snips?.interval[1]).toBe(1);
  expect(ips).toMatchObject({ value: 4, interval: [0, 1] });
  expect(result.warnings.join('\n')).toMatch(/ips: 1 value lies outside the payoff range 0 to 1[^\n]*\(4 of /);
  expect(result.warnings.join('\n')).not.toMatch(/snips: /);
});

describe('2: a policy that draws', () => {
  const columns = { arm: ['a', 'b', 'a', 'b'], payoff: [1, 0, 1, 1], propensity: [0.5, 0.5, 0.5, 0.5] };
  const policies = [{ family: 'constant' as const, arms: ['a'], epsilon: 1 }];

  it('is not replayed, and the message names what fits', async () => {
    await expect(evaluated(columns, { policies, estimators: 'replay' })).rejects.toThrow(/epsilon[\s\S]*snips or ips/);
  });

  it('is weighed by its probability of the logged arm', async () => {
    const { ips, snips } = (await evaluated(columns, { policies, estimators: ['ips', 'snips'] })).policies[0].estimates;
    expect([ips?.value, snips?.value]).toEqual([0.75, 0.75]);
    // Replay is not taken by default either, uniform as the log is.
    expect((await evaluated(columns, { policies })).estimator.name).toBe('snips');
  });
});

describe('3: a model fitted to the payoffs that it is then corrected by', () => {
  const columns: LogColumns = {
    ...{ arm: ['a', 'a', 'b', 'b'], payoff: [1, 0, 1, 1], propensity: [0.5, 0.5, 0.5, 0.5] },
    context: [0, 1, 2, 3].map((t) => [0, 1, 2, 3].map((i) => (i === t ? 1 : 0))),
  };
  const values = async (options: Partial<EvaluateOptions>) => {
    const result = await evaluated(columns, { estimators: ['dm', 'dr', 'ips'], rewardModel: 'ridge', ...options });
    const { dm, dr, ips } = result.policies[0].estimates;
    return { result, values: [dm?.value, dr?.value, ips?.value] };
  };

  it('takes half of the correction away, and says so', async () => {
    const { result, values: found } = await values({ folds: 1 });
    expect(found).toEqual([0.125, 0.375, 0.5]);
    expect(result.rewardModel).toMatchObject({ folds: { count: 1 } });
    expect(result.warnings.join('\n')).toMatch(/fitted to all events, also to those that it predicts \(folds 1\)/);
  });

  it('by folds leaves it, and the result says by which', async () => {
    const { result, values: found } = await values({ folds: 2, foldBy: 'event' });
    expect(found).toEqual([0, 0.5, 0.5]);
    expect(result.rewardModel).toMatchObject({ folds: { count: 2, by: 'event' } });
    expect(result.warnings.join('\n')).not.toMatch(/fitted to all events/);
  });
});

describe('4: which parameter of switch-dr and dros gives dr, and which dm', () => {
  const w = [0, 4, 0, 2];
  const events = weighted(w, [0, 1, 1, 0], 0.3);
  const value = (name: EstimatorName, parameters: { switch?: number; shrinkage?: number } = {}) => {
    const { run, row } = estimate(events, { names: [name], ...parameters });
    const [{ rounding = 0, predictionRounding = 0 }] = run.descriptions;
    // Weights 4 and 2 are exact; those of dros are rounded by a share of themselves. What a prediction is moved by is moved at most
    // once by Q and once by w e; sums in f64 of numbers up to 4.
    return { value: row.value ?? Number.NaN, off: 2.5 * predictionRounding + rounding + 1e-14 };
  };
  const is = (found: ReturnType<typeof value>, needed: number): void =>
    expect(Math.abs(found.value - needed)).toBeLessThanOrEqual(found.off);

  it('τ: weights up to it are kept', () => {
    is(value('dr'), 0.85);
    is(value('switch-dr', { switch: 4 }), 0.85);
    is(value('switch-dr', { switch: 3 }), 0.15);
    is(value('switch-dr', { switch: 1 }), 0.3);
  });

  it('λ: the larger, the more of dr', () => {
    is(value('dros', { shrinkage: 10 }), 0.3 + ((40 / 26) * 0.7 - (20 / 14) * 0.3) / 4);
    is(value('dros', { shrinkage: Number.POSITIVE_INFINITY }), 0.85);
    is(value('dros', { shrinkage: 1e12 }), 0.85 - (64 * 0.7 - 8 * 0.3) / 4e12);
    // And at 0 there is no 0/0, also of an event that does not match.
    for (const shrinkage of [1e-9, 1e-300, Number.MIN_VALUE]) is(value('dros', { shrinkage }), 0.3);
  });
});

it('5: the order in which the largest weights are listed, and how often each, decides nothing', async () => {
  // Five times a paid event of weight 10, five of weight 2 of which one paid, and four of another arm: `slope.test.ts` has the numbers.
  const events = Array.from({ length: 50 }, (_, t) => t % 10);
  const columns: LogColumns = {
    arm: events.map((i) => (i < 6 ? 'a' : 'b')),
    payoff: events.map((i) => (i < 2 ? 1 : 0)),
    propensity: events.map((i) => (i === 0 ? 0.1 : 0.5)),
  };
  const most = Number.POSITIVE_INFINITY;
  for (const clip of [[2, 5, 20, most], [most, 20, 5, 2], [20, 2, most, 5], [5, 5, 2, 2, 5], [2, 5], 'auto'] as const) {
    const { policies, estimators, warnings } = await evaluated(columns, { estimators: 'ips-clip', clip });
    expect(policies[0].estimates['ips-clip'], String(clip)).toMatchObject({ clip: 5, value: 0.7 });
    expect(estimators[0]).toMatchObject({ clip: 'auto', grid: [2, 5] });
    expect(warnings.join('\n')).toMatch(
      /M of ips-clip was chosen for each policy by its payoffs: intervals there hold as if/,
    );
    // Of a single policy there is no ranking to warn of.
    expect(warnings.join('\n')).not.toMatch(/rank/);
  }
  const two = { estimators: 'ips-clip', policies: [{ family: 'constant' }] } as const;
  const text = async (clip: EvaluateOptions['clip']) =>
    (await evaluated(columns, { ...two, clip })).warnings.join('\n');
  expect(await text('auto')).toMatch(/to rank policies give one M for all, as --clip 20/);
  expect(await text(5)).not.toMatch(/chosen/);
});

describe('6: no event at which the policy chose the logged arm', () => {
  const events: Event[] = [0, 1].map(() => ({ k: 1, p: 0.85, arm: 1, choice: 0, q: [0.3, 0.6, 0] }));

  it('says nothing by weights, and what the model says by the others', () => {
    const { run, row } = estimate(events, { names: ['snips', 'ips', 'dm', 'dr', 'sndr'] });
    const { snips, ips, dm, dr, sndr } = row.estimates;
    for (const one of [snips, ips]) expect(one).toEqual({ value: null, standardError: null, interval: [0, 1] });
    expect(Math.abs((dm?.value ?? 0) - 0.3)).toBeLessThanOrEqual(run.descriptions[2].predictionRounding ?? 0);
    expect([dr?.value, sndr?.value]).toEqual([dm?.value, dm?.value]);
    expect(row.matches).toBe(0);
  });

  it.each<EstimatorName[]>([
    ['dr', 'dm'],
    ['snips', 'dr'],
  ])('is told of: %s, %s', async (...estimators) => {
    const columns: LogColumns = {
      ...{ arm: ['b', 'b'], arms: ['a', 'b'], payoff: [1, 1], payoffRange: [0, 1], propensity: [0.85, 0.85] },
    };
    const { warnings } = await evaluated(columns, {
      estimators,
      predictions: predictions('none', [
        [0.3, 0.6],
        [0.3, 0.6],
      ]),
    });
    expect(warnings.join('\n')).toMatch(
      /1 policy has no matching event[^\n]*: the value is what the model predicts, and nothing else/,
    );
  });
});

it('7: a value below the range is shown as it is, and its interval is cut', async () => {
  const result = await evaluated(
    {
      ...{ arm: ['a', 'b', 'b', 'b'], payoff: [0, 0, 0, 0], payoffRange: [0, 1], propensity: [0.1, 0.9, 0.9, 0.9] },
    },
    {
      estimators: ['dr', 'sndr', 'ips'],
      predictions: predictions(
        'high',
        Array.from({ length: 4 }, () => [0.9, 0.9]),
      ),
    },
  );
  const { dr, sndr, ips } = result.policies[0].estimates;
  const [{ predictionRounding = 0, rounding = 0 }] = result.estimators;
  expect(Math.abs((dr?.value ?? 0) + 1.35)).toBeLessThanOrEqual(3.5 * predictionRounding + 2.25 * rounding + 1e-15);
  expect(dr?.interval).toEqual([0, 1]);
  expect([sndr?.value, ips?.value]).toEqual([0, 0]);
  expect(result.warnings.join('\n')).toMatch(/dr: 1 value lies outside the payoff range 0 to 1[^\n]*\(-1\.35 of /);
  expect(result.warnings.join('\n')).not.toMatch(/sndr: |ips: /);
});

describe('8: propensities of .999 and .001', () => {
  const draws = new WorldDraws(2);
  const arm = Array.from({ length: 1000 }, (_, t) => (draws.unit(t, 1) < 0.999 ? 'a' : 'b'));
  const columns: LogColumns = {
    ...{ arm, arms: ['a', 'b'], payoff: arm.map((_, t) => t % 2) },
    propensity: arm.map((a) => (a === 'a' ? 0.999 : 0.001)),
  };

  it('thinning says first that next to nothing is kept', async () => {
    const result = await evaluated(columns, { thin: true, leastPropensity: 0.002 });
    const { kept = Number.NaN } = result.log.thinned ?? {};
    // 2 are due, of a Poisson distribution: more than 12 with a probability below 10⁻⁶.
    expect(kept).toBeLessThanOrEqual(12);
    const table = toTable(result).replaceAll(/\s+/g, ' ');
    expect(table).toMatch(new RegExp(`^thinned kept ${kept} of 1,000 events, [\\d.]+ % \\(0\\.2 % expected\\)`));
    expect(result.warnings.join('\n')).toMatch(/--estimator snips/);
  });

  it('every value by weights stands beside its effective size and its largest share', async () => {
    const result = await evaluated(columns, { policies: [{ family: 'constant' }], estimators: 'snips' });
    const rare = arm.filter((a) => a === 'b').length;
    const [a, b] = [...result.policies].sort((one, other) => one.index - other.index);
    expect(a.weights?.ess).toBeCloseTo(1000 - rare, 9);
    // The largest weight is rounded to f32, and weights by a share of themselves.
    expect(a.weights?.largestShare).toBeCloseTo(1 / (1000 - rare), 7);
    expect(b.weights?.ess ?? 0).toBeCloseTo(rare, 9);
    expect(toTable(result)).toMatch(/ESS +largest/);
  });
});

describe('9: no propensities', () => {
  const columns: LogColumns = { arm: ['a', 'b', 'c', 'a'], payoff: [1, 0, 1, 1] };

  it('are not taken to be 1: the message names what there is without them', async () => {
    const { message } = await fault(evaluated(columns, { estimators: ['snips'] }));
    expect(message).toMatch(/the estimator snips goes by propensities, and the log has none/);
    expect(message).toMatch(/needed: the probability with which each logged arm was chosen/);
    expect(message).toMatch(/--estimator replay[^\n]*--estimator dm/);
  });

  it('that are all 1, with three candidates, are not believed', async () => {
    const ones = { ...columns, propensity: [1, 1, 1, 1] };
    for (const estimators of ['snips', ['ips', 'dr']] as const) {
      const { warnings } = await evaluated(ones, { estimators });
      expect(warnings.join('\n')).toMatch(
        /the mean of 1\/propensity is 1, and with 3 candidates on average 3 is expected/,
      );
    }
    await expect(evaluated(ones, { estimators: 'replay' })).rejects.toThrow(/uniform/);
  });
});

describe('10: what is no propensity of the logged arm', () => {
  const columns: LogColumns = { arm: ['a', 'b', 'a'], payoff: [1, 0, 1] };

  it.each([
    [-0.69, /it looks like a log-probability, the logarithm of 0\.502: take exp/],
    [2.15, /it looks like a density/],
    [33.3, /it looks like a percentage, of the probability 0\.333/],
    [100, /it looks like a percentage, of the probability 1,/],
    [34, /or like a weight 1\/p, of the probability 0\.0294/],
    [4000, /it looks like a weight 1\/p, of the probability 0\.00025/],
    [1.0001, /that rounding put above 1/],
  ])('%d is refused with a guess', async (p, guess) => {
    const found = await fault(evaluated({ ...columns, propensity: [0.5, p, 0.5] }));
    expect(found.message).toMatch(/^row 1, column "propensity": propensity is outside \(0, 1\]/);
    expect(found.message).toMatch(guess);
  });

  it.each([0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%d without one', async (p) => {
    const found = await fault(evaluated({ ...columns, propensity: [0.5, p, 0.5] }));
    expect(found.message).toMatch(/^row 1, column "propensity": propensity is outside \(0, 1\]/);
    expect(found.message).not.toMatch(/looks like/);
  });

  const mapping = { ...MAPPING, propensity: 'p' };
  it.each([
    ['CSV', () => read('log-p.csv', 'arm,payoff,p\na,1,0.5\nb,0,-0.69\n', { mapping }), /log-p\.csv, row 1 \(line 3\)/],
    [
      'CSV with commas before decimals',
      () => read('comma-p.csv', 'arm;payoff;p\na;1;0,5\nb;0;-0,69\n', { mapping, decimalSeparator: ',' }),
      /comma-p\.csv, row 1 \(line 3\)/,
    ],
    [
      'JSON lines',
      () => read('p.jsonl', '{"arm":"a","payoff":1,"p":-0.69}\n', { mapping }),
      /p\.jsonl, row 0 \(line 1\)/,
    ],
    ['VW', () => openLog({ files: [write('p.vw', '1:0:-0.69 | x\n')], format: 'vw' }), /p\.vw, row 0 \(line 1\)/],
  ])('is refused by readers at its place: %s', async (_, reading, place) => {
    const { message } = await fault(reading());
    expect(message).toMatch(place);
    expect(message).toMatch(/propensity is outside \(0, 1\]\n.*got: .*0[.,]69/);
    expect(message).toMatch(/try: {4}it looks like a log-probability, the logarithm of 0\.502/);
  });

  it('weighs a match by the propensity of the logged arm, and nothing else', () => {
    const events: Event[] = [
      { k: 1, p: 0.25, arm: 0, choice: 0 },
      { k: 1, p: 0.5, arm: 1, choice: 0 },
    ];
    expect(estimate(events, { names: ['ips'] }).row.value).toBe(2);
  });
});

it('11: dr weighs by the probability of the policy, over that of the log', async () => {
  const result = await evaluated(
    { arm: ['a'], arms: ['a', 'b'], payoff: [1], payoffRange: [0, 1], propensity: [0.25] },
    {
      policies: [{ family: 'constant', arms: ['a'], epsilon: 1 }],
      estimators: ['dr', 'ips'],
      predictions: predictions('flat', [[0.2, 0.2]]),
    },
  );
  // 0.2 + 0.5/0.25 · 0.8; without the policy's probability 3.4. Predictions of 0.2 are rounded to 2⁻³² of their range.
  expect(result.policies[0].estimates.dr?.value).toBeCloseTo(1.8, 8);
  expect(result.policies[0].estimates.ips?.value).toBe(2);
});

it('12: a propensity column that is called otherwise is missed, and the columns at hand are named', async () => {
  const files = [write('prob.csv', 'arm,payoff,prob\na,1,0.5\nb,0,0.5\n')];
  const log = { files, mapping: { ...MAPPING, propensity: 'p' } };
  const { message } = await fault(
    evaluate({ log, policies: [{ family: 'constant' }], device: 'cpu', estimators: 'snips' }),
  );
  expect(message).toMatch(/prob\.csv: no column "p", which the mapping names as propensity/);
  expect(message).toMatch(/needed: one of "arm", "payoff", "prob"/);
});

/** Probabilities from files: looked up at the logged arm, checked, and as good as those that are computed here. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { streamOf } from '#dist/log/stream-of.js';
import { encodeNpy } from '#dist/policy/npy.js';
import { writeParquet } from '../cli/bad/files.js';
import { ALL_ESTIMATORS } from '../run/estimator-logs.js';
import { skewedLog } from '../run/thinned-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-probabilities-'));
const cpu = { device: 'cpu', threads: 1 } as const;

function npy(name: string, rows: readonly (readonly number[])[]): string {
  const file = join(folder, `${name}.npy`);
  writeFileSync(file, encodeNpy(Float64Array.from(rows.flat()), [rows.length, rows[0]?.length ?? 0]));
  return file;
}

function set(name: string, ...entries: object[]): string {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(entries));
  return file;
}

/** π(a|x_t) ∝ 1 + a + t mod 3 over the candidates, [L, K]. */
function pi(log: EventLog): number[][] {
  const { offsets, arms, pool } = log.pools;
  return Array.from({ length: log.events }, (_, t) => {
    const s = pool?.[t] ?? 0;
    const row = new Array<number>(log.arms.ids.length).fill(0);
    for (let i = offsets[s]; i < offsets[s + 1]; i++) row[arms[i]] = 1 + arms[i] + (t % 3);
    const sum = row.reduce((a, b) => a + b);
    return row.map((one) => one / sum);
  });
}

describe('probabilities', () => {
  const log = skewedLog({ events: 90 });
  const rows = pi(log);
  const arms = npy('arms', rows);
  const logged = npy(
    'logged',
    rows.map((row, t) => [row[log.arm[t]], 1, 0]),
  );

  it('of arms and of logged arms are one policy, by its definition', async () => {
    const estimators = ['ips', 'snips'] as const;
    const policies = set(
      'both',
      { family: 'probabilities', of: 'arms', file: arms },
      { family: 'probabilities', of: 'logged', file: logged },
    );
    const result = await evaluate({ log, policies, estimators, ...cpu });
    const [whole, own, always, never] = [...result.policies].sort((a, b) => a.index - b.index);
    expect([whole.name, own.name]).toEqual(['probabilities', 'probabilities 0']);
    const bare = ({ name, index, ...row }: typeof own) => row;
    expect(bare(whole)).toEqual(bare(own));
    const w = rows.map((row, t) => row[log.arm[t]] / (log.propensity?.[t] ?? 0));
    const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b);
    const paid = sum(w.map((one, t) => one * log.payoff.steps[t]));
    expect(whole.estimates.ips?.value).toBeCloseTo(paid / log.events, 12);
    expect(whole.estimates.snips?.value).toBeCloseTo(paid / sum(w), 12);
    expect(whole.matches).toBe(log.events);
    expect(always.weights?.mean).toBeCloseTo(sum(w.map((_, t) => 1 / (log.propensity?.[t] ?? 0))) / log.events, 12);
    expect(never).toMatchObject({ matches: 0, value: null, interval: [0, 1] });
  });

  it('of all candidates serve every estimator: those of one choice are the choice', async () => {
    const chosen = rows.map((row) => row.map((one) => (one === Math.max(...row) ? 1 : 0)));
    const policies = set('one-hot', { family: 'probabilities', of: 'arms', file: npy('one-hot', chosen) });
    const choices = join(folder, 'chosen.npy');
    writeFileSync(
      choices,
      encodeNpy(
        Int32Array.from(chosen, (row) => row.indexOf(1)),
        [log.events, 1],
      ),
    );
    const other = set('chosen', { family: 'choices', file: choices });
    const [a] = (await evaluate({ log, policies, ...ALL_ESTIMATORS, ...cpu })).policies;
    const [b] = (await evaluate({ log, policies: other, ...ALL_ESTIMATORS, ...cpu })).policies;
    expect(a.matches).toBe(b.matches);
    for (const name of ALL_ESTIMATORS.estimators) {
      // Weights of choices are rounded to 2⁻²⁰ of themselves at most.
      expect(a.estimates[name]?.value ?? -1, name).toBeCloseTo(b.estimates[name]?.value ?? -2, 5);
      expect(a.estimates[name]?.standardError ?? 0, name).toBeCloseTo(b.estimates[name]?.standardError ?? 0, 5);
    }
  });

  it('are the same in batches, and mix with uniform draws', async () => {
    const policies = set(
      'mixed',
      { family: 'probabilities', of: 'arms', file: arms, names: ['mine'] },
      { family: 'probabilities', of: 'arms', file: arms, epsilon: 0.5 },
      { family: 'constant', epsilon: 1 },
    );
    const estimators = ['ips', 'dm'] as const;
    const whole = await evaluate({ log, policies, estimators, ...cpu });
    expect((await evaluate({ log: streamOf(log), policies, estimators, ...cpu, stretchEvents: 7 })).policies).toEqual(
      whole.policies,
    );
    const [mine, half, even] = [...whole.policies].sort((a, b) => a.index - b.index);
    expect([mine.name, half.name]).toEqual(['mine', 'probabilities, ε 0.5']);
    for (const name of estimators)
      expect(half.estimates[name]?.value).toBeCloseTo(
        0.5 * ((mine.estimates[name]?.value ?? 0) + (even.estimates[name]?.value ?? 0)),
        7,
      );
  });

  it('of Parquet are found by the names of arms', async () => {
    const ids = log.arms.ids;
    const reversed = [...ids].reverse();
    const file = join(folder, 'named.parquet');
    const lines = rows.map((row) => `(${reversed.map((id) => row[ids.indexOf(id)]).join(', ')})`);
    const names = reversed.map((id) => `"${id}"`).join(', ');
    await writeParquet(file, `SELECT CAST(COLUMNS(*) AS DOUBLE) FROM (VALUES ${lines.join(', ')}) AS t(${names})`);
    const entry = (name: string) => ({ family: 'probabilities', of: 'arms', file: name, names: ['mine'] });
    const at = { log, estimators: 'ips' as const, ...cpu };
    const a = await evaluate({ ...at, policies: set('named', entry(file)) });
    expect(a.policies).toEqual((await evaluate({ ...at, policies: set('npy', entry(arms)) })).policies);
  });

  describe('with a row per context and candidate set', () => {
    /** Pairs are numbered by where they first appear, and have the probabilities of the event there. */
    const { pool } = log.pools;
    const { row } = log.contexts;
    const pairs = Array.from({ length: log.events }, (_, t) => `${row?.[t] ?? t} ${pool?.[t] ?? 0}`);
    const distinct = [...new Set(pairs)];
    const first = distinct.map((pair) => rows[pairs.indexOf(pair)]);
    const numbers = pairs.map((pair) => distinct.indexOf(pair));
    const withKey = (values: readonly (number | string)[]): EventLog => {
      const levels = [...new Set(values.map(String))];
      const code = Uint32Array.from(values, (value) => levels.indexOf(String(value)));
      return { ...log, keys: new Map([['pair', { levels, code }]]) };
    };
    const entry = (file: string, more = {}) => ({ family: 'probabilities', of: 'arms', file, rows: 'pair', ...more });
    const asked = { ...ALL_ESTIMATORS, ...cpu };

    it('are those of each of its events', async () => {
      expect(distinct.length).toBeLessThan(log.events);
      const expanded = npy(
        'expanded',
        numbers.map((pair) => first[pair]),
      );
      const each = { family: 'probabilities', of: 'arms', file: expanded };
      const { policies } = await evaluate({ log, policies: set('each', each), ...asked });
      const keyed = withKey(numbers);
      const file = npy('pairs', first);
      const shared = set('pairs', entry(file));
      const whole = await evaluate({ log: keyed, policies: shared, ...asked });
      expect(whole.policies).toEqual(policies);
      expect(whole.warnings.join('\n')).not.toContain('the column "pair"');
      const spare = set('spare', entry(npy('spare', [...first, first[0]])));
      const told = await evaluate({ log: keyed, policies: spare, ...asked });
      expect(told.policies).toEqual(policies);
      expect(told.warnings.join('\n')).toMatch(
        new RegExp(`the column "pair" has the numbers of ${first.length} of its ${first.length + 1} rows`),
      );
      const inBatches = { log: streamOf(keyed), policies: shared, ...asked, stretchEvents: 7 };
      expect((await evaluate(inBatches)).policies).toEqual(policies);
      const choices = join(folder, 'pairs-chosen.npy');
      const best = first.map((one) => one.indexOf(Math.max(...one)));
      writeFileSync(choices, encodeNpy(Int32Array.from(best), [best.length]));
      const eachChoice = join(folder, 'each-chosen.npy');
      writeFileSync(
        eachChoice,
        encodeNpy(
          Int32Array.from(numbers, (pair) => best[pair]),
          [log.events],
        ),
      );
      const [a, b] = [
        await evaluate({ log, policies: set('each-choice', { family: 'choices', file: eachChoice }), ...asked }),
        await evaluate({
          log: keyed,
          policies: set('choice', { family: 'choices', file: choices, rows: 'pair' }),
          ...asked,
        }),
      ];
      expect(a.policies).toEqual(b.policies);
    });

    const good = (): string => npy('good-pairs', first);
    const spoilt = (at: number, arm: number, value: number): string =>
      npy(
        `spoilt-${at}-${arm}`,
        first.map((one, r) => one.map((p, a) => (r === at && a === arm ? value : p))),
      );
    const last = distinct.length - 1;
    it.each<[string, () => object, EventLog, RegExp]>([
      [
        'a column that the log lacks',
        () => entry(good()),
        log,
        /key column that the log does not have\n.*pair\n.*among "segment", "device"/,
      ],
      [
        'numbers from 1',
        () => entry(good()),
        withKey(numbers.map((n) => n + 1)),
        new RegExp(`no such row as the column "pair" says\n.*"${last + 1}"\n.*0 to ${last}\n.*ngroup`),
      ],
      ['no numbers', () => entry(good()), withKey(numbers.map((n) => (n === 3 ? 'x3' : n))), /no such row .*\n.*"x3"/],
      [
        'fractions',
        () => entry(good()),
        withKey(numbers.map((n) => (n === 3 ? '3.0' : n))),
        /no such row .*\n.*"3\.0"/,
      ],
      [
        'logged arms',
        () => entry(good(), { of: 'logged' }),
        withKey(numbers),
        /\[0\]\.rows: events of one context .*\n.*"of": "logged"/,
      ],
      [
        'a sum above 1',
        () =>
          entry(
            spoilt(
              2,
              first[2].findIndex((p) => p > 0),
              0.999,
            ),
          ),
        withKey(numbers),
        /row 2: the probabilities of the candidates do not sum to 1/,
      ],
      [
        'an arm that is none of the candidates',
        () => entry(spoilt(2, first[2].indexOf(0), 0.1)),
        withKey(numbers),
        /row 2, column .*no candidate of the event has a probability/,
      ],
      [
        'a row of other candidates',
        () => entry(good()),
        withKey(numbers.map(() => 0)),
        /row 0.*no candidate of the event has a probability|row 0: the probabilities of the candidates do not sum to 1/,
      ],
    ])('are refused: %s', async (name, spec, of, message) => {
      const policies = set(`bad-${name.replaceAll(' ', '-')}`, spec());
      await expect(evaluate({ log: of, policies, estimators: 'ips', ...cpu })).rejects.toThrow(message);
    });
  });

  it('that look like those of arms are doubted', async () => {
    const asked = { log, estimators: 'ips' as const, ...cpu };
    const entry = { family: 'probabilities', of: 'logged', file: arms };
    expect((await evaluate({ ...asked, policies: set('doubted', entry) })).warnings.join('\n')).toMatch(
      /\[0\]: there are as many columns as arms, and every row sums to 1; .*"of": "arms"/,
    );
    expect(
      (await evaluate({ ...asked, policies: set('own', { ...entry, file: logged }) })).warnings.join('\n'),
    ).not.toMatch(/sums to 1/);
  });
});

describe('files of no probabilities are refused', () => {
  const log = logFromColumns({
    arm: ['a', 'b', 'a', 'c'],
    payoff: [1, 0, 1, 0],
    propensity: [0.5, 0.25, 0.5, 0.5],
    candidates: [
      ['a', 'b'],
      ['a', 'b', 'c'],
      ['a', 'c'],
      ['b', 'c'],
    ],
  });
  const good = [
    [0.5, 0.5, 0],
    [0.2, 0.3, 0.5],
    [1, 0, 0],
    [0, 0.1, 0.9],
  ];
  const moved = (t: number, a: number, p: number) =>
    good.map((row, i) => row.map((one, j) => (i === t && j === a ? p : one)));
  const int = join(folder, 'int.npy');
  writeFileSync(int, encodeNpy(Int32Array.from({ length: 12 }), [4, 3]));
  const arms = (file: string, more: object = {}) => ({ family: 'probabilities', of: 'arms', file, ...more });
  const logged = (file: string, more: object = {}) => ({ family: 'probabilities', of: 'logged', file, ...more });

  it.each([
    [
      'a negative number',
      arms(npy('neg', moved(1, 0, -0.2))),
      /neg\.npy.*row 1.*column "?0[\s\S]*not a probability[\s\S]*-0\.2[\s\S]*log-probability/,
    ],
    [
      'more than 1',
      logged(npy('more', [[0.5], [0.5], [2.15], [0.1]])),
      /row 2[\s\S]*not a probability\n {2}got: {4}2\.15/,
    ],
    ['NaN', arms(npy('nan', moved(3, 2, Number.NaN))), /row 3[\s\S]*not a probability\n {2}got: {4}NaN/],
    ['infinity', logged(npy('inf', [[0.5], [0.5], [Infinity], [0.1]])), /not a probability\n {2}got: {4}Infinity/],
    [
      'a row that sums to less',
      arms(npy('less', moved(1, 2, 0.4))),
      /row 1[\s\S]*do not sum to 1\n {2}got: {4}0\.9\n[\s\S]*np\.exp/,
    ],
    [
      'what is no candidate',
      arms(npy('off', [[0.5, 0.4, 0.1], ...good.slice(1)])),
      /row 0[\s\S]*no candidate of the event has a probability\n {2}got: {4}0\.1 of arm "c"[\s\S]*candidates are "a", "b"/,
    ],
    [
      'too few rows',
      arms(npy('short', good.slice(1))),
      /wrong number of rows for this log\n {2}got: {4}3 rows × 3 columns\n {2}needed: 4 rows/,
    ],
    [
      'too few columns',
      arms(
        npy(
          'narrow',
          good.map((row) => row.slice(1)),
        ),
      ),
      /wrong number of columns for this log\n {2}got: {4}2 columns\n {2}needed: 3, one per arm[\s\S]*"of": "logged"/,
    ],
    [
      'events and arms swapped',
      arms(
        npy(
          'swapped',
          [0, 1, 2].map((a) => good.map((row) => row[a])),
        ),
      ),
      /wrong number of columns/,
    ],
    ['whole numbers', logged(int), /must be real numbers\n {2}got: {4}dtype i4[\s\S]*"choices"/],
    ['no columns', logged(npy('none', [[], [], [], []])), /hold no policy/],
    ['a file that is not there', arms(join(folder, 'absent.npy')), /absent\.npy/],
    ['another kind of file', arms('pi.csv'), /\[0\]\.file: probabilities must be a \.npy or \.parquet file/],
    [
      'names for arms',
      arms(npy('good', good), { names: ['a', 'b', 'c'] }),
      /\[0\]\.names: wrong number of names\n {2}got: {4}3\n {2}needed: 1, as columns are arms/,
    ],
    ['no word of what columns are', { family: 'probabilities', file: npy('good', good) }, /\[0\]\.of: /],
    ['a word that is none', { ...arms(npy('good', good)), of: 'arm' }, /\[0\]\.of: .*"logged"\|"arms"/],
  ] as [string, object, RegExp][])('%s', async (name, entry, message) => {
    const policies = set(`bad-${name.replaceAll(' ', '-')}`, entry);
    await expect(evaluate({ log, policies, estimators: 'snips', ...cpu })).rejects.toThrow(message);
  });

  it('and predictions are of no use without those of all arms', async () => {
    const policies = set('partial', logged(npy('own', [[0.5], [0.3], [1], [0.9]])));
    const options: Partial<EvaluateOptions> = { estimators: ['snips', 'dr'] };
    await expect(evaluate({ log, policies, ...options, ...cpu })).rejects.toThrow(
      /\[0\]\.of: the estimator dr goes by what a policy may choose[\s\S]*"of": "arms"/,
    );
  });
});

/** `evaluate` and `inspect` from the command line to the files and tables they write. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Inspection } from '#dist/open/inspect.js';
import type { EvaluationResult } from '#dist/report/result.js';
import { displayWidth } from '#dist/report/text.js';
import { LONG } from '../long.js';
import { COLUMNS, csv, EVENTS, goodRow, writeGoodFiles } from './bad/files.js';
import { hindcast } from './in-process.js';
import { start } from './spawn.js';

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindcast-evaluate-'));
  mkdirSync(join(folder, 'out'));
  await writeGoodFiles(folder);
});
beforeEach(() => {
  for (const name of readdirSync(join(folder, 'out'))) rmSync(join(folder, 'out', name));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string): string => join(folder, name);
const MAPPING = ['--arm', 'arm', '--payoff', 'click', '--numeric', 'x,y'];
const evaluate = (...more: string[]): string[] => [
  ...['evaluate', file('log.csv'), '--policies', file('set.json'), ...MAPPING, '--device', 'cpu', '--threads', '1'],
  ...more,
];

async function json(...more: string[]): Promise<EvaluationResult> {
  const { status, stdout, stderr } = await hindcast(evaluate('--format', 'json', ...more));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as EvaluationResult;
}

function fits(text: string): void {
  for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
}

describe('evaluate', () => {
  test('ranks constant policies: exact matches, payoffs and values', async () => {
    const result = await json();
    expect(result.policies.map(({ name, matches, payoff, value }) => ({ name, matches, payoff, value }))).toEqual(
      ['a', 'b', 'c'].map((arm) => ({ name: `constant ${arm}`, matches: 20, payoff: 5, value: 0.25 })),
    );
    expect(result.log).toMatchObject({ events: EVENTS, arms: 3, contextDimension: 2 });
    expect(result.interval).toEqual({ method: 'wilson', confidence: 0.95 });
  });

  test('a directory of the Open Bandit Dataset needs no mapping, and is not written over', async () => {
    const items = [0, 2, 9, 10];
    const affinities = items.map((item) => `user-item_affinity_${item}`).join(',');
    const features = [0, 1, 2, 3].map((f) => `user_feature_${f}`).join(',');
    const rows = Array.from({ length: EVENTS }, (_, t) => {
      const seen = items.map((_, i) => (t % 5 === i ? 1 : 0)).join(',');
      return `${t},2019-11-24 00:00:${String(t % 60).padStart(2, '0')}+00:00,${items[t % 4]},${1 + (t % 3)},${t % 2},0.25,a,b,c,d${t % 2},${seen}`;
    });
    const header = `,timestamp,item_id,position,click,propensity_score,${features},${affinities}`;
    mkdirSync(file('men'));
    writeFileSync(file('men/men.csv'), `${[header, ...rows].join('\n')}\n`);
    const table = items.map((item, i) => `${i},${item},0.${i},${i % 2 === 0 ? 'red' : 'blue'}`);
    writeFileSync(file('men/item_context.csv'), `${[',item_id,item_feature_0,item_feature_1', ...table].join('\n')}\n`);
    const argv = ['evaluate', file('men'), '--policies', file('set.json'), '--device', 'cpu', '--affinities'];
    const { status, stdout, stderr } = await hindcast([...argv, '--format', 'json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const result = JSON.parse(stdout) as EvaluationResult;
    expect(result.log).toMatchObject({ format: 'obd', events: EVENTS, arms: 4, pools: 5 });
    expect(result.policies).toHaveLength(4);
    const onto = await hindcast([...argv, '--out', file('men/men.csv')]);
    expect([onto.status, onto.stderr]).toEqual([2, expect.stringContaining('also an input')]);
    const described = await hindcast(['inspect', file('men'), '--log-format', 'obd', '--affinities']);
    fits(described.stdout);
    expect(described.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /features \d+ of each arm, in \d+ versions: item_feature_0, item_feature_1=/,
    );
  });

  test('says first how many events a thinning kept', async () => {
    const argv = [file('log.csv'), ...MAPPING, '--propensity', 'prob', '--device', 'cpu'];
    const thin = ['--thin', '--least-propensity', '0.05'];
    writeFileSync(file('random.json'), '[{ "algorithm": "random" }]');
    for (const [command, set] of [
      ['evaluate', ['--policies', file('set.json')]],
      ['replay', ['--learners', file('random.json')]],
    ] as const) {
      const { status, stdout } = await hindcast([command, ...argv, ...set, ...thin]);
      expect(status).toBe(0);
      fits(stdout);
      const text = stdout.replaceAll(/\s+/g, ' ');
      expect(text).toMatch(
        /^thinned kept \d of 60 events, [\d.]+ % \(5 % expected\); candidates × propensity of at least 0\.05, as declared; seed 0 (This log cannot tell .* )?log /,
      );
      expect(text).toMatch(/warning thinning kept \d of 60 events: for fixed policies, evaluate --estimator snips/);
      const observed = await hindcast([command, ...argv, ...set, '--thin']);
      expect(observed.stdout).toMatch(/^thinned +kept 60 of 60 events, 100 %/);
    }
  });

  test('records that repeated views count as one', async () => {
    const views = Array.from({ length: EVENTS }, (_, t) => ({ ...goodRow(t >> 1), user: `u${(t >> 1) % 4}` }));
    const text = [COLUMNS, ...views.map((row) => COLUMNS.map((column) => row[column]))].map((row) => row.join(','));
    writeFileSync(file('twice.csv'), `${text.join('\n')}\n`);
    const argv = [file('twice.csv'), '--policies', file('set.json'), ...MAPPING, '--user', 'user', '--device', 'cpu'];
    const { stdout } = await hindcast(['evaluate', ...argv, '--distinct-views', '--format', 'json']);
    expect((JSON.parse(stdout) as EvaluationResult).log).toMatchObject({ events: 30, distinctViews: { events: 60 } });
    const table = await hindcast(['evaluate', ...argv, '--distinct-views']);
    expect(table.stdout).toContain('30 distinct views of 60');
    writeFileSync(file('learners.json'), '[{ "algorithm": "ucb1" }]');
    const replay = argv.map((part) =>
      part === '--policies' ? '--learners' : part === file('set.json') ? file('learners.json') : part,
    );
    const replayed = await hindcast(['replay', ...replay, '--distinct-views']);
    expect({ status: replayed.status, stdout: replayed.stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('30 distinct views of 60'),
    });
  });

  test('the same log as CSV, JSON lines and Parquet gives the same policies', async () => {
    const [first, ...others] = await Promise.all(
      ['log.csv', 'log.jsonl', 'log.parquet'].map(async (log) => {
        const argv = ['evaluate', file(log), ...evaluate('--format', 'json').slice(2)];
        return (JSON.parse((await hindcast(argv)).stdout) as EvaluationResult).policies;
      }),
    );
    for (const other of others) expect(other).toEqual(first);
  });

  test('the table fits 80 columns and says what a reader must know', async () => {
    const { status, stdout } = await hindcast(evaluate('--top', '2'));
    expect(status).toBe(0);
    fits(stdout);
    for (const part of ['Algorithm 2', '60', 'wilson, 95 %', '1 of 3 policies not shown', 'CPU']) {
      expect(stdout).toContain(part);
    }
  });

  test('the ending of --out chooses the format; --format overrides it', async () => {
    await hindcast(evaluate('--out', file('out/r.csv')));
    await hindcast(evaluate('--out', file('out/r.json')));
    await hindcast(evaluate('--out', file('out/r.txt')), { tty: true });
    await hindcast(evaluate('--out', file('out/t.out'), '--format', 'json'));
    const read = (name: string): string => readFileSync(file(`out/${name}`), 'utf8');
    expect(read('r.csv')).toMatch(
      /^index,name,family,matches,payoff,value,lower,upper,bandLower,bandUpper,mayBeBest\n0,constant a,constant,20,5,0\.25,/,
    );
    expect(JSON.parse(read('r.json')).policies).toHaveLength(3);
    expect(read('r.txt')).toContain('rank');
    expect(read('r.txt')).not.toContain('\u001b');
    expect(JSON.parse(read('t.out')).version).toBe(2);
  });

  test('--top leaves the best and counts the others', async () => {
    const result = await json('--top', '1');
    expect(result.policies).toHaveLength(1);
    expect(result.omitted).toBe(2);
    expect((await json('--top', 'all')).omitted).toBeUndefined();
  });

  test('Algorithm 1 with --valid-events', async () => {
    const result = await json('--valid-events', '5');
    expect(result.estimator).toEqual({ name: 'replay', interval: 'wilson', algorithm: 1, validEvents: 5 });
    expect(result.policies.map(({ matches, consumed, complete }) => ({ matches, consumed, complete }))).toEqual(
      expect.arrayContaining([{ matches: 5, consumed: 13, complete: true }]),
    );
    const { stdout } = await hindcast(evaluate('--valid-events', '50'));
    expect(stdout).toContain('60*');
    fits(stdout);
  });

  test('block statistics add up to the totals, for every way to cut', async () => {
    for (const cut of [
      ['--blocks', '7'],
      ['--block-events', '13'],
      ['--block-period', '1d'],
      ['--block-user', '4'],
    ]) {
      const result = await json('--block-statistics', '--time', 'ts', '--user', 'user', ...cut);
      for (const { blocks, matches, payoff } of result.policies) {
        expect(blocks?.matches.reduce((a, b) => a + b)).toBe(matches);
        expect(blocks?.payoff.reduce((a, b) => a + b)).toBe(payoff);
      }
    }
  });

  test('no number of blocks changes a total, up to one event per block', async () => {
    for (const blocks of ['1', '7', '30', '59', '60', '1000']) {
      for (const { matches, payoff } of (await json('--blocks', blocks)).policies) {
        expect({ blocks, matches, payoff }).toEqual({ blocks, matches: 20, payoff: 5 });
      }
    }
  });

  test('a filter that leaves no event gives no estimates', async () => {
    const result = await json('--where', 'x > 100');
    expect(result.log.events).toBe(0);
    for (const { matches, value, interval } of result.policies) {
      expect({ matches, value, interval }).toEqual({ matches: 0, value: null, interval: [0, 1] });
    }
    const { stdout } = await hindcast(evaluate('--where', 'x > 100'));
    expect(stdout).toContain('none: no event matched');
    fits(stdout);
  });

  test('dropped rows are counted by kind, and shown', async () => {
    writeFileSync(
      file('bad.csv'),
      csv((row, t) => {
        if (t === 7 || t === 11) row.click = 'yes';
        if (t === 20) row.x = 'nan';
      }),
    );
    const argv = ['evaluate', file('bad.csv'), ...evaluate('--skip-bad-rows').slice(2)];
    const result = JSON.parse((await hindcast([...argv, '--format', 'json'])).stdout) as EvaluationResult;
    expect(result.log.events).toBe(EVENTS - 3);
    expect(result.log.droppedRows.map((rows) => rows.count).sort()).toEqual([1, 2]);
    const { stdout } = await hindcast(argv);
    expect(stdout).toMatch(/dropped {4}2 rows: payoff is not a number; the first:\s/);
    fits(stdout);
    // CSV has no place for them, so they go to standard error.
    const csvRun = await hindcast([...argv, '--format', 'csv']);
    expect(csvRun.stdout.split('\n')).toHaveLength(5);
    expect(csvRun.stderr).toMatch(/^hindcast: dropped 2 rows: payoff is not a number; the first: .*bad\.csv, row 7/m);
  });

  test('--assume-uniform replays a skewed log, and says so', async () => {
    writeFileSync(
      file('skewed.csv'),
      csv((row, t) => {
        row.arm = t % 10 === 0 ? 'b' : t % 10 === 1 ? 'c' : 'a';
      }),
    );
    const argv = ['evaluate', file('skewed.csv'), ...evaluate('--assume-uniform').slice(2)];
    const { status, stdout } = await hindcast(argv);
    expect(status).toBe(0);
    expect(stdout.replaceAll(/\n */g, ' ')).toContain('uniform logging is assumed as told');
    fits(stdout);
  });

  test('a preset takes the arms and the payoff range that a part of its data may lack', async () => {
    const row = (item: number) => `2019-11-24 00:00:00+00:00,${item},1,0,0.25,a,b,c,d\n`;
    const features = [0, 1, 2, 3].map((k) => `user_feature_${k}`);
    const header = ['timestamp', 'item_id', 'position', 'click', 'propensity_score', ...features].join(',');
    writeFileSync(file('part.csv'), `${header}\n${row(0)}${row(1)}${row(3)}`);
    const argv = [
      'evaluate',
      file('part.csv'),
      '--policies',
      file('set.json'),
      '--log-format',
      'obd',
      '--device',
      'cpu',
    ];
    const refused = await hindcast(argv);
    expect(refused.stderr).toContain('every propensity is 1/4 and the log names 3 arms');
    const whole = await hindcast([...argv, '--arms-order', '0,1,2,3', '--payoff-range', '0,2', '--format', 'json']);
    const { log, policies } = JSON.parse(whole.stdout) as EvaluationResult;
    expect([log.arms, log.payoff.high, policies.length]).toEqual([4, 2, 4]);
  });

  test('--verify compares with the reference, by default 8 policies', async () => {
    expect((await json('--verify')).engine.verified).toBe(3);
    expect((await json('--verify', '2')).engine.verified).toBe(2);
  });

  test('a mapping file does what the options do', async () => {
    writeFileSync(file('map.json'), '{ "arm": "arm", "payoff": "click", "context": ["x", "y"] }');
    const argv = ['evaluate', file('log.csv'), '--policies', file('set.json'), '--mapping', file('map.json')];
    const { stdout } = await hindcast([...argv, '--device', 'cpu', '--format', 'json']);
    expect((JSON.parse(stdout) as EvaluationResult).policies).toEqual((await json()).policies);
  });

  test('as a process: the result alone on standard output, nothing on standard error, and an end', async () => {
    const { status, stdout, stderr } = await start(evaluate('--format', 'csv')).ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(5);
  });

  test('a reader that stops early (| head) is no error, however long the result', LONG, async () => {
    const arms = Array.from({ length: 20_000 }, () => '{ "family": "constant", "arms": ["a"] }');
    writeFileSync(file('many.json'), `[${arms.join(',')}]`);
    const argv = evaluate('--format', 'csv').map((arg) => (arg === file('set.json') ? file('many.json') : arg));
    const { child, ended } = start(argv);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const end = await ended;
    expect({ status: end.status, stderr: end.stderr }).toEqual({ status: 0, stderr: '' });
    expect(end.stdout.length).toBeLessThan(500_000);
  });
});

describe('inspect', () => {
  const inspect = (...more: string[]): string[] => ['inspect', file('log.csv'), ...MAPPING, '--onehot', 'seg', ...more];

  test('describes the log in 80 columns', async () => {
    const { status, stdout, stderr } = await hindcast(
      inspect('--candidates', 'cands', '--time', 'ts', '--user', 'user'),
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    fits(stdout);
    for (const part of ['60', 'candidate set', 'about 20 for any fixed policy', 'seg=new', 'users', '33.33 %']) {
      expect(stdout).toContain(part);
    }
  });

  test('JSON has everything', async () => {
    const { stdout } = await hindcast(inspect('--format', 'json'));
    const result = JSON.parse(stdout) as { events: number; arms: { id: string; events: number }[] };
    expect(result).toMatchObject({ hindcast: expect.any(String), events: EVENTS, expectedMatches: 20 });
    expect(result.arms.map(({ id, events }) => [id, events])).toEqual([
      ['a', 20],
      ['b', 20],
      ['c', 20],
    ]);
  });

  test('shows what distinct views do to the rates, in 80 columns and in JSON', async () => {
    // Each user sees every arm twice in a row, and clicks the second time.
    const long = 'an article with a long name and a number ';
    const views = Array.from({ length: 1200 }, (_, t) => {
      const [user, visit] = [Math.floor(t / 30), t % 30];
      return `u${user},${long}${(visit >> 1) % 5},${visit % 2}`;
    });
    writeFileSync(file('views.csv'), `who,what,click\n${views.join('\n')}\n`);
    const argv = ['inspect', file('views.csv'), '--arm', 'what', '--payoff', 'click', '--user', 'who'];
    const { status, stdout } = await hindcast([...argv, '--distinct-views']);
    expect(status).toBe(0);
    fits(stdout);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain('600 distinct views of 1,200');
    expect(text).toContain('mean payoff 0.5 of all 1,200 events, 1 (+100.0 %) of the 600 distinct views');
    expect(text).toContain('views distinct share payoff mean of views of distinct');
    expect(text).toMatch(/ 0 an .*….* 240 120 20\.00 % 120 0\.5000 1\.0000 /);
    const { stdout: jsonText } = await hindcast([...argv, '--distinct-views', '--format', 'json']);
    const { distinctViews, events, rows } = JSON.parse(jsonText) as Inspection;
    expect([events, rows, distinctViews?.before, distinctViews?.after]).toEqual([
      600,
      1200,
      { events: 1200, mean: 0.5 },
      { events: 600, mean: 1 },
    ]);
    expect(distinctViews?.arms).toHaveLength(5);
  });

  test('a log that is not uniform is described, not refused', async () => {
    writeFileSync(
      file('skewed.csv'),
      csv((row, t) => {
        row.arm = t % 10 === 0 ? 'b' : t % 10 === 1 ? 'c' : 'a';
      }),
    );
    const { status, stdout } = await hindcast(['inspect', file('skewed.csv'), ...MAPPING]);
    expect(status).toBe(0);
    expect(stdout.replaceAll(/\n */g, ' ')).toContain('replay would be biased');
    fits(stdout);
  });
});

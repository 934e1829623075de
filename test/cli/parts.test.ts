/** Policies in parts: `evaluate --part` and `merge` give the very result of the run. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADAPTER } from '../adapter.js';
import { eachCase } from '../long.js';
import { ALL_ESTIMATORS } from '../run/estimator-logs.js';
import { streamLog } from '../run/stream-log.js';
import { skewedLog } from '../run/thinned-log.js';
import { writeLogs } from './every-option/logs.js';
import { hindcast } from './in-process.js';
import { merged, pack, partsOf, refused, resultOf, well } from './parts.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-parts-'));
const start = process.cwd();
beforeAll(async () => {
  process.chdir(folder);
  writeLogs();
  await pack(streamLog({ events: 500 }), 'clicks.parquet');
  await pack(streamLog({ events: 500, table: false, maxPayoff: 9 }), 'steps.parquet');
  await pack(skewedLog({ events: 400, maxPayoff: 9, table: false }), 'skewed.parquet');
  await pack(skewedLog({ events: 400 }), 'shared.parquet');
  const weights = Array.from({ length: 9 }, (_, p) =>
    Array.from({ length: 6 }, (_, a) => Array.from({ length: 4 }, (_, j) => ((p * 31 + a * 17 + j * 7) % 11) - 5)),
  );
  writeFileSync(
    'policies.json',
    JSON.stringify([
      { family: 'linear', weights },
      { family: 'linear', weights: Array.from({ length: 9 }, () => weights[0].map((row) => row.map(() => 1))) },
      { family: 'uniform', replicas: 3 },
      { family: 'table', keys: ['segment'], tables: [{ choices: { new: 1, never: 3 } }] },
    ]),
  );
  writeFileSync(
    'drawn.json',
    JSON.stringify([
      { family: 'linear', weights },
      { family: 'linear', weights, epsilon: 0.2 },
      { family: 'linear', weights, temperature: 0.5 },
    ]),
  );
  writeFileSync('one.json', '[{ "family": "constant", "arms": ["2"] }]');
  const many = Array.from({ length: 60 }, (_, p) => weights[p % 9].map((row) => row.map((w) => w + p / 7)));
  writeFileSync('many.json', JSON.stringify([{ family: 'linear', weights: many }, { family: 'constant' }]));
});
afterAll(() => {
  process.chdir(start);
  rmSync(folder, { recursive: true });
});

interface RunCase {
  readonly name: string;
  readonly argv: readonly string[];
  readonly long?: boolean;
}

const { estimators, clip, switch: most, shrinkage } = ALL_ESTIMATORS;
const ALL = [
  ...['--estimator', estimators.join(), '--clip', String(clip), '--switch', String(most)],
  ...['--shrinkage', String(shrinkage)],
];

const RUNS: readonly RunCase[] = [
  { name: 'replay of clicks, bands and all', argv: ['clicks.parquet', '--policies', 'policies.json'] },
  {
    name: 'payoffs of several steps, contexts of their own, statistics of blocks',
    argv: ['steps.parquet', '--policies', 'policies.json', '--block-statistics', '--baseline', 'log'],
  },
  { name: 'one policy', argv: ['clicks.parquet', '--policies', 'one.json', '--bands'] },
  { name: 'blocks by period', argv: ['steps.parquet', '--policies', 'policies.json', '--block-period', '1h'] },
  { name: 'groups of users', argv: ['clicks.parquet', '--policies', 'policies.json', '--block-user', '7'] },
  { name: 'Algorithm 1', argv: ['steps.parquet', '--policies', 'policies.json', '--valid-events', '40'] },
  {
    name: 'Algorithm 1, of which the log has too few events',
    argv: ['clicks.parquet', '--policies', 'policies.json', '--valid-events', '120'],
  },
  { name: 'segments', argv: ['clicks.parquet', '--policies', 'policies.json', '--by', 'segment,device'] },
  {
    name: 'a hold-out',
    argv: ['clicks.parquet', '--policies', 'policies.json', '--select-on', '0.5', '--top', '3', '--no-bands'],
  },
  { name: 'every estimator', argv: ['skewed.parquet', '--policies', 'policies.json', ...ALL] },
  {
    name: 'policies that draw, and a model',
    argv: ['shared.parquet', '--policies', 'drawn.json', '--estimator', 'snips,dr', '--reward-model', 'ridge'],
  },
  { name: 'mixtures', argv: ['skewed.parquet', '--policies', 'drawn.json', '--estimator', 'snips,ips'] },
  {
    name: 'an M for each policy',
    argv: ['skewed.parquet', '--policies', 'policies.json', '--estimator', 'ips-clip', '--clip', 'auto'],
  },
  {
    name: 'a confidence sequence, another seed of draws',
    argv: ['clicks.parquet', '--policies', 'policies.json', '--sequence', 'asymptotic', '--draw-seed', '5'],
  },
  { name: 'a log that was thinned', argv: ['skewed.parquet', '--policies', 'policies.json', '--thin'] },
  { name: 'text', argv: ['plain.csv', '--mapping', 'plain.json', '--policies', 'set.json', '--assume-uniform'] },
];

/** Nothing is said of all policies at once. */
const UNDRAWN = /^(--valid-events|--no-bands|--bands|auto|skewed.parquet)$/;

describe.each([1, 2, 7])('%d parts', (of) => {
  eachCase(
    RUNS.map((run) => ({ ...run, long: of < 7 })),
    async ({ name, argv }) => {
      const run = ['evaluate', ...argv, ...(argv.some((word) => UNDRAWN.test(word)) ? [] : ['--draws', '1000'])];
      await well([...run, '--device', 'cpu', '--out', 'whole.json']);
      const stem = `p${of}-${RUNS.findIndex((one) => one.name === name)}`;
      expect(
        await merged(run, { of, name: stem, device: ['--device', 'cpu', '--threads', '1'], shared: of === 7 }),
      ).toEqual(await resultOf('whole.json'));
    },
  );
});

describe('the plan', () => {
  it('cuts policies where events share contexts, and so few that a part of them is no policy else', async () => {
    const run = ['evaluate', 'clicks.parquet', '--policies', 'many.json', '--device', 'cpu'];
    await well([...run, '--out', 'whole.json']);
    expect(await merged(run, { of: 3, name: 'rows' })).toEqual(await resultOf('whole.json'));
    expect(await well([...run, '--part', '1/3', '--out', 'many-again.parquet'])).toBe(
      'hindcast: part 1/3 is in many-again.parquet: 22 policies on 500 events\n',
    );
    expect(await well([...run, '--part', '1/64', '--out', 'few-again.parquet'])).toBe(
      'hindcast: part 1/64 is in few-again.parquet: 66 policies on 7 events\n',
    );
  });

  it('may have more parts than the log has events', async () => {
    await pack(streamLog({ events: 5 }), 'tiny.parquet');
    const run = ['evaluate', 'tiny.parquet', '--policies', 'one.json', '--assume-uniform', '--device', 'cpu'];
    await well([...run, '--out', 'whole.json']);
    expect(await merged(run, { of: 8, name: 'tiny' })).toEqual(await resultOf('whole.json'));
  });
});

describe('engines and batches', () => {
  it('parts may be computed by several, in batches, and put together by another', async () => {
    const run = ['evaluate', 'steps.parquet', '--policies', 'policies.json', '--block-period', '1h'];
    await well([...run, '--device', 'cpu', '--out', 'whole.json']);
    const files = await partsOf([...run, '--device', 'cpu', '--memory', '2GB'], { of: 3, name: 'mixed' });
    rmSync(files[1]);
    await well([...run, '--adapter', ADAPTER, '--part', '2/3', '--out', files[1]]);
    await well(['merge', ...files, '--adapter', ADAPTER, '--out', 'mixed.json']);
    expect(await resultOf('mixed.json')).toEqual(await resultOf('whole.json'));
    const { engine } = JSON.parse(readFileSync('mixed.json', 'utf8'));
    const { decisions } = JSON.parse(readFileSync('whole.json', 'utf8')).engine;
    expect([engine.device, engine.parts, engine.decisions]).toEqual(['gpu', 3, decisions]);
    expect(engine.adapter).toMatch(/, /);
  });

  it('the other formats are those of the run', async () => {
    const run = ['evaluate', 'clicks.parquet', '--policies', 'policies.json', '--device', 'cpu'];
    const files = await partsOf(run, { of: 2, name: 'formats' });
    await well([...run, '--out', 'whole.csv']);
    await well(['merge', ...files, '--device', 'cpu', '--out', 'merged.csv']);
    expect(readFileSync('merged.csv', 'utf8')).toBe(readFileSync('whole.csv', 'utf8'));
    const { stdout } = await hindcast(['merge', ...files, '--device', 'cpu']);
    const alone = await hindcast(run);
    const rows = (text: string) => text.split('\n').filter((line) => !line.includes('engine'));
    expect(rows(stdout)).toEqual(rows(alone.stdout));
    await well(['merge', ...files, '--device', 'cpu', '--out', 'merged.html']);
    expect(readFileSync('merged.html', 'utf8')).toMatch(/^<!doctype html>/i);
  });
});

describe('a part that is there', () => {
  const run = ['evaluate', 'clicks.parquet', '--policies', 'policies.json', '--device', 'cpu'];

  it('is not computed again, but is looked through', async () => {
    const [file] = await partsOf(run, { of: 1, name: 'there' });
    const before = readFileSync(file);
    expect(await well([...run, '--part', '1/1', '--out', file])).toBe(
      `hindcast: part 1/1 is there already, whole, in ${file}; nothing was computed\n`,
    );
    const bytes = Buffer.from(before);
    bytes[100] ^= 1;
    writeFileSync(file, bytes);
    expect(await refused([...run, '--part', '1/1', '--out', file])).toMatch(/there-1.parquet: the part is damaged/);
    expect(readFileSync(file)).toEqual(bytes);
  });

  it.each([
    ['another part', ['--part', '2/3'], /different part \(1\/3, not 2\/3\)/],
    ['another number of parts', ['--part', '1/4'], /different part \(1\/3, not 1\/4\)/],
    ['another option', ['--part', '1/3', '--confidence', '0.9'], /different confidence \(none, not 0.9\)/],
    ['other policies', ['--part', '1/3', '--policies', 'one.json'], /different policies/],
  ])('%s is not overwritten', async (_, options, message) => {
    const [file] = await partsOf(run, { of: 3, name: 'other' }).catch(() => ['other-1.parquet']);
    const before = readFileSync(file);
    const argv = options.includes('--policies') ? run.filter((word) => !/policies/.test(word)) : run;
    const said = await refused([...argv, ...options, '--out', file]);
    expect(said).toMatch(message);
    expect(said).toMatch(/it was not overwritten/);
    expect(readFileSync(file)).toEqual(before);
  });

  it('a file that is no part is not overwritten', async () => {
    writeFileSync('mine.parquet', 'my notes');
    expect(await refused([...run, '--part', '1/3', '--out', 'mine.parquet'])).toMatch(/mine.parquet/);
    expect(await refused([...run, '--part', '1/3', '--out', 'clicks.parquet'])).toMatch(/is no part of a run/);
    expect(readFileSync('mine.parquet', 'utf8')).toBe('my notes');
  });
});

describe('a merge refuses, by name, and writes nothing', () => {
  const run = ['evaluate', 'log.parquet', '--policies', 'set-now.json', '--device', 'cpu'];
  const merge = (files: readonly string[]): Promise<string> => refused(['merge', ...files, '--out', 'no.json']);
  const files = [1, 2, 3].map((i) => `refuse-${i}.parquet`);
  beforeAll(async () => {
    await pack(streamLog({ events: 300 }), 'log.parquet');
    writeFileSync('set-now.json', readFileSync('policies.json'));
    await partsOf(run, { of: 3, name: 'refuse' });
    await well([...run, '--confidence', '0.9', '--part', '2/3', '--out', 'asked.parquet']);
    await well([...run, '--part', '2/4', '--out', 'number.parquet']);
    await pack(streamLog({ events: 301 }), 'longer.parquet');
    await well(['evaluate', 'longer.parquet', ...run.slice(2), '--part', '2/3', '--out', 'log-2.parquet']);
    await well([...run.slice(0, 3), 'one.json', '--device', 'cpu', '--part', '2/3', '--out', 'set-2.parquet']);
  });
  const [first, second, third] = files;

  it.each([
    ['a part that is missing', [first, third], /missing: part 2 of 3[\s\S]*--part 2\/3/],
    [
      'one that is there twice',
      [...files, 'twice.parquet'],
      /part 1 is there twice: refuse-1.parquet and twice.parquet/,
    ],
    ['other options', [first, 'asked.parquet', third], /asked.parquet .*different confidence \(0.9, not none\)/],
    ['another number of parts', [first, 'number.parquet', third], /number.parquet .*number of parts \(4, not 3\)/],
    ['another log', [first, 'log-2.parquet', third], /log-2.parquet is of another run .*: different log/],
    ['other policies', [first, 'set-2.parquet', third], /set-2.parquet .*different policies/],
    ['no part', [first, second, 'log.parquet'], /log.parquet: the Parquet file is no part of a run/],
    ['a file that is not there', [first, second, 'none.parquet'], /none.parquet: no such file/],
    ['an empty file', [first, second, 'empty.parquet'], /empty.parquet: the part is damaged/],
    ['a part that was cut', [first, second, 'cut.parquet'], /cut.parquet: the part is damaged/],
    ['a part with one bit changed', [first, 'bit.parquet', third], /bit.parquet: the part is damaged/],
    ['a header with one bit changed', [first, 'header.parquet', third], /header.parquet: the part is damaged/],
    ['a log', ['log.csv'], /log.csv: the file is no part of a run\n {2}got: {4}"arm," at its beginning/],
    ['several', ['cut.parquet', 'empty.parquet', third], /cut.parquet: .*; empty.parquet: /],
  ])('%s', async (_, given, message) => {
    const bytes = readFileSync(second);
    writeFileSync('twice.parquet', readFileSync(first));
    writeFileSync('empty.parquet', '');
    writeFileSync('log.csv', 'arm,click\na,1\n');
    writeFileSync('cut.parquet', readFileSync(third).subarray(0, -100));
    const bit = Buffer.from(bytes);
    bit[200] ^= 4;
    writeFileSync('bit.parquet', bit);
    const header = Buffer.from(bytes);
    header[bytes.indexOf('"settledOnCpu"') + 16] ^= 1;
    writeFileSync('header.parquet', header);
    expect(await merge(given)).toMatch(message);
    expect(existsSync('no.json')).toBe(false);
  });

  it('a log or a set that has changed since', async () => {
    const [log, set] = ['log.parquet', 'set-now.json'].map((file) => readFileSync(file));
    writeFileSync('log.parquet', readFileSync('longer.parquet'));
    expect(await merge(files)).toMatch(/computed from other log than there are now/);
    writeFileSync('log.parquet', log);
    writeFileSync('set-now.json', set.toString().replace('-5', '-4'));
    expect(await merge(files)).toMatch(/computed from other policies than/);
    writeFileSync('set-now.json', set);
    await well(['merge', ...files, '--device', 'cpu', '--out', 'yes.json']);
  });
});

describe('--part', () => {
  const run = ['evaluate', 'clicks.parquet', '--policies', 'policies.json'];
  it.each([
    [['--part', '0/3', '--out', 'x.parquet'], /0\/3/],
    [['--part', '4/3', '--out', 'x.parquet'], /4\/3/],
    [['--part', '1', '--out', 'x.parquet'], /which part of how many/],
    [['--part', '1/3'], /--out FILE/],
    [['--counts', 'counts'], /option --counts belongs to parts of a run/],
    [['--part', '1/3', '--out', '-'], /--out FILE/],
    [['--part', '1/3', '--out', 'x.parquet', '--format', 'json'], /--format/],
    [['--part', '1/3', '--out', 'none/x.parquet'], /there is no folder none/],
  ])('%j', async (options, message) => {
    expect(await refused([...run, ...options])).toMatch(message);
  });

  it('reads no standard input', async () => {
    const argv = [
      'evaluate',
      '-',
      '--log-format',
      'csv',
      '--policies',
      'one.json',
      '--part',
      '1/2',
      '--out',
      'x.parquet',
    ];
    expect(await refused(argv)).toMatch(/reads its log from files/);
  });
});

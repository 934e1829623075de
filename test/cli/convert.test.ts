import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { convert } from '#dist/open/convert.js';
import { displayWidth } from '#dist/report/text.js';
import { difference } from '../log/synthetic-log.js';
import { csv, spoiled, writeGoodFiles } from './bad/files.js';
import { hindcast } from './in-process.js';
import { start } from './spawn.js';

const MAPPING = {
  arm: 'arm',
  payoff: 'click',
  propensity: 'prob',
  context: ['x', 'y'],
  candidates: 'cands',
  time: 'ts',
  user: 'user',
  keys: ['seg'],
};
const FLAGS = ['--arm', 'arm', '--payoff', 'click'];

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindcast-convert-'));
  await writeGoodFiles(folder);
  writeFileSync(at('mapping.json'), JSON.stringify(MAPPING));
});

/** Names of the files that are not there at the start. */
const made = (): string[] =>
  readdirSync(folder).filter((name) => !/^(log\.(csv|jsonl|parquet)|set\.json|mapping\.json)$/.test(name));

describe('hindcast convert', () => {
  test.each(['log.csv', 'log.jsonl', 'log.parquet'])('%s: the packed log is the log', async (name) => {
    const { status, stdout, stderr } = await hindcast([
      'convert',
      at(name),
      at('p.parquet'),
      '--mapping',
      at('mapping.json'),
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/packed log .*p\.parquet, [^\n]* from .*\nevents {5}60\narms {7}3; 1 candidate set\n/s);
    expect(stdout).toMatch(/columns {4}propensity, time, user, seg\n/);
    expect(made()).toEqual(['p.parquet']);
    const log = await readLog([at(name)], { mapping: MAPPING });
    expect(difference(await readLog([at('p.parquet')], {}), log)).toBeNull();
    expect(log.events).toBe(60);
  });

  test('every command reads it, without a mapping', async () => {
    await hindcast(['convert', at('log.csv'), at('p.parquet'), '--mapping', at('mapping.json')]);
    const same = async (...argv: string[]): Promise<void> => {
      const of = async (...log: string[]) => {
        const { status, stdout, stderr } = await hindcast([argv[0], ...log, ...argv.slice(1), '--format', 'json']);
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        const { engine, inputs, command: _, ...rest } = JSON.parse(stdout);
        expect(inputs[0].role).toBe('log');
        expect(engine === undefined || engine.decisions > 0 || engine.seconds >= 0).toBe(true);
        return rest;
      };
      expect(await of(at('p.parquet'))).toEqual(await of(at('log.csv'), '--mapping', at('mapping.json')));
    };
    writeFileSync(at('learners.json'), '[{ "algorithm": "semp", "segment": "seg" }, { "algorithm": "linucb" }]');
    await same('inspect');
    await same('evaluate', '--policies', at('set.json'), '--device', 'cpu', '--threads', '1');
    await same('replay', '--learners', at('learners.json'), '--device', 'cpu', '--threads', '1', '--seed', '3');
    // A packed log can be converted itself.
    const again = await hindcast(['convert', at('p.parquet'), at('q.parquet'), '--quiet']);
    expect(again.status).toBe(0);
    expect(difference(await readLog([at('q.parquet')], {}), await readLog([at('p.parquet')], {}))).toBeNull();
  });

  test('several files, a filter, keys, dropped rows: all is said in JSON and kept in the file', async () => {
    writeFileSync(at('bad.csv'), spoiled('click', 'x'));
    const argv = ['convert', at('log.csv'), at('bad.csv'), at('p.parquet'), ...FLAGS, '--where', 'y < 3'];
    const { status, stdout } = await hindcast([...argv, '--skip-bad-rows', '--keys', 'seg,user', '--format', 'json']);
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ events: 71, rows: 120, arms: 3, columns: ['seg', 'user'] });
    expect(report.badRows).toMatchObject([{ kind: 'payoff is not a number', count: 1 }]);
    expect(report.bytes.written).toBe(statSync(at('p.parquet')).size);
    expect(report.bytes.read).toBe(statSync(at('log.csv')).size + statSync(at('bad.csv')).size);
    const log = await readLog([at('p.parquet')], {});
    expect(log.source).toMatchObject({
      files: [at('log.csv'), at('bad.csv')],
      format: 'csv',
      columns: { arm: 'arm', payoff: 'click' },
      where: 'y < 3',
      rows: 120,
      badRows: report.badRows,
      mapping: { arm: 'arm', payoff: 'click', keys: ['seg', 'user'] },
      options: { skipBadRows: true },
      warnings: [expect.stringMatching(/^1 row of 72 was dropped for its payoff \(the first: .*bad\.csv, row 7/)],
    });
    expect(report.warnings).toEqual(log.source.warnings);
    expect(log.sourceRow?.[1]).toBe(1);
    expect(log.sourceRow?.[3]).toBe(5);
    expect((await hindcast(['inspect', at('p.parquet')])).stdout).toMatch(/dropped .*1 row: payoff is not a number/);
  });

  test('--memory bounds a conversion, that of distinct views too', async () => {
    const argv = ['convert', at('log.csv'), at('p.parquet'), ...FLAGS, '--memory', '400MB'];
    expect(await hindcast(argv)).toMatchObject({ status: 0, stderr: '' });
    expect(await hindcast(['convert', at('p.parquet'), at('q.parquet'), '--memory', '400MB'])).toMatchObject({
      status: 0,
    });
    const distinct = await hindcast([...argv, '--distinct-views', '--user', 'arm']);
    expect(distinct).toMatchObject({ status: 0, stderr: '' });
    expect(distinct.stdout).toMatch(/events {5}3 of 60 rows/);
    expect(made()).toEqual(['p.parquet', 'q.parquet']);
  });

  test.each([
    ['a .zst that is cut', 'cut.csv.zst', /cut\.csv\.zst: .*ends too early[\s\S]*zstd -t tests a file/],
    ['a .zst that is none', 'no.csv.zst', /no\.csv\.zst: the compressed file ends too early/],
    ['no file', 'none.csv', /none\.csv: no such file/],
  ])('--memory says what is wrong with a file: %s', async (_, name, message) => {
    writeFileSync(at('cut.csv.zst'), Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0x50, 0, 0, 97, 114));
    writeFileSync(at('no.csv.zst'), Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff));
    for (const memory of [['--memory', '400MB'], []]) {
      const { status, stderr } = await hindcast(['convert', at(name), at('p.parquet'), ...FLAGS, ...memory]);
      expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
      expect(stderr).not.toContain('memory');
    }
  });

  test('the table fits 80 columns, whatever it has to say', async () => {
    const keys = Array.from({ length: 12 }, (_, k) => `a column with a long name ${k}`);
    const rows = Array.from(
      { length: 40 },
      (_, t) => `${'ab'[t % 2]},${t === 9 ? 'x' : t % 2},${keys.map((_, k) => t % (k + 2))}`,
    );
    writeFileSync(at('wide.csv'), `arm,click,${keys}\n${rows.join('\n')}\n`);
    const argv = ['convert', 'wide.csv', 'p.parquet', ...FLAGS, '--keys', keys.join(','), '--skip-bad-rows'];
    const before = process.cwd();
    process.chdir(folder);
    const { status, stdout } = await hindcast(argv).finally(() => process.chdir(before));
    expect(status).toBe(0);
    expect(stdout).toMatch(/^packed log p\.parquet, [\s\S]*\ndropped [\s\S]*\nwarning [\s\S]*[^\n]\n$/);
    for (const line of stdout.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    expect(stdout.split('\n').filter((line) => displayWidth(line) > 70).length).toBeGreaterThan(3);
    // What goes on stands under what it belongs to.
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^(\w+ (log)? *| {11})\S/);
  });

  test('an older packed log is replaced, a link stays a link, and nothing lies beside it', async () => {
    symlinkSync('real.parquet', at('link.parquet'));
    writeFileSync(at('real.parquet'), '');
    for (const rows of [60, 20]) {
      const where = ['--where', `CAST(x AS DOUBLE) >= 0 AND y IN (${rows === 60 ? '0,1,2,3,4' : '0'})`];
      const { status, stderr } = await hindcast(['convert', at('log.csv'), at('link.parquet'), ...FLAGS, ...where]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect((await readLog([at('real.parquet')], {})).events).toBe(rows === 60 ? 60 : 12);
    }
    expect(made().sort()).toEqual(['link.parquet', 'real.parquet']);
  });

  test('after a failure nothing is left, and an older packed log stays', async () => {
    await hindcast(['convert', at('log.csv'), at('p.parquet'), ...FLAGS]);
    const before = readFileSync(at('p.parquet'));
    writeFileSync(at('bad.csv'), spoiled('click', 'x'));
    const { status, stdout, stderr } = await hindcast(['convert', at('bad.csv'), at('p.parquet'), ...FLAGS]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/bad\.csv, row 7 \(line 9\), column "click": payoff is not a number/);
    expect(readFileSync(at('p.parquet')).equals(before)).toBe(true);
    expect(made().sort()).toEqual(['bad.csv', 'p.parquet']);
  });

  test('an interruption leaves nothing', async () => {
    writeFileSync(at('long.csv'), csv() + csv().split('\n').slice(1).join('\n').repeat(20_000));
    const { child, ended } = start(['convert', at('long.csv'), at('p.parquet'), ...FLAGS]);
    while (!made().some((name) => name.endsWith('.tmp'))) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      status: 130,
      stdout: '',
      stderr: 'hindcast: interrupted; no result was written\n',
    });
    expect(made()).toEqual(['long.csv']);
  });

  const wrong: [string, () => string[], RegExp, number?][] = [
    ['no output', () => [at('log.csv')], /one file is named[\s\S]*the files of the log, then the packed log/],
    ['a forgotten output', () => [at('log.csv'), at('log.jsonl')], /is no packed log, and would be overwritten/],
    ['plain Parquet as output', () => [at('log.csv'), at('log.parquet')], /is no packed log, and would be overwritten/],
    ['an input as output', () => [at('log.parquet'), at('log.parquet')], /the output is also an input/],
    ['a folder as output', () => [at('log.csv'), folder], /the output is a directory/],
    ['no such folder', () => [at('log.csv'), at('none/p.parquet')], /there is no folder/],
    ['no such input', () => [at('none.csv'), at('p.parquet')], /none\.csv: no such file/],
    ['a full disk', () => [at('log.csv'), '/dev/full'], /\/dev\/full: writing failed[\s\S]*no space left/, 1],
    [
      'too little memory',
      () => [at('log.csv'), at('p.parquet'), '--memory', '64MB'],
      /memory is not usable[\s\S]*300 MB/,
    ],
    ['memory that is none', () => [at('log.csv'), at('p.parquet'), '--memory', 'x'], /memory is not usable/],
    ['a wrong format', () => [at('log.csv'), at('p.parquet'), '--format', 'csv'], /needed: one of table, json/],
  ];
  test.each(wrong)('refuses %s', async (_, argv, message, status = 2) => {
    const result = await hindcast(['convert', ...argv(), ...FLAGS]);
    expect(result).toMatchObject({ status, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(made()).toEqual([]);
  });
});

describe('convert', () => {
  test('writes a log or its files, whole or not at all', async () => {
    const input = { files: [at('log.csv')], mapping: MAPPING };
    const phases = new Set<string>();
    const onProgress = ({ phase }: { phase: string }) => phases.add(phase);
    const conversion = await convert(input, at('p.parquet'), { onProgress });
    expect(conversion).toMatchObject({ events: 60, arms: 3, pools: 1, context: { dimension: 2, distinct: null } });
    const log = await readLog([at('log.csv')], { mapping: MAPPING });
    expect(await convert(log, at('q.parquet'), { onProgress })).toEqual(conversion);
    for (const name of ['p.parquet', 'q.parquet']) expect(difference(await readLog([at(name)], {}), log)).toBeNull();
    expect([...phases]).toEqual(['load', 'write']);
    await expect(convert(input, at('log.csv'))).rejects.toThrow(/also an input/);
    await expect(convert(input, at('none/p.parquet'))).rejects.toThrow(/the file cannot be written/);
    await expect(convert(log, at('r.parquet'), { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow(
      'stop',
    );
    expect(made().sort()).toEqual(['p.parquet', 'q.parquet']);
  });
});

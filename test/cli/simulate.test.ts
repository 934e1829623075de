/** `hindcast simulate`: files that other commands read, refusals, and nothing left behind. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hindcast } from './in-process.js';
import { start } from './spawn.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hindcast-simulate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);

describe('simulate', () => {
  test('writes Parquet, its mapping and the truth, which evaluate and inspect read', async () => {
    const argv = ['simulate', '--events', '2e3', '--seed', '3', '--days', '1', '--out', path('log.parquet')];
    const made = await hindcast([...argv, '--truth', path('p.csv')]);
    expect(made).toMatchObject({ status: 0, stdout: '' });
    expect(made.stderr).toMatch(/simulated {2}2,000 visits in 1 day, 6 user features\narticles {3}\d+ on 73 pages\n/);
    expect(readdirSync(folder).sort()).toEqual(['log.mapping.json', 'log.parquet', 'p.csv']);
    expect(readFileSync(path('p.csv'), 'utf8')).toMatch(/^event,arm,probability\n0,100001,0\.0\d+\n/);
    const read = ['log.parquet', '--mapping', 'log.mapping.json'].map((part) => (part[0] === '-' ? part : path(part)));
    const inspected = await hindcast(['inspect', ...read]);
    expect(inspected.stdout).toMatch(/events {5}2,000 from 2009-05-01/);
    expect(inspected.stdout).toMatch(/every logged propensity is 1\/\(number of candidates\)/);
    writeFileSync(path('set.json'), '[{ "family": "constant" }]');
    const evaluated = await hindcast(['evaluate', ...read, '--policies', path('set.json'), '--device', 'cpu']);
    expect(evaluated.status).toBe(0);
  });

  test('writes text of R6A or R6B, compressed by the ending, and the faults that it put in', async () => {
    const argv = ['simulate', '--events', '1000', '--out', path('today.gz'), '--dirt', 'crlf=0.1, blank=0.05'];
    const { status, stderr } = await hindcast(argv);
    expect(status).toBe(0);
    const text = gunzipSync(readFileSync(path('today.gz'))).toString();
    // A blank line may hold a carriage return too.
    const ends = text.split('\n').filter((line) => line.length > 1 && line.endsWith('\r')).length;
    expect(stderr).toContain(`line ends in CR LF: ${ends}`);
    expect(await hindcast(['simulate', '--events', '10', '--kind', 'r6b', '--quiet', '--out', path('b')])).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
    expect(readFileSync(path('b'), 'utf8')).toMatch(/^12411\d{5} id-\d{6} [01] \|user 1( \d+)*( \|id-\d{6}){15,25}\n/);
  });

  test('writes a packed log, which every command reads without a mapping', async () => {
    const argv = ['simulate', '--events', '2e3', '--days', '1', '--logging', 'epsilon-greedy', '--epsilon', '0.5'];
    const made = await hindcast([...argv, '--out', path('log.parquet'), '--log-format', 'packed']);
    expect(made).toMatchObject({ status: 0, stdout: '' });
    expect(readdirSync(folder)).toEqual(['log.parquet']);
    const { status, stdout } = await hindcast(['inspect', path('log.parquet')]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/events {5}2,000 from 2009-05-01/);
    expect(stdout).toMatch(/key {8}segment: 5 values/);
  });

  test('keeps a file that is there until the new one is whole, with its permissions', async () => {
    writeFileSync(path('log.csv'), 'old', { mode: 0o600 });
    expect((await hindcast(['simulate', '--events', '10', '--out', path('log.csv')])).status).toBe(0);
    expect(readFileSync(path('log.csv'), 'utf8')).toMatch(/^time,user,segment,article,click,propensity,page,user_2,/);
    expect(statSync(path('log.csv')).mode & 0o777).toBe(0o600);
  });

  test.each([
    [['--out', 'x'], /option --events L is required/],
    [['--events', '10'], /option --out FILE is required/],
    [['--events', '-1', '--out', 'x'], /option --events is not valid/],
    [
      ['--events', '10', '--out', 'x', '--days', '0'],
      /option --days is not valid\n {2}got: +0\n {2}needed: a number above 0/,
    ],
    [['--events', '10', '--out', 'x', '--pool', '25,15'], /option --pool is not valid/],
    [['--events', '10', '--out', 'x', '--drift', '2'], /option --drift is not valid/],
    [['--events', '10', '--out', 'x', '--click-rates', '0.5,1.5'], /option --click-rates is not valid/],
    [['--events', '10', '--out', 'x', '--visits-per-session', '0'], /option --visits-per-session is not valid/],
    [['--events', '10', '--out', 'x', '--kind', 'r6a', '--log-format', 'r6b'], /--kind and --log-format do not agree/],
    [['--events', '10', '--out', 'x', '--kind', 'r6c'], /Allowed choices are r6a, r6b/],
    [['--events', '10', '--out', 'x.csv', '--logging', 'softmax'], /option --temperature is required/],
    [['--events', '10', '--out', 'x.csv', '--epsilon', '0.1'], /--epsilon goes with --logging epsilon-greedy/],
    [['--events', '10', '--out', 'x', '--logging', 'softmax', '--temperature', '0.01'], /no place for the probability/],
    [['--events', '10', '--out', 'x.csv', '--dirt', '0.1'], /--dirt is for Yahoo text/],
    [['--events', '10', '--out', 'x', '--log-format', 'packed', '--dirt', '0.1'], /--dirt is for Yahoo text/],
    [['--events', '10', '--out', 'x', '--dirt', 'crlf'], /option --dirt is not valid/],
    [['--events', '10', '--out', 'x', '--dirt', 'crlf=2'], /option --dirt is not valid/],
    [['--events', '10', '--out', 'x', '--dirt', 'dust=0.1'], /no such fault of r6a/],
    [['--events', '10', '--out', 'x', '--dirt', '0.9'], /add up to more than 1/],
    [['--events', '10', '--out', 'x.csv', '--truth', 'x.csv'], /--out and --truth name the same file/],
    [['--events', '10', '--out', 'x.csv', '--truth', 'no/folder/p'], /there is no folder/],
  ])('%j is refused, and nothing is written', async (argv, message) => {
    const named = argv.map((part, i) => (['--out', '--truth'].includes(argv[i - 1]) ? path(part) : part));
    const { status, stderr } = await hindcast(['simulate', ...named]);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['today.gz', []],
    ['log.parquet', ['--truth', 'p.parquet']],
    ['packed.parquet', ['--log-format', 'packed']],
  ])('Ctrl-C while %s is written leaves nothing', async (name, more) => {
    const named = more.map((part, i) => (more[i - 1] === '--truth' ? path(part) : part));
    const { child, ended } = start(['simulate', '--events', '4e6', '--out', path(name), ...named]);
    const written = (): boolean =>
      readdirSync(folder).some((one) => existsSync(path(one)) && statSync(path(one)).size > 0);
    while (!written() && child.exitCode === null) await sleep(10);
    child.kill('SIGINT');
    const end = await ended;
    expect(end).toEqual({
      status: 130,
      signal: null,
      stdout: '',
      stderr: 'hindcast: interrupted; no result was written\n',
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

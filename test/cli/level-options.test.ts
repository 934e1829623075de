/** `--by` and `--select-on` as they are typed, and the tables that they add. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hindcast } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'h-levels-'));
afterAll(() => rmSync(folder, { recursive: true }));
const log = join(folder, 'log.csv');
const set = join(folder, 'set.json');
const L = 1200;
const rows = Array.from({ length: L }, (_, t) => {
  const kind = ['new', 'old', ''][(t >> 2) % 3];
  const arm = (t * 7 + (t >> 3) * 5) % 4;
  const click = Number((t * 13) % 10 < (kind === 'old' && arm === 2 ? 8 : 3));
  return [arm, click, kind, `u${t >> 3}`, 1.6e9 + t * 600].join(',');
});
writeFileSync(log, `arm,click,kind,user,ts\n${rows.join('\n')}\n`);
writeFileSync(set, JSON.stringify([{ family: 'constant' }, { family: 'uniform', seed: 1, replicas: 20 }]));

const BASE = ['evaluate', log, '--arm', 'arm', '--payoff', 'click', '--policies', set, '--assume-uniform', '--quiet'];
const MORE = ['--device', 'cpu', '--missing-level'];
const run = (...options: string[]) => hindcast([...BASE, ...MORE, ...options]);
const TIME = ['--time', 'ts', '--time-unit', 's'];

describe('--by', () => {
  it('adds a table of segments within 80 columns', async () => {
    const { stdout, status } = await run('--by', 'kind');
    expect(status).toBe(0);
    expect(stdout).toContain('By kind:');
    expect(stdout).toMatch(/^segments +3 by kind$/m);
    expect(stdout).toMatch(/^segment +events +log +overall +best there +value +95 % band +differs$/m);
    expect(stdout).toMatch(/^old +400 .* constant 2 .* (yes|same|unclear)$/m);
    expect(stdout).toMatch(/^\(missing\) +400 /m);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const plain = await run('--by', 'kind', '--no-bands');
    expect(plain.stdout).toMatch(/^segment .* value +95 % interval$/m);
  });

  it('gives CSV columns for each segment', async () => {
    const { stdout } = await run('--by', 'kind', '--format', 'csv', '--no-bands');
    const [head] = stdout.split('\n');
    expect(head).toMatch(/,\(missing\)\.matches,.*,new\.matches,new\.value,new\.lower,new\.upper,old\.matches/);
  });

  it('names columns that there are', async () => {
    expect((await run('--by', 'knd')).stderr).toMatch(/did you mean "kind"/);
    expect((await run('--by', 'kind', '--select-on', '0.5')).stderr).toMatch(/option --by does not go together with/);
  });
});

describe('--select-on', () => {
  it.each([
    [['0.5'], /by blocks/],
    [['0.5', '--user', 'user'], /by users/],
    [['days', ...TIME], /by days \(UTC\)/],
    [['days', ...TIME, '--user', 'user'], /left out, of users who/],
    [['blocks:8'], /by blocks/],
    [['blocks 8'], /by blocks/],
  ])('%j leads with the answer', async (options, expected) => {
    const { stdout, status, stderr } = await run('--top', '3', '--select-on', ...options);
    expect([status, stderr]).toEqual([0, '']);
    const words = stdout.replaceAll(/\s+/g, ' ');
    expect(words).toMatch(/^(constant \d|uniform \(seed 1\) \d+) was picked on/);
    expect(words).toContain('which had no part in picking it, it is worth');
    expect(words).toMatch(expected);
    expect(stdout).toContain('On the part that had no share in picking:');
    expect(stdout.split('picked at')[1].match(/^(constant|uniform) /gm)?.length).toBe(3);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([
    ['half', /needed: a share between 0 and 1, days, or blocks:K\n.*--select-on 0.5/],
    ['day', /--select-on days/],
    ['blocks', /--select-on blocks:8/],
    ['blocks:0', /a whole number of at least 1/],
    ['', /a share between 0 and 1/],
    ['1', /option --select-on is not usable[\s\S]*above 0 and below 1/],
    ['50', /0\.5 for 50 %/],
    ['days', /option|needs the time of each event/],
  ])('%j is refused', async (value, expected) => {
    const { stderr, status } = await run('--select-on', value);
    expect(status).toBe(2);
    expect(stderr).toMatch(expected);
  });

  it('gives CSV columns of the part that had no share in picking', async () => {
    const { stdout } = await run('--select-on', '0.5', '--user', 'user', '--format', 'csv');
    expect(stdout.split('\n')[0]).toMatch(/heldOutMatches,heldOutValue,heldOutLower,heldOutUpper/);
  });
});

/** `hindcast report`, and pictures of the other commands. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toHtml, toReplayHtml } from '#dist/report/html/page.js';
import { toJson } from '#dist/report/json.js';
import { toReplayJson } from '#dist/report/replay-json.js';
import { evaluation } from '../report/html/samples.js';
import { replaySample } from '../report/replay-sample.js';
import { hindcast } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'h-report-'));
const file = (name: string): string => join(folder, name);
beforeAll(() => {
  writeFileSync(file('e.json'), toJson(evaluation(30)));
  writeFileSync(file('r.json'), toReplayJson(replaySample()));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('makes of a saved result the page of --format html, to a file or to standard output', async () => {
  expect(await hindcast(['report', file('e.json'), '--out', file('e.html')])).toMatchObject({
    status: 0,
    stdout: '',
    stderr: '',
  });
  expect(readFileSync(file('e.html'), 'utf8')).toBe(await toHtml(evaluation(30)));
  expect((await hindcast(['report', file('r.json')])).stdout).toBe(await toReplayHtml(replaySample()));
  const stdin = Readable.from([Buffer.from(toJson(evaluation(30)))]);
  expect((await hindcast(['report', '-'], { stdin })).stdout).toBe(await toHtml(evaluation(30)));
});

test('evaluate writes it too', async () => {
  writeFileSync(file('log.csv'), 'arm,click\na,1\nb,0\na,0\nb,1\na,1\n');
  writeFileSync(file('set.json'), '[{ "family": "constant" }]');
  const argv = [
    'evaluate',
    file('log.csv'),
    '--arm',
    'arm',
    '--payoff',
    'click',
    '--policies',
    file('set.json'),
    '--device',
    'cpu',
  ];
  expect((await hindcast([...argv, '--out', file('l.html'), '--pictures', file('p')])).status).toBe(0);
  expect(readFileSync(file('l.html'), 'utf8')).toContain('Which policy to ship');
  expect(readdirSync(file('p'))).toContain('forest.svg');
});

describe('ends with status 2 and leaves nothing behind', () => {
  test.each<[what: string, argv: string[], message: RegExp]>([
    ['no file', ['none.json'], /none\.json: no such file/],
    ['a directory', ['.'], /is a directory\n {2}needed: the file of a result/],
    ['an empty file', ['empty.json'], /the file is empty/],
    ['no text', ['bytes.json'], /this is no text[\s\S]*got: {4}bytes 50415231/],
    ['a file that was cut', ['cut.json'], /not valid JSON/],
    ['a CSV', ['log.csv'], /not valid JSON at column 1/],
  ])('%s', async (_, [name], message) => {
    mkdirSync(file('out'), { recursive: true });
    writeFileSync(file('empty.json'), '');
    writeFileSync(file('bytes.json'), Buffer.from('50415231ff00fe', 'hex'));
    writeFileSync(file('cut.json'), toJson(evaluation(30)).slice(0, 5000));
    writeFileSync(file('log.csv'), 'arm,click\na,1\n');
    const { status, stderr, stdout } = await hindcast([
      'report',
      file(name),
      '--out',
      file('out/x.html'),
      '--pictures',
      file('out/p'),
    ]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(readdirSync(file('out'))).toEqual([]);
  });

  test('an output that says something else, a terminal, the result itself, a file for a folder', async () => {
    const ran = async (...argv: string[]) => hindcast(['report', file('e.json'), ...argv], { tty: argv.length === 0 });
    expect(await ran('--out', file('x.pdf'))).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/another format than HTML/),
    });
    expect(await ran()).toMatchObject({ status: 2, stderr: expect.stringMatching(/--out report\.html/) });
    writeFileSync(file('e.html'), toJson(evaluation(30)));
    const same = await hindcast(['report', file('e.html'), '--out', file('e.html')]);
    expect(same).toMatchObject({ status: 2, stderr: expect.stringMatching(/would be overwritten/) });
    const taken = await ran('--out', file('y.html'), '--pictures', file('r.json'));
    expect(taken).toMatchObject({ status: 2, stderr: expect.stringMatching(/--pictures names a file/) });
    expect([existsSync(file('x.pdf')), existsSync(file('y.html'))]).toEqual([false, false]);
  });
});

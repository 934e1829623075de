/** Bad inputs: the right message and status, no stack trace, no output, whole or partial. */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BadCase, CASES } from './bad/cases.js';
import { cut, writeGoodFiles, writeParquet } from './bad/files.js';
import { hindcast } from './in-process.js';

let good: string;
let here: string;

beforeAll(async () => {
  good = mkdtempSync(join(tmpdir(), 'hindcast-good-'));
  mkdirSync(join(good, 'out'));
  await writeGoodFiles(good);
  // Cases name files as a person in that folder would.
  here = process.cwd();
});

afterAll(() => {
  process.chdir(here);
  rmSync(good, { recursive: true });
});

/** A folder with the good files and those of the case, entered. */
async function enter(one: BadCase): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hindcast-bad-'));
  cpSync(good, folder, { recursive: true });
  for (const [name, content] of Object.entries(one.files ?? {})) writeFileSync(join(folder, name), content);
  for (const [name, query] of Object.entries(one.parquet ?? {})) {
    await writeParquet(join(folder, name), query.replace('$log', join(folder, 'log.parquet')));
  }
  if (one.cutParquet) writeFileSync(join(folder, 'cut.parquet'), cut(readFileSync(join(folder, 'log.parquet')), 0.7));
  process.chdir(folder);
  return folder;
}

/** Every file under a folder with its content. */
function contents(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [file, readFileSync(file, 'latin1')]));
}

function commandLine(one: BadCase): string[] {
  const out = ['--out', one.out ?? 'out/r.json'];
  return one.argv[0] === 'evaluate'
    ? [...one.argv, '--device', 'cpu', '--threads', '1', ...out]
    : [...one.argv, ...out];
}

describe('bad inputs', () => {
  test('there are at least 40, and their names differ', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(40);
    expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  });

  test('the good files are good', async () => {
    const folder = await enter({ name: 'good', argv: [], message: [] });
    for (const log of ['log.csv', 'log.jsonl', 'log.parquet']) {
      const argv = ['evaluate', log, '--policies', 'set.json', '--arm', 'arm', '--payoff', 'click', '--numeric', 'x,y'];
      const { status, stderr } = await hindcast([...argv, '--device', 'cpu', '--out', 'out/r.json']);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(JSON.parse(readFileSync('out/r.json', 'utf8')).policies).toHaveLength(3);
    }
    expect(readdirSync('out')).toEqual(['r.json']);
    process.chdir(dirname(folder));
    rmSync(folder, { recursive: true });
  });

  test.each(CASES)('$name', async (one) => {
    const folder = await enter(one);
    const before = contents(folder);
    const { status, stdout, stderr } = await hindcast(commandLine(one));
    expect({ status, stderr }).toEqual({ status: one.status ?? 2, stderr: expect.stringMatching(/^hindcast: /) });
    for (const part of one.message) expect(stderr).toMatch(part);
    expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
    expect(stderr).not.toMatch(/undefined|\[object|NaN pol/);
    expect(stdout).toBe('');
    // Nothing new, nothing changed: no result, no part of one, no temporary file.
    expect(contents(folder)).toEqual(before);
    process.chdir(dirname(folder));
    rmSync(folder, { recursive: true });
  });
});

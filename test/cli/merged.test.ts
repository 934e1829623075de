/** Several packed logs on the command line: one log, as their original files are. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { difference } from '../log/synthetic-log.js';
import { hindcast } from './in-process.js';

const MAPPING = { arm: 'arm', payoff: 'click', context: ['x', 'y'], user: 'u', keys: ['seg'] };

const folder = mkdtempSync(join(tmpdir(), 'hindcast-merged-'));
const at = (name: string): string => join(folder, name);
const days = (ending: string): string[] => [1, 2, 3].map((day) => at(`day${day}.${ending}`));

beforeAll(async () => {
  writeFileSync(at('mapping.json'), JSON.stringify(MAPPING));
  for (const [day, file] of days('csv').entries()) {
    const rows = Array.from({ length: 200 + day }, (_, i) =>
      [(i * 7 + day) % (3 + day), i % 4 === day ? 1 : 0, i % 5, (i + day) % 3, `u${i % 11}`, `s${day}${i % 2}`].join(
        ',',
      ),
    );
    writeFileSync(file, `arm,click,x,y,u,seg\n${rows.join('\n')}\n`);
    const packed = file.replace('.csv', '.parquet');
    const { status, stderr } = await hindcast(['convert', file, packed, '--mapping', at('mapping.json')]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }
  const weights = [Array.from({ length: 5 }, (_, a) => [a / 3 - 1, 1 - a])];
  writeFileSync(
    at('set.json'),
    JSON.stringify([
      { family: 'linear', weights },
      { family: 'uniform', replicas: 3 },
      { family: 'table', keys: ['seg'], tables: [{ choices: { s00: 1, s10: 2, s21: 0 }, default: 1 }] },
    ]),
  );
  writeFileSync(at('learners.json'), '[{ "algorithm": "semp", "segment": "seg" }, { "algorithm": "linucb" }]');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a command says in JSON, engines and files aside. */
async function report(argv: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await hindcast([...argv, '--format', 'json']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const { engine: _, inputs: __, command: ___, ...rest } = JSON.parse(stdout);
  return rest;
}

describe('several packed logs', () => {
  const cpu = ['--device', 'cpu', '--threads', '1', '--assume-uniform'];
  const commands: [string, string[]][] = [
    ['inspect', []],
    ['evaluate', ['--policies', at('set.json'), ...cpu, '--block-statistics']],
    ['replay', ['--learners', at('learners.json'), ...cpu, '--seed', '3']],
  ];
  test.each(commands)('hindcast %s says what it says of the original files', async (command, options) => {
    const expected = await report([command, ...days('csv'), '--mapping', at('mapping.json'), ...options]);
    expect(await report([command, ...days('parquet'), ...options])).toEqual(expected);
    if (command === 'inspect') return;
    expect(await report([command, ...days('parquet'), ...options, '--memory', '400MB'])).toEqual(expected);
  });

  test('hindcast convert writes them as one, which is the log of the original files', async () => {
    const { status, stdout } = await hindcast(['convert', ...days('parquet'), at('all.parquet'), '--quiet']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/events {5}603\narms {7}5; 1 candidate set\ncontext {4}2 columns, 15 distinct\n/);
    const together = await readLog(days('csv'), { mapping: MAPPING });
    expect(difference(await readLog([at('all.parquet')], {}), together)).toBeNull();
    const bounded = ['convert', ...days('parquet'), at('bounded.parquet'), '--quiet', '--memory', '400MB'];
    expect((await hindcast(bounded)).status).toBe(0);
    expect(statSync(at('bounded.parquet')).size).toBe(statSync(at('all.parquet')).size);
    expect(readFileSync(at('bounded.parquet')).equals(readFileSync(at('all.parquet')))).toBe(true);
  });

  test('hindcast inspect stays within 80 columns', async () => {
    const { stdout } = await hindcast(['inspect', ...days('parquet')]);
    expect(stdout).toMatch(/and 2 more\s+files \(csv\)\nevents {5}603\narms {7}5; 1 candidate set of 5\n/);
    const lines = stdout.split('\n').filter((line) => !line.includes(folder));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('a run is gone on with on the same files in the same order, and on no others', async () => {
    const [a, b, c] = days('parquet');
    const policies = at('set.json');
    const options = { policies, device: 'cpu' as const, threads: 1, assumeUniform: true, stretchEvents: 64 };
    const resume = at('run.state');
    const controller = new AbortController();
    const stopped = evaluate({
      ...options,
      ...{ log: { files: [a, b, c] }, resume, checkpointEvery: 0, signal: controller.signal },
      onProgress: ({ phase, done }) => void (phase === 'evaluate' && done > 500 && controller.abort(new Error('stop'))),
    });
    await expect(stopped).rejects.toThrow('stop');
    const state = readFileSync(resume);
    const argv = (files: string[]) => [
      ...['evaluate', ...files, '--policies', policies, ...cpu, '--memory', '400MB', '--resume', resume],
      ...['--checkpoint-every', '0', '--format', 'json'],
    ];
    for (const files of [[a, c, b], [a, c], [a, b, c, c], [at('all.parquet')]]) {
      const { status, stderr } = await hindcast(argv(files));
      expect([status, stderr]).toEqual([2, expect.stringMatching(/run\.state/)]);
      expect(readFileSync(resume).equals(state)).toBe(true);
    }
    expect((await hindcast(argv([a, b, c]))).status).toBe(0);
  });

  test('packed and plain files are no one log, and options are refused as for one', async () => {
    const mixed = await hindcast(['inspect', days('parquet')[0], days('csv')[1]]);
    expect([mixed.status, mixed.stderr]).toEqual([2, expect.stringMatching(/look like different formats/)]);
    const ordered = await hindcast(['inspect', ...days('parquet'), '--arms-order', '4,3,2,1,0']);
    expect([ordered.status, ordered.stderr]).toEqual([
      2,
      expect.stringMatching(/read as it is, without a list of arms/),
    ]);
  });
});

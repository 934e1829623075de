/** What the library says of its options, the command line says of its flags: never a name that only code has. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluate, inspect } from '#dist/index.js';
import { hindcast } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-flags-'));
const file = (name: string): string => join(folder, name);
const write = (name: string, text: string): string => {
  writeFileSync(file(name), text);
  return file(name);
};
const csv = file('log.csv');
const vw = file('log.vw');
const packed = file('log.parquet');
const set = file('set.json');
const MAPPING = ['--arm', 'arm', '--payoff', 'click'];

beforeAll(async () => {
  const rows = Array.from(
    { length: 60 },
    (_, t) => `${'ab'[t % 2]},${t % 4 === 0 ? '' : t % 2},${t},2020-01-0${9 - (t % 3)}`,
  );
  write('log.csv', `${['arm,click,x,day', ...rows].join('\n')}\n`);
  write('log.vw', '1:1:0.5 | a\n2:0:0.5 | a\n'.repeat(20));
  write('set.json', '[{ "family": "constant" }]');
  const { status, stderr } = await hindcast(['convert', csv, packed, ...MAPPING, '--missing-payoff', '0']);
  expect([status, stderr]).toEqual([0, '']);
});
afterAll(() => rmSync(folder, { recursive: true }));

const evaluated = (log: string, ...more: string[]): string[] => ['evaluate', log, '--policies', set, ...more];

describe('errors name the flag', () => {
  test.each([
    [() => evaluated(csv, ...MAPPING, '--drop-repeated-events'), '--drop-repeated-events does not go with this format'],
    [() => evaluated(csv, ...MAPPING, '--features', 'x'), '--features does not go with this format'],
    [
      () => evaluated(csv, ...MAPPING, '--estimator', 'snips', '--clip', '3'),
      '--clip M is for estimators that are not asked for',
    ],
    [() => evaluated(csv, ...MAPPING, '--interval', 'wilsn'), '--interval is not usable'],
    [() => evaluated(csv, ...MAPPING, '--estimator', 'ips', '--valid-events', '3'), '--valid-events belongs to the'],
    [() => evaluated(csv, ...MAPPING, '--estimator', 'ips', '--assume-uniform'), '--assume-uniform belongs to the'],
    [() => evaluated(csv, ...MAPPING, '--memory', '5'), '--memory is not usable'],
    [() => evaluated(csv, ...MAPPING, '--max-line', 'long'), '--max-line is not usable'],
    [() => evaluated(csv, ...MAPPING, '--max-line', '1TB'), '--max-line is not usable'],
    [() => evaluated(packed, '--max-line', '1MB'), '--max-line does not go with this format'],
    [() => evaluated(packed, '--encoding', 'latin1'), '--encoding does not go with the format packed'],
    [() => evaluated(packed, '--missing-payoff', '0'), '--missing-payoff does not go with the format packed'],
    [() => evaluated(vw, '--allow-leak', 'a'), '--allow-leak does not go with the format vw'],
    [() => evaluated(vw, '--where', 'a'), '--where does not go with the format vw-cb'],
    [() => evaluated(vw, '--arm-id', 'a'), '--arm-id is not valid'],
    [() => ['convert', csv, file('out.parquet'), ...MAPPING, '--memory', '2MB'], '--memory is not usable'],
    [() => ['simulate', '--events', '9', '--out', file('x.gz'), '--days', '0'], '--days is not valid'],
    [
      () => [
        ...['simulate', '--events', '9', '--out', file('x.parquet'), '--logging', 'softmax'],
        ...['--temperature', '0'],
      ],
      '--temperature is not valid',
    ],
  ])('%j', async (argv, expected) => {
    const { status, stderr } = await hindcast(argv());
    expect([status, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^hindcast: (\\S+: )?option ${expected}`))]);
    expect(stderr).not.toMatch(/in code|option [a-z]+ (is|does|belongs)|^hindcast: (log|options)\./);
  });

  test('of a mapping made of flags, and the key where it is a file', async () => {
    const { status, stderr } = await hindcast(evaluated(csv, '--arm', 'arm', '--payoff', '', '--onehot', 'x'));
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^hindcast: --payoff: the mapping has a wrong value/)]);
    const mapping = write('mapping.json', '{ "arm": "arm", "payoff": "" }');
    expect((await hindcast(evaluated(csv, '--mapping', mapping))).stderr).toMatch(
      /mapping\.json, payoff: the mapping has a wrong value/,
    );
  });

  test('and what only code has is left out', async () => {
    const wrong = write('wrong.json', '[{ "family": "liner" }]');
    const { stderr } = await hindcast(['evaluate', csv, '--policies', wrong, ...MAPPING, '--missing-payoff', '0']);
    expect(stderr).toMatch(/needed: one of: [\w, -]+choices, probabilities\n/);
    await expect(
      evaluate({ log: { files: [packed] }, policies: [{ family: 'liner' }] as never, assumeUniform: true }),
    ).rejects.toThrow(/choices, probabilities \(in code: function/);
  });

  test('and what to try', async () => {
    const { stderr } = await hindcast(evaluated(csv, ...MAPPING));
    expect(stderr).toMatch(/payoff is missing[\s\S]*try: {4}--missing-payoff 0 if it means that nothing was earned/);
    await expect(inspect({ files: [csv], mapping: { arm: 'arm', payoff: 'click' } })).rejects.toThrow(
      '--missing-payoff 0 (in code: missingPayoff) if it means',
    );
  });
});

test('warnings of results name flags, those of results in code both', async () => {
  const options = [...MAPPING, '--missing-payoff', '0', '--time', 'day', '--valid-events', '5', '--assume-uniform'];
  const argv = evaluated(csv, ...options, '--device', 'cpu', '--quiet');
  const sorting = 'or sort with --sort-by-time';
  const json = await hindcast([...argv, '--format', 'json']);
  const { warnings } = JSON.parse(json.stdout) as { warnings: string[] };
  expect(warnings.join('\n')).toMatch(new RegExp(`${sorting}$`, 'm'));
  for (const format of ['table', 'csv', 'json']) {
    const { stdout, stderr } = await hindcast([...argv, '--format', format]);
    const said = `${stdout}${stderr}`.replaceAll(/\s+/g, ' ');
    expect(said).toContain(sorting);
    expect(said).not.toContain('in code');
  }
  const mapping = { arm: 'arm', payoff: 'click', time: 'day', missingPayoff: 0 };
  const result = await evaluate({
    ...{ log: { files: [csv], mapping }, policies: set, device: 'cpu', validEvents: 5, assumeUniform: true },
  });
  expect(result.warnings.join('\n')).toContain(`${sorting} (in code: sortByTime)`);
});

test('names in code stand in brackets behind the flag, where the command line finds them', () => {
  const root = join(import.meta.dirname, '../../src');
  const loose: string[] = [];
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.startsWith('cli/') || name.endsWith('generated.ts')) continue;
    for (const line of readFileSync(join(root, name), 'utf8').split('\n')) {
      if (/^\s*(\/\/|\/?\*)/.test(line) || !/--[a-z]|[;,] in code/.test(line)) continue;
      if (/\bin code\b/.test(line.replaceAll(/ \(in code: [^()]*\)/g, ''))) loose.push(`${name}: ${line.trim()}`);
    }
  }
  // Of a package that is not there: `build the log in code with logFromColumns`.
  expect(loose.filter((line) => !line.includes('in code with logFromColumns'))).toEqual([]);
});

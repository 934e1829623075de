/** Learners in parts: `replay --part` and `merge` give the very result of the run. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADAPTER } from '../adapter.js';
import { eachCase } from '../long.js';
import { streamLog } from '../run/stream-log.js';
import { hindcast } from './in-process.js';
import { merged, pack, partsOf, refused, resultOf, well } from './parts.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-parts-'));
const start = process.cwd();
beforeAll(async () => {
  process.chdir(folder);
  await pack(streamLog({ events: 500 }), 'clicks.parquet');
  await pack(streamLog({ events: 400, table: false, maxPayoff: 9, sorted: false }), 'steps.parquet');
  writeFileSync(
    'learners.json',
    JSON.stringify([
      { algorithm: 'linucb', alpha: [0.1, 1] },
      { algorithm: 'epsilon-greedy', epsilon: 0.1 },
      { algorithm: 'lin-thompson' },
      { algorithm: 'exp3' },
    ]),
  );
  writeFileSync('counting.json', '[{ "algorithm": "ucb1" }, { "algorithm": "epsilon-greedy", "epsilon": [0, 0.2] }]');
});
afterAll(() => {
  process.chdir(start);
  rmSync(folder, { recursive: true });
});

const RUNS = [
  { name: 'bands and all', argv: ['clicks.parquet', '--repeats', '5', '--subsample', '0.8'] },
  {
    name: 'replicas with their rows, states and statistics',
    argv: ['steps.parquet', '--repeats', '3', '--replicas', '--state', '--block-statistics', '--subsample', '0.7'],
  },
  { name: 'one replica of each', argv: ['clicks.parquet', '--no-bands'] },
  {
    name: 'updates in epochs, scaled contexts, Algorithm 1',
    argv: [
      ...['clicks.parquet', '--repeats', '2', '--update-every', '50', '--scale', 'standard', '--valid-events', '60'],
      ...['--replicas', '--block-period', '1h'],
    ],
  },
  { name: 'every decision verified', argv: ['clicks.parquet', '--repeats', '2', '--verify', '--learn-from', 'all'] },
];

describe.each([1, 3, 30])('%d parts', (of) => {
  eachCase(
    RUNS.map((run) => ({ ...run, long: of === 1 })),
    async ({ name, argv }) => {
      const run = ['replay', ...argv, '--learners', name.includes('verified') ? 'counting.json' : 'learners.json'];
      await well([...run, '--device', 'cpu', '--out', 'whole.json']);
      const stem = `r${of}-${RUNS.findIndex((one) => one.name === name)}`;
      expect(
        await merged(run, { of, name: stem, device: ['--device', 'cpu', '--threads', '1'], shared: of === 3 }),
      ).toEqual(await resultOf('whole.json'));
    },
  );
});

it('the other formats are those of the run, with as much in them', async () => {
  const run = [
    'replay',
    'clicks.parquet',
    '--learners',
    'counting.json',
    '--repeats',
    '3',
    '--state',
    '--device',
    'cpu',
  ];
  const files = await partsOf(run, { of: 2, name: 'formats' });
  await well([...run, '--out', 'whole.csv']);
  await well(['merge', ...files, '--out', 'merged.csv']);
  expect(readFileSync('merged.csv', 'utf8')).toBe(readFileSync('whole.csv', 'utf8'));
  // Without the engine, whose line may be two.
  const table = ({ stdout }: { stdout: string }) => stdout.replace(/^engine .*\n( .*\n)*/m, '');
  expect(table(await hindcast(['merge', ...files]))).toBe(table(await hindcast(run)));
});

it('learners that count come to the same on all engines', async () => {
  const run = ['replay', 'clicks.parquet', '--learners', 'counting.json', '--repeats', '4', '--subsample', '0.5'];
  await well([...run, '--device', 'cpu', '--out', 'whole.json']);
  const files = await partsOf([...run, '--device', 'cpu'], { of: 3, name: 'engines' });
  rmSync(files[1]);
  await well([...run, '--adapter', ADAPTER, '--part', '2/3', '--out', files[1]]);
  await well(['merge', ...files, '--out', 'engines.json']);
  expect(await resultOf('engines.json')).toEqual(await resultOf('whole.json'));
  const { engine } = JSON.parse(readFileSync('engines.json', 'utf8'));
  expect([engine.parts, engine.verified.passed, engine.verified.replicas]).toEqual([3, true, 3]);
});

it('a part of other replicas, and one of policies, is refused by name', async () => {
  const run = ['replay', 'clicks.parquet', '--learners', 'counting.json', '--repeats', '4', '--device', 'cpu'];
  const [first] = await partsOf(run, { of: 2, name: 'refuse' });
  await well([...run, '--seed', '1', '--part', '2/2', '--out', 'seed.parquet']);
  expect(await refused(['merge', first, 'seed.parquet'])).toMatch(/seed.parquet .*different seed \(1, not none\)/);
  writeFileSync('set.json', '[{ "family": "constant" }]');
  const policies = ['evaluate', 'clicks.parquet', '--policies', 'set.json', '--device', 'cpu'];
  await well([...policies, '--part', '2/2', '--out', 'policies.parquet']);
  expect(await refused(['merge', first, 'policies.parquet'])).toMatch(/policies.parquet .*different command/);
  expect(await refused([...run, '--part', '2/2', '--out', 'policies.parquet'])).toMatch(/it was not overwritten/);
  expect(await well([...run, '--part', '1/2', '--out', first])).toMatch(/is there already, whole/);
});

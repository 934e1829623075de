/** Which format a result has, and where it goes. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { hindcast } from './in-process.js';
import { MAIN } from './spawn.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-formats-'));
const file = (name: string): string => join(folder, name);
writeFileSync(file('log.csv'), `arm,click\n${'a,1\nb,0\nb,1\na,0\n'.repeat(10)}`);
writeFileSync(file('policies.json'), JSON.stringify([{ family: 'constant' }, { family: 'constant', arms: ['a'] }]));
writeFileSync(file('learners.json'), JSON.stringify([{ algorithm: 'random' }, { algorithm: 'ucb1' }]));
const LOG = [file('log.csv'), '--arm', 'arm', '--payoff', 'click'];
const EVALUATE = ['evaluate', ...LOG, '--policies', file('policies.json'), '--device', 'cpu'];
const REPLAY = ['replay', ...LOG, '--learners', file('learners.json'), '--device', 'cpu', '--repeats', '3'];

async function rowsOf(path: string): Promise<{ rows: Record<string, unknown>[]; about: Record<string, unknown> }> {
  const bytes = readFileSync(path);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const rows = await parquetReadObjects({ file: buffer });
  const meta = parquetMetadata(buffer).key_value_metadata?.find(({ key }) => key === 'hindcast');
  return { rows, about: JSON.parse(meta?.value ?? 'null') };
}

describe('Parquet', () => {
  test('holds the rows of the CSV file, typed, and the rest of the result in its metadata', async () => {
    for (const ending of ['parquet', 'json'])
      expect((await hindcast([...EVALUATE, '--valid-events', '4', '--out', file(`r.${ending}`)])).status).toBe(0);
    const { rows, about } = await rowsOf(file('r.parquet'));
    const { policies, ...result } = JSON.parse(readFileSync(file('r.json'), 'utf8'));
    expect(rows).toEqual(
      policies.map(
        ({
          interval: [lower, upper],
          estimates,
          standardError,
          ...policy
        }: Record<string, unknown> & { interval: number[] }) => ({
          ...policy,
          index: BigInt(policy.index as number),
          matches: BigInt(policy.matches as number),
          consumed: BigInt(policy.consumed as number),
          lower,
          upper,
        }),
      ),
    );
    expect({ ...about, engine: null }).toEqual({ ...result, engine: null });
  });

  test('of a replay: learners, or their replicas', async () => {
    await hindcast([...REPLAY, '--out', file('l.parquet')]);
    expect((await rowsOf(file('l.parquet'))).rows.map(({ name }) => name)).toEqual(['random', 'ucb1']);
    await hindcast([...REPLAY, '--replicas', '--out', file('p.parquet')]);
    expect((await rowsOf(file('p.parquet'))).rows).toHaveLength(6);
  });

  test('is not for a terminal', async () => {
    const { status, stderr } = await hindcast([...EVALUATE, '--format', 'parquet'], { tty: true });
    expect(status).toBe(2);
    expect(stderr).toContain('--out result.parquet');
  });
});

describe('the ending of --out', () => {
  test.each([
    [EVALUATE, 'r', 'no ending'],
    [EVALUATE, 'r.xlsx', '.xlsx'],
    [EVALUATE, 'r.pdf', '.pdf'],
    [EVALUATE, 'r.csv.gz', '.gz'],
    [REPLAY, 'r.jsn', '.jsn'],
    [['inspect', ...LOG], 'r.csv', '.csv'],
    [['plan', '--arms', '2', '--valid-events', '9'], 'plan.parquet', '.parquet'],
  ])('%j to %s is refused before any work', async (argv, name, got) => {
    const { status, stderr } = await hindcast([...argv, '--out', file(name)]);
    expect(status).toBe(2);
    expect(stderr).toContain(`got:    ${got}\n  needed: one of .txt, .json`);
    expect(existsSync(file(name))).toBe(false);
  });

  test('and --format may not contradict each other; any other ending goes with --format', async () => {
    const { status, stderr } = await hindcast([...EVALUATE, '--format', 'json', '--out', file('x.csv')]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--out says csv and --format says json')]);
    expect((await hindcast([...EVALUATE, '--format', 'json', '--out', file('x.result')])).status).toBe(0);
    expect(JSON.parse(readFileSync(file('x.result'), 'utf8')).policies).toHaveLength(3);
    expect((await hindcast([...EVALUATE, '--out', file('x.TXT')])).status).toBe(0);
    expect(readFileSync(file('x.TXT'), 'utf8')).toMatch(/^log /m);
  });
});

describe('a table', () => {
  const longest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

  test.each([
    [40, 80],
    [100, 100],
    [300, 120],
  ])('of a terminal of %i columns has lines of at most %i', async (columns, most) => {
    const note = file('long-name.json');
    writeFileSync(note, JSON.stringify([{ family: 'linear', names: ['n'.repeat(200)], weights: [[[1], [0]]] }]));
    const argv = [...EVALUATE.map((word) => (word === file('policies.json') ? note : word)), '--intercept'];
    const { stdout, status } = await hindcast(argv, { tty: true, columns, env: { NO_COLOR: '1' } });
    expect([status, longest(stdout)]).toEqual([0, most]);
  });

  test('in a pipe has 80, whatever the terminal', async () => {
    expect(longest((await hindcast(EVALUATE, { columns: 300 })).stdout)).toBeLessThanOrEqual(80);
  });
});

describe('standard output by name', () => {
  test.each(['-', '/dev/stdout', '/dev/fd/1'])('%s', async (name) => {
    const { status, stdout } = await hindcast([...EVALUATE, '--format', 'csv', '--out', name]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^index,name/);
  });

  test.skipIf(!existsSync('/dev/stdout'))('of a simulated log, in a pipe and in a file', () => {
    const argv = 'simulate --events 50 --seed 3 --quiet --out /dev/stdout';
    const piped = spawnSync('bash', ['-c', `"$0" "$1" ${argv} | cat`, process.execPath, MAIN]);
    expect(piped.stderr.toString()).toBe('');
    expect(piped.stdout.toString().split('\n')).toHaveLength(51);
  });
});

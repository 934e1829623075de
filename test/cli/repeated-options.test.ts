/** An option given twice: lists add up, one value is an error, a switch stays set. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hindcast } from './in-process.js';

let folder: string;
const file = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hindcast-repeats-'));
  const rows = Array.from({ length: 40 }, (_, t) => `${'ab'[t % 2]},${t % 2},${t},${t % 5},c${t % 3}`);
  writeFileSync(file('log.csv'), `${['arm,click,x,y,z', ...rows].join('\n')}\n`);
  writeFileSync(file('set.json'), '[{ "family": "constant" }]');
});
afterAll(() => rmSync(folder, { recursive: true }));

const MAPPING = ['--arm', 'arm', '--payoff', 'click'];
const evaluate = (...more: string[]) =>
  hindcast(['evaluate', file('log.csv'), '--policies', file('set.json'), ...MAPPING, '--device', 'cpu', ...more]);

test.each([
  [['--where', 'x > 3', '--where', 'y > 1'], /option --where is given twice/],
  [['--confidence', '0.9', '--confidence=0.8'], /option --confidence is given twice/],
  [['--arm', 'x'], /option --arm is given twice/],
  [['--policies', 'other.json'], /option --policies is given twice/],
  [['--device', 'gpu'], /option --device is given twice/],
  [['--payoff-range', '0,1', '--payoff-range', '0,2'], /option --payoff-range is given twice/],
  [['--verify', '--verify', '3'], /option --verify is given twice/],
  [['--verify', '3', '--no-verify'], /--verify and --no-verify contradict/],
  [['--format', 'json', '--format', 'csv'], /option --format is given twice/],
  [['--blocks', '4', '--blocks', '4'], /option --blocks is given twice/],
])('%j is refused', async (more, expected) => {
  const { status, stderr } = await evaluate(...more);
  expect([status, stderr]).toEqual([2, expect.stringMatching(expected)]);
});

test('lists add up, in order, and switches stay set', async () => {
  const argv = ['inspect', file('log.csv'), ...MAPPING, '--format', 'json', '--quiet', '--quiet'];
  const { stdout, stderr } = await hindcast([...argv, '--onehot', 'z', '--numeric', 'y', '--numeric', 'x']);
  expect(stderr).toBe('');
  const { context } = JSON.parse(stdout) as { context: { names: string[] } };
  expect(context.names).toEqual(['z=c0', 'z=c1', 'z=c2', 'y', 'x']);
});

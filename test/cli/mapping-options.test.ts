/** A mapping file, and the options that go beside it. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hindcast } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-mapping-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const log = file('log.csv', `arm,pay\n${'a,1\nb,2\n'.repeat(20)}`);
const mapping = file(
  'mapping.json',
  JSON.stringify({
    $schema: './mapping.schema.json',
    arm: 'arm',
    payoff: 'pay',
    arms: ['a', 'b'],
    payoffRange: [0, 2],
  }),
);

async function inspect(...argv: string[]) {
  const { status, stdout, stderr } = await hindcast([
    'inspect',
    log,
    '--mapping',
    mapping,
    ...argv,
    '--format',
    'json',
  ]);
  return { status, stderr, log: status === 0 ? JSON.parse(stdout) : null };
}

test('a mapping file may name its schema', async () => {
  const { status, log } = await inspect();
  expect([status, log.arms.map(({ id }: { id: string }) => id), log.payoff.high]).toEqual([0, ['a', 'b'], 2]);
});

test('--payoff-range and --arms-order override the mapping file', async () => {
  const { log } = await inspect('--payoff-range', '0,4', '--arms-order', 'c,b,a');
  expect(log.arms.map(({ id }: { id: string }) => id)).toEqual(['c', 'b', 'a']);
  expect([log.payoff.low, log.payoff.high, log.payoff.range]).toEqual([0, 4, 'declared']);
  const { status, stderr } = await inspect('--payoff-range', '0,1');
  expect([status, stderr]).toEqual([2, expect.stringContaining('outside the declared range')]);
});

test('other parts of a mapping do not go beside a file', async () => {
  const { status, stderr } = await inspect('--arm', 'arm');
  expect([status, stderr]).toEqual([2, expect.stringContaining('--mapping')]);
});

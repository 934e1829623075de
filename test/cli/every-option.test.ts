/** Every option of every command, given at least once among those that go with it, with what it does to the result. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '#dist/cli/commands.js';
import { CASES, type Case, type Json, LOG_CASES, type Wrote } from './every-option/cases.js';
import { writeLogs } from './every-option/logs.js';
import { captured, hindcast } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'h-every-'));
const start = process.cwd();
beforeAll(() => {
  process.chdir(folder);
  writeLogs();
});
afterAll(() => {
  process.chdir(start);
  rmSync(folder, { recursive: true });
});

/** Runs a command line that ends well. */
async function ran(argv: readonly string[], env: Case['env'] = {}): Promise<Wrote> {
  const { status, stdout, stderr } = await hindcast(argv, { env });
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  const text = existsSync('out.json') ? readFileSync('out.json', 'utf8') : stdout;
  rmSync('out.json', { force: true });
  return { stdout, stderr, json: /^[[{]/.test(text) ? JSON.parse(text) : null };
}

/** What commands that read logs make of one: the command line, and what its JSON says in common with `inspect`. */
const READING: Readonly<Record<string, readonly string[]>> = {
  evaluate: ['--policies', 'set.json', '--device', 'cpu', '--assume-uniform', '--out', 'out.json'],
  replay: ['--learners', 'learners.json', '--device', 'cpu', '--assume-uniform', '--out', 'out.json'],
  inspect: ['--format', 'json'],
  convert: ['--format', 'json'],
};

test.each(LOG_CASES)('options of a log: $name', async ({ log, options, check }) => {
  const inspected = (await ran(['inspect', log, ...options, ...READING.inspect])).json;
  check(inspected);
  for (const command of ['evaluate', 'replay']) {
    const { json } = await ran([command, log, ...options, ...READING[command]]);
    expect([json.log.events, json.log.arms]).toEqual([inspected.events, inspected.arms.length]);
    expect(json.log.contextDimension).toBe(inspected.context.dimension);
    expect([json.log.payoff.low, json.log.payoff.high]).toEqual([inspected.payoff.low, inspected.payoff.high]);
    expect([json.log.mapping, json.log.options]).toEqual([inspected.mapping, inspected.options]);
    expect(json.log.droppedRows).toEqual(inspected.badRows);
    for (const warning of inspected.warnings) expect(json.warnings).toContain(warning);
  }
  const { json } = await ran(['convert', log, 'packed.parquet', ...options, ...READING.convert]);
  expect([json.events, json.rows]).toEqual([inspected.events, inspected.rows]);
  check((await ran(['inspect', 'packed.parquet', '--format', 'json'])).json);
  rmSync('packed.parquet');
});

test.each(CASES.map((one) => ({ line: one.argv.join(' '), ...one })))('$line', async ({ argv, env, check }) => {
  check(await ran(argv, env));
});

test('a packed log is read by every command that reads logs', async () => {
  await ran(['convert', 'plain.csv', 'log.parquet', '--mapping', 'plain.json']);
  for (const [command, more] of Object.entries(READING)) {
    const out = command === 'convert' ? ['again.parquet'] : [];
    const { json } = await ran([command, 'log.parquet', ...out, '--log-format', 'packed', ...more]);
    expect((json.log ?? json).events, command).toBe(60);
  }
});

test('no option of any command is missing above', () => {
  const given = new Map<string, Set<string>>(COMMANDS.map((define) => [define(captured()).name(), new Set()]));
  const give = (command: string, argv: readonly string[]) => {
    for (const word of argv) if (word.startsWith('--')) given.get(command)?.add(word);
  };
  for (const { argv } of CASES) give(argv[0], argv);
  for (const { options } of LOG_CASES)
    for (const [command, more] of Object.entries(READING)) give(command, [...options, ...more]);
  const missing = COMMANDS.flatMap((define): Json[] => {
    const command = define(captured());
    const name = command.name();
    return command.options.flatMap(({ long }) => (given.get(name)?.has(long ?? '') ? [] : [`${name} ${long}`]));
  });
  expect(missing).toEqual([]);
});

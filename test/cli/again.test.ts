/** The command line in a result makes the same result again, in a shell. Pictures follow the result. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '#dist/cli/run.js';
import { captured, hindcast } from './in-process.js';
import { MAIN } from './spawn.js';

const folder = mkdtempSync(join(tmpdir(), 'h-again-'));
const before = process.cwd();
beforeAll(() => {
  // A column that is called like an option, and a file whose name a shell would take apart.
  const rows = ['--out,click,who', 'a,1,x y', 'b,0,z', 'a,0,z', 'b,1,x y', 'a,1,z', "b,0,it's"];
  writeFileSync(join(folder, "it's a $log.csv"), `${rows.join('\n')}\n`);
  writeFileSync(join(folder, 'set.json'), '[{ "family": "constant" }]');
  writeFileSync(join(folder, 'learners.json'), '[{ "algorithm": "random" }]');
  // Paths in a result are those of the command.
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const FILE = "it's a $log.csv";
const MAPPING = ['--arm', '--out', '--payoff=click', '--where', "who <> 'z y'"];
const RUNS: readonly (readonly [verb: string, args: readonly string[], command: string])[] = [
  [
    'evaluate',
    [FILE, ...MAPPING, '--quiet', '--policies', 'set.json', '--device', 'cpu', '--confidence=0.9'],
    String.raw`hindcast evaluate 'it'\''s a $log.csv' --arm --out --payoff=click --where 'who <> '\''z y'\''' --policies set.json --confidence=0.9`,
  ],
  [
    'replay',
    ['--device=cpu', '--learners', 'learners.json', '--seed', '7', ...MAPPING, '--threads', '1', '--', FILE],
    String.raw`hindcast replay --learners learners.json --seed 7 --arm --out --payoff=click --where 'who <> '\''z y'\''' -- 'it'\''s a $log.csv'`,
  ],
];

/** A result, without the engine. */
function numbers(json: string): { command: string } {
  return { ...JSON.parse(json), engine: null };
}

test.each(RUNS)('%s: as it was typed, without what the result does not depend on', async (verb, args, command) => {
  const { status, stdout, stderr } = await hindcast([verb, '--format', 'json', ...args]);
  expect(status, stderr).toBe(0);
  const result = numbers(stdout);
  expect(result.command).toBe(command);
  const line = command.replace(verb, `${verb} --format json --device cpu --quiet`);
  const script = `hindcast() { '${process.execPath}' '${MAIN}' "$@"; }; ${line}`;
  expect(numbers(execFileSync('sh', ['-c', script], { encoding: 'utf8' }))).toEqual(result);
});

test.each(RUNS)('%s in parts: the line of the run, and not that of the merge', async (verb, args, command) => {
  const parts = ['1', '2'].map((number) => `${verb}-${number}.parquet`);
  for (const [i, part] of parts.entries()) {
    const { status, stderr } = await hindcast([verb, '--part', `${i + 1}/2`, `--out=${part}`, ...args]);
    expect(status, stderr).toBe(0);
  }
  const { stdout } = await hindcast(['merge', ...parts, '--format', 'json', '--device', 'cpu']);
  expect(numbers(stdout).command).toBe(command);
});

test('pictures are written when the result is there, and not where it could not be written', async () => {
  const argv = ['evaluate', ...RUNS[0][1], '--format', 'html', '--pictures', 'pictures'];
  const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left')) });
  expect(await run(argv, { ...captured(), stdout: full })).toBe(1);
  expect(existsSync('pictures') ? readdirSync('pictures') : []).toEqual([]);
  expect(await run([...argv, '--out', 'result.html'], captured())).toBe(0);
  expect(existsSync('result.html')).toBe(true);
  expect(readdirSync('pictures')).not.toEqual([]);
});

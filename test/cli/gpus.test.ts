/** `--gpus all`, and devices that bear one name: SwiftShader as two drivers. */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareSwiftShader } from '#dist/gpu/swiftshader.js';
import { LONG } from '../long.js';
import { streamLog } from '../run/stream-log.js';
import { pack, refused, resultOf, well } from './parts.js';
import { type Ended, start } from './spawn.js';

const folder = mkdtempSync(join(tmpdir(), 'h-gpus-'));
const before = process.cwd();
const RUN = ['evaluate', 'log.parquet', '--policies', 'set.json', '--draws', '1000'];
const ALIKE = ['SwiftShader Device (Subzero)', 'SwiftShader Device (Subzero)#2'];
let env: Record<string, string>;

beforeAll(async () => {
  process.chdir(folder);
  await prepareSwiftShader();
  const unpacked = dirname(process.env.VK_DRIVER_FILES ?? '');
  const drivers = ['a', 'b'].map((name) => {
    mkdirSync(name);
    for (const file of readdirSync(unpacked)) copyFileSync(join(unpacked, file), join(name, file));
    return join(folder, name, 'vk_swiftshader_icd.json');
  });
  env = { VK_DRIVER_FILES: drivers.join(':'), LD_LIBRARY_PATH: join(folder, 'a') };
  await pack(streamLog({ events: 300 }), 'log.parquet');
  writeFileSync('set.json', '[{ "family": "constant" }, { "family": "uniform", "replicas": 9 }]');
  writeFileSync('learners.json', '[{ "algorithm": "epsilon-greedy", "epsilon": [0.1, 0.3] }]');
  await well([...RUN, '--device', 'cpu', '--out', 'whole.json']);
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

const hindcast = (argv: readonly string[]): Promise<Ended> => start(argv, env).ended;
const engineOf = (file: string) => JSON.parse(readFileSync(file, 'utf8')).engine;

async function ran(argv: readonly string[]): Promise<Ended> {
  const ended = await hindcast(argv);
  expect([ended.status, ended.status === 0 ? '' : ended.stderr]).toEqual([0, '']);
  return ended;
}

it('devices of one name are listed by number, and each is opened by its own', async () => {
  const listed = JSON.parse((await ran(['devices', '--format', 'json'])).stdout) as { name: string }[];
  expect(listed.map(({ name }) => name)).toEqual(ALIKE);
  await ran([...RUN, '--adapter', ALIKE[1], '--out', 'one.json']);
  expect(engineOf('one.json').adapter).toBe(ALIKE[1]);
  expect(await resultOf('one.json')).toEqual(await resultOf('whole.json'));
  const { status, stderr } = await hindcast([...RUN, '--adapter', 'Subzero)#3']);
  expect([status, stderr]).toEqual([2, expect.stringContaining(`part of one of: ${ALIKE.join('; ')}`)]);
});

it('--gpus all computes a part on each, and gives the result of the run', async () => {
  await ran([...RUN, '--gpus', 'all', '--adapter', 'subzero', '--out', 'all.json']);
  expect(await resultOf('all.json')).toEqual(await resultOf('whole.json'));
  expect(engineOf('all.json')).toMatchObject({ device: 'gpu', parts: 2, adapter: ALIKE.join(', ') });
});

it('--gpus all of learners', LONG, async () => {
  const replay = ['replay', 'log.parquet', '--learners', 'learners.json', '--repeats', '3'];
  await ran([...replay, '--device', 'cpu', '--out', 'replayed.json']);
  await ran([...replay, '--gpus', 'all', '--adapter', 'subzero', '--out', 'all.json']);
  expect(await resultOf('all.json')).toEqual(await resultOf('replayed.json'));
  expect(engineOf('all.json').parts).toBe(2);
});

it('a process that fails ends the others, and what it said is the error', async () => {
  writeFileSync('bad.json', '[{ "family": "none" }]');
  const run = ['evaluate', 'log.parquet', '--policies', 'bad.json', '--out', 'no.json'];
  const { status, stderr } = await hindcast([...run, '--gpus', 'all', '--adapter', 'subzero']);
  expect([status, existsSync('no.json')]).toEqual([2, false]);
  expect(stderr.match(/^hindcast: bad.json, \[0\].family/gm)?.length, stderr).toBe(1);
});

it.each([
  [['--gpus', 'all', '--device', 'cpu'], /there is no GPU for --gpus all\n {2}got: {4}--device cpu/],
  [['--gpus', 'all', '--adapter', 'no such'], /there is no GPU .*[\s\S]*whose name has no such in it/],
  [['--gpus', '2'], /--gpus <which>' argument '2' is invalid/],
  [['--gpus', 'all', '--part', '1/2'], /'--gpus <which>' cannot be used with option '--part/],
  [['--gpus', 'all', '--resume', 'state'], /'--gpus <which>' cannot be used with option '--resume/],
  [['--gpus', 'all', '--out', 'none/x.json'], /none\/x.json: the output cannot be written/],
  [['--gpus', 'all', '--out', 'x.json', '--format', 'csv'], /--out says json and --format says csv/],
])('%j is refused', async (options, message) => {
  expect(await refused([...RUN, ...options])).toMatch(message);
});

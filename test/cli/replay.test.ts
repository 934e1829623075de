/** `hindcast replay` from the command line to the files and tables it writes. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReplayResult } from '#dist/report/replay-result.js';
import { displayWidth } from '#dist/report/text.js';
import { EVENTS, writeGoodFiles } from './bad/files.js';
import { hindcast } from './in-process.js';
import { start } from './spawn.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-replay-'));
const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  mkdirSync(file('out'));
  await writeGoodFiles(folder);
  const learners = [
    { algorithm: 'epsilon-greedy', epsilon: [0.1, 0.5] },
    { algorithm: 'ucb1' },
    { algorithm: 'linucb', alpha: 1 },
    { algorithm: 'semp', segment: 'seg' },
  ];
  writeFileSync(file('learners.json'), JSON.stringify(learners));
});
afterAll(() => rmSync(folder, { recursive: true }));

const MAPPING = ['--arm', 'arm', '--payoff', 'click', '--numeric', 'x,y', '--time', 'ts'];
const command = (...more: string[]): string[] => [
  ...['replay', file('log.csv'), '--learners', file('learners.json'), ...MAPPING, '--device', 'cpu'],
  ...(more.includes('--threads') ? [] : ['--threads', '1']),
  ...more,
];

async function json(...more: string[]): Promise<ReplayResult> {
  const { status, stdout, stderr } = await hindcast(command('--format', 'json', ...more));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as ReplayResult;
}

describe('replay', () => {
  test('has a row per learner and setting, in the order of the file', async () => {
    const { learners, log } = await json('--repeats', '3', '--subsample', '0.9', '--seed', '5');
    expect(learners.map(({ name }) => name)).toEqual([
      'epsilon-greedy epsilon=0.1',
      'epsilon-greedy epsilon=0.5',
      'ucb1',
      'linucb alpha=1',
      'semp segment=seg',
    ]);
    expect(log.events).toBe(EVENTS);
    for (const { mean, min, max, matches } of learners) {
      expect(mean).toBeGreaterThanOrEqual(min as number);
      expect(mean).toBeLessThanOrEqual(max as number);
      expect(matches).toBeGreaterThan(0);
    }
  });

  test('passes every rule on', async () => {
    const rules = ['--repeats', '2', '--subsample', '0.5', '--seed', '9', '--valid-events', '4', '--learn-from', 'all'];
    const result = await json(...rules, '--update-every', '1d', '--confidence', '0.9', '--blocks', '3');
    expect(result).toMatchObject({
      estimator: { algorithm: 1, validEvents: 4 },
      replay: { repeats: 2, subsample: 0.5, seed: 9, updateEvery: { period: 86_400_000 }, learnFrom: 'all' },
      interval: { method: 'student-t', confidence: 0.9 },
      blocks: { count: 3 },
    });
    expect((await json('--update-every', '10')).replay.updateEvery).toBe(10);
  });

  test('lists replicas with their rows, states and blocks on request', async () => {
    const { learners } = await json('--replicas', '--state', '--block-statistics', '--where', "seg = 'loyal'");
    for (const { replicas } of learners) {
      const [{ retained = [], matches, state, blocks, seed }] = replicas ?? [];
      expect(retained).toHaveLength(matches);
      // Loyal users are the odd rows of the file.
      expect(retained.every((row) => row % 2 === 1)).toBe(true);
      expect(state).toBeTypeOf('object');
      expect(blocks?.matches.reduce((a, b) => a + b)).toBe(matches);
      expect(seed).toBe(0);
    }
    const bare = await json('--replicas', '--no-retained');
    expect(bare.learners[0].replicas?.[0]).not.toHaveProperty('retained');
    expect((await json('--no-retained')).learners[0]).not.toHaveProperty('replicas');
  });

  test('repeats itself from its seed, on any number of threads', async () => {
    const options = ['--repeats', '4', '--subsample', '0.5', '--replicas'];
    const first = await json(...options);
    expect((await json(...options)).learners).toEqual(first.learners);
    expect((await json(...options, '--threads', '3')).learners).toEqual(first.learners);
    expect((await json(...options, '--seed', '1')).learners).not.toEqual(first.learners);
  });

  test('the table fits 80 columns and says what a reader must know', async () => {
    const { status, stdout } = await hindcast(command('--repeats', '5', '--subsample', '0.8', '--update-every', '5m'));
    expect(status).toBe(0);
    for (const line of stdout.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    for (const part of [
      ...['learner', 'mean', 'std', 'min', 'max', 'matches', '95 % band', 'Algorithm 2', 'probability 0.8'],
      ...['updates every', '5 min', 'from another log learners would', 'for all learners at once', '(the log)'],
    ]) {
      expect(stdout).toContain(part);
    }
    const plain = await hindcast(command('--repeats', '5', '--subsample', '0.8', '--no-bands'));
    for (const part of ['Replicas share one log', 'student-t, 95 %', '95 % interval'])
      expect(plain.stdout).toContain(part);
    const one = await hindcast(command('--no-bands'));
    expect(one.stdout).not.toContain('share one log');
  });

  test('writes CSV of learners, or of replicas; warnings go to standard error', async () => {
    const learners = await hindcast(command('--out', file('out/r.csv'), '--repeats', '2'));
    expect(learners).toMatchObject({ status: 0, stdout: '' });
    expect(learners.stderr).toMatch(/^hindcast: warning: the 2 replicas of ucb1.* are one and the same/m);
    const lines = readFileSync(file('out/r.csv'), 'utf8').split('\n');
    expect(lines).toHaveLength(7);
    expect(lines[1]).toMatch(/^0,epsilon-greedy epsilon=0\.1,epsilon-greedy,"\{""epsilon"":0\.1\}",/);
    const replicas = await hindcast(command('--format', 'csv', '--replicas', '--repeats', '2', '--valid-events', '3'));
    expect(replicas.stdout.split('\n')).toHaveLength(1 + 10 + 1);
    expect(replicas.stdout).toMatch(/^index,name,replica,seed,matches,payoff,value,consumed,complete\n/);
  });

  test('stops at Ctrl-C and leaves nothing behind', async () => {
    const { child, ended } = start([...command('--repeats', '20000', '--out', file('out/late.json'))]);
    setTimeout(() => child.kill('SIGINT'), 1500);
    const { status, stderr } = await ended;
    expect({ status, stderr }).toEqual({ status: 130, stderr: 'hindcast: interrupted; no result was written\n' });
    expect(readdirSync(file('out')).filter((name) => name.includes('late'))).toEqual([]);
  });

  test.each<[string, string[], RegExp]>([
    ['no learners', ['replay', 'x.csv', '--arm', 'a', '--payoff', 'r'], /--learners FILE\.json is required/],
    ['repeats', command('--repeats', '0'), /--repeats.*\n.*got: +0/],
    ['a subsample of 0', command('--subsample', '0'), /--subsample.*\n.*\n.*above 0 and at most 1/],
    ['a subsample in percent', command('--subsample', '50'), /try: +--subsample 0\.5/],
    ['an odd period', command('--update-every', '5 minutes'), /--update-every/],
    ['updates every 0 events', command('--update-every', '0'), /--update-every.*\n.*got: +0/],
    ['a seed beyond 32 bits', command('--seed', '4294967296'), /--seed/],
    ['another source of learning', command('--learn-from', 'none'), /retained, all/],
    ['an adapter for the CPU', command('--adapter', 'x'), /--adapter x --device cpu/],
    ['another format', command('--format', 'xml'), /--format.*\n.*xml/],
  ])('refuses %s', async (_, argv, message) => {
    const { status, stdout, stderr } = await hindcast(argv);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test.each<[string, string, RegExp]>([
    ['no JSON', '[{', /learners\.json.*line 1.*not valid JSON/],
    ['an object', '{ "algorithm": "ucb1" }', /learners\.json: a learner set is a list/],
    ['nothing', '[]', /the learner set is empty/],
    ['an unknown algorithm', '[{ "algorithm": "linucd" }]', /\[0\]\.algorithm(.|\n)*did you mean "linucb"/],
    ['an unknown key', '[{ "algorithm": "ucb1", "alfa": 1 }]', /\[0\].*unknown key "alfa"/],
    ['a parameter out of range', '[{ "algorithm": "epsilon-greedy", "epsilon": [0.1, 2] }]', /\[0\]\.epsilon\[1\]/],
    ['a missing key column', '[{ "algorithm": "semp", "segment": "nope" }]', /nope/],
    ['arm features that are not there', '[{ "algorithm": "linucb-hybrid", "alpha": 1 }]', /arm features/],
  ])('refuses a learners file with %s', async (_, text, message) => {
    mkdirSync(file('bad'), { recursive: true });
    writeFileSync(file('bad/learners.json'), text);
    const argv = command().map((part) => (part === file('learners.json') ? file('bad/learners.json') : part));
    const { status, stderr } = await hindcast(argv);
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('refuses linear learners without contexts', async () => {
    const argv = command().filter((part) => part !== '--numeric' && part !== 'x,y');
    const { status, stderr } = await hindcast(argv);
    expect(status).toBe(2);
    expect(stderr).toMatch(/linucb learns from contexts, and the log has none/);
  });
});

/** Ctrl-C and SIGTERM: nothing is left behind, and the exit status says what happened. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eachCase, LONG } from '../long.js';
import { npy } from './bad/files.js';
import { start } from './spawn.js';

let folder: string;
let argv: string[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hindcast-interrupt-'));
  const [events, arms, dimension, policies] = [200_000, 8, 16, 16_384];
  const columns = Array.from({ length: dimension }, (_, j) => `x${j}`);
  // Different contexts at every event, so that no decision is shared.
  const rows = Array.from({ length: events }, (_, t) => {
    const x = columns.map((_, j) => ((t * (2 * j + 3)) % 1009) - 504);
    return `${t % arms},${t % 3 === 0 ? 1 : 0},${x.join(',')}`;
  });
  writeFileSync(join(folder, 'log.csv'), `arm,click,${columns.join(',')}\n${rows.join('\n')}\n`);
  const weights = Float64Array.from({ length: policies * arms * dimension }, (_, i) => Math.sin(i));
  writeFileSync(join(folder, 'w.npy'), npy([policies, arms, dimension], weights));
  writeFileSync(join(folder, 'set.json'), '[{ "family": "linear", "weights": "w.npy" }]');
  const path = (name: string): string => join(folder, name);
  argv = ['evaluate', path('log.csv'), '--policies', path('set.json'), '--arm', 'arm', '--payoff', 'click'];
  argv.push('--numeric', columns.join(','), '--device', 'cpu', '--out', path('result.json'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Files beside the inputs: results, whole or partial. */
const left = (): string[] => readdirSync(folder).filter((name) => !['log.csv', 'w.npy', 'set.json'].includes(name));

describe('interruption', () => {
  const SIGNALS = [
    { name: 'SIGINT at once exits with 130', signal: 'SIGINT', status: 130, wait: 0 },
    { name: 'SIGINT in the work exits with 130', signal: 'SIGINT', status: 130, wait: 2500, long: true },
    { name: 'SIGTERM in the work exits with 143', signal: 'SIGTERM', status: 143, wait: 2500 },
  ] as const;
  eachCase<(typeof SIGNALS)[number] & { long?: boolean }>(SIGNALS, async ({ signal, status, wait }) => {
    const { child, ended } = start(argv);
    // The temporary file appears before anything is read.
    while (left().length === 0 && child.exitCode === null) await sleep(10);
    await sleep(wait);
    const began = Date.now();
    child.kill(signal);
    const end = await ended;
    expect(end).toEqual({ status, signal: null, stdout: '', stderr: 'hindcast: interrupted; no result was written\n' });
    expect(left()).toEqual([]);
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  test('a second Ctrl-C ends the process at once, and leaves nothing either', async () => {
    const { child, ended } = start(argv);
    while (left().length === 0 && child.exitCode === null) await sleep(10);
    child.kill('SIGINT');
    await sleep(300);
    child.kill('SIGINT');
    // The second one may meet a process that is on its way out already and has no handler any more.
    const { status, signal } = await ended;
    expect(status ?? signal).toBeOneOf([130, 'SIGINT']);
    expect(left()).toEqual([]);
  });

  test(
    'nor do learners of 400 columns, single replicas on one thread, keep the process from ending',
    LONG,
    async () => {
      const [events, dimension] = [1500, 400];
      const columns = Array.from({ length: dimension }, (_, j) => `x${j}`);
      const rows = Array.from({ length: events }, (_, t) => {
        // Large numbers take double-doubles, the slowest arithmetic there is.
        const x = columns.map((_, j) => ((t * t * (2 * j + 3)) % 100_003) - 504);
        return `${t % 8},${t % 3 === 0 ? 1 : 0},${x.join(',')}`;
      });
      const wide = mkdtempSync(join(tmpdir(), 'hindcast-wide-'));
      try {
        const log = join(wide, 'log.csv');
        writeFileSync(log, `arm,click,${columns.join(',')}\n${rows.join('\n')}\n`);
        for (const algorithm of ['linucb', 'glm-ucb']) {
          const learners = join(wide, 'learners.json');
          writeFileSync(learners, JSON.stringify([{ algorithm }]));
          const options = ['--arm', 'arm', '--payoff', 'click', '--numeric', columns.join(','), '--assume-uniform'];
          const { child, ended } = start([
            'replay',
            log,
            '--learners',
            learners,
            '--device',
            'cpu',
            '--threads',
            '1',
            ...options,
          ]);
          await sleep(4000);
          expect(child.exitCode).toBeNull();
          child.kill('SIGINT');
          await sleep(300);
          const began = Date.now();
          child.kill('SIGINT');
          const { status, signal } = await ended;
          expect(status ?? signal).toBeOneOf([130, 'SIGINT']);
          expect(Date.now() - began).toBeLessThan(10_000);
        }
      } finally {
        rmSync(wide, { recursive: true });
      }
    },
  );
});

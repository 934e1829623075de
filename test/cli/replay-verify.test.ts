/** `hindcast replay --verify`: what is verified, what is said of it, and the exit status; on an engine that can be made to lie. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReplayBackend, ReplayJob, ReplayOutcome } from '#dist/engine/learner-contract.js';
import { CpuReplayBackend } from '#dist/engine/learner-cpu/backend.js';
import type { Verification } from '#dist/engine/verify/learners.js';
import type { ReplayResult } from '#dist/report/replay-result.js';
import { toReplayTable } from '#dist/report/replay-table.js';
import { PLAIN, type Style } from '#dist/report/style.js';
import { displayWidth } from '#dist/report/text.js';
import { EVENTS, writeGoodFiles } from './bad/files.js';
import { hindcast } from './in-process.js';

/** What the engine of this file calls itself, does to its outcomes, and was asked to keep. */
const engine = {
  device: 'gpu' as 'cpu' | 'gpu',
  lie: (outcome: ReplayOutcome): ReplayOutcome => outcome,
  kept: null as ReplayJob['keep']['retainedOf'] | null,
};

vi.mock('#dist/engine/choose-learner.js', () => ({
  chooseReplayBackend: () => {
    const inner = new CpuReplayBackend({ threads: 1, description: 'Made up' });
    const backend: ReplayBackend & { fallback: null; onCpu: Set<never>; giveUp: () => Promise<boolean> } = {
      fallback: null,
      onCpu: new Set(),
      get report() {
        return { ...inner.report, device: engine.device };
      },
      async open(work) {
        engine.kept = work.keep.retainedOf;
        const session = await inner.open(work);
        const finish = session.finish.bind(session);
        session.finish = async () => engine.lie(await finish());
        return session;
      },
      replay: (job, options) => inner.replay(job, options),
      giveUp: () => Promise.resolve(false),
      close: () => inner.close(),
    };
    return Promise.resolve(backend);
  },
}));

const folder = mkdtempSync(join(tmpdir(), 'hindcast-verify-'));
const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  await writeGoodFiles(folder);
  writeFileSync(file('learners.json'), '[{ "algorithm": "random" }, { "algorithm": "linucb", "alpha": [0.5, 1] }]');
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  engine.device = 'gpu';
  engine.lie = (outcome) => outcome;
});

const command = (...more: string[]): string[] => [
  ...['replay', file('log.csv'), '--learners', file('learners.json'), '--arm', 'arm', '--payoff', 'click'],
  ...['--numeric', 'x,y', '--repeats', '4', '--subsample', '0.9', ...more],
];

async function verified(...more: string[]): Promise<ReplayResult['engine']['verified']> {
  const { status, stdout, stderr } = await hindcast(command('--format', 'json', ...more));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const result = JSON.parse(stdout) as ReplayResult;
  expect(stdout).not.toContain('"retained":');
  return result.engine.verified;
}

/** Moves the last retained event of each kept replica to where the log ends, or has one more there. */
const lie = (outcome: ReplayOutcome): ReplayOutcome => ({
  ...outcome,
  retained: (outcome.retained ?? []).map((list) =>
    list === null ? null : Uint32Array.of(...list.slice(0, -1), EVENTS),
  ),
});

describe('what is verified', () => {
  test('another engine than the CPU is spot-checked: the retained events of three replicas', async () => {
    expect(await verified()).toMatchObject({ replicas: 3, every: false, passed: true, tolerance: 1e-6, first: null });
    // 3 settings × 4 replicas.
    expect(engine.kept).toEqual(new Set([0, 6, 11]));
  });

  test('the CPU engine is not, unless it is asked for', async () => {
    engine.device = 'cpu';
    expect(await verified()).toBeNull();
    expect(engine.kept).toBe('none');
    expect(await verified('--verify', '2')).toMatchObject({ replicas: 2, every: true, passed: true });
  });

  test('--verify: every decision of N replicas, or of all; --no-verify: nothing', async () => {
    expect(await verified('--verify')).toMatchObject({ replicas: 12, every: true, passed: true });
    expect(await verified('--verify', '5', '--verify-tolerance', '0')).toMatchObject({ replicas: 5, tolerance: 0 });
    expect(await verified('--no-verify')).toBeNull();
    expect(engine.kept).toBe('none');
  });

  test.each([
    [['--verify', '0'], /--verify.*\n.*got: +0\n.*at least 1/],
    [['--verify', 'some'], /--verify.*\n.*got: +some/],
    [['--verify-tolerance', '-1'], /--verify-tolerance.*\n.*got: +-1\n.*at least 0/],
    [['--verify-tolerance', 'inf'], /--verify-tolerance.*\n.*got: +inf/],
  ])('refuses %j', async (more, message) => {
    const { status, stderr } = await hindcast(command(...more));
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('a failed verification', () => {
  test('ends with status 1, and the result is written all the same, with the failure in it', async () => {
    engine.lie = lie;
    const { status, stdout, stderr } = await hindcast(command('--out', file('r.json')));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      /^hindcast: verification failed; the result was written all the same\n {2}got: +random, replica 0(.|\n)*try: +--device cpu, and report/,
    );
    const { engine: report, warnings } = JSON.parse(readFileSync(file('r.json'), 'utf8')) as ReplayResult;
    expect(report.verified).toMatchObject({ passed: false, broken: 3, replicas: 3 });
    expect(report.verified?.first).toContain(`retained event ${EVENTS} is beyond the log`);
    expect(warnings[0]).toMatch(/^verification failed, so these results are not to be relied on: random, replica 0/);
  });

  test('has no GPU to blame on the CPU engine', async () => {
    engine.device = 'cpu';
    engine.lie = lie;
    const { status, stderr } = await hindcast(command('--verify', '--format', 'csv'));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^hindcast: warning: verification failed/);
    expect(stderr).not.toContain('--device cpu');
  });
});

describe('the table', () => {
  const table = async (...more: string[]): Promise<string> => {
    const { stdout } = await hindcast(command(...more));
    for (const line of stdout.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    return stdout.replace(/\n {11}/g, ' ');
  };

  test('says what was verified', async () => {
    expect(await table()).toMatch(/^verified {3}3 replicas, \d+ decisions at retained events: all as computed anew$/m);
    expect(await table('--verify')).toMatch(/^verified {3}12 replicas, \d+ decisions: all as computed anew$/m);
    expect(await table('--no-verify')).not.toMatch(/^verified/m);
    expect(await table('--where', 'false')).toMatch(/^verified {3}3 replicas, 0 decisions.*: nothing to compare$/m);
  });

  test.each<[Partial<Verification>, string]>([
    [
      { differing: 1, largest: 3.21e-9 },
      '1 differs, computed anew, within the tolerance of 1e-6, largest difference 3.21e-9',
    ],
    [
      { differing: 7, beyond: 5, largest: 0.012, passed: false, first: 'x' },
      '5 differ, computed anew, beyond the tolerance of 1e-6, 2 differ, computed anew, within the tolerance of 1e-6, largest difference 0.012',
    ],
    // No difference of scores, because there are no scores.
    [{ differing: 1, beyond: 1, passed: false, first: 'x' }, '1 differs, computed anew, beyond the tolerance of 1e-6'],
    [{ broken: 1, passed: false, first: 'x' }, '1 replica contradicts itself'],
  ])('counts differences: %j', async (part, text) => {
    const { stdout } = await hindcast(command('--format', 'json', '--no-bands'));
    const result = JSON.parse(stdout) as ReplayResult;
    const sound = { replicas: 3, decisions: 1234, differing: 0, beyond: 0, largest: 0, broken: 0, passed: true };
    const verification = { ...sound, tolerance: 1e-6, every: true, first: null, ...part };
    const marked: Style = { ...PLAIN, warn: (line) => `!${line}` };
    const lines = toReplayTable({ ...result, engine: { ...result.engine, verified: verification } }, marked).split(
      '\n',
    );
    for (const line of lines) expect(displayWidth(line.replaceAll('!', '')), line).toBeLessThanOrEqual(80);
    const from = lines.findIndex((line) => /^!?verified/.test(line));
    const shown = lines.slice(from, lines.indexOf('', from)).join(' ').replaceAll(/ {2,}/g, ' ');
    const failed = verification.passed ? '' : 'FAILED: ';
    expect(shown.replaceAll(/!\s*/g, '')).toBe(`verified ${failed}3 replicas, 1,234 decisions: ${text}`);
    // What must not be overlooked is marked, and nothing else.
    expect(shown.includes('!')).toBe(!verification.passed);
  });

  test('is loud about a failure', async () => {
    engine.lie = lie;
    const text = await table();
    expect(text).toMatch(/^verified {3}FAILED: 3 replicas, .*: 3 replicas contradict themselves$/m);
    expect(text).toMatch(
      /^warning {4}verification failed, so these results are not to be relied on: random, replica 0/m,
    );
  });
});

/** What an interrupted run says of its state: none yet, an older one, its own, or one that could not be written. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Interrupted } from '#dist/cli/interrupt.js';
import { Resumable, resumable } from '#dist/cli/resumable.js';
import { EngineError } from '#dist/errors.js';
import { captured, hindcast } from './in-process.js';

let folder: string;
let state: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hindcast-resumable-'));
  state = join(folder, 'run.state');
});
afterEach(() => rmSync(folder, { recursive: true }));

const interruption = new Interrupted('SIGINT', 130);
const OLDER = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;
const writeOlder = (): void => {
  writeFileSync(state, 'older');
  utimesSync(state, OLDER, OLDER);
};

/** Runs work that is interrupted when it says so. @returns what is said, at once and at the end. */
async function interrupted(work: (interrupt: () => void) => void): Promise<{ atOnce: string; atEnd: string }> {
  const controller = new AbortController();
  const io = captured({ signal: controller.signal });
  const run = resumable(state, io, async () => {
    work(() => controller.abort(interruption));
    throw interruption;
  });
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Resumable);
  return { atOnce: io.stderr.text, atEnd: (error as Error).message };
}

describe('a run that is interrupted', () => {
  it('tells at once what will happen', async () => {
    const { atOnce } = await interrupted((interrupt) => interrupt());
    expect(atOnce).toBe(
      `hindcast: ending; the state of the run goes into ${state}, if there is one yet; once more ends it at once\n`,
    );
  });

  it('before its first state begins anew', async () => {
    const { atEnd } = await interrupted((interrupt) => interrupt());
    expect(atEnd).toBe('interrupted before there was a state to save; the run will begin anew');
    expect(existsSync(state)).toBe(false);
  });

  it('before it came further than the run before has that state, and says of when', async () => {
    writeOlder();
    const { atEnd } = await interrupted((interrupt) => interrupt());
    expect(atEnd).toBe(
      `interrupted before there was more to save; the state of 2026-01-02 03:04:05 UTC is in ${state}`,
    );
    expect(readFileSync(state, 'utf8')).toBe('older');
  });

  it.each([true, false])('after it saved says where (an older state: %s)', async (older) => {
    if (older) writeOlder();
    const { atEnd } = await interrupted((interrupt) => {
      interrupt();
      writeFileSync(state, 'newer');
    });
    expect(atEnd).toBe(`interrupted; the state of the run is in ${state}`);
  });

  it.each([
    [true, (): string => `what is in ${state} is of 2026-01-02 03:04:05 UTC`],
    [false, (): string => 'nothing is saved'],
  ] as const)('whose state cannot be written says so (an older state: %s)', async (older, left) => {
    if (older) writeOlder();
    const { atEnd } = await interrupted((interrupt) => {
      interrupt();
      throw new EngineError('the disk is full');
    });
    expect(atEnd).toBe(`interrupted; the disk is full; ${left()}`);
  });

  it('no more is said of a run that failed by itself, or came to its end', async () => {
    const io = captured();
    await expect(resumable(state, io, () => Promise.reject(new EngineError('no')))).rejects.toThrow(/^no$/);
    writeFileSync(state, 'done with');
    expect(await resumable(state, io, async () => 7)).toBe(7);
    expect(existsSync(state)).toBe(false);
    expect(io.stderr.text).toBe('');
  });
});

describe('hindcast, interrupted while it loads', () => {
  const VERBS = {
    evaluate: ['--policies', '[{ "family": "constant" }]'],
    replay: ['--learners', '[{ "algorithm": "ucb1" }]'],
  } as const;

  it.each(Object.entries(VERBS))('%s says that there is nothing yet, and how to go on', async (verb, [option, set]) => {
    writeFileSync(join(folder, 'set.json'), set);
    const argv = [verb, '-', '--log-format', 'csv', '--arm', 'arm', '--payoff', 'payoff', option];
    argv.push(join(folder, 'set.json'), '--device', 'cpu', '--resume', state);
    const begin = async (): Promise<{ status: number; stdout: string; stderr: string }> => {
      const controller = new AbortController();
      // The signal comes when the first bytes of the log are asked for.
      const stdin = Readable.from(
        (function* () {
          yield 'arm,payoff\n';
          controller.abort(interruption);
          for (let t = 0; t < 100; t++) yield `${'ab'[t % 2]},1\n`;
        })(),
      );
      return hindcast(argv, { stdin, signal: controller.signal });
    };
    const { status, stdout, stderr } = await begin();
    expect({ status, stdout }).toEqual({ status: 130, stdout: '' });
    expect(stderr).toContain('hindcast: interrupted before there was a state to save; the run will begin anew\n');
    expect(stderr).toContain(`  to go on: hindcast ${argv.slice(0, 3).join(' ')}`);
    expect(stderr).toMatch(/, with the same standard input\n$/);
    // Neither a state nor a lock.
    expect(readdirSync(folder)).toEqual(['set.json']);

    writeOlder();
    const again = await begin();
    expect(again.status).toBe(130);
    expect(again.stderr).toContain(
      `hindcast: interrupted before there was more to save; the state of 2026-01-02 03:04:05 UTC is in ${state}\n`,
    );
    expect(readFileSync(state, 'utf8')).toBe('older');
  });
});

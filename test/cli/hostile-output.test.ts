/** What names from files and streams that fail do to the output: nothing. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Io } from '#dist/cli/io.js';
import { commandLine } from '#dist/cli/resumable.js';
import { run } from '#dist/cli/run.js';
import { captured, hindcast } from './in-process.js';
import { MAIN } from './spawn.js';

const NASTY = 'x\u001b[2J\u202e\u009b1m';
const folder = mkdtempSync(join(tmpdir(), 'hindcast-hostile-'));
const log = join(folder, 'log.csv');
writeFileSync(log, `arm,click\n${NASTY},1\nb,0\n${NASTY},0\nb,1\n`);
const policies = join(folder, 'policies.json');
writeFileSync(policies, JSON.stringify([{ family: 'constant' }]));
const EVALUATE = ['evaluate', log, '--arm', 'arm', '--payoff', 'click', '--policies', policies, '--device', 'cpu'];

/** Line breaks and whatever can be seen. */
const SEEN = /^(?:[^\p{Cc}\p{Cf}]|\n)*$/u;

describe('on a terminal', () => {
  const tty = { tty: true, env: { NO_COLOR: '1' } };

  test.each(['csv', 'json', 'table'])('%s shows what cannot be seen', async (format) => {
    const { status, stdout } = await hindcast([...EVALUATE, '--format', format, '--assume-uniform'], tty);
    expect(status).toBe(0);
    expect(stdout).toMatch(SEEN);
    expect(stdout).toContain('x\\u');
    if (format === 'json')
      expect(new Set(JSON.parse(stdout).policies.map(({ name }: { name: string }) => name))).toContain(
        `constant ${NASTY}`,
      );
  });

  test.each([
    [['evaluate', `${NASTY}.csv`, '--arm', 'a', '--payoff', 'b', '--policies', policies]],
    [['evaluate', log, `--${NASTY}`]],
    [[NASTY]],
    [[...EVALUATE, '--where', NASTY]],
    [[...EVALUATE, '--format', NASTY]],
    [[...EVALUATE, '--debug', '--onehot', NASTY]],
  ])('the error of %j does too', async (argv) => {
    const { status, stderr } = await hindcast(argv, tty);
    expect(status).toBe(2);
    expect(stderr).toMatch(SEEN);
  });
});

test('CSV in a pipe keeps names as they are', async () => {
  const { stdout } = await hindcast([...EVALUATE, '--format', 'csv', '--assume-uniform']);
  expect(stdout).toContain(`constant ${NASTY}`);
});

test('a command to go on with survives a shell, whatever its words hold', () => {
  const words = ["it's", 'a b', NASTY, 'tab\t\\n', '$HOME', ''];
  const { stdout } = spawnSync('bash', ['-c', `${commandLine(words).replace(/^hindcast/, "printf '%s\\0'")}`]);
  expect(stdout.toString().split('\0').slice(0, -1)).toEqual(words);
  expect(commandLine(words)).toMatch(/^[ -~]*$/);
});

describe('a stream that takes nothing', () => {
  class Full extends Writable {
    override _write(_chunk: Buffer, _encoding: BufferEncoding, done: (error: Error) => void): void {
      done(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
    }
  }

  test.each([[['--help']], [['evaluate', '--help']], [['--version']], [['devices', '--format', 'json']], [EVALUATE]])(
    'fails %j with status 1, in words',
    async (argv) => {
      const io: Io = { ...captured(), stdout: new Full() };
      const stderr = io.stderr as ReturnType<typeof captured>['stderr'];
      expect(await run([...argv, ...(argv === EVALUATE ? ['--assume-uniform'] : [])], io)).toBe(1);
      expect(stderr.text).toBe(
        'hindcast: writing failed, and the output is not whole\n  got:    no space is left on the device\n',
      );
    },
  );

  test.skipIf(!existsSync('/dev/full'))('as a process: no stack trace, for help too', () => {
    for (const argv of [[...EVALUATE, '--assume-uniform'], ['--help']]) {
      const { status, stderr } = spawnSync('bash', ['-c', '"$0" "$@" > /dev/full', process.execPath, MAIN, ...argv]);
      expect(status).toBe(1);
      expect(stderr.toString()).toBe(
        'hindcast: writing failed, and the output is not whole\n  got:    no space is left on the device\n',
      );
    }
  });

  test('standard error that takes nothing leaves the exit status', async () => {
    expect(await run(['evaluate', 'missing.csv'], { ...captured(), stderr: new Full() })).toBe(2);
  });
});

/** Files that fail while a run is on its way, pipes that nobody reads, and folders that others own. */

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { evaluate } from '#dist/evaluate.js';
import { privateFolder } from '#dist/files/private-folder.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { LONG } from '../long.js';
import { MAIN, start } from './spawn.js';

let folder: string;
const file = (name: string): string => join(folder, name);
const rows = Array.from({ length: 30_000 }, (_, t) => `${'abc'[((t * 7919) % 1009) % 3]},${t % 2},${(t * 31) % 97}`);
const LOG = ['--arm', 'arm', '--payoff', 'payoff', '--numeric', 'x'];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hindcast-hands-'));
  writeFileSync(file('log.csv'), `arm,payoff,x\n${rows.join('\n')}\n`);
  writeFileSync(file('set.json'), '[{ "family": "constant" }]');
  writeFileSync(file('learners.json'), '[{ "algorithm": "exp3" }, { "algorithm": "linucb" }]');
});
afterEach(() => rmSync(folder, { recursive: true }));

const evaluating = (): string[] => [
  'evaluate',
  file('log.csv'),
  ...LOG,
  '--policies',
  file('set.json'),
  '--assume-uniform',
  '--device',
  'cpu',
];

describe.skipIf(process.platform === 'win32')('files of at most 8 × 512 bytes (ulimit -f)', () => {
  const limited = (argv: string[]): { status: number | null; stdout: string; stderr: string } => {
    const words = [process.execPath, MAIN, ...argv].map((word) => `'${word}'`).join(' ');
    return spawnSync('sh', ['-c', `ulimit -f 8; exec ${words}`], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  };

  it('leave no part of a result, and no stack', LONG, () => {
    const before = readdirSync(folder);
    const simulating = (name: string): string[] => ['simulate', '--events', '5000', '--out', file(name)];
    for (const argv of [
      [...evaluating(), '--block-statistics', '--out', file('result.json')],
      ['convert', file('log.csv'), file('packed.parquet'), ...LOG],
      [...simulating('world.csv'), '--log-format', 'csv'],
      simulating('world.gz'),
      simulating('world.parquet'),
    ]) {
      const { status, stderr } = limited(argv);
      expect({ status, argv: argv[0] }).toEqual({ status: 1, argv: argv[0] });
      expect(stderr).toMatch(/^hindcast: .*writing.* failed.*\n {2}got: {4}.*(too large|larger)/);
      expect(stderr).not.toMatch(/ at .*:\d+:\d+/);
      // The file is named as it was asked for.
      expect(stderr).not.toContain('.tmp');
      expect(readdirSync(folder)).toEqual(before);
    }
  });

  it('take no checkpoint: the run goes on, warns, and finds the same', LONG, async () => {
    expect((await start(['convert', file('log.csv'), file('log.parquet'), ...LOG, '--quiet']).ended).status).toBe(0);
    const argv = [
      'replay',
      file('log.parquet'),
      '--learners',
      file('learners.json'),
      '--device',
      'cpu',
      '--threads',
      '1',
    ];
    argv.push('--repeats', '20', '--format', 'json', '--assume-uniform', '--quiet');
    const alone = await start(argv).ended;
    const { status, stdout } = limited([
      ...argv,
      '--memory',
      '54MB',
      '--resume',
      file('run.state'),
      '--checkpoint-every',
      '0',
    ]);
    expect(status).toBe(0);
    const [one, other] = [alone.stdout, stdout].map(
      (text) => JSON.parse(text) as { warnings: string[]; learners: unknown },
    );
    expect(other.learners).toEqual(one.learners);
    expect(other.warnings.join()).toMatch(/the checkpoint .*run\.state could not be written \d+ times \(EFBIG/);
    expect(existsSync(file('run.state'))).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes('run.state'))).toEqual([]);
  });
});

describe('a folder that takes no more files, once the run is on its way', () => {
  it.each(['is read-only', 'is gone'])('%s: the run goes on and warns', async (how) => {
    const place = file('states');
    mkdirSync(place);
    const events = 4000;
    const arm = Array.from({ length: events }, (_, t) => 'ab'[((t * 7919) % 1009) % 2]);
    const log = logFromColumns({ arm, payoff: arm.map((_, t) => t % 2) });
    let broken = false;
    const breakIt = (): void => {
      if (broken) return;
      broken = true;
      if (how === 'is gone') rmSync(place, { recursive: true });
      // What permissions are to others, a file of the folder's name is to root.
      else if (process.getuid?.() !== 0) chmodSync(place, 0o555);
      else {
        rmSync(place, { recursive: true });
        writeFileSync(place, '');
      }
    };
    const options = { device: 'cpu', threads: 1, assumeUniform: true, stretchEvents: 500 } as const;
    const policies = [{ family: 'constant' }] as const;
    const alone = await evaluate({ log, policies: [...policies], ...options });
    const result = await evaluate({
      log,
      policies: [...policies],
      ...options,
      resume: join(place, 'run.state'),
      checkpointEvery: 0,
      onProgress: breakIt,
    });
    if (process.getuid?.() !== 0 && how !== 'is gone') chmodSync(place, 0o755);
    expect(broken).toBe(true);
    expect(result.policies).toEqual(alone.policies);
    expect(result.warnings.join()).toMatch(
      /the checkpoint .*run\.state could not be written \d+ times \((ENOENT|ENOTDIR|EACCES)/,
    );
  });

  it('a place that takes none from the start is an error at once', async () => {
    const arm = ['a', 'b'];
    const log = logFromColumns({ arm, payoff: [0, 1] });
    writeFileSync(file('not-a-folder'), '');
    const run = evaluate({ log, policies: [{ family: 'constant' }], resume: file('not-a-folder/run.state') });
    await expect(run).rejects.toThrow(InputError);
  });
});

describe.skipIf(process.platform === 'win32')('a pipe that nobody reads', () => {
  beforeAll(() => expect(spawnSync('mkfifo', ['--version']).error).toBeUndefined());

  const COMMANDS: [string, (pipe: string) => string[]][] = [
    ['evaluate', (pipe) => [...evaluating(), '--format', 'json', '--out', pipe]],
    ['convert', (pipe) => ['convert', file('log.csv'), pipe, ...LOG]],
    ['simulate', (pipe) => ['simulate', '--events', '500', '--log-format', 'csv', '--out', pipe]],
    ['simulate --truth', (pipe) => ['simulate', '--events', '500', '--out', file('w.csv'), '--truth', pipe]],
  ];

  it.each(COMMANDS)('ends %s on one SIGTERM', async (_, argv) => {
    const pipe = file('pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const before = readdirSync(folder);
    const { child, ended } = start(argv(pipe));
    await sleep(2500);
    expect(child.exitCode).toBeNull();
    const began = Date.now();
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ status: 143, stderr: 'hindcast: interrupted; no result was written\n' });
    expect(Date.now() - began).toBeLessThan(5000);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('and one that somebody opens and does not read ends on the second', async () => {
    const pipe = file('pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const reader = spawn('sh', ['-c', `exec 3< '${pipe}'; head -c 1 <&3 > '${file('seen')}'; exec sleep 60`]);
    try {
      const { child, ended } = start([
        ...evaluating(),
        '--blocks',
        '20000',
        '--block-statistics',
        '--format',
        'json',
        '--out',
        pipe,
      ]);
      while (!existsSync(file('seen')) || statSync(file('seen')).size === 0) await sleep(50);
      child.kill('SIGTERM');
      await sleep(500);
      const began = Date.now();
      child.kill('SIGTERM');
      const { status, signal } = await ended;
      expect(status ?? signal).toBeOneOf([143, 'SIGTERM']);
      expect(Date.now() - began).toBeLessThan(3000);
    } finally {
      reader.kill();
    }
  });

  it('gets all when somebody comes to read it', async () => {
    const pipe = file('pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const { ended } = start(COMMANDS[2][1](pipe));
    await sleep(1000);
    const { stdout } = spawnSync('cat', [pipe], { encoding: 'utf8' });
    expect((await ended).status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(501);
  });
});

// Only root can give a folder to somebody else; the runner tells that the others are skipped.
describe.skipIf(process.getuid?.() !== 0)('what another user owns (needs root)', () => {
  it.each(['folder', 'file'])('is not loaded as code: the %s', async (which) => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      const fill = async (path: string): Promise<void> => writeFileSync(join(path, 'lib.so'), 'ours');
      const path = await privateFolder('lib', fill);
      expect(await privateFolder('lib', fill)).toBe(path);
      chownSync(which === 'folder' ? path : join(path, 'lib.so'), 65534, 65534);
      expect(await privateFolder('lib', fill)).not.toBe(path);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

/** @module-tag long */
/** Runs in parts on the real Slurm: the result is that of the run in one piece, whatever dies on the way. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack, resultOf } from '../cli/parts.js';
import { type Ended, start } from '../cli/spawn.js';
import { untested } from '../programs.js';
import { ALL_ESTIMATORS } from '../run/estimator-logs.js';
import { streamLog } from '../run/stream-log.js';
import { skewedLog } from '../run/thinned-log.js';
import { kill, NODES, requireSlurm, Slurm } from './slurm.js';

const folder = mkdtempSync(join(tmpdir(), 'h-slurm-'));
const before = process.cwd();
let slurm: Slurm;

const { estimators, clip, switch: most, shrinkage } = ALL_ESTIMATORS;
const BANDS = ['evaluate', 'clicks.parquet', '--policies', 'set.json', '--draws', '1000'];
const CPU = ['--device', 'cpu'];
const LEARNERS = ['replay', 'clicks.parquet', '--learners', 'learners.json', '--repeats', '30', ...CPU];
/** Some seconds a part. */
const SLOW = [
  'replay',
  'clicks.parquet',
  '--learners',
  'learners.json',
  '--repeats',
  '5000',
  '--checkpoint-every',
  '0.3',
  ...CPU,
];
const ALL = [
  ...['evaluate', 'skewed.parquet', '--policies', 'set.json', '--estimator', estimators.join(), '--clip', String(clip)],
  ...['--switch', String(most), '--shrinkage', String(shrinkage), ...CPU],
];

async function hindcast(argv: readonly string[]): Promise<Ended> {
  return start(argv, slurm.env).ended;
}

async function well(argv: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await hindcast(argv);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

/** Results of runs in one piece, by their command. */
const whole = new Map<string, Promise<object>>();
function resultOfRun(run: readonly string[], name: string): Promise<object> {
  const known =
    whole.get(run.join(' ')) ?? well([...run, '--out', `${name}.json`, '--quiet']).then(() => resultOf(`${name}.json`));
  whole.set(run.join(' '), known);
  return known;
}

describe.skipIf(!requireSlurm())('Slurm', () => {
  beforeAll(async () => {
    process.chdir(folder);
    mkdirSync('slurm');
    slurm = await Slurm.start(join(folder, 'slurm'));
    await pack(streamLog({ events: 1500 }), 'clicks.parquet');
    await pack(streamLog({ events: 1501 }), 'longer.parquet');
    await pack(skewedLog({ events: 400 }), 'skewed.parquet');
    writeFileSync('set.json', '[{ "family": "constant" }, { "family": "uniform", "replicas": 5 }]');
    writeFileSync(
      'learners.json',
      '[{ "algorithm": "linucb", "alpha": [0.1, 1] }, { "algorithm": "epsilon-greedy", "epsilon": 0.1 }]',
    );
  });
  afterAll(async () => {
    await slurm?.stop();
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    { name: 'one part', parts: 1, nodes: 2, run: [...BANDS, ...CPU] },
    { name: '7 parts on one node', parts: 7, nodes: 1, run: [...BANDS, ...CPU] },
    { name: '64 parts on two nodes', parts: 64, nodes: 2, run: [...BANDS, ...CPU] },
    { name: 'all estimators', parts: 7, nodes: 2, run: ALL },
    { name: 'learners', parts: 7, nodes: 2, run: LEARNERS },
  ])('$name: the result of the run', async ({ name, parts, nodes, run }) => {
    const stem = name.replaceAll(' ', '-');
    const place = nodes === 1 ? ['--sbatch-option', 'nodelist=n1'] : [];
    const said = await well([
      'submit',
      'slurm',
      '--run',
      stem,
      '--wait',
      ...place,
      '--',
      ...run,
      '--parts',
      String(parts),
    ]);
    expect(said).toMatch(new RegExp(`the result of ${parts} parts? is in .*result.json\n$`));
    expect(await resultOf(`${stem}/result.json`)).toEqual(await resultOfRun(run, `${stem}-whole`));
    const logs = Array.from({ length: parts }, (_, i) => readFileSync(`${stem}/logs/part-${i + 1}.log`, 'utf8'));
    const used = new Set(logs.map((log) => / begins on (n[12]) at /.exec(log)?.[1]));
    if (parts >= 7) expect([...used].sort()).toEqual(NODES.slice(0, nodes));
  });

  it('a task that always fails ends the run with its message, and the other parts are kept', async () => {
    // A state that is none: a task does not go on from it, nor write over it.
    const argv = ['submit', 'slurm', '--run', 'failing', '--parts', '4', '--', ...BANDS, ...CPU];
    await well([...argv.slice(0, 6), '--sbatch-option', 'begin=now+1hour', ...argv.slice(6)]);
    await well(['cancel', 'failing']);
    writeFileSync('failing/parts/part-2.state', 'my notes');
    const { status, stderr } = await hindcast([...argv, '--wait']);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^hindcast: the jobs have ended, and there is no result: 3 done, 1 failed, of 4\n {2}part 2: /,
    );
    expect(stderr).toMatch(/part-2.state/);
    expect(await well(['jobs', 'failing'])).toMatch(/3 done, 1 failed, of 4\nmerge {3}not in the queue\n {2}part 2: /);
    rmSync('failing/parts/part-2.state');
    expect(await well([...argv, '--wait'])).toMatch(/computes 1 part, /);
    expect(await resultOf('failing/result.json')).toEqual(await resultOfRun([...BANDS, ...CPU], 'failing-whole'));
  });

  it('a log that changed between parts is refused', async () => {
    writeFileSync('changing.parquet', readFileSync('clicks.parquet'));
    const run = ['evaluate', 'changing.parquet', ...BANDS.slice(2), ...CPU];
    const argv = ['submit', 'slurm', '--run', 'changed', '--parts', '3', '--wait', '--', ...run];
    await well(argv);
    for (const path of ['parts/part-2.parquet', 'result.json']) rmSync(`changed/${path}`);
    writeFileSync('changing.parquet', readFileSync('longer.parquet'));
    const { status, stderr } = await hindcast(argv);
    expect([status, existsSync('changed/result.json')]).toEqual([1, false]);
    expect(stderr).toMatch(
      /2 done, 1 failed, of 3\n {2}part 2: hindcast: .*counts: the file of counts belongs to another run/,
    );
    expect(stderr).toMatch(/got: {4}different log/);
  });

  it('a node that is drained is left out; Ctrl-C of --wait leaves the jobs running', async () => {
    slurm.tell('scontrol', 'update', 'NodeName=n1', 'State=DRAIN', 'Reason=test');
    try {
      const argv = ['submit', 'slurm', '--run', 'drained', '--parts', '6', '--wait', '--', ...BANDS, ...CPU];
      const { child, ended } = start(argv, slurm.env);
      await slurm.until('a task runs', () => slurm.jobs().length > 0);
      child.kill('SIGINT');
      const { status, stderr } = await ended;
      expect([status, stderr]).toEqual([
        130,
        expect.stringMatching(/the jobs run on; hindcast cancel .*\n {2}to go on/),
      ]);
      expect(await well(['jobs', 'drained', '--wait'])).toMatch(/the result of 6 parts/);
      expect(await resultOf('drained/result.json')).toEqual(await resultOfRun([...BANDS, ...CPU], 'drained-whole'));
      for (let part = 1; part <= 6; part++)
        expect(readFileSync(`drained/logs/part-${part}.log`, 'utf8')).toMatch(/ begins on n2 at /);
    } finally {
      slurm.tell('scontrol', 'update', 'NodeName=n1', 'State=RESUME');
    }
  });

  it('a run that is cancelled keeps its parts, and the states of those that were begun', async () => {
    const argv = ['submit', 'slurm', '--run', 'cancelled', '--parts', '4', '--', ...SLOW];
    await well(argv);
    const states = () => readdirSync('cancelled/parts').filter((name) => name.endsWith('.state'));
    await slurm.until('a state is kept', () => states().length > 0);
    expect(await well(['cancel', 'cancelled'])).toMatch(/^cancelled: job \d+ and \d+; /);
    await slurm.until(
      'the jobs are gone',
      () => slurm.tell('squeue', '--noheader') === '' && slurm.jobs().length === 0,
    );
    expect(states().length).toBeGreaterThan(0);
    expect(existsSync('cancelled/result.json')).toBe(false);
    expect(await well([...argv.slice(0, 6), '--wait', ...argv.slice(6)])).toMatch(/the result of 4 parts is in/);
    expect(await resultOf('cancelled/result.json')).toEqual(await resultOfRun(SLOW, 'slow-whole'));
  });

  it('a file system that is full ends the run with a message; with more room it goes on', async () => {
    mkdirSync('small');
    const mount = (...argv: string[]) => spawnSync('mount', [...argv, `${folder}/small`], { encoding: 'utf8' });
    const { status, stderr: refused } = mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs');
    if (status !== 0 && !untested(`no small file system could be mounted, and none was filled: ${refused}`)) return;
    try {
      // 30 kB a part, with its sums in 64 blocks.
      const run = [...BANDS, ...CPU, '--blocks', '64'];
      const argv = ['submit', 'slurm', '--run', 'small/run', '--parts', '4', '--wait', '--', ...run];
      const full = await hindcast(argv);
      expect([full.status, existsSync('small/run/result.json')]).toEqual([1, false]);
      expect(full.stderr).toMatch(/the jobs have ended, and there is no result[\s\S]*no space is left on the device/);
      expect(mount('-o', 'remount,size=16m').status).toBe(0);
      await well(argv);
      expect(await resultOf('small/run/result.json')).toEqual(await resultOfRun(run, 'small-whole'));
    } finally {
      spawnSync('umount', ['--lazy', `${folder}/small`]);
    }
  });

  it('20 kills at random, of tasks, daemons, nodes and merges: the result of the run', {
    timeout: 900_000,
  }, async () => {
    const random = generator(20);
    const parts = 8;
    const argv = ['submit', 'slurm', '--run', 'killed', '--parts', String(parts), '--', ...SLOW];
    const expected = await resultOfRun(SLOW, 'slow-whole');
    const kinds = Array.from({ length: 20 }, (_, i) =>
      i % 5 === 4 ? 'merge' : ['task', 'task', 'daemon', 'node'][random(4)],
    );
    await well(argv);
    const told: string[] = [];
    for (const kind of kinds) {
      for (let done = false; !done; await sleep(50)) {
        slurm.hurry();
        const running = slurm.jobs();
        const tasks = running.filter(({ part }) => part !== null);
        const merges = running.filter(({ part }) => part === null);
        if (kind === 'merge' ? merges.length > 0 : tasks.length > 0) {
          await sleep(random(kind === 'merge' ? 200 : 900));
          const among = kind === 'merge' ? merges : tasks;
          const victim = among[random(among.length)];
          if (kind === 'task' || kind === 'merge') kill(victim.pid);
          else {
            slurm.killNode(victim.node, kind === 'node');
            await sleep(random(2000));
            slurm.startNode(victim.node);
          }
          told.push(`${kind} ${victim.part ?? ''} on ${victim.node}`);
          done = true;
        } else if (slurm.tell('squeue', '--noheader') === '') {
          // Killed too often, or through before all kills were made: some of it is to be computed again.
          for (let i = 0; i < 3; i++) rmSync(`killed/parts/part-${1 + random(parts)}.parquet`, { force: true });
          await well(argv);
        }
      }
    }
    console.info(`killed: ${told.join(', ')}`);
    for (let merged = false; !merged; ) {
      slurm.hurry();
      if (slurm.tell('squeue', '--noheader') === '') {
        merged = existsSync('killed/merged');
        if (!merged) await well(argv);
      }
      await sleep(200);
    }
    expect(await resultOf('killed/result.json')).toEqual(expected);
  });
});

/** Numbers below n, the same in every run. */
function generator(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * n);
  };
}

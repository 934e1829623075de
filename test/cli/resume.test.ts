/** Runs that are killed or interrupted, at moments that nobody chose, and gone on with: the result is that of a run that was left alone. */

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamOf } from '#dist/log/stream-of.js';
import { writePacked } from '#dist/packed/write.js';
import { WorldDraws } from '#dist/simulate/draws.js';
import { LONG } from '../long.js';
import { streamLog } from '../run/stream-log.js';
import { start } from './spawn.js';

const KILLS = 10;
const folder = mkdtempSync(join(tmpdir(), 'hindcast-resume-'));
const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  const handle = await open(file('log.parquet'), 'w');
  await writePacked(streamOf(streamLog({ events: 150_000 })), handle);
  await handle.close();
  const draws = new WorldDraws(2);
  const weights = Array.from({ length: 150 }, (_, p) =>
    Array.from({ length: 6 }, (_, a) =>
      Array.from({ length: 4 }, (_, j) => draws.draw(p * 24 + a * 4 + j, 1).first / 2 ** 32),
    ),
  );
  writeFileSync(
    file('set.json'),
    JSON.stringify([
      { family: 'linear', weights },
      { family: 'uniform', replicas: 3 },
      { family: 'table', keys: ['segment'], tables: [{ choices: { new: 1, never: 3 } }] },
    ]),
  );
  writeFileSync(
    file('learners.json'),
    JSON.stringify([
      { algorithm: 'linucb' },
      { algorithm: 'glm-ucb' },
      { algorithm: 'exp3' },
      { algorithm: 'epsilon-greedy', epsilon: 0.1 },
    ]),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const COMMANDS = {
  evaluate: ['evaluate', file('log.parquet'), '--policies', file('set.json'), '--block-statistics'],
  replay: [
    ...['replay', file('log.parquet'), '--learners', file('learners.json'), '--replicas', '--no-retained', '--state'],
    ...['--repeats', '2', '--subsample', '0.8', '--update-every', '9000'],
  ],
} as const;

/** What is beside a checkpoint: locks, sockets, temporary files. */
const leftOf = (resume: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith(`.${basename(resume)}.`));

/** The result, without what a run takes. */
function resultOf(stdout: string): unknown {
  const { engine, ...result } = JSON.parse(stdout) as { engine: object };
  expect(engine).toMatchObject({ device: 'cpu' });
  return result;
}

describe.each(Object.entries(COMMANDS))('hindcast %s', (name, command) => {
  it(`killed ${KILLS} times`, LONG, async () => {
    const begin = Date.now();
    const alone = await start([...command, '--device', 'cpu', '--threads', '1', '--format', 'json']).ended;
    expect(alone.stderr).toBe('');
    // How long a run takes depends on the machine, and on what else it does: moments move to where there is work.
    let span = Date.now() - begin;
    const resume = file(`${name}.state`);
    const argv = [
      ...command,
      ...['--device', 'cpu', '--threads', '1', '--format', 'json', '--memory', '54MB'],
      ...['--resume', resume, '--checkpoint-every', '0'],
    ];
    const moments = new WorldDraws(Date.now() % 2 ** 32);
    let kills = 0;
    let found = 0;
    for (let tries = 0; (kills < KILLS || found < 3) && tries < 5 * KILLS; tries++) {
      const { child, ended } = start(argv);
      await sleep((0.1 + moments.draw(tries, 1).first / 2 ** 32) * span);
      // A run that is quicker than this has left nothing to go on from; the next one begins anew.
      const killed = child.kill('SIGKILL');
      if (killed) kills++;
      await ended;
      if (existsSync(resume)) found++;
      else span *= killed ? 1.25 : 0.8;
    }
    const { stdout, stderr, status } = await start(argv).ended;
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(resultOf(stdout)).toEqual(resultOf(alone.stdout));
    expect(existsSync(resume)).toBe(false);
    expect(existsSync(`${resume}.tmp`)).toBe(false);
    expect(found, 'kills that left a checkpoint').toBeGreaterThan(2);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s saves the run, says how to go on, and ends with %i', LONG, async (signal, status) => {
    const resume = file(`${name} ${signal}.state`);
    const options = ['--device', 'cpu', '--threads', '1', '--format', 'json'];
    const begin = Date.now();
    const alone = await start([...command, ...options]).ended;
    let moment = (Date.now() - begin) / 2;
    // A log whose batches are small, and no checkpoint unless one is asked for.
    const argv = [...command, ...options, '--memory', '54MB', '--resume', resume, '--checkpoint-every', '1e6'];
    let saved = 0;
    // Runs that have not begun, and runs that are quicker than the signal, have nothing to save.
    for (let tries = 0; saved < 2 && tries < 25; tries++) {
      const { child, ended } = start(argv);
      await sleep(moment);
      child.kill(signal);
      const end = await ended;
      moment *= end.status === 0 ? 0.8 : 1.2;
      if (!existsSync(resume)) continue;
      saved++;
      const again = argv.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' ');
      // A run that goes on may be interrupted before it has come further than the one before.
      const older = `interrupted before there was more to save; the state of <when> is in ${resume}`;
      const stderr = end.stderr.replace(/(?<=the state of )[-\d]+ [:\d]+ UTC/, '<when>');
      const left = saved > 1 && stderr.includes(older) ? older : `interrupted; the state of the run is in ${resume}`;
      expect({ ...end, stderr }).toEqual({
        status,
        signal: null,
        stdout: '',
        stderr: [
          `hindcast: ending; the state of the run goes into ${resume}, if there is one yet; once more ends it at once`,
          `hindcast: ${left}`,
          `  to go on: hindcast ${again}`,
          '',
        ].join('\n'),
      });
      expect(leftOf(resume)).toEqual([]);
    }
    expect(saved, 'interrupted runs that left a checkpoint').toBe(2);
    const end = await start(argv).ended;
    expect(end).toMatchObject({ stderr: '', status: 0 });
    expect(resultOf(end.stdout)).toEqual(resultOf(alone.stdout));
    expect(existsSync(resume)).toBe(false);
  });
});

it.skipIf(!existsSync('/dev/full'))('the state stays until the result is written', async () => {
  const resume = file('kept.run');
  const argv = [
    ...['evaluate', file('log.parquet'), '--policies', file('set.json'), '--format', 'json', '--threads', '1'],
    ...['--device', 'cpu', '--memory', '200MB', '--quiet', '--resume', resume, '--checkpoint-every', '0'],
  ];
  const full = await start([...argv, '--out', '/dev/full']).ended;
  expect(full.status).not.toBe(0);
  expect(full.stderr).toContain('/dev/full');
  expect(existsSync(resume)).toBe(true);
  const again = await start(argv).ended;
  expect(again).toMatchObject({ stderr: '', status: 0 });
  expect(existsSync(resume)).toBe(false);
  expect(resultOf(again.stdout)).toEqual(resultOf((await start(argv).ended).stdout));
  expect(leftOf(resume)).toEqual([]);
});

it('a log that has to be read whole and does not fit is told to be converted', async () => {
  writeFileSync(file('constant.json'), '[{ "family": "constant" }]');
  const rows = Array.from({ length: 400_000 }, (_, t) => `${t % 3},${t % 2}`);
  writeFileSync(file('log.csv'), `arm,click\n${rows.join('\n')}\n`);
  const run = start([
    'evaluate',
    file('log.csv'),
    '--policies',
    file('constant.json'),
    '--arm',
    'arm',
    '--payoff',
    'click',
    '--memory',
    '1.1MB',
  ]);
  const { stderr, status } = await run.ended;
  expect(status).toBe(2);
  expect(stderr).toMatch(/does not fit the memory[\s\S]*hindcast convert .*log\.csv PACKED\.parquet/);
});

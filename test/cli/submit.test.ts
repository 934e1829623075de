/** A run in parts on Slurm, without Slurm: the scripts as the shell runs them, and what is said with others in place of Slurm's commands. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '#dist/cli/run.js';
import { streamLog } from '../run/stream-log.js';
import { captured, hindcast } from './in-process.js';
import { pack, resultOf, well } from './parts.js';

// Names that a shell or Slurm might take apart.
const folder = join(mkdtempSync(join(tmpdir(), 'h-submit-')), `it's "a" $HOME`);
const start = process.cwd();
const RUN = ['evaluate', 'log.parquet', '--policies', 'set.json', '--draws', '1000', '--device', 'cpu'];
const SUBMIT = ['submit', 'slurm', '--parts', '3', '--run', 'run 1'];
const env = { PATH: `${folder}/bin:${process.env.PATH}`, HERE: folder };

function program(name: string, text: string): void {
  writeFileSync(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >> "$HERE/calls"\n${text}\n`);
  chmodSync(`bin/${name}`, 0o755);
}

beforeAll(async () => {
  mkdirSync(folder);
  process.chdir(folder);
  mkdirSync('bin');
  await pack(streamLog({ events: 300 }), 'log.parquet');
  writeFileSync('set.json', '[{ "family": "constant" }, { "family": "uniform", "replicas": 2 }]');
  writeFileSync('bad.json', '[{ "family": "none" }]');
  await well([...RUN, '--out', 'whole.json']);
});
beforeEach(() => {
  for (const path of ['run 1', 'calls', 'queue', 'result.json']) rmSync(path, { recursive: true, force: true });
  program('sbatch', 'if [ -f "$HERE/refuse" ]; then cat "$HERE/refuse" >&2; exit 1; fi\nwc -l < "$HERE/calls"');
  program('squeue', 'if [ -f "$HERE/queue" ]; then cat "$HERE/queue"; fi');
  program('scancel', '');
  program('scontrol', '');
  program('sleep', '');
  rmSync('refuse', { force: true });
});
afterAll(() => {
  process.chdir(start);
  rmSync(join(folder, '..'), { recursive: true });
});

const calls = (): string[] => readFileSync('calls', 'utf8').trimEnd().split('\n');
const submitted = async (argv: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = await hindcast(argv, { env });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
};

/** What Slurm does with a script: runs it in its folder, and keeps what it prints. @returns its exit status. */
function runScript(name: string, part: number | null, text = readFileSync(`run 1/${name}`, 'utf8')): number | null {
  const task = part === null ? {} : { SLURM_ARRAY_TASK_ID: String(part), SLURM_ARRAY_JOB_ID: '9' };
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-s'], {
    ...{ input: text, encoding: 'utf8' },
    env: { ...process.env, ...env, SLURM_JOB_ID: '10', SLURMD_NODENAME: 'n1', SLURM_CPUS_PER_TASK: '1', ...task },
  });
  writeFileSync(`run 1/logs/${part === null ? 'merge' : `part-${part}`}.log`, stdout + stderr);
  return status;
}

describe('submit slurm', () => {
  it('--dry-run prints the scripts, which a shell takes, and does nothing else', async () => {
    const more = ['--partition', 'big', '--gpus-per-task', '2', '--sbatch-option', 'time=2:00:00', '--dry-run'];
    const text = await submitted([...SUBMIT, ...more, '--sbatch-option=--mem=8G', '--', ...RUN, '--threads', '2']);
    expect(text).toMatch(/^# sbatch --parsable '.*run 1\/part.sh'\n#!\/bin\/sh\n#SBATCH --job-name=hindcast-\w{8}\n/);
    for (const line of ['array=1-3', 'partition=big', 'cpus-per-task=2', 'time=2:00:00', 'mem=8G', 'requeue'])
      expect(text).toContain(`\n#SBATCH --${line}\n`);
    expect(text.match(/gpus-per-task=2/g)?.length, 'no GPUs for the merge').toBe(1);
    expect(text).toMatch(/# sbatch --parsable --dependency=afterok:JOB --kill-on-invalid-dep=yes '.*merge.sh'\n/);
    const asked = async (...option: string[]): Promise<string[] | null> =>
      (await submitted([...SUBMIT, '--dry-run', ...option, '--', ...RUN])).match(/cpus-per-task=\d+/g);
    expect(await asked()).toEqual(['cpus-per-task=1', 'cpus-per-task=1']);
    expect(await asked('--sbatch-option', 'cpus-per-task=8')).toEqual(['cpus-per-task=8', 'cpus-per-task=8']);
    expect(spawnSync('/bin/sh', ['-n'], { input: text }).status).toBe(0);
    expect([existsSync('run 1'), existsSync('calls')]).toEqual([false, false]);
  });

  it('submits an array and a merge behind it, whose scripts make the result of the run', async () => {
    const argv = ['submit', 'slurm', '--', ...RUN, '--parts', '3', '--run=run 1', '--out', 'result.json'];
    const said = await submitted(argv);
    expect(said).toMatch(/^job 1 computes 3 parts, job 2 merges all 3 into .*result.json\n {2}hindcast jobs '/);
    expect(calls()).toEqual([
      `sbatch --parsable ${folder}/run 1/part.sh`,
      `sbatch --parsable --dependency=afterok:1 --kill-on-invalid-dep=yes ${folder}/run 1/merge.sh`,
    ]);
    expect(JSON.parse(readFileSync('run 1/run.json', 'utf8'))).toMatchObject({
      ...{ version: 1, scheduler: 'slurm', parts: 3, directory: folder, result: join(folder, 'result.json') },
      command: [...RUN, '--out', 'result.json'],
    });
    for (const part of [1, 2, 3]) expect(runScript('part.sh', part)).toBe(0);
    expect(readFileSync('run 1/logs/part-2.log', 'utf8')).toMatch(
      /^part 2 of 3 begins on n1 at \S+Z\nhindcast: part 2\/3 is in .*: 8 policies on 100 events\n$/,
    );
    expect(runScript('merge.sh', null)).toBe(0);
    expect(await resultOf('result.json')).toEqual(await resultOf('whole.json'));
    expect(await submitted(['jobs', 'run 1'])).toMatch(/parts {3}3 done, of 3\nmerge {3}done: .*result.json\n$/);

    rmSync('run 1/parts/part-2.parquet');
    expect(await submitted(argv)).toMatch(
      /job \d computes 1 part, .* merges all 3 into .*; 2 parts of 3 are there already/,
    );
    expect(readFileSync('run 1/part.sh', 'utf8')).toContain('\n#SBATCH --array=2\n');
    expect(await submitted(['jobs', 'run 1'])).toMatch(/2 done, 1 failed, of 3\nmerge {3}not in the queue/);
    expect(runScript('part.sh', 2)).toBe(0);
    expect(await submitted(argv)).toMatch(/^job \d merges all 3 into .*; 3 parts of 3 are there already/);
    expect(calls().at(-1)).toBe(`sbatch --parsable ${folder}/run 1/merge.sh`);
  });

  it('makes a result beside the parts where no other place is named, of the format that is asked for', async () => {
    const text = await submitted([...SUBMIT, '--dry-run', '--', ...RUN, '--format', 'html', '--pictures', 'p p']);
    expect(text).toMatch(
      /merge "\$run"\/parts\/part-\*\.parquet \\\n {2}--device cpu --format html --pictures 'p p' .*/,
    );
    expect(text).toMatch(/--out '.*run 1\/result.html'\n/);
    const named = await submitted(['submit', 'slurm', '--parts', '2', '--dry-run', '--', ...RUN]);
    expect(named).toMatch(/run='.*\/hindcast-evaluate-[0-9a-f]{8}'\n/);
  });

  it.each([
    [['--', ...RUN], /option --parts N is required/],
    [['--parts', '0', '--', ...RUN], /--parts is not valid/],
    [['--parts', '200000', '--', ...RUN], /no such part/],
    [['--parts', '3', '--', 'inspect', 'log.parquet'], /got: {4}inspect\n {2}needed: evaluate or replay/],
    [['--parts', '3', '--', ...RUN, '--part', '1/3'], /option --part does not go together with submit/],
    [['--parts', '3', '--', ...RUN, '--resume', 'x'], /option --resume does not go together with submit/],
    [['--parts', '3', '--', ...RUN, '--polices', 'x'], /unknown option '--polices' \(Did you mean --policies\?\)/],
    [['--parts', '3', '--', ...RUN, '--parts', '4'], /--parts is given before -- and behind it/],
    [['--parts', '3', '--', 'evaluate', 'none.parquet', '--policies', 'set.json'], /none.parquet: no such file/],
    [['--parts', '3', '--', 'evaluate', 'log.parquet', '--policies', 'none.json'], /none.json: no such file/],
    [['--parts', '3', '--', 'evaluate', 'log.parquet', '--policies', 'bad.json'], /bad.json, \[0\].family/],
    [['--parts', '3', '--', 'replay', 'log.parquet', '--learners', 'bad.json'], /bad.json, \[0\].algorithm: missing/],
    [['--parts', '3', '--', 'evaluate', 'log.parquet'], /--policies SET.json is required/],
    [['--parts', '3', '--', 'replay', 'log.parquet'], /--learners FILE.json is required/],
    [['--parts', '3', '--', 'evaluate', '-', '--policies', 'set.json'], /standard input/],
    [['--parts', '3', '--', ...RUN, '--out', 'none/r.json'], /none\/r.json: the output cannot be written/],
    [['--parts', '3', '--', ...RUN, '--out', 'log.parquet'], /also an input/],
    [['--parts', '3', '--', ...RUN, '--out', 'r.json', '--format', 'csv'], /--out says json and --format says csv/],
    [['--parts', '3', '--sbatch-option', 'array=1-9', '--', ...RUN], /--sbatch-option is not valid/],
    [['--parts', '3', '--sbatch-option', 'time=1\nrm', '--', ...RUN], /--sbatch-option is not valid/],
    [['--parts', '3', '--run', 'bin', '--', ...RUN], /bin: there is something else in the place of the run/],
    [['--parts', '3', '--run', '50%', '--', ...RUN], /takes a % in the name/],
    [['--parts', '3', '--run', 'none/run', '--', ...RUN], /there is no folder .*none/],
  ])('%j is refused, and nothing is submitted', async (argv, message) => {
    const { status, stdout, stderr } = await hindcast(['submit', 'slurm', ...argv], { env });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(existsSync('calls')).toBe(false);
  });

  it('says what Slurm refused, and leaves nothing', async () => {
    const refused = async (path: string): Promise<string> => {
      const { status, stdout, stderr } = await hindcast([...SUBMIT, '--', ...RUN], { env: { ...env, PATH: path } });
      expect([status, stdout, existsSync('run 1')]).toEqual([2, '', false]);
      return stderr;
    };
    writeFileSync('refuse', 'sbatch: error: invalid partition specified: big\n');
    expect(await refused(env.PATH)).toMatch(/sbatch refused the job[\s\S]*got: {4}sbatch: error: invalid partition/);
    writeFileSync('refuse', 'sbatch: error: Invalid job array specification\n');
    expect(await refused(env.PATH)).toMatch(/fewer --parts: .*MaxArraySize/);
    expect(await refused(`${folder}/none`)).toMatch(/Slurm is not to be found[\s\S]*no sbatch in PATH/);
    // The array is taken, the merge is not.
    rmSync('refuse');
    rmSync('calls');
    program('sbatch', 'case "$*" in *merge.sh) exit 1;; esac\necho 77');
    expect(await refused(env.PATH)).toMatch(/sbatch refused the job/);
    expect(calls().at(-1)).toBe('scancel 77');
  });

  it('refuses another run in the place of one, and one whose jobs are in the queue', async () => {
    await submitted([...SUBMIT, '--', ...RUN]);
    const refused = async (argv: readonly string[]): Promise<string> => {
      const { status, stderr } = await hindcast(argv, { env });
      expect(status).toBe(2);
      return stderr;
    };
    expect(await refused([...SUBMIT, '--', ...RUN, '--confidence', '0.9'])).toMatch(
      /run 1: there is another run in its place[\s\S]*needed: .*--confidence 0.9, 3 parts/,
    );
    writeFileSync('queue', '1_1|hindcast-x|RUNNING|1|None\n');
    expect(await refused([...SUBMIT, '--', ...RUN])).toMatch(/is submitted already[\s\S]*1 job in the queue/);
  });
});

describe('the scripts', () => {
  it('a part that the merge does not see is an error that names it', async () => {
    await submitted([...SUBMIT, '--', ...RUN]);
    for (const part of [1, 3]) writeFileSync(`run 1/parts/part-${part}.parquet`, '');
    expect(runScript('merge.sh', null)).toBe(2);
    const said = readFileSync('run 1/logs/merge.log', 'utf8');
    expect(said).toMatch(
      /^hindcast: n1, .* does not see .*run 1\/parts\/part-2.parquet\n {2}needed: a file system that/,
    );
    expect(said).not.toMatch(/part-[13]/);
    expect(existsSync('run 1/result.json')).toBe(false);
  });

  it('a folder that a node does not see is an error that names it', async () => {
    await submitted([...SUBMIT, '--', ...RUN]);
    const text = readFileSync('run 1/part.sh', 'utf8');
    rmSync('run 1/run.json');
    expect(runScript('part.sh', 1, text)).toBe(2);
    expect(readFileSync('run 1/logs/part-1.log', 'utf8')).toMatch(/^hindcast: n1 does not see .*run 1\/run.json\n/);
  });

  it('give a killed task back to Slurm, a few times, and no task that failed by itself', async () => {
    await submitted([...SUBMIT, '--', ...RUN]);
    const instead = (command: string): string =>
      readFileSync('run 1/part.sh', 'utf8').replace(/^\S*node.*\\\n.*\\\n.*/m, () => command);
    rmSync('calls');
    expect(runScript('part.sh', 2, instead("sh -c 'kill -9 $$'"))).toBe(137);
    expect(calls()).toEqual(['scontrol requeue 9_2', 'sleep 60']);
    expect(runScript('part.sh', 2, `SLURM_RESTART_COUNT=3\n${instead("sh -c 'kill -9 $$'")}`)).toBe(137);
    expect(runScript('part.sh', 2, instead("sh -c 'exit 2'"))).toBe(2);
    // Who ends the job tells the shell too.
    expect(runScript('part.sh', 2, instead("sh -c 'kill -TERM $PPID; kill -TERM $$'"))).toBe(143);
    expect(calls().length).toBe(2);
  });
});

describe('jobs and cancel', () => {
  const queue = (lines: readonly string[]): void => {
    const { id } = JSON.parse(readFileSync('run 1/run.json', 'utf8'));
    writeFileSync('queue', lines.map((line) => `${line.replace('NAME', `hindcast-${id}`)}\n`).join(''));
  };

  it('tell how far a run is, and why it goes no further', async () => {
    await submitted([...SUBMIT, '--', ...RUN]);
    const now = Math.floor(Date.now() / 1000);
    queue(['1_1|NAME|RUNNING|1|None', '1_2|NAME|PENDING|N/A|Resources', '1_3|NAME|PENDING|N/A|Resources']);
    expect(await submitted(['jobs', 'run 1'])).toMatch(
      /parts {3}0 done, 1 running, 2 waiting, of 3\nwaiting Resources .*\nmerge {3}not .*\nleft {4}not known yet\n/,
    );
    // Part 1 took 100 s; part 2 has run for 40, part 3 waits for its end.
    writeFileSync('run 1/parts/part-1.parquet', '');
    const began = new Date(Date.now() - 100_000).toISOString();
    writeFileSync('run 1/logs/part-1.log', `part 1 of 3 begins on n1 at ${began}\nhindcast: done\n`);
    queue([
      `1_2|NAME|RUNNING|${now - 40}|None`,
      '1_3|NAME|PENDING|N/A|Resources',
      '2|NAME-merge|PENDING|N/A|Dependency',
    ]);
    const text = await submitted(['jobs', 'run 1']);
    expect(text).toMatch(/1 done, 1 running, 1 waiting, of 3\n.*\nmerge {3}waiting for the parts\n/);
    expect(text).toMatch(/left {4}2 min (39|40|41|42) s\n/);
    expect(await submitted(['cancel', 'run 1'])).toBe('cancelled: job 1 and 2; 1 part of 3 is there\n');
    expect(calls().at(-1)).toBe('scancel 1 2');
    rmSync('queue');
    expect(await submitted(['cancel', 'run 1'])).toBe('nothing was in the queue; 1 part of 3 is there\n');
  });

  it('a task that fails is told of with what it printed last; the others are kept', async () => {
    await submitted([...SUBMIT, '--', ...RUN]);
    writeFileSync('run 1/parts/part-1.parquet', '');
    writeFileSync('run 1/logs/part-2.log', 'part 2 of 3 begins\nhindcast: log.parquet: torn\n  got:    half\n');
    writeFileSync('run 1/logs/part-3.log', '');
    const text = await submitted(['jobs', 'run 1']);
    expect(text).toMatch(/1 done, 2 failed, of 3\n/);
    expect(text).toMatch(
      / {2}part 2: hindcast: log.parquet: torn\n {4}got: {4}half\n {2}part 3: nothing is to be seen in .*logs\n/,
    );
    const { status, stdout, stderr } = await hindcast(['jobs', 'run 1', '--wait'], { env });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /the jobs have ended, and there is no result: 1 done, 2 failed, of 3[\s\S]*part 2: hindcast: log/,
    );
    expect(existsSync('run 1/parts/part-1.parquet')).toBe(true);
  });

  it('--wait ends with the result; Ctrl-C leaves the jobs running, and says so', async () => {
    await submitted([...SUBMIT, '--', ...RUN]);
    queue(['1_1|NAME|RUNNING|1|None']);
    const signal = AbortSignal.timeout(300);
    const { status, stderr } = await hindcast(['jobs', 'run 1', '--wait'], { env, signal });
    expect(status).toBe(130);
    expect(stderr).toMatch(
      /^hindcast: the jobs run on; hindcast cancel '.* ends them\n {2}to go on: hindcast jobs '.*--wait\n$/,
    );
    expect(calls().some((call) => call.startsWith('scancel'))).toBe(false);
    rmSync('queue');
    writeFileSync('run 1/merged', '');
    expect(await submitted(['jobs', 'run 1', '--wait'])).toMatch(/^the result of 3 parts is in .*result.json\n$/);
  });

  it('--wait shows on a terminal how many parts are done', async () => {
    await submitted([...SUBMIT, '--', ...RUN]);
    queue(['1_1|NAME|RUNNING|1|None']);
    writeFileSync('run 1/parts/part-1.parquet', '');
    const io = captured({ env, tty: true, signal: AbortSignal.timeout(3500) });
    expect(await run(['jobs', 'run 1', '--wait'], io)).toBe(130);
    expect(io.stderr.text).toMatch(/computing █+░+ {2}33 %/);
  });

  it.each(['jobs', 'cancel'])('%s wants a run that was submitted', async (command) => {
    const { status, stderr } = await hindcast([command, 'bin'], { env });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/bin: there is no run that was submitted/)]);
    mkdirSync('run 1');
    writeFileSync('run 1/run.json', '{ "version": 9 }');
    expect((await hindcast([command, 'run 1'], { env })).stderr).toMatch(/run.json: the file does not tell of a run/);
  });
});

describe('docs/guide/cluster.md', () => {
  it('its ten lines run, and the results are one', async () => {
    const guide = readFileSync(new URL('../../docs/guide/cluster.md', import.meta.url), 'utf8');
    const lines =
      /```sh\n([\s\S]*?)```/
        .exec(guide)?.[1]
        .split('\n')
        .filter((line) => line.startsWith('hindcast ')) ?? [];
    expect(lines.length).toBe(8);
    const rows = Array.from({ length: 200 }, (_, t) => `${'ab'[(t * 7) % 2]},${t % 3 === 0 ? 1 : 0},${t % 5}`);
    mkdirSync('guide');
    process.chdir('guide');
    try {
      writeFileSync('logs-2026.csv', `${['arm,click,x', ...rows].join('\n')}\n`);
      writeFileSync('mapping.json', '{ "arm": "arm", "payoff": "click", "context": { "onehot": ["x"] } }');
      writeFileSync('set.json', '[{ "family": "constant" }]');
      for (const line of lines) {
        const words = line
          .replace(/\s+#.*$/, '')
          .trim()
          .split(/\s+/)
          .slice(1);
        if (words[0] === 'jobs') writeFileSync('year/merged', '');
        const { status, stderr } = await hindcast(words, { env });
        expect([line, status, status === 0 ? '' : stderr]).toEqual([line, 0, '']);
        if (words[0] === 'evaluate' && words.includes('result.json')) renameSync('result.json', 'whole.json');
      }
      expect(await resultOf('result.json')).toEqual(await resultOf('whole.json'));
    } finally {
      process.chdir(folder);
    }
  });
});

/** `hindcast submit`: a run in, its parts and their merge in the queue of a cluster out. */

import { createHash } from 'node:crypto';
import { mkdir, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from 'commander';
import { RunFolder, type SubmittedRun } from '../../cluster/run-folder.js';
import { shellWords } from '../../cluster/shell.js';
import { cancel, queued, sbatchOptions, submit } from '../../cluster/slurm.js';
import { mergeScript, type SlurmRun, taskScript } from '../../cluster/slurm-script.js';
import { InputError } from '../../errors.js';
import { toPrettyJson } from '../../report/json.js';
import { checkPart } from '../../run/parts/plan.js';
import { VERSION } from '../../version.js';
import { plural } from '../../words.js';
import { followRun } from '../follow-run.js';
import { type Io, writeAll } from '../io.js';
import { refuse } from '../output.js';
import { commandLine } from '../resumable.js';
import { type PartedCommand, type PartedCommands, partedCommand } from '../submitted-command.js';
import { required, texts, wholeNumber } from '../values.js';
import { evaluateCommand } from './evaluate.js';
import { replayCommand } from './replay.js';

interface Options {
  parts?: number;
  run?: string;
  partition?: string;
  gpusPerTask?: number;
  sbatchOption?: string[];
  wait?: boolean;
  dryRun?: boolean;
}

const PARTED: PartedCommands = { evaluate: evaluateCommand, replay: replayCommand };

/** Options of sbatch that the scripts give themselves. */
const OURS = /^(job-name|array|output|error|chdir|open-mode|requeue|no-requeue|ntasks|dependency|wrap|parsable)(=|$)/;

/** The command, ready to be parsed. */
export function submitCommand(io: Io): Command {
  const command = new Command('submit')
    .summary('run evaluate or replay in parts on a cluster')
    .description(
      'Submits an array of jobs to Slurm, each of which computes a part of a run, and a job behind them that merges the parts into the result of the run. Submitted again, it computes the parts that are missing. Log, policies and the folder of the run are on a file system that all nodes share.',
    )
    .addArgument(new Argument('<scheduler>', 'what has the queue').choices(['slurm']))
    .argument('<command...>', 'after --: evaluate or replay, as on one machine; options of submit may stand there too')
    .option('--parts <N>', 'how many parts (required)', wholeNumber('--parts', 1))
    .option('--run <folder>', 'where run.json, scripts, parts and logs go (default: named after the command)')
    .option('--dry-run', 'print the scripts, and submit nothing')
    .option('--wait', 'follow the jobs until the result is there')
    .optionsGroup('What tasks need:')
    .option('--partition <name>', 'partition of Slurm (default: its own)')
    .option('--gpus-per-task <N>', 'GPUs of each task', wholeNumber('--gpus-per-task', 1))
    .option('--sbatch-option <name=value>', 'any other option of sbatch, such as time=2:00:00; repeatable', texts());
  return command.action((_: string, words: string[], options: Options) => submitAction(words, options, command, io));
}

async function submitAction(words: string[], before: Options, command: Command, io: Io): Promise<void> {
  const parted = await partedCommand(words, { submit: command, commands: PARTED, io });
  const options = together(before, parted.submit);
  const slurm = await planned(parted, options);
  const { run, folder, missing } = slurm;
  if (options.dryRun === true) return writeAll(io.stdout, dryText(slurm));
  const first = (await folder.find()) === null;
  if (!first) await requireIdle(slurm, io);
  await refuse(folder.path, () => mkdir(folder.path, { recursive: !first }));
  const jobs = await writeFolder(slurm, first)
    .then(() => submitJobs(slurm, io))
    .catch(async (error: unknown) => {
      if (first) await rm(folder.path, { recursive: true, force: true });
      throw error;
    });
  const there = run.parts - missing.length;
  const kept =
    there === 0 ? '' : `; ${plural(there, 'part')} of ${run.parts} ${there === 1 ? 'is' : 'are'} there already`;
  const array = jobs.array === null ? '' : `job ${jobs.array} computes ${plural(missing.length, 'part')}, `;
  await writeAll(
    io.stdout,
    [
      `${array}job ${jobs.merge} merges all ${run.parts} into ${run.result}${kept}`,
      `  ${commandLine(['jobs', folder.path])}   (--wait follows them)`,
      `  ${commandLine(['cancel', folder.path])}`,
      '',
    ].join('\n'),
  );
  if (options.wait === true) await followRun(folder, io, false);
}

/** Options before the -- and behind it. */
function together(before: Options, behind: object): Options {
  const sbatchOption = [...(before.sbatchOption ?? []), ...((behind as Options).sbatchOption ?? [])];
  const twice = Object.keys(behind).find((name) => name !== 'sbatchOption' && name in before);
  if (twice !== undefined) throw new InputError({ problem: `option ${twice} is given before -- and behind it` });
  return { ...before, ...behind, sbatchOption };
}

/** What is to be submitted. @throws InputError where the folder has another run. */
async function planned(parted: PartedCommand, options: Options): Promise<SlurmRun> {
  const parts = required(
    options.parts,
    '--parts N',
    'hindcast submit slurm -- evaluate LOG --policies SET.json --parts 64',
  );
  checkPart({ number: 1, of: parts });
  const directory = process.cwd();
  const sign = (...what: unknown[]): string =>
    createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 8);
  const named = options.run ?? `hindcast-${parted.words[0]}-${sign(parted.words, parts)}`;
  const folder = new RunFolder(resolve(named));
  refuseNames([folder.path, directory]);
  const run: SubmittedRun = {
    ...{ version: 1, hindcast: VERSION, scheduler: 'slurm', id: sign(folder.path, parted.words, parts) },
    ...{ directory, command: [...parted.words], parts, result: parted.result(folder.path) },
  };
  const before = await folder.find();
  if (before !== null) requireSame(before, run, named);
  else if ((await stat(folder.path).catch(() => null)) !== null)
    throw new InputError({
      file: named,
      problem: 'there is something else in the place of the run',
      got: 'no run.json in it',
      needed: 'a folder that is not there yet, or that of this run',
      hint: 'another --run',
    });
  const done = await folder.done();
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  return {
    ...{ run, folder, program: [process.execPath, main], task: parted.task, merge: parted.merge },
    missing: Array.from({ length: parts }, (_, i) => i + 1).filter((part) => !done.has(part)),
    options: {
      ...{ partition: options.partition, gpusPerTask: options.gpusPerTask, threads: parted.threads },
      sbatch: (options.sbatchOption ?? []).map(sbatchOption),
    },
  };
}

/** Slurm reads names of files in its own way. */
function refuseNames(paths: readonly string[]): void {
  const odd = paths.find((path) => /[%\n\r]/.test(path));
  if (odd === undefined) return;
  throw new InputError({
    file: odd,
    problem: 'Slurm takes a % in the name of a folder for something else, and ends an option at the end of a line',
    needed: 'a folder without them in its path',
    hint: 'another --run',
  });
}

function sbatchOption(text: string): string {
  const option = text.replace(/^-+/, '');
  const valid = /^[a-z][a-z-]*(=[^\n\r]*)?$/.test(option) && !OURS.test(option);
  if (valid) return option;
  throw new InputError({
    problem: 'option --sbatch-option is not valid',
    got: text,
    needed: 'NAME=VALUE of an option of sbatch by its long name, which is not one that the scripts give themselves',
    hint: '--sbatch-option time=2:00:00 --sbatch-option mem=8G',
  });
}

/** @throws InputError where the folder has another run. */
function requireSame(before: SubmittedRun, run: SubmittedRun, named: string): void {
  const told = ({ directory, command, parts, result }: SubmittedRun): string =>
    `${commandLine(command)}, ${plural(parts, 'part')}, in ${directory}, into ${result}`;
  if (told(before) === told(run)) return;
  throw new InputError({
    file: named,
    problem: 'there is another run in its place',
    got: told(before),
    needed: told(run),
    hint: 'another --run; or delete the folder if nobody needs its parts',
  });
}

/** @throws InputError where jobs of the run are in the queue. */
async function requireIdle({ run, folder }: SlurmRun, io: Io): Promise<void> {
  const jobs = await queued(run.id, io.env);
  if (jobs.length === 0) return;
  throw new InputError({
    file: folder.path,
    problem: 'the run is submitted already',
    got: `${plural(jobs.length, 'job')} in the queue`,
    needed: 'a run without jobs',
    hint: `${commandLine(['jobs', folder.path])}, or ${commandLine(['cancel', folder.path])}`,
  });
}

async function writeFolder(slurm: SlurmRun, first: boolean): Promise<void> {
  const { run, folder } = slurm;
  await refuse(folder.path, async () => {
    for (const path of [folder.parts, folder.logs]) await mkdir(path, { recursive: true });
    await writeFile(folder.taskScript, taskScript(slurm));
    await writeFile(folder.mergeScript, mergeScript(slurm));
    if (first) await writeFile(folder.file, toPrettyJson(run), { flag: 'wx' });
    await unlink(folder.merged).catch(() => undefined);
  });
}

/** @returns the numbers of the jobs; `array` is `null` where all parts are there. */
async function submitJobs({ folder, missing }: SlurmRun, io: Io): Promise<{ array: string | null; merge: string }> {
  const array = missing.length === 0 ? null : await submit(folder.taskScript, null, io.env);
  try {
    return { array, merge: await submit(folder.mergeScript, array, io.env) };
  } catch (error) {
    if (array !== null) await cancel([{ job: array, part: 0, running: false, began: null, reason: '' }], io.env);
    throw error;
  }
}

function dryText(slurm: SlurmRun): string {
  const { folder, missing } = slurm;
  const line = (script: string, after: string | null): string =>
    `# ${shellWords(['sbatch', ...sbatchOptions(after), script])}\n`;
  const array = missing.length === 0 ? '' : `${line(folder.taskScript, null)}${taskScript(slurm)}\n`;
  return `${array}${line(folder.mergeScript, missing.length === 0 ? null : 'JOB')}${mergeScript(slurm)}`;
}

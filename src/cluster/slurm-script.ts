/** The two scripts of a run on Slurm: of the array, whose tasks compute a part each, and of the merge behind it. */

import type { RunFolder, SubmittedRun } from './run-folder.js';
import { shellWord, shellWords } from './shell.js';

/** What the scripts are made of. */
export interface SlurmRun {
  readonly run: SubmittedRun;
  readonly folder: RunFolder;
  /** Words that start hindcast. */
  readonly program: readonly string[];
  /** The command of a task, but for what differs between tasks. */
  readonly task: readonly string[];
  /** Options of the merge, but for where it writes. */
  readonly merge: readonly string[];
  /** Parts that are to be computed, ascending. */
  readonly missing: readonly number[];
  readonly options: SlurmOptions;
}

export interface SlurmOptions {
  readonly partition?: string;
  readonly gpusPerTask?: number;
  /** Threads of a task. */
  readonly threads?: number;
  /** Of sbatch, without dashes: `time=2:00:00`. */
  readonly sbatch?: readonly string[];
}

/** Times that a killed task is given back to Slurm before it counts as failed. */
const MOST_REQUEUES = 3;
/** Seconds that the merge waits for parts whose tasks have ended well: as long as NFS may keep what it knew of a folder. */
const PATIENCE_S = 60;

export function jobName(id: string): string {
  return `hindcast-${id}`;
}

export function mergeName(id: string): string {
  return `${jobName(id)}-merge`;
}

/** `1-3,7` */
export function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join();
}

/** The script of the array. */
export function taskScript(slurm: SlurmRun): string {
  const { run, folder, program, task, missing, options } = slurm;
  const gpus = options.gpusPerTask === undefined ? [] : [`gpus-per-task=${options.gpusPerTask}`];
  const own = [
    `job-name=${jobName(run.id)}`,
    `array=${ranges(missing)}`,
    `output=${quoted(folder.log('%a'))}`,
    ...gpus,
  ];
  return `${head(slurm, own)}
# Part by part of: ${commandIn(run)}
part=\${SLURM_ARRAY_TASK_ID:?}
${beginning(folder)}
echo "part $part of ${run.parts} begins on $node at $(date -u +%Y-%m-%dT%H:%M:%SZ)"
${shellWords([...program, ...task])} \\
  --part "$part/${run.parts}" --threads "$SLURM_CPUS_PER_TASK" \\
  --counts "$run/counts" --resume "$run/parts/part-$part.state" --out "$run/parts/part-$part.parquet"
status=$?

${ending(`\${SLURM_ARRAY_JOB_ID}_$part`)}`;
}

/** The script of the merge. */
export function mergeScript(slurm: SlurmRun): string {
  const { run, folder, program, merge } = slurm;
  return `${head(slurm, [`job-name=${mergeName(run.id)}`, `output=${quoted(folder.log(null))}`])}
# One result of the ${run.parts} parts of: ${commandIn(run)}
${beginning(folder)}
# A shared file system may show a file a while after it was written.
waited=0 missing=
part=1
while [ "$part" -le ${run.parts} ]; do
  file=$run/parts/part-$part.parquet
  while [ ! -f "$file" ] && [ "$waited" -lt ${PATIENCE_S} ]; do sleep 5; waited=$((waited + 5)); done
  [ -f "$file" ] || missing="$missing $file"
  part=$((part + 1))
done
if [ -n "$missing" ]; then
  echo "hindcast: $node, which puts the parts together, does not see$missing
  needed: a file system that all nodes share, and all parts on it
  try:    hindcast submit again, which computes what is missing; or another --run" >&2
  exit 2
fi

${shellWords([...program, 'merge'])} "$run"/parts/part-*.parquet \\
  ${shellWords(merge)} --threads "$SLURM_CPUS_PER_TASK" \\
  --counts "$run/counts" --out ${shellWord(run.result)}
status=$?
[ "$status" -ne 0 ] || : > "$run/merged"

${ending('$SLURM_JOB_ID')}`;
}

/** What both scripts ask of Slurm. */
function head({ run, options }: SlurmRun, own: readonly string[]): string {
  const { partition, sbatch = [] } = options;
  const said = sbatch.some((option) => option.startsWith('cpus-per-task='));
  const { threads = said ? undefined : 1 } = options;
  const asked = [
    ...own,
    `chdir=${quoted(run.directory)}`,
    ...['open-mode=append', 'requeue', 'ntasks=1'],
    ...(threads === undefined ? [] : [`cpus-per-task=${threads}`]),
    ...(partition === undefined ? [] : [`partition=${quoted(partition)}`]),
    ...sbatch,
  ];
  return `#!/bin/sh\n${asked.map((option) => `#SBATCH --${option}\n`).join('')}`;
}

/** The command of a run in a line of comment. */
function commandIn({ command }: SubmittedRun): string {
  return shellWords(['hindcast', ...command]).replaceAll(/[\n\r]/g, ' ');
}

function beginning(folder: RunFolder): string {
  return `node=\${SLURMD_NODENAME:-$(hostname)}
run=${shellWord(folder.path)}
if [ ! -f "$run/run.json" ]; then
  echo "hindcast: $node does not see $run/run.json
  needed: a run in a folder that all nodes share
  try:    another --run" >&2
  exit 2
fi
# Who ends the job wants it to end; hindcast is told too, and keeps its state.
ended= ; trap 'ended=yes' TERM
`;
}

/** @param job as scontrol calls it, in a shell's double quotes. */
function ending(job: string): string {
  return `# Killed otherwise (128 + the signal): Slurm starts it again, and it goes on from its state.
if [ "$status" -gt 128 ] && [ -z "$ended" ] && [ "\${SLURM_RESTART_COUNT:-0}" -lt ${MOST_REQUEUES} ]; then
  echo "hindcast: killed by signal $((status - 128)); Slurm is asked to start it again" >&2
  scontrol requeue "${job}" && sleep 60
fi
exit "$status"
`;
}

/** The value of an option in a line of `#SBATCH`. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

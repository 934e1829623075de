/** Slurm's own commands: what is submitted, what is in its queue, what is taken out of it. */

import { execFile } from 'node:child_process';
import { EngineError, InputError } from '../errors.js';
import { jobName, mergeName } from './slurm-script.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A task of a run, or its merge, as long as Slurm has it. */
export interface QueuedJob {
  /** As scancel calls it. */
  readonly job: string;
  /** `null`: the merge. */
  readonly part: number | null;
  readonly running: boolean;
  /** When it began, in milliseconds; `null`: it has not. */
  readonly began: number | null;
  /** Why it waits, in Slurm's words; '' where it does not. */
  readonly reason: string;
}

/** Longest answer of squeue: 100,000 tasks. */
const MOST_BYTES = 1 << 26;

interface Said {
  readonly stdout: string;
  /** `null`: it ended well. */
  readonly failed: string | null;
}

async function slurm(program: string, argv: readonly string[], env: Environment): Promise<Said> {
  return new Promise((resolve, reject) => {
    const asked = { env: { ...env, SLURM_TIME_FORMAT: '%s' }, maxBuffer: MOST_BYTES };
    execFile(program, argv, asked, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') reject(noSlurm(program));
      else if (error === null) resolve({ stdout, failed: null });
      else resolve({ stdout, failed: stderr.trim() || error.message });
    });
  });
}

function noSlurm(program: string): InputError {
  return new InputError({
    problem: 'Slurm is not to be found on this machine',
    got: `no ${program} in PATH`,
    needed: 'a machine from which jobs are submitted to Slurm',
    hint: 'hindcast submit slurm … --dry-run prints the scripts; without Slurm: --part and hindcast merge',
  });
}

/**
 * Submits a script.
 *
 * @param after job whose tasks must all end well before; `null`: none.
 * @returns the number of the job.
 * @throws InputError where Slurm refuses it.
 */
export async function submit(script: string, after: string | null, env: Environment): Promise<string> {
  const { stdout, failed } = await slurm('sbatch', [...sbatchOptions(after), script], env);
  // `NUMBER`, or `NUMBER;CLUSTER`
  const [, job] = /^(\d+)(;|$)/m.exec(stdout) ?? [];
  if (failed === null && job !== undefined) return job;
  throw new InputError({
    problem: 'sbatch refused the job; nothing was left in the queue',
    got: failed ?? `no number of a job, but: ${stdout.trim()}`,
    needed: 'options that Slurm takes',
    hint: /array/i.test(failed ?? '')
      ? 'fewer --parts: scontrol show config names the most in MaxArraySize'
      : '--partition and --sbatch-option; --dry-run prints what was submitted',
  });
}

/** Options of sbatch that are not in the script. */
export function sbatchOptions(after: string | null): string[] {
  return ['--parsable', ...(after === null ? [] : [`--dependency=afterok:${after}`, '--kill-on-invalid-dep=yes'])];
}

/** Jobs of a run that wait or run. @throws EngineError where Slurm does not answer. */
export async function queued(id: string, env: Environment): Promise<QueuedJob[]> {
  const argv = ['--noheader', '--array', `--name=${jobName(id)},${mergeName(id)}`, '--format=%i|%j|%T|%S|%r'];
  const { stdout, failed } = await slurm('squeue', argv, env);
  if (failed !== null)
    throw new EngineError(`squeue failed, so that nothing is known of the jobs\n  got:    ${failed}`);
  return stdout.split('\n').flatMap((line) => {
    const [job, name, state, start, reason] = line.split('|');
    if (reason === undefined) return [];
    const part = name === mergeName(id) ? null : Number(job.split('_')[1]);
    const running = state !== 'PENDING' && state !== 'REQUEUED' && state !== 'REQUEUE_HOLD';
    const began = running && Number(start) > 0 ? Number(start) * 1000 : null;
    return [{ job, part, running, began, reason: running ? '' : reason }];
  });
}

/** Takes jobs out of the queue. @returns their numbers. @throws EngineError where Slurm does not. */
export async function cancel(jobs: readonly QueuedJob[], env: Environment): Promise<string[]> {
  const numbers = [...new Set(jobs.map(({ job }) => job.split('_')[0]))];
  if (numbers.length === 0) return [];
  const { failed } = await slurm('scancel', numbers, env);
  if (failed !== null) throw new EngineError(`scancel failed; the jobs may run on\n  got:    ${failed}`);
  return numbers;
}

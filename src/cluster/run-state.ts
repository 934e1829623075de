/** How far a run is: from the files in its folder, and from what Slurm has in its queue. */

import type { RunFolder, SubmittedRun } from './run-folder.js';
import type { QueuedJob } from './slurm.js';

export interface RunState {
  /** Parts by number, ascending. */
  readonly done: readonly number[];
  readonly running: readonly number[];
  readonly waiting: readonly number[];
  /** Began, ended, and left no part. */
  readonly failed: readonly number[];
  /** Neither began nor wait. */
  readonly missing: readonly number[];
  readonly merge: 'done' | 'running' | 'waiting' | 'failed' | 'missing';
  /** Why tasks wait, in Slurm's words. */
  readonly reasons: readonly string[];
  /** Seconds until the last part is done; `null`: not known yet. */
  readonly left: number | null;
  /** Jobs that wait or run. */
  readonly queued: number;
}

/** Parts that are done whose times are looked at. */
const SAMPLE = 50;

/** @param queue as it was before this call: what has ended since has left its part. */
export async function stateOf(
  run: SubmittedRun,
  folder: RunFolder,
  queue: readonly QueuedJob[],
  now = Date.now(),
): Promise<RunState> {
  const [there, begun, merged] = await Promise.all([folder.done(), folder.begun(), folder.isMerged()]);
  const jobs = new Map(queue.map((job) => [job.part, job]));
  const lists = {
    done: [] as number[],
    running: [] as number[],
    waiting: [] as number[],
    failed: [] as number[],
    missing: [] as number[],
  };
  for (let part = 1; part <= run.parts; part++) {
    const job = jobs.get(part);
    if (there.has(part)) lists.done.push(part);
    else if (job !== undefined) lists[job.running ? 'running' : 'waiting'].push(part);
    else lists[begun.has(part) ? 'failed' : 'missing'].push(part);
  }
  const waiting = queue.filter(({ part, reason }) => part !== null && reason !== '');
  return {
    ...lists,
    merge: await mergeState(folder, jobs.get(null), merged, lists.done.length === run.parts),
    reasons: [...new Set(waiting.map(({ reason }) => reason))],
    left: timeLeft(queue, lists, await times(folder, lists.done), now),
    queued: queue.length,
  };
}

async function mergeState(
  folder: RunFolder,
  job: QueuedJob | undefined,
  merged: boolean,
  all: boolean,
): Promise<RunState['merge']> {
  if (job !== undefined) return job.running ? 'running' : 'waiting';
  if (merged) return 'done';
  return all && (await folder.lastSaid(null)) !== null ? 'failed' : 'missing';
}

/** Seconds that parts took which are done: of some, evenly among all. */
async function times(folder: RunFolder, done: readonly number[]): Promise<number[]> {
  const step = Math.max(1, Math.floor(done.length / SAMPLE));
  const looked = done.filter((_, i) => i % step === 0);
  return (await Promise.all(looked.map((part) => folder.took(part)))).filter((time) => time !== null);
}

/** As if all that is left took as long as the mean of what is done, as many at a time as there are now. */
function timeLeft(
  queue: readonly QueuedJob[],
  { running, waiting }: Pick<RunState, 'running' | 'waiting'>,
  took: readonly number[],
  now: number,
): number | null {
  if (running.length + waiting.length === 0) return 0;
  if (running.length === 0 || took.length === 0) return null;
  const mean = took.reduce((sum, time) => sum + time, 0) / took.length;
  const began = new Map(queue.map((job) => [job.part, job.began ?? now]));
  const rest = running.map((part) => Math.max(0, mean - (now - (began.get(part) ?? now)) / 1000));
  return Math.max(...rest) + (waiting.length * mean) / running.length;
}

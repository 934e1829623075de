/** Messages between the CPU engine and its worker threads. */

import type { CpuJob } from './cpu-job.js';
import type { TaskGrid } from './cpu-task.js';

/** What the main thread sends for each job. */
export interface JobMessage {
  readonly job: CpuJob;
  readonly grid: TaskGrid;
  /** Shared counters: next task, decisions finished (in units of 1,024), stop flag. */
  readonly counters: Int32Array;
}

/** What comes back when a job's tasks are used up. */
export type JobReply = { readonly done: true } | { readonly error: string };

export const COUNTER = { nextTask: 0, progress: 1, stop: 2, size: 3 } as const;
/** Progress is counted in units that keep 2³¹ of them beyond any run. */
export const PROGRESS_UNIT = 1 << 16;

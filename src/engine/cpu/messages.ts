/** Messages between the CPU engine and its worker threads. */

import type { CpuJob } from './job.js';
import type { TaskGrid } from './task.js';

/** What a worker needs to know of a job. */
export interface Job {
  readonly job: CpuJob;
  readonly grid: TaskGrid;
}

/** What the main thread sends: the job, the counters of `COUNTER`, and whether memory is bounded. */
export type JobMessage = Job & { readonly counters: Int32Array; readonly bounded: boolean };

/** Progress is counted in units that keep 2³¹ of them beyond any run. */
export const PROGRESS_UNIT = 1 << 16;

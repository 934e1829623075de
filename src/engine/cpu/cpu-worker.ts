/** Worker thread of the CPU engine: takes a job, claims tasks from a shared counter until none is left. */

import { parentPort } from 'node:worker_threads';
import { collectGarbage } from '../collect.js';
import { type JobMessage, PROGRESS_UNIT } from './messages.js';
import { TaskRunner, taskDecisions, taskRange } from './task.js';
import { COUNTER, faultOf, type WorkerReply } from './worker-pool.js';

parentPort?.on('message', ({ job, grid, counters, bounded }: JobMessage) => {
  let reply: WorkerReply = { done: true };
  try {
    const runner = new TaskRunner(job, grid);
    for (;;) {
      if (Atomics.load(counters, COUNTER.stop) !== 0) break;
      const task = Atomics.add(counters, COUNTER.nextTask, 1);
      if (task >= grid.count) break;
      const range = taskRange(job, grid, task);
      runner.run(range);
      Atomics.add(counters, COUNTER.progress, Math.max(1, Math.round(taskDecisions(job, range) / PROGRESS_UNIT)));
    }
  } catch (error) {
    Atomics.store(counters, COUNTER.stop, 1);
    reply = faultOf(error);
  }
  parentPort?.postMessage(reply);
  // When nothing refers to the job any more.
  if (bounded) setImmediate(collectGarbage);
});

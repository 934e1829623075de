/** Worker thread of the CPU engine for learners: takes a job, claims replicas from a shared counter until none is left. */

import { parentPort } from 'node:worker_threads';
import type { Draws } from '../../learner/draws.js';
import type { Learner } from '../../learner/learner.js';
import { algorithmNamed } from '../../learner/set/algorithms.js';
import type { EventLog } from '../../log/event-log.js';
import { collectGarbage } from '../collect.js';
import { COUNTER, faultOf, type WorkerReply } from '../cpu/worker-pool.js';
import { Slices } from '../pauses.js';
import {
  endReplica,
  isOver,
  REPLAY_UNIT,
  type ReplayPart,
  type ReplayWorkerJob,
  type ReplayWorkerMessage,
  startReplica,
} from './job.js';

parentPort?.on('message', ({ job, settings, rows, counters, bounded }: ReplayWorkerMessage) => {
  try {
    runReplicas({ job, settings, rows }, counters);
    reply({ done: true });
  } catch (error) {
    Atomics.store(counters, COUNTER.stop, 1);
    reply(faultOf(error));
  }
  // When nothing refers to the job any more.
  if (bounded) setImmediate(collectGarbage);
});

function runReplicas({ job, settings, rows }: ReplayWorkerJob, counters: Int32Array): void {
  const creators = settings.map(creator);
  const [from, to] = job.range;
  let pending = 0;
  for (;;) {
    const task = Atomics.add(counters, COUNTER.nextTask, 1);
    if (task >= rows.length) return;
    const row = rows[task];
    let counted = from;
    const count = (until: number): void => {
      pending += until - counted;
      counted = until;
      Atomics.add(counters, COUNTER.progress, Math.floor(pending / REPLAY_UNIT));
      pending %= REPLAY_UNIT;
    };
    if (job.work === 'play' && isOver(job, row)) {
      count(to);
      continue;
    }
    const run = startReplica(job, row, creators[job.replicas[row].setting]);
    const slices = new Slices();
    if (job.work === 'learn') run.learnWaiting();
    while (job.work === 'play' && !run.done && run.event < to) {
      if (Atomics.load(counters, COUNTER.stop) !== 0) return;
      slices.advance(run, to);
      count(run.event);
    }
    count(to);
    const part = endReplica(job, row, run);
    if ([part.retained, part.state, part.numerics, part.carried].some((one) => one !== null))
      reply(part, part.retained === null ? [] : [part.retained.buffer as ArrayBuffer]);
  }
}

function creator({ name, place, algorithm, parameters }: ReplayWorkerJob['settings'][number]) {
  const create = (log: EventLog, draws: Draws): Learner => {
    const found = algorithm === null ? undefined : algorithmNamed(algorithm);
    if (found === undefined) throw new Error(`there is no algorithm ${algorithm} on a worker thread`);
    return found.create(parameters, log, draws);
  };
  return { name, place, create };
}

function reply(message: WorkerReply<ReplayPart>, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

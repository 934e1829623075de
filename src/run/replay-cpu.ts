/** The CPU engine for learners: defines every answer. Replicas are tasks of worker threads. */

import { blockEvents } from '../estimate/blocks.js';
import { algorithmNamed } from '../learner/algorithms.js';
import type { PreparedLearner } from '../learner/learner-set.js';
import type { EngineReport, RunOptions } from './backend.js';
import type { CpuOptions } from './cpu.js';
import { Pauses } from './pauses.js';
import type { ReplayBackend, ReplayJob, ReplayOutcome } from './replay-backend.js';
import {
  finishReplica,
  REPLAY_UNIT,
  type ReplayCpuJob,
  type ReplayPart,
  type ReplayWorkerJob,
  shareReplayJob,
  startReplica,
} from './replay-cpu-job.js';
import { makeTrack } from './replay-replica.js';
import { sharedBlockStatistics, sharedBytes } from './shared.js';
import { availableThreads, WorkerPool } from './worker-pool.js';

/** Below this much work (`workOf`) starting threads, some 0.2 s, costs more than it saves. */
const THREADS_PAY_FROM = 5e7;

/** Events between two looks at the clock. */
const SLICE = 256;

export class CpuReplayBackend implements ReplayBackend {
  readonly report: EngineReport;
  private readonly pool: WorkerPool;
  private readonly threadsFrom: number;

  /** @param options `threadsFrom` is in the units of `workOf`. */
  constructor(options: CpuOptions = {}) {
    const threads = options.threads ?? availableThreads();
    this.threadsFrom = options.threadsFrom ?? THREADS_PAY_FROM;
    this.pool = new WorkerPool(threads, new URL('./replay-worker.js', import.meta.url));
    this.report = {
      device: 'cpu',
      adapter: options.description ?? 'CPU',
      threads,
      settledOnCpu: 0,
      decisions: 0,
      seconds: 0,
    };
  }

  async replay(replayJob: ReplayJob, options: RunOptions = {}): Promise<ReplayOutcome> {
    const started = performance.now();
    const { settings, replicas, log } = replayJob;
    const job = makeJob(replayJob);
    const parts: (ReplayPart | undefined)[] = new Array(replicas.length);
    const onPart = (part: ReplayPart): void => {
      parts[part.row] = part;
    };
    const rows = replicas.map((_, row) => row);
    // Objects from code cannot travel to other threads.
    const movable = rows.filter((row) => settings[replicas[row].setting].algorithm !== null);
    const parallel =
      this.report.threads > 1 &&
      movable.length > 1 &&
      workOf(replayJob, movable) >= this.threadsFrom &&
      (await this.pool.start());
    if (parallel) {
      const message: ReplayWorkerJob = {
        job: shareReplayJob(job, keysOf(settings)),
        settings: settings.map(({ algorithm, parameters }) =>
          algorithm === null ? { algorithm, parameters: {} } : { algorithm, parameters },
        ),
        rows: Uint32Array.from(movable),
      };
      await this.pool.run<ReplayPart>(message, { ...options, unit: REPLAY_UNIT, onPart });
      await runHere(
        job,
        settings,
        rows.filter((row) => settings[replicas[row].setting].algorithm === null),
        options,
        onPart,
      );
    } else await runHere(job, settings, rows, options, onPart);
    this.report.decisions += replicas.length * log.events;
    this.report.seconds += (performance.now() - started) / 1000;
    const { stats, consumed, complete, keep } = job;
    return {
      stats,
      consumed,
      complete,
      retained: keep.retainedOf === 'none' ? null : rows.map((row) => parts[row]?.retained ?? null),
      states: keep.state ? rows.map((row) => parts[row]?.state ?? {}) : null,
    };
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

function makeJob({ log, plan, rules, replicas, keep }: ReplayJob): ReplayCpuJob {
  return {
    track: makeTrack(log, plan, rules),
    replicas,
    keep,
    stats: sharedBlockStatistics(replicas.length, blockEvents(plan), log.payoff.maxSteps <= 1),
    consumed: new Float64Array(sharedBytes(replicas.length * 8)),
    complete: new Uint8Array(sharedBytes(replicas.length)),
  };
}

/**
 * Roughly, the arithmetic of some replicas: K per decision where state is integers, K (1 + d²/4) where it may be matrices
 * (LinUCB at K = 20, d = 6 does 200 of these in 0.5 µs, at K = 10, d = 65 10,000 in 20 µs).
 */
function workOf({ log, settings, replicas }: ReplayJob, rows: readonly number[]): number {
  const arms = log.arms.ids.length;
  const matrix = arms * (1 + log.contexts.dimension ** 2 / 4);
  const each = settings.map(({ kind }) => log.events * (kind === 'integer' ? arms : matrix));
  return rows.reduce((sum, row) => sum + each[replicas[row].setting], 0);
}

/** Key columns that some learner of the table looks up. */
function keysOf(settings: readonly PreparedLearner[]): Set<string> {
  return new Set(
    settings.flatMap(({ algorithm, given }) =>
      algorithm === null ? [] : (algorithmNamed(algorithm)?.keyColumns?.(given) ?? []),
    ),
  );
}

/** Runs replicas on this thread, giving way to timers and signals now and then. */
async function runHere(
  job: ReplayCpuJob,
  settings: readonly PreparedLearner[],
  rows: readonly number[],
  options: RunOptions,
  onPart: (part: ReplayPart) => void,
): Promise<void> {
  const { events } = job.track.log;
  const pauses = new Pauses(options);
  for (const row of rows) {
    const run = startReplica(job, row, settings[job.replicas[row].setting].create);
    while (!run.done) {
      const from = run.event;
      run.advance(from + SLICE);
      if (pauses.count(run.event - from)) await pauses.giveWay();
    }
    pauses.count(events - run.event);
    onPart(finishReplica(job, row, run));
  }
  pauses.report();
}

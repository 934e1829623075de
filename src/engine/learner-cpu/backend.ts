/** The CPU engine for learners: defines every answer. Replicas are tasks of worker threads. */

import type { Archive } from '../../archive.js';
import { blockEvents } from '../../estimate/blocks/blocks.js';
import { replayKinds } from '../../estimate/estimators/replay-totals.js';
import { type BlockStatistics, carryStatistics, emptyBlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { Numerics } from '../../learner/learner.js';
import { algorithmNamed } from '../../learner/set/algorithms.js';
import type { PreparedLearner } from '../../learner/set/learner-set.js';
import { type EngineReport, newReport, type RunOptions } from '../contract.js';
import { type CpuOptions, checkCpuOptions } from '../cpu/backend.js';
import { availableThreads, WorkerPool, workerBeside } from '../cpu/worker-pool.js';
import {
  keepsRetained,
  type ReplayBackend,
  type ReplayBatch,
  type ReplayJob,
  type ReplayOutcome,
  type ReplaySession,
  type ReplayTrack,
  type ReplayWork,
} from '../learner-contract.js';
import { Pauses, Slices } from '../pauses.js';
import { shareArrays, sharedBytes, sharedNumbers, toShared } from '../shared.js';
import {
  endedRun,
  endReplica,
  isOver,
  REPLAY_UNIT,
  type ReplayCpuJob,
  type ReplayPart,
  type ReplayWorkerJob,
  shareReplayJob,
  startReplica,
  tellsNumerics,
} from './job.js';
import { RetainedEvents, rowLists, sourceRowsOf } from './retained-events.js';
import { replayWhole } from './whole.js';

/** Below this much work (`workOf`) starting threads, some 0.2 s, costs more than it saves. */
const THREADS_PAY_FROM = 5e7;

/**
 * Learners whose matrices, K of them, take more than about this much arithmetic (K d³) to factor run on a thread of their own,
 * whatever that costs: fits do so many times within one event, and meanwhile no signal would be heeded here.
 */
const BLOCKING = 5e7;

/** The CPU engine for learners. @throws InputError for bad options. */
export class CpuReplayBackend implements ReplayBackend {
  /** What it did so far. */
  readonly report: EngineReport;
  private readonly pool: WorkerPool;
  private readonly threadsFrom: number;

  /** @param options `threadsFrom` is in the units of `workOf`. */
  constructor(options: CpuOptions = {}) {
    checkCpuOptions(options);
    const threads = options.threads ?? availableThreads();
    this.threadsFrom = options.threadsFrom ?? THREADS_PAY_FROM;
    this.pool = new WorkerPool(
      threads,
      workerBeside(() => new URL('./replay-worker.js', import.meta.url)),
    );
    this.report = newReport('cpu', options.description ?? 'CPU', threads);
  }

  /** As `ReplayBackend` says. */
  async open(work: ReplayWork): Promise<ReplaySession> {
    return new CpuReplaySession(work, this.pool, this.threadsFrom, this.report);
  }

  /** As `ReplayBackend` says. */
  replay(job: ReplayJob, options: RunOptions = {}): Promise<ReplayOutcome> {
    return replayWhole(this, job, options);
  }

  /** Ends its threads. */
  close(): Promise<void> {
    return this.pool.close();
  }
}

class CpuReplaySession implements ReplaySession {
  private readonly stats: BlockStatistics;
  private readonly consumed: Float64Array;
  private readonly complete: Uint8Array;
  private readonly retained: (RetainedEvents | null)[];
  private readonly rows: RetainedEvents[] | null;
  private readonly states: Record<string, unknown>[] = [];
  private readonly numerics: (Numerics | null)[];
  /** State of each replica between batches, `null` before its first; `null` where the log comes in one batch. */
  private readonly carried: (Uint8Array | null)[] | null;

  constructor(
    private readonly work: ReplayWork,
    private readonly pool: WorkerPool,
    private readonly threadsFrom: number,
    private readonly report: EngineReport,
  ) {
    const { head, replicas, keep, blocks, whole, rules } = work;
    const { length } = replicas;
    this.stats = emptyBlockStatistics(length, blockEvents(blocks), replayKinds(head.payoff), sharedNumbers);
    this.consumed = new Float64Array(sharedBytes(length * 8));
    this.complete = new Uint8Array(sharedBytes(length)).fill(rules.validEvents === null ? 1 : 0);
    this.retained = replicas.map((_, row) => (keepsRetained(keep, row) ? new RetainedEvents() : null));
    this.rows = rowLists(work);
    this.numerics = replicas.map(() => null);
    this.carried = whole ? null : replicas.map(() => null);
  }

  get catchesUp(): boolean {
    return this.work.rules.updateEvery !== null;
  }

  async play(batch: ReplayBatch, range: readonly [number, number], options: RunOptions = {}): Promise<void> {
    const started = performance.now();
    await this.run(batch, range, 'play', options);
    this.report.decisions += this.work.replicas.length * (range[1] - range[0]);
    this.report.seconds += (performance.now() - started) / 1000;
  }

  async learn(batch: ReplayBatch, { signal, bounded }: RunOptions = {}): Promise<void> {
    const started = performance.now();
    await this.run(batch, [0, batch.track.log.events], 'learn', { signal, bounded });
    this.report.seconds += (performance.now() - started) / 1000;
  }

  private async run(
    { track, settings }: ReplayBatch,
    range: readonly [number, number],
    work: ReplayCpuJob['work'],
    options: RunOptions,
  ): Promise<void> {
    const { replicas, keep } = this.work;
    const { stats, consumed, complete, carried } = this;
    const job: ReplayCpuJob = { track, replicas, keep, stats, consumed, complete, range, work, carried };
    const take = (part: ReplayPart): void => this.take(part, track);
    const rows = replicas.map((_, row) => row);
    // Objects from code cannot travel to other threads.
    const movable = rows.filter((row) => settings[replicas[row].setting].algorithm !== null);
    const events = range[1] - range[0];
    const pays =
      this.report.threads > 1 && movable.length > 1 && workOf(this.work, settings, events, movable) >= this.threadsFrom;
    const { arms, contexts } = this.work.head;
    const blocks = arms.ids.length * contexts.dimension ** 3 > BLOCKING;
    const alone = movable.some((row) => blocks && settings[replicas[row].setting].kind === 'real');
    const parallel = (pays || alone) && (await this.pool.start(options.bounded));
    let here = rows;
    if (parallel) {
      const message: ReplayWorkerJob = {
        job: shareReplayJob(job, keysOf(settings)),
        settings: settings.map(({ name, place, algorithm, parameters }) => ({
          ...{ name, place, algorithm },
          parameters: algorithm === null ? {} : shareArrays(parameters),
        })),
        rows: Uint32Array.from(movable),
      };
      await this.pool.run<ReplayPart>(message, { ...options, unit: REPLAY_UNIT, onPart: take });
      here = rows.filter((row) => settings[replicas[row].setting].algorithm === null);
    }
    await runHere(job, settings, here, options, take);
  }

  private take({ row, retained, state, numerics, carried }: ReplayPart, { log }: ReplayTrack): void {
    if (retained !== null) {
      this.retained[row]?.addAll(retained);
      this.rows?.[row].addAll(sourceRowsOf(log, retained));
    }
    if (state !== null) this.states[row] = state;
    if (numerics !== null) this.numerics[row] = numerics;
    if (carried !== null && this.carried !== null) this.carried[row] = carried;
  }

  async flush(): Promise<void> {}

  async finish(): Promise<ReplayOutcome> {
    const { keep, replicas, settings } = this.work;
    const { stats, consumed, complete, carried, retained, states, numerics } = this;
    if (carried !== null) {
      const tells = settings.map((setting) => tellsNumerics(this.work, setting));
      for (const [row, bytes] of carried.entries()) {
        if (!keep.state && !tells[replicas[row].setting]) continue;
        const run = endedRun(this.work, row, bytes, stats);
        if (keep.state) states[row] = run.state();
        numerics[row] = run.numerics();
      }
    }
    return {
      stats,
      consumed,
      complete,
      sourceRows: this.rows?.map((list) => list.events()) ?? null,
      retained: keep.retainedOf === 'none' ? null : retained.map((list) => list?.events() ?? null),
      states: keep.state ? states : null,
      numerics,
    };
  }

  carry(archive: Archive): void {
    carryStatistics(archive, this.stats);
    archive.array(this.consumed);
    archive.array(this.complete);
    for (const list of [...this.retained, ...(this.rows ?? [])]) list?.carry(archive);
    const { carried } = this;
    carried?.forEach((bytes, row) => {
      if (!archive.flag(bytes !== null)) return;
      const state = archive.list(bytes ?? new Uint8Array(0));
      // Threads write over it.
      if (archive.reading) carried[row] = toShared(state);
    });
  }

  close(): void {}
}

/**
 * Roughly, the arithmetic of some replicas: K per decision where state is integers, K (1 + d²/4) where it may be matrices
 * (LinUCB at K = 20, d = 6 does 200 of these in 0.5 µs, at K = 10, d = 65 10,000 in 20 µs).
 */
function workOf(
  { head, replicas }: ReplayWork,
  settings: readonly PreparedLearner[],
  events: number,
  rows: readonly number[],
): number {
  const arms = head.arms.ids.length;
  const matrix = arms * (1 + head.contexts.dimension ** 2 / 4);
  const each = settings.map(({ kind }) => events * (kind === 'integer' ? arms : matrix));
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
  const [from, to] = job.range;
  const pauses = new Pauses(options);
  for (const row of rows) {
    if (job.work === 'play' && isOver(job, row)) {
      pauses.count(to - from);
      continue;
    }
    const run = startReplica(job, row, settings[job.replicas[row].setting]);
    const slices = new Slices();
    if (job.work === 'learn') run.learnWaiting();
    while (job.work === 'play' && !run.done && run.event < to) {
      if (pauses.count(slices.advance(run, to))) await pauses.yieldToEventLoop();
    }
    pauses.count(Math.max(0, to - run.event));
    onPart(endReplica(job, row, run));
  }
  pauses.report();
}

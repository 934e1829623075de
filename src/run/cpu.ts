/** The CPU engine: defines every answer, and stands in where there is no GPU. */

import type { Worker } from 'node:worker_threads';
import { EngineError } from '../errors.js';
import { type BlockStatistics, emptyBlockStatistics } from '../estimate/block-statistics.js';
import { type BlockPlan, blockEvents } from '../estimate/blocks.js';
import type { EventLog } from '../log/event-log.js';
import type { PolicyBatch } from '../policy/batch.js';
import type { Backend, EngineReport, RunOptions } from './backend.js';
import type { CpuJob } from './cpu-job.js';
import { COUNTER, type JobMessage, type JobReply, PROGRESS_UNIT } from './cpu-messages.js';
import { type TaskGrid, TaskRunner, taskDecisions, taskGrid, taskRange } from './cpu-task.js';
import { sharedBytes, toShared } from './shared.js';
import { makeWorklist, type Worklist } from './worklist.js';

export interface CpuOptions {
  /** Worker threads; default: one per core. 1 runs on the calling thread. */
  threads?: number;
  /** Decisions from which threads are used; default: where they pay. */
  threadsFrom?: number;
  /** Text for the result, e.g. the processor's model. */
  description?: string;
}

/** Below this many decisions starting threads costs more than it saves. */
const THREADS_PAY_FROM = 2e6;
const PROGRESS_MS = 100;

export class CpuBackend implements Backend {
  readonly report: EngineReport;
  private workers: Worker[] = [];

  private readonly threadsFrom: number;

  constructor(options: CpuOptions = {}) {
    this.threadsFrom = options.threadsFrom ?? THREADS_PAY_FROM;
    const threads = options.threads ?? availableThreads();
    this.report = {
      device: 'cpu',
      adapter: options.description ?? 'CPU',
      threads,
      settledOnCpu: 0,
      decisions: 0,
      seconds: 0,
    };
  }

  async evaluate(
    log: EventLog,
    plan: BlockPlan,
    batch: PolicyBatch,
    options: RunOptions = {},
  ): Promise<BlockStatistics> {
    const started = performance.now();
    const worklist = makeWorklist(log, plan, batch);
    const job = makeJob(log, plan, batch, worklist);
    const grid = taskGrid(job, plan);
    const decisions = batch.policies * log.events;
    const parallel = this.report.threads > 1 && decisions >= this.threadsFrom && (await this.start());
    if (parallel) await this.runOnWorkers(job, grid, options);
    else await runHere(job, grid, options);
    this.report.decisions += decisions;
    this.report.seconds += (performance.now() - started) / 1000;
    return job.stats;
  }

  async close(): Promise<void> {
    const workers = this.workers;
    this.workers = [];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  /** Starts the threads once; false where the platform has none. */
  private async start(): Promise<boolean> {
    if (this.workers.length > 0) return true;
    if (typeof SharedArrayBuffer === 'undefined') return false;
    const threads = await import('node:worker_threads').catch(() => null);
    if (threads === null) return false;
    const entry = new URL('./cpu-worker.js', import.meta.url);
    this.workers = Array.from({ length: this.report.threads }, () => {
      const worker = new threads.Worker(entry);
      worker.unref();
      return worker;
    });
    return true;
  }

  private async runOnWorkers(job: CpuJob, grid: TaskGrid, { onProgress, signal }: RunOptions): Promise<void> {
    const counters = new Int32Array(new SharedArrayBuffer(COUNTER.size * 4));
    const message: JobMessage = { job: shareJob(job), grid, counters };
    let reported = 0;
    const timer = setInterval(() => {
      if (signal?.aborted) Atomics.store(counters, COUNTER.stop, 1);
      const units = Atomics.load(counters, COUNTER.progress);
      if (units > reported) onProgress?.((units - reported) * PROGRESS_UNIT);
      reported = units;
    }, PROGRESS_MS);
    try {
      await Promise.all(this.workers.map((worker) => runJob(worker, message)));
    } catch (error) {
      // A broken thread must not be reused, and the others must not run on.
      Atomics.store(counters, COUNTER.stop, 1);
      await this.close();
      throw error;
    } finally {
      clearInterval(timer);
    }
    signal?.throwIfAborted();
  }
}

/** Resolves when the worker has no task left. */
function runJob(worker: Worker, message: JobMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      worker.off('message', onMessage);
      worker.off('error', onError);
      worker.off('exit', onExit);
      worker.unref();
      settle();
    };
    const onMessage = (reply: JobReply): void =>
      finish(() => ('error' in reply ? reject(new EngineError(`a CPU worker failed: ${reply.error}`)) : resolve()));
    const onError = (error: Error): void =>
      finish(() => reject(new EngineError(`a CPU worker failed: ${error.message}`, { cause: error })));
    const onExit = (code: number): void =>
      finish(() => reject(new EngineError(`a CPU worker stopped with code ${code}`)));
    worker.ref();
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.on('exit', onExit);
    worker.postMessage(message);
  });
}

/** Runs every task on this thread, giving way to timers and signals now and then. */
async function runHere(job: CpuJob, grid: TaskGrid, { onProgress, signal }: RunOptions): Promise<void> {
  const runner = new TaskRunner(job);
  let last = performance.now();
  let pending = 0;
  for (let task = 0; task < grid.count; task++) {
    const range = taskRange(job, grid, task);
    runner.run(range);
    pending += taskDecisions(job, range);
    if (performance.now() - last < PROGRESS_MS) continue;
    onProgress?.(pending);
    pending = 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
    last = performance.now();
  }
  if (pending > 0) onProgress?.(pending);
}

/** A job with its statistics on shared memory. */
export function makeJob(log: EventLog, plan: BlockPlan, batch: PolicyBatch, worklist: Worklist): CpuJob {
  const size = batch.policies * plan.blocks * 8;
  const column = (): Float64Array => new Float64Array(sharedBytes(size));
  const stats = emptyBlockStatistics(0, blockEvents(plan), worklist.binary);
  return {
    log: { events: log.events, contexts: log.contexts, pools: log.pools },
    batch,
    worklist,
    stats: {
      ...stats,
      policies: batch.policies,
      matches: column(),
      payoff: column(),
      squareHigh: worklist.binary ? null : column(),
      squareLow: worklist.binary ? null : column(),
    },
  };
}

/** Moves a job's large arrays to shared memory and leaves behind what workers need not see. */
function shareJob(job: CpuJob): CpuJob {
  const { log, batch, worklist } = job;
  const { entries } = worklist;
  const share = <T extends Uint32Array | Float64Array>(array: T | null): T | null =>
    array === null ? null : toShared(array);
  return {
    stats: job.stats,
    log: {
      events: log.events,
      contexts: {
        dimension: log.contexts.dimension,
        values: toShared(log.contexts.values),
        row: share(log.contexts.row),
      },
      pools: {
        ...log.pools,
        offsets: toShared(log.pools.offsets),
        arms: toShared(log.pools.arms),
        pool: share(log.pools.pool),
      },
    },
    batch: shareBatch(batch),
    worklist: {
      ...worklist,
      cellEvent: share(worklist.cellEvent),
      entries: {
        ...entries,
        arm: toShared(entries.arm),
        cell: share(entries.cell),
        steps: share(entries.steps),
        folded:
          entries.folded === null
            ? null
            : {
                events: toShared(entries.folded.events),
                payoff: toShared(entries.folded.payoff),
                squareHigh: share(entries.folded.squareHigh),
                squareLow: share(entries.folded.squareLow),
              },
      },
    },
  };
}

function shareBatch(batch: PolicyBatch): PolicyBatch {
  // Names are for people; thousands of strings need not travel.
  const bare = { ...batch, names: [], warnings: [] };
  if (bare.kind === 'linear') return { ...bare, weights: toShared(bare.weights) };
  if (bare.kind === 'matrix')
    return { ...bare, choices: toShared(bare.choices), cells: { count: bare.cells.count, of: null } };
  return bare;
}

/** Cores this process may use; 1 where the platform does not say. */
function availableThreads(): number {
  const node = (globalThis as { process?: { getBuiltinModule?: (id: 'node:os') => typeof import('node:os') } }).process;
  return node?.getBuiltinModule?.('node:os').availableParallelism() ?? 1;
}

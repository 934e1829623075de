/** Worker threads that take jobs of numbered tasks from a shared counter; the CPU engines' common ground. */

import type { Worker } from 'node:worker_threads';
import { EngineError, type Fault, HindcastError, InputError } from '../../errors.js';
import type { RunOptions } from '../contract.js';

/** Shared counters of a job: next task, work finished, and whether to stop. */
export const COUNTER = { nextTask: 0, progress: 1, stop: 2, size: 3 } as const;

/** What a worker sends: `done` or `error` ends a job on that worker; anything else is a part of the result. */
export type WorkerReply<Part extends object = never> = Part | { readonly done: true } | WorkerFault;

/** `input`: the caller's input is at fault. */
export interface WorkerFault {
  readonly error: string;
  readonly input?: Fault;
}

export interface PoolRun<Part extends object> extends RunOptions {
  /** Decisions per unit of the progress counter. */
  unit: number;
  /** Called for every part of the result, in any order. */
  onPart?: (part: Part) => void;
}

/** Work that is collected soon needs no more room for young objects, which each thread would keep. */
const SMALL_HEAP = { maxYoungGenerationSizeMb: 6 };

/**
 * A worker is plain JavaScript in a file: it needs none of the flags of the process, and would fail with some of them
 * (`--input-type`, which `NODE_OPTIONS` may hold as well, is for text, not for files).
 */
function ownFlags() {
  return { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' } };
}

/** What a worker says of an error: a stack where it is one of the program. */
export function faultOf(error: unknown): WorkerFault {
  if (!(error instanceof Error)) return { error: String(error) };
  if (error instanceof InputError) return { error: error.message, input: error.fault };
  return { error: error instanceof HindcastError ? error.message : (error.stack ?? error.message) };
}

export const PROGRESS_MS = 100;

export class WorkerPool {
  private workers: Worker[] = [];

  /** @param entry module of a worker, which answers every message with `WorkerReply`s; `null` where there is none. */
  constructor(
    private readonly threads: number,
    private readonly entry: URL | null,
  ) {}

  /** Starts the threads once; false where the platform, or a bundle, has none. @param bounded memory is. */
  async start(bounded = false): Promise<boolean> {
    if (this.workers.length > 0) return true;
    const { entry } = this;
    if (entry === null || typeof SharedArrayBuffer === 'undefined') return false;
    const threads = await import('node:worker_threads').catch(() => null);
    if (threads === null) return false;
    if (!(await isThere(entry))) {
      withoutThreads(entry);
      return false;
    }
    this.workers = Array.from({ length: this.threads }, () => {
      const worker = new threads.Worker(entry, { ...ownFlags(), ...(bounded && { resourceLimits: SMALL_HEAP }) });
      worker.unref();
      return worker;
    });
    return true;
  }

  /**
   * Sends a job to every worker, with counters added, and waits until none has a task left.
   *
   * @throws EngineError where a worker fails; the signal's reason where it is aborted.
   */
  async run<Part extends object = never>(job: object, options: PoolRun<Part>): Promise<void> {
    const { onProgress, signal, unit, onPart, bounded = false } = options;
    const counters = new Int32Array(new SharedArrayBuffer(COUNTER.size * 4));
    const message = { ...job, counters, bounded };
    let reported = 0;
    const look = (): void => {
      if (signal?.aborted) Atomics.store(counters, COUNTER.stop, 1);
      const units = Atomics.load(counters, COUNTER.progress);
      if (units > reported) onProgress?.((units - reported) * unit);
      reported = units;
    };
    const timer = setInterval(look, PROGRESS_MS);
    try {
      await Promise.all(this.workers.map((worker) => runJob(worker, message, onPart)));
    } catch (error) {
      // A broken thread must not be reused, and the others must not run on.
      Atomics.store(counters, COUNTER.stop, 1);
      await this.close();
      throw error;
    } finally {
      clearInterval(timer);
    }
    signal?.throwIfAborted();
    look();
  }

  async close(): Promise<void> {
    const workers = this.workers;
    this.workers = [];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** A bundler puts code into one file and may leave the workers out. */
async function isThere(entry: URL): Promise<boolean> {
  if (entry.protocol !== 'file:') return true;
  const { existsSync } = await import('node:fs');
  return existsSync(entry);
}

let warned = false;

function withoutThreads(entry: URL): void {
  if (warned) return;
  warned = true;
  process.emitWarning(
    `hindcast runs on one thread: ${entry.pathname} is not there. Put cpu-worker.js and replay-worker.js (below hindcast's dist/engine) beside the bundle, with what they import, or leave hindcast out of it (external).`,
  );
}

/** The module of a worker beside another one; `null` where that is not known, as in a bundle of CommonJS. */
export function workerBeside(url: () => URL): URL | null {
  try {
    return url();
  } catch {
    return null;
  }
}

/** Resolves when the worker has no task left. */
function runJob<Part extends object>(
  worker: Worker,
  message: object,
  onPart: ((part: Part) => void) | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      worker.off('message', onMessage);
      worker.off('error', onError);
      worker.off('exit', onExit);
      worker.unref();
      settle();
    };
    const onMessage = (reply: WorkerReply<Part>): void => {
      if ('error' in reply) {
        const { error, input } = reply;
        finish(() => reject(input ? new InputError(input) : new EngineError(`a CPU worker failed: ${error}`)));
      } else if ('done' in reply) finish(resolve);
      else onPart?.(reply);
    };
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

/** Cores this process may use; 1 where the platform does not say. */
export function availableThreads(): number {
  const node = (globalThis as { process?: { getBuiltinModule?: (id: 'node:os') => typeof import('node:os') } }).process;
  return node?.getBuiltinModule?.('node:os').availableParallelism() ?? 1;
}

/** The processor's name, where the platform tells it. */
export function processor(): string {
  const node = (globalThis as { process?: { getBuiltinModule?: (id: 'node:os') => typeof import('node:os') } }).process;
  const model = node?.getBuiltinModule?.('node:os').cpus()[0]?.model.trim();
  return model === undefined || model === '' ? 'CPU' : model.replace(/\s+/g, ' ');
}

/** Long work on this thread: gives way to timers and signals now and then, and reports progress meanwhile. */

import type { RunOptions } from './contract.js';
import { PROGRESS_MS } from './cpu/worker-pool.js';

export class Pauses {
  private last = performance.now();
  private pending = 0;

  constructor(private readonly options: RunOptions) {}

  /** So many decisions more are done. True where it is time to `yieldToEventLoop`. */
  count(decisions: number): boolean {
    this.pending += decisions;
    return performance.now() - this.last >= PROGRESS_MS;
  }

  /** @throws The signal's reason where it is aborted. */
  async yieldToEventLoop(): Promise<void> {
    this.report();
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.options.signal?.throwIfAborted();
    this.last = performance.now();
  }

  /** Reports what is done and was not reported; to be called at the end. */
  report(): void {
    if (this.pending > 0) this.options.onProgress?.(this.pending);
    this.pending = 0;
  }
}

/** Events of a slice take about this long: signals are seen between two of them. Milliseconds. */
const SLICE_MS = 20;
const MOST_SLICE = 4096;

/** How many events to go through between two looks at the clock or a flag: few where one takes long. */
export class Slices {
  private size = 1;

  /** Goes on with a run, to `to` at most. @returns events that were gone through. */
  advance(run: { readonly event: number; advance(until: number): void }, to: number): number {
    const before = run.event;
    const began = performance.now();
    run.advance(Math.min(to, before + this.size));
    const took = performance.now() - began;
    if (took < SLICE_MS / 2) this.size = Math.min(MOST_SLICE, 2 * this.size);
    else if (took > SLICE_MS) this.size = Math.max(1, this.size >> 1);
    return run.event - before;
  }
}

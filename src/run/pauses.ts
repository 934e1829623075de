/** Long work on this thread: gives way to timers and signals now and then, and reports progress meanwhile. */

import type { RunOptions } from './backend.js';
import { PROGRESS_MS } from './worker-pool.js';

export class Pauses {
  private last = performance.now();
  private pending = 0;

  constructor(private readonly options: RunOptions) {}

  /** So many decisions more are done. True where it is time to `giveWay`. */
  count(decisions: number): boolean {
    this.pending += decisions;
    return performance.now() - this.last >= PROGRESS_MS;
  }

  /** @throws The signal's reason where it is aborted. */
  async giveWay(): Promise<void> {
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

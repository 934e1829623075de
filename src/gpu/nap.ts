/**
 * Waiting for a device without spinning: while a mapping is pending Dawn's Node bindings poll, which takes a whole core,
 * and a software adapter computes on that core. So most of an expected wait is slept through first.
 */

const SHARE = 0.7;
/** Shorter naps cost more in timers than they save. */
const SHORTEST_MS = 4;

export class Nap {
  /** Milliseconds that the latest wait took. */
  private latest = 0;

  /** @param software whether the device is a processor; where it is not, sleeping too long would cost more than a core. */
  constructor(private readonly software: boolean) {}

  /** Waits for what `wait` starts; expects it to take as long as the last time. */
  async before<Result>(wait: () => Promise<Result>): Promise<Result> {
    const started = performance.now();
    const milliseconds = SHARE * this.latest;
    if (this.software && milliseconds >= SHORTEST_MS) await new Promise((resolve) => setTimeout(resolve, milliseconds));
    try {
      return await wait();
    } finally {
      this.latest = performance.now() - started;
    }
  }
}

/**
 * Waiting for a device without spinning: while a mapping is pending Dawn's Node bindings poll, which takes a whole core, and a
 * software adapter computes (and compiles, at the first dispatch) on that core.
 */

/** Waits up to this are polled for: sleeping would cost more than it saves. */
const SHORTEST_MS = 4;
/** Between two polls; results are late by as much at most. */
const SLICE_MS = 1;

/**
 * Waits for something that Dawn polls for, which it does once in every turn of Node's event loop: turns are stretched to a
 * millisecond by sleeping in each, once the wait has lasted a little. Timers, messages and signals still have their turn.
 */
export async function patiently<Result>(pending: Promise<Result>): Promise<Result> {
  // Elsewhere nothing polls.
  if (typeof setImmediate !== 'function') return pending;
  let over = false;
  const end = (): void => {
    over = true;
  };
  pending.then(end, end);
  const started = performance.now();
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!over) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (!over && performance.now() - started >= SHORTEST_MS) Atomics.wait(cell, 0, 0, SLICE_MS);
  }
  return pending;
}

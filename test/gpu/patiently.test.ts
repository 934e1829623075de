import { describe, expect, it } from 'vitest';
import { patiently } from '#dist/gpu/patiently.js';

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

describe('patiently', () => {
  it('slows polling down to a turn a millisecond, lets timers run, and hands on what it waits for', async () => {
    let polls = 0;
    let pending = true;
    const poll = (): void => {
      polls++;
      if (pending) setImmediate(poll);
    };
    setImmediate(poll);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 20);
    const started = performance.now();
    const value = await patiently(sleep(300).then(() => 'done'));
    const waited = performance.now() - started;
    pending = false;
    clearInterval(timer);
    expect(value).toBe('done');
    expect(waited).toBeGreaterThan(295);
    // Unhindered there are hundreds of turns in a millisecond, as there are in the first four.
    expect(polls).toBeLessThan(4 * 2000 + waited);
    expect(ticks).toBeGreaterThan(3);
  });

  it('hands on a failure', async () => {
    await expect(patiently(sleep(20).then(() => Promise.reject(new Error('lost'))))).rejects.toThrow('lost');
    await expect(patiently(Promise.reject(new Error('at once')))).rejects.toThrow('at once');
  });
});

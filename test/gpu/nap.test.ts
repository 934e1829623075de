import { describe, expect, it } from 'vitest';
import { Nap, patiently } from '#dist/gpu/nap.js';

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

describe('Nap', () => {
  it('starts a wait at once as long as waits are short, and sleeps through most of a long one', async () => {
    const nap = new Nap(true);
    const begun: number[] = [];
    const wait = async (milliseconds: number): Promise<string> => {
      const called = performance.now();
      return nap.before(async () => {
        begun.push(performance.now() - called);
        await sleep(milliseconds);
        return 'done';
      });
    };
    expect(await wait(0)).toBe('done');
    await wait(60);
    await wait(0);
    // The first two knew of no long wait; the third had one of 60 ms behind it.
    expect(begun[0]).toBeLessThan(4);
    expect(begun[2]).toBeGreaterThan(30);
  });

  it('hands on a failure, and expects as long a wait after it', async () => {
    const nap = new Nap(true);
    await expect(nap.before(() => sleep(20).then(() => Promise.reject(new Error('lost'))))).rejects.toThrow('lost');
    let slept = 0;
    const called = performance.now();
    await nap.before(async () => {
      slept = performance.now() - called;
    });
    expect(slept).toBeGreaterThan(8);
  });
});

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

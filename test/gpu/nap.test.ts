import { describe, expect, it } from 'vitest';
import { Nap } from '#dist/gpu/nap.js';

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

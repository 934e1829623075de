import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkEnd } from '#dist/engine/learner-gpu/chunk.js';
import type { EventLog } from '#dist/log/event-log.js';

/** As much of a log as `chunkEnd` reads. */
function logOf(pool: readonly number[] | null): EventLog {
  return { pools: { pool: pool === null ? null : Uint32Array.from(pool) } } as unknown as EventLog;
}

/** Borders of all chunks of `pool`. */
function bordersOf(pool: readonly number[] | null, end: number, most: number, own: number): number[] {
  const borders = [0];
  while (borders[borders.length - 1] < end) {
    borders.push(chunkEnd(logOf(pool), borders[borders.length - 1], end, most, own));
  }
  return borders;
}

const runs = (...lengths: number[]): number[] => lengths.flatMap((length, i) => Array<number>(length).fill(i % 3));

describe('a chunk', () => {
  it('ends after so many events where there is one pool', () => {
    expect(bordersOf(null, 10, 4, 1)).toEqual([0, 4, 8, 10]);
    expect(bordersOf(runs(10), 10, 4, 20)).toEqual([0, 4, 8, 10]);
  });

  it('is a long run of one pool, or the short ones between two', () => {
    expect(bordersOf(runs(5, 2, 1, 2, 6, 3), 19, 100, 5)).toEqual([0, 5, 10, 16, 19]);
    expect(bordersOf(runs(2, 2, 5), 9, 100, 5)).toEqual([0, 4, 9]);
    expect(bordersOf(runs(5, 5), 10, 100, 5)).toEqual([0, 5, 10]);
    expect(bordersOf(runs(4, 4), 8, 100, 5)).toEqual([0, 8]);
  });

  it('cuts a run that is longer than a chunk may be', () => {
    expect(bordersOf(runs(9, 1, 1), 11, 4, 2)).toEqual([0, 4, 8, 11]);
  });

  it('has one pool, or no run that is long enough, wherever runs lie', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 12 }),
        (lengths, most, own) => {
          const pool = runs(...lengths);
          const borders = bordersOf(pool, pool.length, most, own);
          expect(borders[borders.length - 1]).toBe(pool.length);
          for (let i = 1; i < borders.length; i++) {
            const part = pool.slice(borders[i - 1], borders[i]);
            expect(part.length).toBeLessThanOrEqual(most);
            expect(part.length).toBeGreaterThan(0);
            if (new Set(part).size === 1) continue;
            // Pools of neighbouring runs differ.
            let run = 0;
            for (let t = 0; t < part.length; t++) {
              run = t > 0 && part[t] === part[t - 1] ? run + 1 : 1;
              expect(run).toBeLessThan(own);
            }
          }
        },
      ),
    );
  });
});

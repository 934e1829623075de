import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { boundedThreads, parseMemory, planStretch } from '#dist/run/memory-plan.js';

describe('parseMemory', () => {
  it.each([
    ['2GB', 2e9],
    ['512MB', 512e6],
    ['1.5 GiB', 1.5 * 2 ** 30],
    ['64m', 64e6],
    ['3000000', 3e6],
    [5e6, 5e6],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseMemory(text)).toBe(bytes);
  });
  it.each(['', 'GB', '-2GB', '2 PB', '1e9', '100kB', Number.NaN, Number.POSITIVE_INFINITY])('%s is no size', (text) => {
    expect(() => parseMemory(text)).toThrow(InputError);
  });
});

const needs = { events: 1e9, bytesPerEvent: 44, choicesPerEvent: 0, held: { statistics: 1e6 }, threads: 2 };

describe('planStretch', () => {
  it('never asks for more than there is, nor for less than it could', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 7e7, max: 4e9 }),
        fc.integer({ min: 8, max: 4000 }),
        fc.integer({ min: 0, max: 20_000 }),
        (memory, bytesPerEvent, choicesPerEvent) => {
          const plan = (bytes: number) => planStretch(bytes, { ...needs, bytesPerEvent, choicesPerEvent });
          const size = plan(memory);
          // Three stretches of columns, and the choices of one, beside all that is held.
          expect(size * (3 * bytesPerEvent + choicesPerEvent)).toBeLessThan(memory - 1e6);
          expect(plan(2 * memory)).toBeGreaterThanOrEqual(size);
        },
      ),
    );
  });

  it('is the whole log where that fits', () => {
    expect(planStretch(64e6, { ...needs, events: 100 })).toBe(100);
    expect(planStretch(64e6, { ...needs, events: 0 })).toBe(1);
  });

  it('names what is held where nothing fits', () => {
    const run = () => planStretch(80e6, { ...needs, held: { policies: 70e6, statistics: 1e6 } });
    expect(run).toThrow(/got: {4}80 MB\n {2}needed: 131\.1 MB: policies 70 MB, statistics 1 MB, .*2 threads 24 MB/);
  });
});

it('threads leave memory for the rest, and are never none', () => {
  expect([null, 2e9, 64e6, 1e6].map((memory) => boundedThreads(memory, 16))).toEqual([16, 16, 1, 1]);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { NOTHING_MADE } from '#dist/run/memory/made.js';
import { boundedThreads, parseMemory, planBatch } from '#dist/run/memory/plan.js';

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

const needs = {
  ...{ events: 1e9, bytesPerEvent: 44, choicesPerEvent: 0, made: NOTHING_MADE, held: { statistics: 1e6 }, threads: 2 },
  program: 80e6,
};

describe('planBatch', () => {
  it('never asks for more than there is beside the program, nor for less than it could', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2e8, max: 4e9 }),
        fc.integer({ min: 8, max: 4000 }),
        fc.record({
          perEvent: fc.integer({ min: 0, max: 20_000 }),
          perRow: fc.integer({ min: 0, max: 20_000 }),
          rows: fc.oneof(fc.integer({ min: 0, max: 1e6 }), fc.constant(Number.POSITIVE_INFINITY)),
        }),
        fc.integer({ min: 0, max: 20_000 }),
        (memory, bytesPerEvent, made, choicesPerEvent) => {
          const plan = (bytes: number) => planBatch(bytes, { ...needs, bytesPerEvent, made, choicesPerEvent });
          const { size, least } = plan(memory);
          expect(least).toBeLessThanOrEqual(memory);
          // Three batches of columns, and what is made for one, beside all that is held.
          const { perEvent, perRow, rows } = made;
          expect(size * (3 * bytesPerEvent + choicesPerEvent + perEvent) + Math.min(size, rows) * perRow).toBeLessThan(
            memory - 81e6,
          );
          expect(plan(2 * memory).size).toBeGreaterThanOrEqual(size);
        },
      ),
    );
  });

  it('is the whole log where that fits', () => {
    expect(planBatch(200e6, { ...needs, events: 100 }).size).toBe(100);
    expect(planBatch(200e6, { ...needs, events: 0 }).size).toBe(1);
  });

  it('takes the smallest useful batches where the work fits but not the program, and says what would hold', () => {
    const smallest = planBatch(90e6, needs);
    expect(planBatch(140e6, needs)).toEqual(smallest);
    expect(smallest.size * (3 * 44 + 128)).toBeLessThan(4.1e6);
    expect(smallest.least).toBeGreaterThan(140e6);
    expect(planBatch(smallest.least, needs).size).toBe(smallest.size);
    expect(planBatch(smallest.least + 1e6, needs).size).toBeGreaterThan(smallest.size);
    // Events that are large are few, but not so few that nothing but overhead is left.
    expect(planBatch(200e6, { ...needs, bytesPerEvent: 1e5, threads: 1 }).size).toBe(256);
  });

  it('names what is held where nothing fits: parts that add up to a size with which it does', () => {
    const heavy = { ...needs, held: { policies: 70e6, statistics: 1e6 } };
    const run = () => planBatch(80e6, heavy);
    expect(run).toThrow(/got: {4}80 MB\n {2}needed: \d+ MB: the program 80 MB, policies 70 MB, statistics 1 MB, /);
    const error = (() => {
      try {
        return run();
      } catch (thrown) {
        return thrown as InputError;
      }
    })() as InputError;
    const [total, ...parts] = [...error.message.matchAll(/([\d.]+) MB(?=[:,])/g)].map(([, size]) => Number(size) * 1e6);
    const events = Number(/and ([\d,]+) events of the log/.exec(error.message)?.[1].replaceAll(',', ''));
    const rest = total - parts.reduce((sum, part) => sum + part, 0);
    // Each size is rounded up to a tenth of a megabyte; an event takes three columns of 44 bytes, and as much again at most.
    const rounding = 1e5 * parts.length;
    expect(rest).toBeGreaterThan(events * 3 * 44 - rounding);
    expect(rest).toBeLessThan(events * 2 * 3 * 44 + rounding);
    expect(planBatch(total, heavy).least).toBeLessThanOrEqual(total);
    expect(() => planBatch(80e6, { ...needs, threads: 1 })).not.toThrow(/thread/);
  });
});

it('threads leave memory for the rest, and are never none', () => {
  expect([null, 2e9, 64e6, -1e6].map((room) => boundedThreads(room, 16))).toEqual([16, 16, 1, 1]);
});

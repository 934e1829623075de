/** The plan of parts: all of the work, each piece once, in parts that are even. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PartedWork, type PartSpan, partText, replicasOf, spanOf } from '#dist/run/parts/plan.js';

const spans = (work: PartedWork, of: number): PartSpan[] =>
  Array.from({ length: of }, (_, i) => spanOf({ number: i + 1, of }, work));
const area = ({ rows, events }: PartSpan): number => (rows[1] - rows[0]) * (events[1] - events[0]);

/** Largest part over the mean one. */
const balance = (work: PartedWork, of: number): number =>
  Math.max(...spans(work, of).map(area)) / ((work.rows * work.events) / of);

describe('a plan', () => {
  it('covers all of the work, each piece once', () => {
    fc.assert(
      fc.property(
        fc.record({
          rows: fc.integer({ min: 1, max: 300 }),
          events: fc.integer({ min: 0, max: 300 }),
          shared: fc.boolean(),
          ordered: fc.boolean(),
        }),
        fc.integer({ min: 1, max: 100 }),
        (work, of) => {
          const all = spans(work, of);
          for (const side of ['rows', 'events'] as const) {
            const cuts = all.map((span) => span[side]);
            const isCut = new Set(cuts.map(String)).size > 1 || of === 1;
            for (const [i, [from, to]] of cuts.entries()) {
              if (isCut) expect(from).toBe(i === 0 ? 0 : cuts[i - 1][1]);
              else expect(from).toBe(cuts[0][0]);
              expect(to).toBeGreaterThanOrEqual(from);
            }
            expect(cuts[of - 1][1]).toBe(work[side]);
          }
          expect(all.reduce((sum, span) => sum + area(span), 0)).toBe(work.rows * work.events);
        },
      ),
    );
  });

  it.each([
    ['contexts of their own', false],
    ['shared contexts', true],
  ])('of 10⁵ policies on 10⁸ events for 64 nodes is even: %s', (_, shared) => {
    expect(balance({ rows: 1e5, events: 1e8, shared, ordered: false }, 64)).toBeLessThanOrEqual(1.05);
  });

  it('is even wherever there are twenty events a part', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        fc.boolean(),
        (rows, of, shared, ordered) =>
          balance({ rows, events: 20 * of + (rows % 7), shared, ordered }, of) <= 1.05 + 1e-12,
      ),
    );
  });

  it('keeps the order of events where a policy depends on it', () => {
    const work = { rows: 1000, events: 1000, shared: true };
    expect(spanOf({ number: 1, of: 2 }, { ...work, ordered: true })).toEqual({ rows: [0, 1000], events: [0, 500] });
    expect(spanOf({ number: 1, of: 2 }, { ...work, ordered: false })).toEqual({ rows: [0, 500], events: [0, 1000] });
  });
});

describe('replicas', () => {
  it('are dealt out, so that every part has some of each setting', () => {
    const replicas = Array.from({ length: 10 }, (_, row) => row);
    const parts = [1, 2, 3].map((number) => replicasOf({ number, of: 3 }, replicas));
    expect(parts).toEqual([
      [0, 3, 6, 9],
      [1, 4, 7],
      [2, 5, 8],
    ]);
  });
});

it('the text of a part is that of the option', () => expect(partText({ number: 3, of: 64 })).toBe('3/64'));

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { periodBlocks } from '#dist/estimate/blocks/block-makers.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { checkValidEvents, type Match, reordered } from '#dist/estimate/estimators/valid-events.js';
import { firstMatches, type Seen, statisticsOf, totalsOf } from '../helpers.js';

/** Statistics, plan and rescan of one policy's view of a log; `asked` records what was rescanned. */
function replayed(events: readonly Seen[], blocks: number) {
  const plan = runBlocks(events.length, blocks);
  const runs = Array.from({ length: plan.blocks }, (_, b) => events.slice(plan.starts[b], plan.starts[b + 1]));
  const asked: [number, number][] = [];
  function* rescan(_policy: number, from: number, to: number): Generator<Match> {
    asked.push([from, to]);
    for (let event = from; event < to; event++) {
      const steps = events[event];
      if (steps !== null) yield { event, steps };
    }
  }
  return { stats: statisticsOf(runs), plan, rescan, asked };
}

describe('the first T matches (Algorithm 1)', () => {
  it('equals walking the log, for any number of blocks, and rescans one block', () => {
    const seen: fc.Arbitrary<Seen> = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
    fc.assert(
      fc.property(
        fc.array(seen, { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 70 }),
        (events, blocks, T) => {
          const { stats, plan, rescan, asked } = replayed(events, blocks);
          const matches = events.flatMap((steps, event) => (steps === null ? [] : [{ event, steps }]));
          const complete = matches.length >= T;
          const first = matches.slice(0, T);
          const L = complete ? first[T - 1].event + 1 : events.length;
          const expected = {
            ...totalsOf(
              first.map((match) => match.steps),
              L,
            ),
            complete,
          };
          expect(firstMatches(stats, plan, 0, T, rescan)).toEqual(expected);
          expect(asked.length).toBe(complete ? 1 : 0);
          for (const [from, to] of asked) expect(to - from).toBeLessThanOrEqual(Math.ceil(events.length / plan.blocks));
        },
      ),
    );
  });

  it('asks the engine for the policy meant', () => {
    const { stats, plan } = replayed([1, 1, 1], 1);
    const asked: number[] = [];
    const both = {
      ...stats,
      policies: 2,
      matches: Float64Array.of(0, 3),
      payoff: Float64Array.of(0, 3),
      squareHigh: null,
      squareLow: null,
    };
    const rescan = function* (policy: number): Generator<Match> {
      asked.push(policy);
      yield { event: 0, steps: 1 };
    };
    expect(firstMatches(both, plan, 1, 1, rescan)).toMatchObject({ events: 1, matches: 1, payoff: 1, complete: true });
    expect(asked).toEqual([1]);
  });

  it.each([0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses T = %s', (T) => {
    expect(() => checkValidEvents(T)).toThrow(/number of valid events is not usable/);
  });

  it('refuses blocks that reorder the log', () => {
    expect(reordered(periodBlocks(Float64Array.of(10, 0), 5)).message).toMatch(/blocks by period, which reorder/);
  });

  it('notices an engine that contradicts itself', () => {
    const { stats, plan } = replayed([1, 1, 1, 1], 2);
    expect(() => firstMatches(stats, plan, 0, 4, () => [{ event: 2, steps: 1 }])).toThrow(/rescan ended 1 short/);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { batchOfMade, eventsWithin, madeOf, NOTHING_MADE } from '#dist/run/memory/made.js';
import { bare } from '../evaluate-streams.js';

const INFINITY = Number.POSITIVE_INFINITY;

describe('events of a batch by what is made for them', () => {
  it('fill the room, whether or not they share rows of predictions', () => {
    fc.assert(
      fc.property(
        ...([fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 100 })] as const),
        fc.record({
          perEvent: fc.integer({ min: 1, max: 1000 }),
          perRow: fc.integer({ min: 0, max: 1000 }),
          rows: fc.oneof(fc.integer({ min: 0, max: 1e6 }), fc.constant(INFINITY)),
        }),
        (room, bytes, made) => {
          const taken = (events: number) =>
            events * (bytes + made.perEvent) + (events === 0 ? 0 : Math.min(events, made.rows) * made.perRow);
          const events = eventsWithin(room, bytes, made);
          expect(taken(events)).toBeLessThanOrEqual(room);
          expect(taken(events + 1)).toBeGreaterThan(room);
        },
      ),
    );
  });

  it.each([
    ['a log of which nothing is made', 1e9, NOTHING_MADE, 0, 1e9],
    ['an empty log', 0, NOTHING_MADE, 0, 1],
    ['one that just fits', 2e6, { perEvent: 100, perRow: 0, rows: 0 }, 0, 2e6],
    ['one that does not', 2e6 + 1, { perEvent: 100, perRow: 0, rows: 0 }, 0, 2e6],
    ['a row for each event', 1e7, { perEvent: 100, perRow: 900, rows: INFINITY }, 0, 200_000],
    ['shared rows', 1e7, { perEvent: 100, perRow: 900, rows: 1200 }, 240, (200e6 - 1200 * 900) / 100],
    [
      'so many contexts that batches would decide them again and again',
      1e7,
      { perEvent: 1e3, perRow: 0, rows: 0 },
      5e4,
      8e5,
    ],
    ['contexts that are not repeated that often', 1e5, { perEvent: 1e4, perRow: 0, rows: 0 }, 5e4, 1e5],
    ['very large events', 1e4, { perEvent: 0, perRow: 1e7, rows: INFINITY }, 0, 256],
  ])('%s: of %d', (_, events, made, contexts, batch) => {
    expect(batchOfMade(events, made, contexts)).toBe(batch);
  });

  it('count columns twice where engines add them up or put them in order, and tables that they put together', () => {
    const log = logFromColumns({ arm: ['a', 'b'], payoff: [0, 1], context: [[1], [2]] });
    const columns = { perEvent: 40, perRow: 32 };
    const model = { perEvent: 12, rows: 7 } as Parameters<typeof madeOf>[1]['model'];
    const head = { ...log, contexts: { ...log.contexts, row: null } };
    const shared = { ...head, contexts: { ...head.contexts, row: new Uint32Array(0) } };
    const perRow = 2 * 32 + 2 * 8;
    expect(madeOf(head, { columns, inOrder: true, model })).toEqual({
      perEvent: 40 + 12,
      perRow,
      rows: 7,
    });
    for (const [one, inOrder] of [
      [head, false],
      [shared, true],
    ] as const)
      expect(madeOf(one, { columns, inOrder, model }).perEvent).toBe(80 + 12);
    expect(madeOf(head, { columns: { perEvent: 8, perRow: 0 }, inOrder: true, model: null })).toEqual({
      ...{ perEvent: 8, perRow: 0, rows: 0 },
    });
  });
});

describe('a log in memory of which much is made', () => {
  const [L, K] = [1500, 4000];
  const t = Array.from({ length: L }, (_, t) => t);
  const log = logFromColumns({
    arm: t.map((t) => (t * 37) % K),
    arms: Array.from({ length: K }, (_, a) => a),
    payoff: t.map((t) => Number(t % 3 === 0)),
    propensity: t.map((t) => (t % 2 === 0 ? 1 / K : 2 / K)),
    context: t.map((t) => [1, Math.sin(t)]),
  });
  const weights = [1, 2].map((p) => Array.from({ length: K }, (_, a) => [Math.cos(a * p), Math.sin(a * p)]));
  const options = {
    policies: [{ family: 'linear' as const, weights }],
    estimators: ['snips', 'dm', 'dr', 'sndr'],
    device: 'cpu',
    threads: 2,
  } satisfies Partial<EvaluateOptions>;
  /** The result, and the borders between batches. */
  const played = async (more: Partial<EvaluateOptions>) => {
    const borders = new Set<number>();
    const onProgress: EvaluateOptions['onProgress'] = ({ phase, done }) => void (phase === 'load' && borders.add(done));
    return { result: bare(await evaluate({ log, ...options, ...more, onProgress })), borders: [...borders] };
  };

  it('is gone through in batches of its own accord, with the result of a single one', async () => {
    const [whole, parts] = [await played({ stretchEvents: L }), await played({})];
    expect(whole.borders).toEqual([]);
    // For an arm a one, a prediction and its square in two words, all once more put together, and the prediction itself.
    const most = 200e6 / (K * (2 * 4 * 4 + 8));
    expect(parts.borders).toEqual([expect.closeTo(most, -1), L]);
    expect(parts.result).toEqual(whole.result);
  });

  it('is a single batch where replay makes nothing', async () => {
    const { borders } = await played({ estimators: ['replay'], assumeUniform: true });
    expect(borders).toEqual([]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextCells } from '#dist/log/cells.js';
import type { EventLog } from '#dist/log/event-log.js';
import { type LogColumns, logFromColumns } from '#dist/log/from-columns/columns.js';
import { batchOf } from '#dist/log/stream-of.js';
import { armIds, candidates, context } from '../files.js';

const base: LogColumns = { arm: ['b', 'a', 'b'], payoff: [0, 1, 0] };

describe('logFromColumns', () => {
  it('builds the smallest log, the empty log and a log of one event', () => {
    const log = logFromColumns(base);
    expect(log).toMatchObject({
      events: 3,
      propensity: null,
      time: null,
      user: null,
      armFeatures: null,
      sourceRow: null,
    });
    expect(log.arms.ids).toEqual(['a', 'b']);
    expect(Array.from(log.arm)).toEqual([1, 0, 1]);
    expect(log.contexts).toMatchObject({ dimension: 0, rows: 3, row: null });
    expect(candidates(log, 2)).toEqual(['a', 'b']);
    const empty = logFromColumns({ arm: [], payoff: [] });
    expect(empty.arms.ids).toEqual([]);
    expect(empty.pools.count).toBe(1);
    expect(empty.payoff.maxSteps).toBe(0);
    expect(contextCells(empty).count).toBe(0);
    const one = logFromColumns({ arm: [7], payoff: [1], context: [[3]] });
    expect(one).toMatchObject({ events: 1, contexts: { rows: 1, row: null, dimension: 1 } });
  });

  it('keeps columns on shared memory, in arrays of their final length', () => {
    const log = logFromColumns({
      ...base,
      context: [[1], [1], [1]],
      time: [1, 2, 3],
      timeUnit: 'ms',
      candidates: [['a', 'b'], ['a'], ['b']],
    });
    for (const column of [
      log.arm,
      log.payoff.steps,
      log.contexts.values,
      log.contexts.row,
      log.time,
      log.pools.pool,
      log.pools.arms,
      log.pools.offsets,
    ]) {
      expect(column?.buffer).toBeInstanceOf(SharedArrayBuffer);
    }
    expect(log.contexts.values).toHaveLength(1);
    expect(log.contexts.row).toHaveLength(3);
  });

  it('orders arms by rule 1, with 33 of them, and counts arms seen as candidates only', () => {
    const ids = Array.from({ length: 33 }, (_, i) => i);
    const shuffled = [...ids].reverse();
    expect(logFromColumns({ arm: shuffled, payoff: shuffled.map(() => 0) }).arms.ids).toEqual(ids.map(String));
    expect(logFromColumns({ ...base, candidates: ['c', 'b', 'a'] }).arms.ids).toEqual(['a', 'b', 'c']);
    expect(logFromColumns({ ...base, arms: ['b', 'x', 'a'] })).toMatchObject({ arms: { ids: ['b', 'x', 'a'] } });
    expect(Array.from(logFromColumns({ ...base, arms: ['b', 'x', 'a'] }).arm)).toEqual([0, 2, 0]);
  });

  it('takes indices, with ids or with their number', () => {
    const log = logFromColumns({
      armIndex: [2, 0],
      arms: 3,
      payoff: [0, 1],
      candidates: {
        pools: [
          [0, 2],
          [1, 0],
        ],
        pool: [0, 1],
      },
    });
    expect(log.arms.ids).toEqual(['0', '1', '2']);
    expect(candidates(log, 1)).toEqual(['0', '1']);
    expect(armIds(logFromColumns({ armIndex: [1], arms: ['z', 'y'], payoff: [0] }))).toEqual(['y']);
  });

  it('stores a candidate set once, however its list is ordered', () => {
    const log = logFromColumns({
      arm: ['a', 'b', 'a', 'b'],
      payoff: [0, 0, 0, 0],
      candidates: [
        ['a', 'b'],
        ['b', 'a'],
        ['a', 'c'],
        ['b', 'a'],
      ],
    });
    expect(log.pools.count).toBe(2);
    expect(Array.from(log.pools.pool ?? [])).toEqual([0, 0, 1, 0]);
    expect(Array.from(log.pools.arms)).toEqual([0, 1, 0, 2]);
    expect(
      logFromColumns({
        ...base,
        candidates: [
          ['a', 'b'],
          ['b', 'a'],
          ['a', 'b'],
        ],
      }).pools,
    ).toMatchObject({ count: 1, pool: null });
  });

  it('stores repeated contexts once, f32 while that is exact, and −0 as 0', () => {
    const rows = [
      [1, 2],
      [0.5, -0],
      [1, 2],
      [1, 2],
      [0.5, 0],
      [1, 2],
    ];
    const log = logFromColumns({ arm: rows.map(() => 1), payoff: rows.map(() => 0), context: rows });
    expect(log.contexts.rows).toBe(2);
    expect(log.contexts.values).toBeInstanceOf(Float32Array);
    expect(rows.map((_, t) => context(log, t))).toEqual(rows.map((row) => row.map((x) => x + 0)));
    const wide = logFromColumns({
      arm: [1, 1],
      payoff: [0, 0],
      context: { values: new Float64Array([1, 0.1]), dimension: 1, columns: ['age'] },
    });
    expect(wide.contexts.values).toBeInstanceOf(Float64Array);
    expect(wide.contexts).toMatchObject({ rows: 2, row: null, columns: ['age'] });
  });

  it('gives up looking for repeats in a long log of distinct contexts, and keeps every value', () => {
    const L = 140000;
    const values = Float64Array.from({ length: L * 2 }, (_, i) => (i === 2 * 135000 ? 0.1 : i));
    const log = logFromColumns({
      armIndex: new Uint32Array(L),
      arms: 1,
      payoff: new Uint8Array(L),
      context: { values, dimension: 2 },
    });
    expect(log.contexts.row).toBeNull();
    expect(log.contexts.values).toEqual(new Float64Array(values));
    expect(contextCells(log)).toEqual({ count: L, of: null, event: null });
  });

  it('keeps times, users, keys and arm features', () => {
    const log = logFromColumns({
      ...base,
      time: [new Date(5), 7.25, '1970-01-01T00:00:00.009Z'],
      timeUnit: 'ms',
      user: [10, 9, 10],
      keys: { city: ['b', 'a', 'b'] },
      armFeatures: [
        [1, 2],
        [3, 4],
      ],
      propensity: [0.5, 1, 0.25],
    });
    expect(Array.from(log.time ?? [])).toEqual([5, 7.25, 9]);
    expect(log.user).toMatchObject({ levels: ['9', '10'] });
    expect(Array.from(log.user?.code ?? [])).toEqual([1, 0, 1]);
    expect(Array.from(log.keys.get('city')?.code ?? [])).toEqual([1, 0, 1]);
    expect(log.armFeatures).toMatchObject({ dimension: 2, columns: ['z0', 'z1'] });
    expect(Array.from(log.armFeatures?.values ?? [])).toEqual([1, 2, 3, 4]);
  });

  const zOf = (log: EventLog, t: number): Record<string, number[]> => {
    const { pools, arms, armFeatures } = log;
    const s = pools.pool === null ? 0 : pools.pool[t];
    const { values = new Float64Array(0), row = null, dimension = 0 } = armFeatures ?? {};
    const places = Array.from({ length: pools.offsets[s + 1] - pools.offsets[s] }, (_, i) => pools.offsets[s] + i);
    return Object.fromEntries(
      places.map((i) => {
        const r = row === null ? pools.arms[i] : row[i];
        return [arms.ids[pools.arms[i]], [...values.subarray(r * dimension, (r + 1) * dimension)]];
      }),
    );
  };

  it('keeps the features that each event shows, a row per version of an arm', () => {
    const log = logFromColumns({
      ...base,
      candidates: [
        ['b', 'a'],
        ['a', 'c'],
        ['a', 'b'],
      ],
      candidateFeatures: {
        rows: [
          [
            [1, 2],
            [3, 4],
          ],
          [
            [3, 5],
            [0, -0],
          ],
          [
            [3, 4],
            [1, 2],
          ],
        ],
        columns: ['size', 'age'],
      },
    });
    expect(log.armFeatures).toMatchObject({ dimension: 2, rows: 4, columns: ['size', 'age'] });
    expect(log.pools.count).toBe(2);
    expect([0, 1, 2].map((t) => zOf(log, t))).toEqual([
      { a: [3, 4], b: [1, 2] },
      { a: [3, 5], c: [0, 0] },
      { a: [3, 4], b: [1, 2] },
    ]);
    // Rows ascend within a pool, as arms do.
    expect([...(log.armFeatures?.row ?? [])]).toEqual([0, 2, 1, 3]);
  });

  it('takes features of pools, of one list, and of a log without events', () => {
    const pools = logFromColumns({
      armIndex: [1, 0, 1],
      arms: 2,
      payoff: [0, 0, 1],
      candidates: {
        pools: [
          [1, 0],
          [1, 0],
        ],
        pool: [0, 1, 0],
      },
      candidateFeatures: [
        [[1], [2]],
        [[1], [3]],
      ],
    });
    expect([0, 1, 2].map((t) => zOf(pools, t))).toEqual([
      { 0: [2], 1: [1] },
      { 0: [3], 1: [1] },
      { 0: [2], 1: [1] },
    ]);
    const one = logFromColumns({ ...base, candidates: ['b', 'a'], candidateFeatures: [[7], [8]] });
    expect(one.armFeatures).toMatchObject({ rows: 2, row: null });
    expect(zOf(one, 2)).toEqual({ a: [8], b: [7] });
    const empty = logFromColumns({ arm: [], arms: ['a'], payoff: [], candidates: [], candidateFeatures: [] });
    expect(empty).toMatchObject({ events: 0, armFeatures: null, pools: { count: 1 } });
  });

  const listed: LogColumns = {
    ...base,
    candidates: [
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ],
  };
  const two = [[1], [2]];
  const bad: [string, LogColumns, RegExp][] = [
    [
      'features without candidates',
      { ...base, candidateFeatures: [two] },
      /column "candidateFeatures": features of candidates come without the candidates/,
    ],
    ['features twice', { ...listed, armFeatures: two, candidateFeatures: [two, two, two] }, /are given once/],
    [
      'features of too few events',
      { ...listed, candidateFeatures: [two, two] },
      /not nested as the candidates are\n {2}got: {4}2 lists of rows\n {2}needed: 3, one per event/,
    ],
    [
      'features of too few candidates',
      { ...listed, candidateFeatures: [two, [[1]], two] },
      /row 1, column "candidateFeatures": there is not a row of features per candidate\n {2}got: {4}1 row\n {2}needed: 2/,
    ],
    [
      'ragged features',
      { ...listed, candidateFeatures: [two, two, [[1], [1, 2]]] },
      /row 2, column "candidateFeatures": .* at candidate "b"\n {2}got: {4}2 values\n {2}needed: 1, as in the first row/,
    ],
    [
      'features of length 0',
      {
        ...listed,
        candidateFeatures: [
          [[], []],
          [[], []],
          [[], []],
        ],
      },
      /needed: at least one feature/,
    ],
    [
      'NaN feature',
      { ...listed, candidateFeatures: [two, [[1], [Number.NaN]], two] },
      /row 1, column "candidateFeatures": feature "z0" of candidate "b" is not a finite number\n {2}got: {4}NaN/,
    ],
    [
      'infinite feature of a pool',
      {
        ...base,
        candidates: { pools: [['a', 'b']], pool: [0, 0, 0] },
        candidateFeatures: [[[1], [Number.POSITIVE_INFINITY]]],
      },
      /column "candidateFeatures\[0\]": feature "z0" of candidate "b" is not a finite number/,
    ],
    [
      'names of features',
      { ...listed, candidateFeatures: { rows: [two, two, two], columns: ['a', 'b'] } },
      /wrong number of column names\n {2}got: {4}2\n {2}needed: 1/,
    ],
    [
      'candidate with features twice',
      {
        ...base,
        candidates: [
          ['b', 'b'],
          ['a', 'b'],
          ['b', 'a'],
        ],
        candidateFeatures: [two, two, two],
      },
      /row 0, column "candidateFeatures": the list of candidates names an arm twice\n {2}got: {4}"b"/,
    ],
    [
      'outside candidates with features',
      { ...base, candidates: [['b'], ['b'], ['b']], candidateFeatures: [[[1]], [[1]], [[1]]] },
      /row 1, column "arm": the logged arm is not among the event's candidates/,
    ],
    ['no arm', { payoff: [1] }, /column "arm": the logged arms are given once/],
    ['two arms', { ...base, armIndex: [0], arms: 1 }, /given once/],
    [
      'lengths',
      { arm: ['a'], payoff: [1, 2] },
      /column "arm": columns differ in length\n {2}got: {4}1 entry\n {2}needed: 2/,
    ],
    ['NaN id', { arm: [Number.NaN], payoff: [0] }, /row 0, column "arm": not an identifier/],
    [
      'unknown arm',
      { ...base, arm: ['b', 'spotrs', 'b'], arms: ['sports', 'b'] },
      /row 1, column "arm": arm is not in the given list of arms\n.*"spotrs"\n[\s\S]*did you mean "sports"/,
    ],
    [
      'unknown arm of one character, where no typing error is seen',
      { ...base, arms: ['aa', 'b'] },
      /row 1, column "arm": arm is not in the given list of arms\n.*"a"\n.*\n {2}try: {4}add it to the list/,
    ],
    ['arm twice', { ...base, arms: ['a', 'b', 'a'] }, /names an arm twice\n {2}got: {4}"a" at positions 0 and 2/],
    ['no arms', { ...base, arms: [] }, /list of arms is empty/],
    [
      'bad index',
      { armIndex: [3], arms: 3, payoff: [0] },
      /row 0, column "armIndex": not an arm index\n {2}got: {4}3\n {2}needed: an integer in 0 .. 2/,
    ],
    ['index without arms', { armIndex: [3], payoff: [0] }, /needs the arms/],
    [
      'outside candidates',
      { ...base, candidates: [['a', 'b'], ['b'], ['b']] },
      /row 1, column "arm": the logged arm is not among the event's candidates\n {2}got: {4}"a"\n {2}needed: one of "b"/,
    ],
    [
      'empty candidates',
      { ...base, candidates: [['a', 'b'], [], ['b']] },
      /row 1, column "candidates": the list of candidates is empty/,
    ],
    [
      'candidate twice',
      { ...base, candidates: [['b'], ['a', 'a'], ['b']] },
      /row 1, column "candidates": the list of candidates names an arm twice\n {2}got: {4}"a"/,
    ],
    [
      'candidate unknown',
      { ...base, arms: ['a', 'b'], candidates: ['a', 'b', 'c'] },
      /candidate is not in the given list of arms\n {2}got: {4}"c"/,
    ],
    [
      'pool number',
      { ...base, candidates: { pools: [['a', 'b']], pool: [0, 1, 0] } },
      /row 1, column "candidates.pool": not the number of a pool/,
    ],
    ['candidate count', { ...base, candidates: [['a']] }, /columns differ in length/],
    [
      'propensity 0',
      { ...base, propensity: [0.5, 0, 0.5] },
      /row 1, column "propensity": propensity is outside \(0, 1\]\n {2}got: {4}0/,
    ],
    ['propensity NaN', { ...base, propensity: [0.5, 0.5, Number.NaN] }, /row 2, column "propensity"/],
    ['propensity above 1', { ...base, propensity: [1.1, 0.5, 0.5] }, /row 0, column "propensity"/],
    [
      'ragged context',
      { ...base, context: [[1, 2], [1], [1, 2]] },
      /row 1, column "context": rows differ in length\n {2}got: {4}1 value\n {2}needed: 2/,
    ],
    [
      'features by name',
      { ...base, armFeatures: { a: [1], b: [2] } as unknown as number[][] },
      /column "armFeatures": not rows of numbers\n {2}got: {4}object\n {2}needed: an array of rows of numbers/,
    ],
    [
      'a context of numbers',
      { ...base, context: [1, 2, 3] as unknown as number[][] },
      /row 0, column "context": not a row of numbers\n {2}got: {4}1/,
    ],
    [
      'NaN context',
      {
        ...base,
        context: [
          [1, 2],
          [1, Number.NaN],
          [1, 2],
        ],
      },
      /row 1, column "context.x1": feature is not a finite number/,
    ],
    ['infinite context', { ...base, context: [[1], [1], [-Infinity]] }, /row 2, column "context.x0"/],
    ['part of a row', { ...base, context: { values: [1, 2, 3, 4], dimension: 3 } }, /not whole rows/],
    ['context length', { ...base, context: [[1]] }, /column "context": columns differ in length/],
    [
      'column names',
      { ...base, context: { values: [1, 2, 3], dimension: 1, columns: ['a', 'b'] } },
      /wrong number of column names/,
    ],
    ['time', { ...base, time: [1e12, 2e12, 'noon'] }, /row 2, column "time": not a time\n {2}got: {4}noon/],
    ['arm features', { ...base, armFeatures: [[1]] }, /a row per arm\n {2}got: {4}1 row\n {2}needed: 2/],
    ['user', { ...base, user: [1, Number.NaN, 2] }, /row 1, column "user": not an identifier/],
  ];
  it.each(bad)('refuses: %s', (_, columns, message) => {
    expect(() => logFromColumns(columns)).toThrowError(message);
  });

  it('is not renumbered by shuffling, and keeps events whole (property)', () => {
    const event = fc.record({
      pool: fc.uniqueArray(fc.constantFrom('a', 'b', '10', '9', '😀', '\ufffd'), { minLength: 1 }),
      x: fc.array(fc.constantFrom(0, 1, 0.1, -2.5), { minLength: 2, maxLength: 2 }),
      payoff: fc.constantFrom(0, 0.5, 2),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 60 }), fc.infiniteStream(fc.nat()), (events, order) => {
        const build = (list: typeof events) =>
          logFromColumns({
            arm: list.map(({ pool }) => pool[0]),
            payoff: list.map((e) => e.payoff),
            candidates: list.map((e) => e.pool),
            context: list.map((e) => e.x),
          });
        const keyed = events.map((e) => ({ e, key: order.next().value }));
        const shuffled = keyed.sort((a, b) => a.key - b.key).map(({ e }) => e);
        const [first, second] = [build(events), build(shuffled)];
        expect(second.arms.ids).toEqual(first.arms.ids);
        for (const [t, e] of shuffled.entries()) {
          expect(second.arms.ids[second.arm[t]]).toBe(e.pool[0]);
          expect(candidates(second, t).sort()).toEqual([...e.pool].sort());
          expect(context(second, t)).toEqual(e.x);
        }
        const cells = contextCells(second);
        for (let t = 0; t < shuffled.length; t++) {
          const c = cells.of === null ? (cells.count === 1 ? 0 : t) : cells.of[t];
          const representative = cells.event === null ? c : cells.event[c];
          expect(context(second, representative)).toEqual(context(second, t));
          expect(candidates(second, representative)).toEqual(candidates(second, t));
        }
      }),
    );
  });
});

describe('contextCells', () => {
  it('has one cell without contexts and pools, and a cell per pool without contexts', () => {
    expect(contextCells(logFromColumns(base))).toMatchObject({ count: 1, of: null });
    const pools = logFromColumns({ ...base, candidates: [['a', 'b'], ['a'], ['a', 'b']] });
    const cells = contextCells(pools);
    expect(cells.count).toBe(2);
    expect(Array.from(cells.of ?? [])).toEqual([0, 1, 0]);
    expect(Array.from(cells.event ?? [])).toEqual([0, 1]);
    expect(contextCells(pools)).toBe(cells);
  });

  it('pairs contexts with pools, and gives up beyond half the events', () => {
    const log = logFromColumns({
      arm: [1, 1, 1, 1],
      payoff: [0, 0, 0, 0],
      context: [[1], [2], [1], [2]],
      candidates: [[1], [1, 2], [1], [1, 2]],
    });
    expect(contextCells(log)).toMatchObject({ count: 2 });
    const mixed = logFromColumns({
      arm: [1, 1, 1, 1],
      payoff: [0, 0, 0, 0],
      context: [[1], [2], [1], [2]],
      candidates: [[1], [1, 2], [1, 2], [1, 2]],
    });
    expect(contextCells(mixed)).toEqual({ count: 4, of: null, event: null });
  });

  // A batch of few events has fewer than there are pairs, which are then looked up.
  it.each([
    [0, 60],
    [7, 60],
    [30, 54],
    [30, 40],
    [59, 60],
  ])('numbers the pairs of events %d to %d in the order in which they come', (from, to) => {
    const t = Array.from({ length: 60 }, (_, t) => t);
    const sets = [['a', 'b'], ['a', 'b', 'c'], ['a']];
    const whole = logFromColumns({
      arm: t.map(() => 'a'),
      arms: ['a', 'b', 'c'],
      payoff: t.map(() => 0),
      context: t.map((t) => [(t * t) % 5]),
      candidates: t.map((t) => sets[(t * t) % 3]),
    });
    const batch = batchOf(whole, from, to);
    const pairs = t.slice(from, to).map((t) => `${(t * t) % 5} ${(t * t) % 3}`);
    const order = [...new Set(pairs)];
    expect(contextCells(batch)).toEqual(
      order.length === 1 && pairs.length > 1
        ? { count: 1, of: null, event: Uint32Array.of(0) }
        : order.length * 2 > pairs.length
          ? { count: pairs.length, of: null, event: null }
          : {
              count: order.length,
              of: Uint32Array.from(pairs, (pair) => order.indexOf(pair)),
              event: Uint32Array.from(order, (pair) => pairs.indexOf(pair)),
            },
    );
  });
});

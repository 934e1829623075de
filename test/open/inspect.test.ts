import { describe, expect, it } from 'vitest';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { inspectLog } from '#dist/open/inspect.js';
import { read } from '../log/files.js';

describe('inspectLog', () => {
  it('describes an empty log and a log of few events', () => {
    const empty = inspectLog(logFromColumns({ armIndex: [], arms: 2, payoff: [] }));
    expect(empty).toMatchObject({
      events: 0,
      period: null,
      candidates: null,
      expectedMatches: 0,
      payoff: { min: null, max: null, total: 0, mean: null },
    });
    expect(empty.arms).toEqual([
      { id: '0', events: 0, payoff: 0, mean: null },
      { id: '1', events: 0, payoff: 0, mean: null },
    ]);
    const few = inspectLog(
      logFromColumns({
        arm: ['a', 'b', 'a'],
        payoff: [1.5, -2, 4],
        candidates: [['a', 'b'], ['b'], ['a', 'b', 'c']],
        context: [[1], [0.5], [1]],
        time: [9, 3, 5],
        timeUnit: 'ms',
        user: ['u', 'u', 'v'],
      }),
    );
    expect(few).toMatchObject({
      candidates: { distinctSets: 3, minSize: 1, medianSize: 2, maxSize: 3 },
      period: { first: '1970-01-01T00:00:00.003Z', last: '1970-01-01T00:00:00.009Z', ascending: false },
      payoff: { low: -2, high: 4, range: 'observed', step: 0.5, min: -2, max: 4, total: 3.5 },
      context: { columns: [{ name: 'x0', distinct: 2, min: 0.5, max: 1 }], distinctContexts: 2, distinctPairs: null },
      users: 2,
    });
    expect(few.arms[0]).toEqual({ id: 'a', events: 2, payoff: 5.5, mean: 2.75 });
    expect(few.expectedMatches).toBeCloseTo(0.5 + 1 + 1 / 3, 12);
  });

  it('lists bad rows by kind', async () => {
    const log = await read('inspect.csv', 'arm,payoff\na,1\nb,x\nc,y\n', { skipBadRows: true });
    expect(inspectLog(log).badRows).toMatchObject([{ kind: 'payoff is not a number', count: 2 }]);
    expect(inspectLog(log)).toMatchObject({ rows: 3, events: 1 });
  });
});

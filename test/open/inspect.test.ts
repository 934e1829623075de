import { describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
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

describe('propensities', () => {
  const skewed = (propensity: (arm: number) => number) =>
    logFromColumns({
      armIndex: Array.from({ length: 4000 }, (_, t) => (t % 10 < 8 ? 0 : 1)),
      arms: 2,
      payoff: Array.from({ length: 4000 }, (_, t) => (t % 3 === 0 ? 1 : 0)),
      propensity: Array.from({ length: 4000 }, (_, t) => propensity(t % 10 < 8 ? 0 : 1)),
    });

  it('that are those of the logged arms are not doubted', () => {
    expect(inspectLog(skewed((arm) => [0.8, 0.2][arm])).warnings).toEqual([]);
  });

  it('that are those of the other arm are', () => {
    expect(inspectLog(skewed((arm) => [0.2, 0.8][arm])).warnings.join()).toMatch(/probability of the logged arm/);
  });

  it('that say uniform where the arms are not: weights do not make up for it', async () => {
    const log = skewed(() => 0.5);
    const { warnings } = await evaluate({
      log,
      policies: [{ family: 'constant' }],
      estimators: 'snips',
      device: 'cpu',
    });
    expect(warnings.join('\n')).toMatch(/say uniform, but [\s\S]*weights by such propensities do not make up for it/);
  });
});

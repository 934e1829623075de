import { describe, expect, it } from 'vitest';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { policyFunction, policyFunctions } from '#dist/policy/functions.js';
import { choices, compile, faultOf, fourEvents, versionedEvents } from './small-log.js';

describe('policy functions', () => {
  it('choose an arm index or an id from context and candidates', async () => {
    const log = fourEvents({ candidates: [['3', '7'], ['3'], ['12', '3'], ['7', '12']] });
    const set = [
      policyFunctions({
        last: (_, candidates) => candidates[candidates.length - 1] ?? null,
        byContext: (context) => ((context[0] ?? 0) > 0 ? '7' : '12'),
        none: () => null,
      }),
    ];
    expect(await choices(set, log)).toEqual([
      ['7', '3', '12', '12'],
      ['7', '12', '7', '12'],
      [null, null, null, null],
    ]);
    expect((await compile(set, log))[0]?.names).toEqual(['last', 'byContext', 'none']);
  });

  it('see ids, column names and arm features', async () => {
    const log = fourEvents({ armFeatures: [[0], [5], [1]] });
    const best = policyFunction('best', (_context, candidates, { armFeatures, ids, columns }) => {
      expect([...ids, ...columns]).toEqual(['3', '7', '12', 'x0', 'x1']);
      return candidates.reduce((a, b) => ((armFeatures?.values[b] ?? 0) > (armFeatures?.values[a] ?? 0) ? b : a));
    });
    expect(await choices([best], log)).toEqual([['7', '7', '7', '7']]);
  });

  it('see the features that an event shows for a candidate', async () => {
    const log = versionedEvents([
      [5, 1],
      [5, 1],
      [2, 3],
      [0, 1],
    ]);
    const best = policyFunction('best', (_context, candidates, { featuresOf }) =>
      candidates.reduce((a, b) => (featuresOf(b)[0] > featuresOf(a)[0] ? b : a)),
    );
    expect(await choices([best], log)).toEqual([['7', '3', '3', '3']]);
    const absent = policyFunction('absent', (_context, _candidates, { featuresOf }) => featuresOf(2)[0]);
    expect(await faultOf(() => compile([absent], log))).toMatch(/RangeError: arm index 2 is not a candidate here/);
    const none = policyFunction('none', (_context, [first], { featuresOf }) => featuresOf(first).length);
    expect(await choices([none], fourEvents())).toEqual([['3', '3', '3', '3']]);
  });

  it('are asked once per distinct context and candidate set', async () => {
    const events = 600;
    const log = logFromColumns({
      arm: Array.from({ length: events }, () => 'a'),
      arms: ['a', 'b'],
      payoff: new Array<number>(events).fill(0),
      context: Array.from({ length: events }, (_, t) => [t % 3]),
      candidates: Array.from({ length: events }, (_, t) => (t % 2 === 0 ? ['a'] : ['a', 'b'])),
    });
    let calls = 0;
    const set = [
      policyFunction('counting', (context, candidates) => {
        calls++;
        return context[0] === 1 ? (candidates.at(-1) ?? null) : 'a';
      }),
    ];
    const [found] = await choices(set, log);
    expect(calls).toBeLessThanOrEqual(log.contexts.row === null ? events : 6);
    expect(found).toEqual(Array.from({ length: events }, (_, t) => (t % 6 === 1 ? 'b' : 'a')));
  });

  it('cannot change the log', async () => {
    const log = fourEvents();
    const before = log.contexts.values.slice();
    const vandal = policyFunctions({
      first: (context) => {
        context.fill(99);
        return 0;
      },
      second: (context) => ((context[0] ?? 0) > 1 ? 0 : 1),
    });
    expect((await choices([vandal], log))[1]).toEqual(['7', '7', '7', '7']);
    expect(log.contexts.values).toEqual(before);
    const push = policyFunction('push', (_, candidates) => (candidates as number[]).push(1));
    expect(await faultOf(() => compile([push], log))).toMatch(/policy "push" failed at event 0/);
  });

  const faults: [name: string, choose: () => unknown, message: RegExp][] = [
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      /set\.json, \[0\]\.functions\.mine: policy "mine" failed at event 0\n {2}got: {4}Error: boom/,
    ],
    [
      'forgets to return',
      () => undefined,
      /policy "mine" returned no arm of the log at event 0\n {2}got: {4}undefined[\s\S]*does the function return/,
    ],
    ['returns an index out of range', () => 3, /got: {4}3\n {2}needed: an arm index from 0 to 2/],
    ['returns -1', () => -1, /got: {4}-1/],
    ['returns a fraction', () => 0.5, /got: {4}0\.5/],
    ['returns NaN', () => Number.NaN, /got: {4}NaN/],
    ['returns an unknown id', () => '13', /got: {4}"13"\n {2}needed: one of the log's 3 arms/],
    ['is asynchronous', async () => 0, /got: {4}a promise/],
  ];
  it.each(faults)('that %s are named', async (_name, choose, message) => {
    const set = [{ family: 'function', functions: { mine: choose } }];
    expect(await faultOf(() => compile(set, fourEvents()))).toMatch(message);
  });
});

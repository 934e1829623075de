/** Decision-service JSON lines. */

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { armIds, candidates, context, fault, payoffs, write } from '../../log/files.js';

let files = 0;

function read(text: string | Uint8Array, options: ReadOptions = {}): Promise<EventLog> {
  return readLog([write(`ds-${files++}.json`, text)], options);
}

type Json = Record<string, unknown>;

/** An event whose second action of two was logged. */
function event(members: Json = {}, c: Json = {}): string {
  return JSON.stringify({
    _label_cost: -1,
    _label_probability: 0.5,
    _label_Action: 2,
    _labelIndex: 1,
    a: [2, 1],
    c: { u: { x: 3 }, _multi: [{ v: { y: 1 } }, { v: { y: 2 } }], ...c },
    p: [0.5, 0.5],
    ...members,
  });
}

const GOOD = event();

function features(log: EventLog, t: number): Record<string, number> {
  const values = context(log, t);
  return Object.fromEntries(log.contexts.columns.map((name, j) => [name, values[j]]));
}

describe('dsjson', () => {
  it('has payoff = −cost, actions by position from 1, and their features', async () => {
    const log = await read(`${GOOD}\n${event({ _label_cost: 0.25, _label_Action: 1, _labelIndex: 0, a: [1, 2] })}`);
    expect(log.source).toMatchObject({
      format: 'dsjson',
      rows: 2,
      badRows: [],
      payoffFromCost: { scale: -1, offset: 0 },
    });
    expect(armIds(log)).toEqual(['2', '1']);
    expect(payoffs(log)).toEqual([1, -0.25]);
    expect([...(log.propensity ?? [])]).toEqual([0.5, 0.5]);
    expect(candidates(log, 0)).toEqual(['1', '2']);
    expect(features(log, 0)).toEqual({ 'u^x': 3 });
    expect(log.armFeatures).toMatchObject({ rows: 2, row: null, columns: ['v^y'] });
    expect([...(log.armFeatures?.values ?? [])]).toEqual([1, 2]);
    expect(log.time).toBeNull();
  });

  it('finds the actions wherever they stand in the context, with the features around them shared', async () => {
    const deep = (c: Json) => event({ c });
    const actions = [{ v: { y: 1 } }, { v: { y: 2 } }];
    for (const c of [
      { u: { x: 3, _multi: actions } },
      { u: { x: 3 }, other: { _multi: actions } },
      { u: { x: 3, inner: { _multi: actions } } },
    ]) {
      const log = await read(`${GOOD}\n${deep(c)}`);
      expect([log.events, armIds(log), log.source.badRows]).toEqual([2, ['2', '2'], []]);
      expect(features(log, 1)).toEqual({ 'u^x': 3 });
      expect([...(log.armFeatures?.values ?? [])]).toEqual([1, 2]);
    }
  });

  it('never leaves a labelled event out as one that is none', async () => {
    for (const [line, problem] of [
      [event({ c: { u: { x: 3 } } }), 'label without actions'],
      [event({}, { _multi: [] }), 'label without actions'],
      [event({ c: undefined }), 'label without actions'],
      [event({ c: { a: { _multi: [{}, {}] }, b: { _multi: [{}] } } }), '_multi within features'],
      [event({ _label_cost: undefined }, { _label_cost: -1 }), 'label among features'],
      [event({}, { u: { x: 3, _label_probability: 0.1 } }), 'label among features'],
    ]) {
      const error = await fault(read(`${GOOD}\n${line}`));
      expect([error.fault.line, error.fault.problem]).toEqual([2, problem]);
      const log = await read(`${GOOD}\n${line}`, { skipBadRows: true });
      expect(log.source.badRows).toMatchObject([{ kind: problem, count: 1 }]);
    }
    const unlabelled = event({ _label_cost: undefined, c: { u: { x: 3 } } });
    expect((await read(`${GOOD}\n${unlabelled}`)).source.badRows).toMatchObject([{ kind: 'event without actions' }]);
  });

  it('reads features as VowpalWabbit does', async () => {
    const c = {
      plain: 2,
      text: 'a b',
      yes: true,
      no: false,
      nothing: null,
      _ignored: { x: 1 },
      _text: 'hello  world hello',
      list: [0.5, null, 2, { z: 1 }, { z: 2, s: 't' }],
      outer: { inner: { q: 7 }, r: 1 },
      ünï: { '^': 1, 'a=b': 'c' },
      __proto__2: { constructor: 4 },
    };
    const log = await read(`${event({}, { u: {}, ...c })}\n${event({}, { u: {} })}`);
    expect(features(log, 0)).toEqual({
      plain: 2,
      'text=a b': 1,
      yes: 1,
      hello: 2,
      world: 1,
      'list^0': 0.5,
      'list^1': 2,
      'list^z': 3,
      'list^s=t': 1,
      'inner^q': 7,
      'outer^r': 1,
      'ünï^^': 1,
      'ünï^a=b=c': 1,
    });
    expect(context(log, 1).every((value) => value === 0)).toBe(true);
  });

  it('treats names of prototypes as names', async () => {
    const text = GOOD.replace('"u":{"x":3}', '"constructor":{"toString":1},"u":{"valueOf":2,"__proto__":{"x":9}}');
    const log = await read(text);
    // Names that begin with _ are no features.
    expect(features(log, 0)).toEqual({ 'constructor^toString': 1, 'u^valueOf': 2 });
    expect(({} as Json).x).toBeUndefined();
  });

  it('has times where all events have them', async () => {
    const at = (Timestamp: string) => event({ Timestamp });
    const log = await read(
      `${at('2021-02-04T16:31:29.2460000Z')}\n${at('2021-02-04T16:31:29.0001')}\n${at('2021-02-04T17:31:29+01:00')}`,
    );
    const second = Date.UTC(2021, 1, 4, 16, 31, 29);
    expect([...(log.time ?? [])]).toEqual([second + 246, second + 0.1, second]);
    const mixed = await read(`${at('2021-02-04T16:31:29Z')}\n${GOOD}\n`);
    expect(mixed.time).toBeNull();
    expect(mixed.source.badRows).toMatchObject([{ count: 1, lost: 'nothing' }]);
    await expect(read(`${at('2021-02-04T16:31:29Z')}\n${GOOD}\n`, { strict: true })).rejects.toThrow(
      /line 2: some events have a Timestamp/,
    );
  });

  it.each([
    ['CR LF', `${GOOD}\r\n${GOOD}\r\n`],
    ['empty lines', `\n${GOOD}\n\n \n${GOOD}\n\n`],
    ['a byte order mark', `\ufeff${GOOD}\n${GOOD}`],
    ['spaces around', `  ${GOOD} \n\t${GOOD}\n`],
  ])('reads a file with %s', async (_, text) => {
    expect((await read(text)).events).toBe(2);
  });

  it('reads gzip and several files, and needs no action number where there is an index', async () => {
    const paths = [write('ds.json.gz', gzipSync(`${GOOD}\n`)), write('ds2.json', event({ _label_Action: undefined }))];
    const log = await readLog(paths, {});
    expect([log.events, log.source.files]).toEqual([2, paths]);
    expect((await read(event({ _labelIndex: undefined, a: undefined, p: undefined }))).arm[0]).toBe(1);
    expect((await read(event({ _label_cost: undefined, _label_Cost: -1 }))).events).toBe(1);
  });

  it('leaves out what VowpalWabbit skips, and counts it; strict refuses it', async () => {
    const skipped = [
      event({ _label_cost: undefined, _label_probability: undefined }),
      event({ _skipLearn: true }),
      '{"RewardValue":1.0,"EventId":"x"}',
      event({ _label_cost: undefined, a: [], p: [] }, { _multi: [] }),
    ];
    const log = await read([GOOD, ...skipped, event({ _skipLearn: false })].join('\n'));
    expect(log.events).toBe(2);
    expect([...(log.sourceRow ?? [])]).toEqual([0, 5]);
    expect(log.source.badRows).toMatchObject([
      { kind: 'event without a label', count: 1 },
      { kind: 'event marked with _skipLearn', count: 1 },
      { kind: 'event without actions', count: 2 },
    ]);
    for (const line of skipped) {
      expect((await fault(read(`${GOOD}\n${line}`, { strict: true }))).fault).toMatchObject({ row: 1, line: 2 });
    }
  });

  it('forgives a that counts from 0, and probabilities that f32 rounds above 1', async () => {
    const log = await read(`${event({ a: [1, 0] })}\n${event({ _label_probability: 1.0000001192092896, p: [1, 0] })}`);
    expect(log.source.badRows).toMatchObject([
      { kind: 'a counts actions from 0', count: 1, lost: 'nothing' },
      { kind: 'probability is rounded above 1', count: 1, lost: 'nothing' },
    ]);
    expect(log.propensity?.[1]).toBe(1);
  });

  const FAULTS: readonly (readonly [string, string, string])[] = [
    ['{"a":', 'line is not JSON', 'cut'],
    [GOOD.slice(0, -10), 'line is not JSON', 'cut at its end'],
    [GOOD.replace('-1', 'NaN'), 'line is not JSON', 'NaN, which is no JSON'],
    ['[1]', 'line is not a JSON object', 'an array'],
    ['12', 'line is not a JSON object', 'a number'],
    [GOOD.replace('"p":', '"a":[1,2],"p":'), 'JSON names a member twice', 'two rankings'],
    [GOOD.replace('"x":3', '"x":3,"x":4'), 'JSON names a member twice', 'a feature twice'],
    [GOOD.replace('"a":', '"_label_Cost":1,"a":'), 'JSON names a member twice', 'two costs by case'],
    [
      event({}, { deep: JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) }),
      'JSON is nested too deeply',
      'nested arrays',
    ],
    [event({ _label_cost: 'NaN' }), 'cost is not a finite number', 'NaN as text'],
    [GOOD.replace('-1', '-1e999'), 'cost is not a finite number', 'an infinite cost'],
    [event({ _label_probability: undefined }), 'label without a probability', 'no probability'],
    [event({ _label_probability: 0, p: [0, 1] }), 'propensity is outside (0, 1]', 'probability 0'],
    [event({ _label_probability: -0.5, p: undefined }), 'propensity is outside (0, 1]', 'a negative probability'],
    [event({ _label_probability: 1.5, p: [1.5, 0] }), 'propensity is outside (0, 1]', 'probability above 1'],
    [event({ _label_probability: '0.5' }), 'probability is not a finite number', 'a probability as text'],
    [event({ _label_Action: undefined, _labelIndex: undefined }), 'label without an action', 'no action'],
    [event({ _label_Action: 1 }), '_label_Action and _labelIndex disagree', 'index and action'],
    [event({ _label_Action: 0, _labelIndex: undefined }), '_label_Action is not an action', 'action 0'],
    [event({ _labelIndex: -1, _label_Action: undefined }), '_labelIndex is not an action', 'a negative index'],
    [event({ _labelIndex: 0.5 }), '_labelIndex is not an action', 'half an index'],
    [event({ _label_Action: 3, _labelIndex: 2 }), 'logged action is not in _multi', 'an action out of range'],
    [event({ a: [1, 2] }), 'a does not begin with the logged action', 'another ranking'],
    [event({ a: [2, 1, 3] }), 'a and _multi differ in length', 'a longer ranking'],
    [event({ p: [1] }), 'p and _multi differ in length', 'fewer probabilities'],
    [event({ a: 'x' }), 'a is not a list of numbers', 'a text for a ranking'],
    [event({ p: [0.4, 0.6] }), 'p and _label_probability disagree', 'another probability'],
    [event({ _label: '1:0:0.5' }), '_label in place of _label_cost and its like', 'a text label'],
    [event({ _skipLearn: 'yes' }), '_skipLearn is not true or false', 'a text flag'],
    [event({ pdrop: 1 }), 'pdrop is not a probability below 1', 'pdrop 1'],
    [event({ Timestamp: 'yesterday' }), 'Timestamp is not a time', 'no time'],
    [event({ Timestamp: 12 }), 'Timestamp is not a time', 'a number for a time'],
    [event({}, { _multi: {} }), 'c._multi is not a list', 'an object for a list'],
    [event({}, { _multi: [{}, 2] }), 'action is not an object', 'a number for an action'],
    [event({}, { _multi: [{ __aid: 3 }, {}] }), 'action refers to another line', 'a deduplicated action'],
    [event({}, { _multi: [{ _multi: [] }, {}] }), '_multi within features', 'actions of an action'],
    [event({}, { u: ['x'] }), 'array of features holds something else than numbers and objects', 'texts in an array'],
    [
      event({}, { u: [[1]] }),
      'array of features holds something else than numbers and objects',
      'an array in an array',
    ],
    [event({}, { _text: 1 }), '_text is not a text', 'a number for a text'],
    [GOOD.replace('"x":3', '"x":1e999'), 'feature is not a finite number', 'an infinite feature'],
  ];

  it.each(FAULTS)('%s: %s (%s)', async (line, problem) => {
    const text = `${GOOD}\n\n${line}\n${GOOD}\n`;
    const error = await fault(read(text));
    expect(error.fault).toMatchObject({ row: 1, line: 3, problem });
    expect(error.fault.needed).toBeTruthy();
    expect(error.fault.hint).toBeTruthy();
    const log = await read(text, { skipBadRows: true });
    expect(log.source.badRows).toMatchObject([{ kind: problem, count: 1 }]);
    expect(log.events).toBe(2);
    expect([...(log.sourceRow ?? [])]).toEqual([0, 2]);
    expect(log.contexts.columns).toEqual(['u^x']);
  });

  it.each([
    [event({}, { _slots: [{}] }), 'several decisions per event'],
    [event({ _outcomes: [{ _label_cost: 0, _a: [0], _p: [1] }] }), 'several decisions per event'],
    [event({ _label_ca: { cost: 1 } }), 'continuous actions'],
  ])('refuses another problem, even where bad rows are skipped: %s', async (line, why) => {
    const error = await fault(read(`${GOOD}\n${line}`, { skipBadRows: true }));
    expect(error.fault).toMatchObject({ line: 2, problem: 'the log is not one of contextual bandits' });
    expect(error.message).toContain(why);
  });

  it('has the rates at which events were dropped as a key, where there are several', async () => {
    const at = (pdrop: number | null) => event({ pdrop });
    const one = await read(`${at(0.2)}\n${at(0.2)}`);
    expect([one.source.dropRates, one.keys.size, one.source.warnings]).toEqual([[0.2], 0, undefined]);
    const none = await read(`${at(0)}\n${at(null)}\n${at(-0)}\n${GOOD}`);
    expect([none.source.dropRates, none.keys.size]).toEqual([undefined, 0]);
    const two = await read(`${at(0.25)}\n${GOOD}\n${event({ pdrop: 0.5, _label_cost: undefined })}\n${at(1e-7)}`);
    const { levels, code } = two.keys.get('pdrop') ?? { levels: [], code: [] };
    expect([two.source.dropRates, Array.from(code, (c) => Number(levels[c]))]).toEqual([
      [0, 1e-7, 0.25],
      [0.25, 0, 1e-7],
    ]);
    // It may be named or not.
    expect(two.keys).toEqual((await read(`${at(0.25)}\n${GOOD}\n${at(1e-7)}`, { keys: ['pdrop'] })).keys);
    await expect(read(GOOD, { keys: ['pdrop'] })).rejects.toThrow(/no context feature "pdrop"/);
    expect(two.source.warnings).toMatchObject([expect.stringMatching(/dropped at 3 different rates/)]);
  });

  it('refuses more rates than statistics are kept of, and a key of their name', async () => {
    const rates = Array.from({ length: 65 }, (_, i) => event({ pdrop: i / 100 }));
    expect((await read(rates.slice(1).join('\n'))).source.dropRates).toHaveLength(64);
    const error = await fault(read(rates.join('\n'), { skipBadRows: true }));
    expect(error.fault).toMatchObject({ line: 65, path: 'pdrop', got: '0.64, beside 64 others before' });
    const named = [0, 0.5].map((pdrop) => event({ pdrop }, { pdrop: 'x' })).join('\n');
    expect((await fault(read(named, { keys: ['pdrop'] }))).fault.problem).toMatch(/as its key pdrop/);
  });

  it('names arms by tag or feature, and selects columns', async () => {
    const multi = [
      { _tag: 'A', v: { id: 'one', y: 1 } },
      { _tag: 'B', v: { id: 'two', y: 2 } },
    ];
    const text = event({}, { _multi: multi });
    expect((await read(text, { armId: 'tag' })).arms.ids).toEqual(['A', 'B']);
    const named = await read(text, { armId: 'v^id=*', features: ['v^y', 'u^*'] });
    expect([named.arms.ids, named.armFeatures?.columns]).toEqual([['one', 'two'], ['v^y']]);
  });

  it('refuses a line longer than the limit at its line', async () => {
    const path = write('long.json', `${GOOD}\n${event({ extra: 'x'.repeat(2 ** 20) })}\n${GOOD}\n`);
    const maxLine = 2 ** 20;
    expect((await readLog([path], {})).events).toBe(3);
    expect((await fault(readLog([path], { maxLine }))).fault).toMatchObject({
      row: 1,
      line: 2,
      problem: 'line is too long',
    });
    expect((await readLog([path], { maxLine, skipBadRows: true })).events).toBe(2);
  });

  it('is recognized by its content, and other JSON lines are not taken for it', async () => {
    await expect(read('{"arm":"a","payoff":1}\n')).rejects.toThrow(/nothing says which column is what/);
    await expect(read('', { format: 'dsjson' })).rejects.toThrow(/the log has no rows/);
  });
});

/** VowpalWabbit text with one event per line. */

import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { armIds, candidates, context, fault, payoffs, write } from '../../log/files.js';
import { LONG } from '../../long.js';

let files = 0;

function read(text: string | Uint8Array, options: ReadOptions = {}): Promise<EventLog> {
  return readLog([write(`cb-${files++}.vw`, text)], options);
}

function features(log: EventLog, t: number): Record<string, number> {
  const values = context(log, t);
  return Object.fromEntries(log.contexts.columns.map((name, j) => [name, values[j]]));
}

describe('vw: an event per line', () => {
  it('has payoff = −cost, arms by action number, and all arms as candidates', async () => {
    const log = await read('2:1.5:0.25 | a\n10:-0.5:0.5 | b\n2:0:1 | a\n');
    expect(log.arms.ids).toEqual(['2', '10']);
    expect(armIds(log)).toEqual(['2', '10', '2']);
    expect(payoffs(log)).toEqual([-1.5, 0.5, 0]);
    expect([...(log.propensity ?? [])]).toEqual([0.25, 0.5, 1]);
    expect(candidates(log, 0)).toEqual(['2', '10']);
    expect(log.pools.pool).toBeNull();
    expect(log.armFeatures).toBeNull();
    expect([log.time, log.user, log.sourceRow]).toEqual([null, null, null]);
  });

  it('takes the actions of a line with several labels as its candidates, whose unobserved costs mean nothing', async () => {
    const log = await read('1:9 2:3:0.5 4 | a\n3:1:0.25 | a\n');
    expect(candidates(log, 0)).toEqual(['1', '2', '4']);
    expect(candidates(log, 1)).toEqual(['1', '2', '3', '4']);
    expect(payoffs(log)).toEqual([-3, -1]);
  });

  it('reads features as VowpalWabbit does: defaults, weights, repeats, categories, places', async () => {
    const log = await read('1:0:1 tag|a:2 x y:0.5 x |b y:-3 city:paris :7 :8 |a:-1 y:1e1 | z é:2\t|c π:.5 \n');
    expect(features(log, 0)).toEqual({
      'a^x': 4,
      'a^y': -9,
      'b^0': 7,
      'b^1': 8,
      'b^city=paris': 1,
      'b^y': -3,
      'c^π': 0.5,
      z: 1,
      é: 2,
    });
  });

  it('splits a value at the first colon, so that text may hold more of them', async () => {
    const log = await read('1:0:1 | u:http://a/b:c |n :only |m x:-nan-y\n');
    expect(features(log, 0)).toEqual({ 'm^x=-nan-y': 1, 'n^=only': 1, 'u=http://a/b:c': 1 });
  });

  it('has columns in code-point order, whatever the order in the file, and none for what is always 0', async () => {
    const one = await read('1:0:1 | b a:0\n1:0:1 | a:0 c\n');
    const other = await read('1:0:1 | c a:0\n1:0:1 | b\n');
    expect(one.contexts.columns).toEqual(['b', 'c']);
    expect(other.contexts.columns).toEqual(['b', 'c']);
  });

  it('keeps f64 where f32 does not hold a value', async () => {
    expect((await read('1:0:1 | a:0.5\n')).contexts.values).toBeInstanceOf(Float32Array);
    const log = await read('1:0:1 | a:0.1\n');
    expect(log.contexts.values).toBeInstanceOf(Float64Array);
    expect(context(log, 0)).toEqual([0.1]);
  });

  it.each([
    ['without a last line end', '1:0:1 | a\n2:1:1 | b'],
    ['with CR LF', '1:0:1 | a\r\n2:1:1 | b\r\n'],
    ['with empty lines', '\n\n1:0:1 | a\n\n\n2:1:1 | b\n\n'],
    ['with a byte order mark', '\ufeff1:0:1 | a\n2:1:1 | b\n'],
    ['with tabs between features and before the label', 'key\t1:0:1 |\ta\n\t2:1:1 | b\t\n'],
    ['with more spaces', ' 1:0:1   |   a  \n2:1:1 |  b \n'],
    ['with tags', "1:0:1 'tag | a\n2:1:1 tag| b\n"],
  ])('reads a file %s', async (_, text) => {
    const log = await read(text, { format: 'vw-cb' });
    expect(armIds(log)).toEqual(['1', '2']);
    expect(payoffs(log)).toEqual([0, -1]);
    expect([features(log, 0), features(log, 1)]).toEqual([
      { a: 1, b: 0 },
      { a: 0, b: 1 },
    ]);
  });

  it('reads gzip, and several files as one log', async () => {
    const first = write('part-1.vw.gz', gzipSync('1:0:0.5 | a\n| unlabelled\n1:1:0.5 | a\n'));
    const second = write('part-2.vw', '2:1:0.5 | b\n');
    const told: number[] = [];
    const log = await readLog([first, second], { onProgress: (fraction) => told.push(fraction) });
    expect(log.source).toMatchObject({ files: [first, second], format: 'vw-cb', rows: 4, where: null });
    expect([...(log.sourceRow ?? [])]).toEqual([0, 2, 3]);
    expect(told.at(-1)).toBe(1);
    expect([...told].sort((a, b) => a - b)).toEqual(told);
  });

  it('leaves unlabelled lines out and counts them; strict refuses them', async () => {
    const text = '1:0:0.5 | a\n | a\n2 | a\n1:3 | a\n2:3.4028234663852886e38:0.5 | a\n2:1:0.5 | a\n';
    const log = await read(text);
    expect(log.events).toBe(2);
    expect(log.source.badRows).toMatchObject([{ kind: 'event without a label', count: 4 }]);
    expect([...(log.sourceRow ?? [])]).toEqual([0, 5]);
    expect((await fault(read(text, { strict: true }))).fault).toMatchObject({
      row: 1,
      line: 2,
      problem: 'event without a label',
    });
  });

  it('forgives a probability that f32 rounds above 1; strict does not', async () => {
    const log = await read('1:0:1.00000012 | a\n');
    expect([...(log.propensity ?? [])]).toEqual([1]);
    expect(log.source.badRows).toMatchObject([{ kind: 'probability is rounded above 1', count: 1, lost: 'nothing' }]);
    await expect(read('1:0:1.00000012 | a\n', { strict: true })).rejects.toThrow(/rounded above 1/);
  });

  const FAULTS: readonly (readonly [string, string, string])[] = [
    ['1:0:0 | a', 'propensity is outside (0, 1]', '0'],
    ['1:0:-0.5 | a', 'propensity is outside (0, 1]', '-0.5'],
    ['1:0:1.5 | a', 'propensity is outside (0, 1]', '1.5'],
    ['1:0:nan | a', 'probability is not a finite number', '"1:0:nan"'],
    ['1:nan:0.5 | a', 'cost is not a finite number', '"1:nan:0.5"'],
    ['1:1e999:0.5 | a', 'cost is not a finite number', '"1:1e999:0.5"'],
    ['1::0.5 | a', 'cost is not a finite number', '"1::0.5"'],
    ['0:1:0.5 | a', 'line belongs to an event of several lines', '"0:1:0.5"'],
    ['shared | a', 'line belongs to an event of several lines', '"shared"'],
    ['x:1:0.5 | a', 'label is not action:cost:probability', '"x:1:0.5"'],
    ['-1:1:0.5 | a', 'label is not action:cost:probability', '"-1:1:0.5"'],
    ['1.0:1:0.5 | a', 'label is not action:cost:probability', '"1.0:1:0.5"'],
    ['1:1:0.5:2 | a', 'label is not action:cost:probability', '"1:1:0.5:2"'],
    ['1:1:0.5 2:1:0.5 | a', 'more than one label with a probability', '"1:1:0.5 2:1:0.5"'],
    ['1:1:0.5 1:2 | a', 'action is listed twice', '"1:2"'],
    ['1:1:0.5| a', 'label touches the bar', '"1:1:0.5|"'],
    ['shared|a b', 'label touches the bar', '"shared|"'],
    ['1:1:0.5\t| a', 'tab in the label', '"1:1:0.5\\t"'],
    ['1:1:0.5', 'no | in the line', '"1:1:0.5"'],
    ['1:1:0.5 | a\rb', 'carriage return in a line', '"1:1:0.5 | a\\rb"'],
    ['1:1:0.5 | a\0b', 'zero byte in a line', '"1:1:0.5 | a\\u0000b"'],
    ['1:1:0.5 | a:nan', 'feature is not a finite number', '"a:nan"'],
    ['1:1:0.5 | a:1e999', 'feature is not a finite number', '"a:1e999"'],
    ['1:1:0.5 | a:1e308 a:1e308', 'feature is not a finite number', '"a:1e308"'],
    ['1:1:0.5 |n:1e308 a:1e308', 'feature is not a finite number', '"a:1e308"'],
    ['1:1:0.5 | a:', 'feature value is neither a number nor a name', '"a:"'],
    ['1:1:0.5 | time:12:30', 'feature value is neither a number nor a name', '"time:12:30"'],
    ['1:1:0.5 | a:0x10', 'feature value is neither a number nor a name', '"a:0x10"'],
    ['1:1:0.5 |:2 a', 'namespace has no name', '"|:2"'],
    ['1:1:0.5 |n:x a', 'namespace weight is not a finite number', '"|n:x"'],
    ['1:1:0.5 |n:inf a', 'namespace weight is not a finite number', '"|n:inf"'],
  ];

  it.each(FAULTS)('%j: located, and counted where bad rows are skipped', async (line, problem, got) => {
    const text = `1:0:0.5 | a\n\n${line}\n2:1:0.5 | b\n`;
    const error = await fault(read(text, { format: 'vw-cb' }));
    expect(error.fault).toMatchObject({ row: 1, line: 3, problem, got });
    expect(error.fault.needed).toBeTruthy();
    expect(error.fault.hint).toBeTruthy();
    const log = await read(text, { format: 'vw-cb', skipBadRows: true });
    expect(armIds(log)).toEqual(['1', '2']);
    expect(log.source.badRows).toMatchObject([{ kind: problem, count: 1 }]);
    // Nothing of the bad line is in the log.
    expect(log.contexts.columns).toEqual(['a', 'b']);
    await expect(read(text, { format: 'vw-cb', strict: true, skipBadRows: true })).rejects.toThrow(problem);
  });

  it.each([
    ['ccb shared | a\nccb action | b\nccb slot 0:1:0.5 | c\n', 'several decisions'],
    ['slates shared 0.5 | a\n', 'several decisions'],
    ['ca 1:0.5:0.5 | a\n', 'continuous actions'],
  ])('refuses another problem: %j', async (text, why) => {
    const error = await fault(read(`1:0:0.5 | a\n${text}`, { format: 'vw-cb', skipBadRows: true }));
    expect(error.fault).toMatchObject({ line: 2, problem: 'the log is not one of contextual bandits' });
    expect(error.message).toContain(why);
  });

  it('refuses text that is not UTF-8, at its line', async () => {
    const text = Buffer.concat([Buffer.from('1:0:0.5 | a\n1:0:0.5 | '), Buffer.from([0xe9]), Buffer.from('\n')]);
    expect((await fault(read(text))).fault).toMatchObject({ line: 2, problem: 'line is not UTF-8' });
    expect((await read(text, { skipBadRows: true })).source.badRows).toMatchObject([
      { kind: 'line is not UTF-8', count: 1 },
    ]);
  });

  it('refuses a line longer than the limit, at its line, and skips it where told to', async () => {
    const long = `1:0:0.5 | ${'a '.repeat(2 ** 18)}\n`;
    const path = write('long.vw', `1:0:0.5 | a\n${long}2:1:0.5 | b\n`);
    expect((await fault(readLog([path], { maxLine: 2 ** 18 }))).fault).toMatchObject({
      row: 1,
      line: 2,
      problem: 'line is too long',
    });
    const log = await readLog([path], { maxLine: 2 ** 18, skipBadRows: true });
    expect(armIds(log)).toEqual(['1', '2']);
    expect(log.source.badRows).toMatchObject([{ kind: 'line is too long', count: 1 }]);
  });

  it.each([
    ['an empty file', '', /cb-\d+\.vw: the log has no rows/],
    ['a file of empty lines', '\n\r\n \n', /the log has no rows/],
    [
      'only unlabelled lines',
      '1 | a\n | b\n',
      /no row of the log is an event[\s\S]*2 × event without a label[\s\S]*line 1/,
    ],
  ])('refuses %s', async (_, text, message) => {
    await expect(read(text, { format: 'vw-cb' })).rejects.toThrow(message);
  });

  it('reads the whole part before the damage of a gzip file, only where bad rows are skipped', async () => {
    const lines = Array.from({ length: 20000 }, (_, i) => `1:0:0.5 | f${i % 7}:${(i * 7919) % 1009}\n`).join('');
    const bytes = gzipSync(lines);
    const path = write('cut.vw.gz', bytes.subarray(0, bytes.length - 2000));
    expect((await fault(readLog([path], {}))).fault).toMatchObject({
      file: path,
      problem: 'the compressed file ends too early',
    });
    const log = await readLog([path], { skipBadRows: true });
    const cut = gunzipSync(bytes.subarray(0, bytes.length - 2000), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    const whole = cut.slice(0, cut.lastIndexOf('\n') + 1);
    expect(whole.length).toBeGreaterThan(0);
    expect(log).toEqual({ ...(await read(whole)), source: expect.anything() });
    expect(log.source.rows).toBe(log.events);
    expect(log.source.badRows).toMatchObject([
      { kind: 'the compressed file ends too early', count: 1, lost: 'stretch' },
    ]);
  });

  it('stops where it is aborted', async () => {
    const path = write('abort.vw', '1:0:0.5 | a\n'.repeat(300000));
    const controller = new AbortController();
    const reading = readLog([path], {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('vw: options', () => {
  const TEXT = '1:0:0.5 |u age:3 sex=f |v w\n2:1:0.5 |u age:4 sex=m\n2:0.25:0.5 |v w:2\n';

  it('payoffFromCost scales costs, and the log records it', async () => {
    const log = await read(TEXT, { payoffFromCost: { scale: -2, offset: 1 }, payoffRange: [-1, 1] });
    expect(payoffs(log)).toEqual([1, -1, 0.5]);
    expect(log.source.payoffFromCost).toEqual({ scale: -2, offset: 1 });
    expect(log.payoff).toMatchObject({ rangeBasis: 'declared', scale: { low: -1, high: 1 } });
    await expect(read(TEXT, { payoffFromCost: { scale: 0, offset: 1 } })).rejects.toThrow(
      /payoffFromCost is not valid/,
    );
    await expect(read(TEXT, { payoffRange: [0, 1] })).rejects.toThrow(
      /line 2\): payoff is outside the declared range[\s\S]*-1, of the cost 1/,
    );
  });

  it('features select columns', async () => {
    expect((await read(TEXT, { features: ['u^*'] })).contexts.columns).toEqual(['u^age', 'u^sex=f', 'u^sex=m']);
    expect((await read(TEXT, { features: ['*=*', 'v^w'] })).contexts.columns).toEqual(['u^sex=f', 'u^sex=m', 'v^w']);
    const none = await read(TEXT, { features: [] });
    expect([none.contexts.dimension, none.contexts.rows]).toEqual([0, 3]);
  });

  it('featureLimit: an error that counts the features and says where the limit was met', async () => {
    const error = await fault(read(TEXT, { featureLimit: 3 }));
    expect(error.fault).toMatchObject({ line: 2, got: '4 different context features', needed: 'at most 3, the limit' });
    expect(error.message).toMatch(/--features/);
    expect((await read(TEXT, { featureLimit: 4 })).contexts.dimension).toBe(4);
    const many = Array.from({ length: 1500 }, (_, i) => `1:0:0.5 | id${i}\n`).join('');
    await expect(read(many)).rejects.toThrow(/1,500 different context features[\s\S]*at most 1,000/);
    expect((await read(many, { features: ['id1*'], featureLimit: 2000 })).contexts.dimension).toBe(611);
  });

  it('gives names up beyond a million, where they are', LONG, async () => {
    const names = Array.from({ length: 1_000_001 }, (_, i) => i.toString(36)).join(' ');
    const error = await fault(read(`1:0:1 | a\n1:0:1 |n ${names}\n`));
    expect(error.fault).toMatchObject({ line: 2, got: 'more than 1,000,000 different context features' });
    expect((await read(`1:0:1 |m a\n1:0:1 |n ${names}\n`, { features: ['m^*'] })).contexts.columns).toEqual(['m^a']);
  });

  it('keys are looked up among the features', async () => {
    const log = await read(TEXT, { keys: ['u^sex', 'u^age', 'v^w'], features: ['v^w'] });
    expect(log.contexts.columns).toEqual(['v^w']);
    const values = (name: string) => {
      const key = log.keys.get(name);
      return Array.from(key?.code ?? [], (code) => key?.levels[code]);
    };
    expect(values('u^sex')).toEqual(['f', 'm', '']);
    expect(values('u^age')).toEqual(['3', '4', '']);
    expect(values('v^w')).toEqual(['1', '', '2']);
    await expect(read(TEXT, { keys: ['u^agr'] })).rejects.toThrow(
      /no context feature "u\^agr"[\s\S]*did you mean "u\^age"/,
    );
  });

  it('arms in a given order, which may hold arms that were never logged', async () => {
    const log = await read(TEXT, { arms: [3, 2, 1] });
    expect(log.arms.ids).toEqual(['3', '2', '1']);
    expect([...log.arm]).toEqual([2, 1, 1]);
    expect(candidates(log, 0)).toEqual(['3', '2', '1']);
    expect((await fault(read(TEXT, { arms: [1, 3] }))).fault).toMatchObject({
      line: 2,
      problem: 'arm is not in the given list of arms',
      got: '"2"',
    });
  });

  it('refuses options that do not go with the format, and those of this format elsewhere', async () => {
    await expect(read(TEXT, { where: 'x = 1' })).rejects.toThrow(/option where does not go with the format vw-cb/);
    await expect(read(TEXT, { format: 'vw', mapping: { arm: 'a', payoff: 'b' } })).rejects.toThrow(
      /a mapping does not go/,
    );
    await expect(read(TEXT, { armId: 'no star' })).rejects.toThrow(/option armId is not valid/);
    await expect(read(TEXT, { features: [''] })).rejects.toThrow(/option features is not valid/);
    await expect(read(TEXT, { featureLimit: -1 })).rejects.toThrow(/option featureLimit is not valid/);
    const csv = readLog([write('some.csv', 'arm,payoff\na,1\n')], {
      mapping: { arm: 'arm', payoff: 'payoff' },
      features: ['x'],
    });
    await expect(csv).rejects.toThrow(/option features does not go with this format[\s\S]*"vw"/);
  });
});

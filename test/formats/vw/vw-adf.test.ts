/** VowpalWabbit text with a line per action. */

import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { armIds, candidates, context, fault, payoffs, write } from '../../log/files.js';

let files = 0;

function read(text: string, options: ReadOptions = {}): Promise<EventLog> {
  return readLog([write(`adf-${files++}.ldf`, text)], options);
}

/** Features of the candidates of event t, in the order of their arms. */
function actions(log: EventLog, t: number): number[][] {
  const { pools, armFeatures } = log;
  const s = pools.pool === null ? 0 : pools.pool[t];
  const d = armFeatures?.dimension ?? 0;
  return Array.from(pools.arms.subarray(pools.offsets[s], pools.offsets[s + 1]), (arm, i) => {
    const row = armFeatures?.row?.[pools.offsets[s] + i] ?? arm;
    return Array.from(armFeatures?.values.subarray(row * d, (row + 1) * d) ?? []);
  });
}

const TEXT = `shared |u x:2
|a p:1
0:1:0.25 |a p:2
|a p:3

0:-0.5:0.5 |a p:4
|a p:2
`;

describe('vw: a line per action', () => {
  it('numbers actions by position from 1; each has the features of its event', async () => {
    const log = await read(TEXT);
    expect(log.source.format).toBe('vw-adf');
    expect(log.arms.ids).toEqual(['1', '2', '3']);
    expect(armIds(log)).toEqual(['2', '1']);
    expect(payoffs(log)).toEqual([-1, 0.5]);
    expect([...(log.propensity ?? [])]).toEqual([0.25, 0.5]);
    expect([candidates(log, 0), candidates(log, 1)]).toEqual([
      ['1', '2', '3'],
      ['1', '2'],
    ]);
    expect(log.armFeatures?.columns).toEqual(['a^p']);
    // Arm 2 has the same features twice: a version; arm 1 has two.
    expect(log.armFeatures?.rows).toBe(4);
    expect([actions(log, 0), actions(log, 1)]).toEqual([
      [[1], [2], [3]],
      [[4], [2]],
    ]);
    expect([context(log, 0), context(log, 1)]).toEqual([[2], [0]]);
  });

  it.each([
    ['a last empty line', `${TEXT}\n`],
    ['CR LF', TEXT.replaceAll('\n', '\r\n')],
    ['no last line end', TEXT.trimEnd()],
    ['empty lines in a row', TEXT.replaceAll('\n\n', '\n\n\n\n')],
    ['empty lines at the beginning', `\n\n${TEXT}`],
    ['other action numbers in labels, which mean nothing', TEXT.replace('0:1:', '7:1:')],
    ['an empty shared line', TEXT.replace('\n\n', '\n\nshared |\n')],
    ['tags', TEXT.replace('|a p:3', "'t |a p:3").replace('0:-0.5:0.5 ', '0:-0.5:0.5 tag')],
  ])('is the same log with %s', async (_, text) => {
    expect(await read(text)).toEqual({ ...(await read(TEXT)), source: expect.anything() });
  });

  it('forgives a line of spaces between events, and reports it', async () => {
    const log = await read(TEXT.replace('\n\n', '\n \t\n'));
    expect(log.events).toBe(2);
    expect(log.source.badRows).toMatchObject([{ kind: 'line of spaces between events', count: 1, lost: 'nothing' }]);
    expect(log.source.badRows[0].first).toMatch(/line 5: /);
    await expect(read(TEXT.replace('\n\n', '\n \t\n'), { strict: true })).rejects.toThrow(/line 5: line of spaces/);
  });

  it('leaves events without a label out and counts them; strict refuses them', async () => {
    const text = `${TEXT}\n|a p:9\n|a p:8\n\nshared |\n|b q\n2:4 |b q\n`;
    const log = await read(text);
    expect(log).toEqual({ ...(await read(TEXT)), source: expect.anything(), sourceRow: Uint32Array.of(0, 1) });
    expect(log.source).toMatchObject({ rows: 4, badRows: [{ kind: 'event without a label', count: 2 }] });
    expect((await fault(read(text, { strict: true }))).fault).toMatchObject({ row: 2, line: 9 });
  });

  it('takes arm ids from tags or from a feature', async () => {
    const text = "shared | c\n'left | id=x w:1\n0:1:0.5 'right | id=y\n\n0:0:0.5 'right | id=z\n'left | id=x w:2\n";
    const tags = await read(text, { armId: 'tag' });
    expect([tags.arms.ids, armIds(tags)]).toEqual([
      ['left', 'right'],
      ['right', 'right'],
    ]);
    const named = await read(text, { armId: 'id=*', features: ['w', 'c'] });
    expect([named.arms.ids, armIds(named)]).toEqual([
      ['x', 'y', 'z'],
      ['y', 'z'],
    ]);
    expect([candidates(named, 0), candidates(named, 1)]).toEqual([
      ['x', 'y'],
      ['x', 'z'],
    ]);
    expect([actions(named, 0), actions(named, 1)]).toEqual([
      [[1], [0]],
      [[2], [0]],
    ]);
  });

  it.each([
    ["'a | x\n0:1:0.5 | x", 'tag', 'action has no tag', 'action 2'],
    ["'a | x\n0:1:0.5 'a | x", 'tag', 'two actions of an event have the same arm id', '"a"'],
    ['| id=1\n0:1:0.5 | x', 'id=*', 'action has no feature that names its arm', 'action 2'],
    ['| id=1\n0:1:0.5 | id=2 id=3', 'id=*', 'action has several features that name its arm', 'action 2: "2", "3"'],
  ])('%j with armId %s: %s', async (text, armId, problem, got) => {
    expect((await fault(read(text, { armId }))).fault).toMatchObject({ problem, got, row: 0 });
  });

  const FAULTS: readonly (readonly [string, number, string])[] = [
    ['0:1:0.5 | a\n0:1:0.5 | b', 6, 'more than one labelled action in an event'],
    ['| a\nshared | b\n0:1:0.5 | c', 6, 'shared features not at the beginning of an event'],
    ['shared | a', 5, 'event without actions'],
    ['shared 0:1:0.5 | a\n| b', 5, 'shared features with a label'],
    ['shared|a\n0:1:0.5 | b', 5, 'label touches the bar'],
    ['0:1:0.5 1:2:0.5 | a\n| b', 5, 'more than one label in a line'],
    ['| a\n0:1:0 | b', 6, 'propensity is outside (0, 1]'],
    ['| a\n0:1:1.5 | b', 6, 'propensity is outside (0, 1]'],
    ['| a\n0:1:nan | b\n| c', 6, 'probability is not a finite number'],
    ['| a\n0:nan:0.5 | b\n| c', 6, 'cost is not a finite number'],
    ['0:1:0.5 | a\n| b\n| c:', 7, 'feature value is neither a number nor a name'],
    ['0:1:0.5 | a\nb', 6, 'no | in the line'],
  ];

  it.each(FAULTS)('%j: located at line %i, and the event is skipped whole', async (event, line, problem) => {
    const good = '0:1:0.5 | g\n| h\n';
    const text = `${good}\n\n${event}\n\n${good}`;
    const error = await fault(read(text));
    expect(error.fault).toMatchObject({ row: 1, line, problem });
    expect(error.fault.needed).toBeTruthy();
    expect(error.fault.hint).toBeTruthy();
    const log = await read(text, { skipBadRows: true });
    expect(armIds(log)).toEqual(['1', '1']);
    expect([...(log.sourceRow ?? [])]).toEqual([0, 2]);
    expect(log.armFeatures?.columns).toEqual(['g', 'h']);
    expect(log.source.badRows).toMatchObject([{ kind: problem, count: 1 }]);
  });

  it('refuses an event that does not end', async () => {
    const line = `| ${'x'.repeat(2 ** 20)}\n`;
    const error = await fault(read(`0:1:0.5 | a\n${line.repeat(17)}`, { format: 'vw-adf' }));
    expect(error.fault).toMatchObject({ row: 0, line: 17, problem: 'event is too long' });
    const many = await fault(read(`0:1:0.5 | a\n${'|\n'.repeat(65535)}`));
    expect(many.fault).toMatchObject({ row: 0, line: 65536, problem: 'event has too many actions' });
    expect((await read(`0:1:0.5 | a\n${'|\n'.repeat(65534)}`)).arms.ids).toHaveLength(65535);
  });

  it('limits columns of contexts and of actions each', async () => {
    expect((await fault(read('shared | a b\n0:1:0.5 | c d e\n', { featureLimit: 2 }))).fault).toMatchObject({
      got: '3 different action features',
      line: 1,
    });
    expect((await read('shared | a b\n0:1:0.5 | c d\n', { featureLimit: 2 })).armFeatures?.columns).toEqual(['c', 'd']);
  });
});

describe('vw: which kind a file is', () => {
  it.each([
    ['vw-cb', '1:0:0.5 | a\n2:1:0.5 | b\n'],
    ['vw-cb', '1:0:0.5 | a\n'],
    ['vw-cb', '1:1:0.5 2:3 | a\n| a\n1:0:0.5 | b\n'],
    ['vw-adf', 'shared | a\n1:1:0.5 | b\n'],
    ['vw-adf', '0:1:0.5 | b\n'],
    ['vw-adf', '| a\n2:1:0.5 | b\n\n1:0:0.5 | c\n| d\n'],
    ['vw-adf', '\ufeffshared |a b\r\n0:1:0.5 |a\r\n'],
  ])('%s: %j', async (format, text) => {
    expect((await read(text)).source.format).toBe(format);
  });

  it('is told by name where the beginning does not tell', async () => {
    const text = `${'| a\n'.repeat(20000)}0:1:0.5 | b\n`;
    await expect(read(text, { format: 'vw' })).rejects.toThrow(
      /does not tell[\s\S]*--log-format vw-cb or --log-format vw-adf/,
    );
    expect((await read(text, { format: 'vw-adf' })).events).toBe(1);
  });

  it('is that of the files that are sure', async () => {
    const unsure = write('unsure.vw', '1:0:0.5 | a\n| b\n');
    const cb = write('sure.vw', '1:0:0.5 | a\n2:0:0.5 | a\n');
    expect((await readLog([unsure], {})).source.format).toBe('vw-adf');
    expect((await readLog([unsure, cb], {})).source.format).toBe('vw-cb');
  });

  it('must be one kind', async () => {
    const paths = [write('one.vw', '1:0:0.5 | a\n2:0:0.5 | a\n'), write('two.vw', '0:1:0.5 | a\n')];
    const error = await fault(readLog(paths, {}));
    expect(error.fault).toMatchObject({ file: paths[1], problem: 'the files of one log differ in kind' });
  });

  it('is not guessed for other text with bars', async () => {
    for (const text of ['arm|payoff\na|1\n', '1:2:3\n', '1241160900 109513 0 |item 2:0.1\n']) {
      await expect(readLog([write('other.txt', text)], {})).rejects.toThrow(/nothing says which column is what/);
    }
  });
});

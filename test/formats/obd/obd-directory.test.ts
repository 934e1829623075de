import { mkdirSync, rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import { readStream } from '#dist/open/read-stream.js';
import { armIds, candidates, fault, pathOf, write } from '../../log/files.js';

const ITEMS = `,item_id,item_feature_0,item_feature_1,item_feature_2
0,0,-0.5,red,x
1,10,1.25,blue,x
2,9,0,red,y
3,2,1e-3,green,x
`;

const FEATURES = 'user_feature_0,user_feature_1,user_feature_2,user_feature_3';
const AFFINITIES = 'user-item_affinity_0,user-item_affinity_2,user-item_affinity_9,user-item_affinity_10';
/** item, click, affinities to items 0, 2, 9, 10. */
const EVENTS: readonly [number, number, number[]][] = [
  [9, 0, [0, 0, 0, 0]],
  [0, 1, [0, 2, 0, 0]],
  [9, 0, [0, 0, 0, 0]],
  [2, 0, [0, 2, 0, 1]],
  [0, 0, [0, 2, 0, 0]],
];
const log = (events = EVENTS, columns = AFFINITIES): string =>
  [
    `,timestamp,item_id,position,click,propensity_score,${FEATURES},${columns}`,
    ...events.map(
      ([item, click, affinities], t) =>
        `${t},2019-11-24 00:00:0${t}+00:00,${item},${1 + (t % 3)},${click},0.25,a,b,c,d${t % 2},${affinities}`,
    ),
    '',
  ].join('\n');

/** A directory with these files. */
function directory(name: string, files: Record<string, string | Uint8Array>): string {
  rmSync(pathOf(name), { recursive: true, force: true });
  mkdirSync(pathOf(name), { recursive: true });
  for (const [file, content] of Object.entries(files)) write(`${name}/${file}`, content);
  return pathOf(name);
}

const good = (name: string, part: Record<string, string | Uint8Array> = {}) =>
  directory(name, { 'men.csv': log(), 'item_context.csv': ITEMS, ...part });

/** Features of the candidates of event t, by arm id. */
function featuresAt({ pools, armFeatures, arms }: EventLog, t: number): Record<string, number[]> {
  if (armFeatures === null) throw new Error('no arm features');
  const { dimension, values, row } = armFeatures;
  const s = pools.pool === null ? 0 : pools.pool[t];
  const found: Record<string, number[]> = {};
  for (let i = pools.offsets[s]; i < pools.offsets[s + 1]; i++) {
    const r = row === null ? pools.arms[i] : row[i];
    found[arms.ids[pools.arms[i]]] = [...values.subarray(r * dimension, (r + 1) * dimension)];
  }
  return found;
}

describe('a directory of the Open Bandit Dataset', () => {
  const columns = ['item_feature_0', ...['blue', 'green', 'red'].map((level) => `item_feature_1=${level}`)];
  const STATIC = {
    '0': [-0.5, 0, 0, 1, 1, 0],
    '2': [1e-3, 0, 1, 0, 1, 0],
    '9': [0, 0, 0, 1, 0, 1],
    '10': [1.25, 1, 0, 0, 1, 0],
  };

  it('has every item as an arm, with its features, told or found by content', async () => {
    const path = good('plain', { 'notes.txt': 'x', '.men.csv': 'junk', 'other.csv': 'a,b\n1,2\n' });
    for (const format of ['obd', undefined] as const) {
      const read = await readLog([path], { format });
      expect(read.arms.ids).toEqual(['0', '2', '9', '10']);
      expect(armIds(read)).toEqual(['9', '0', '9', '2', '0']);
      expect(candidates(read, 3)).toEqual(['0', '2', '9', '10']);
      expect(read.armFeatures).toMatchObject({ dimension: 6, rows: 4, row: null });
      expect(read.armFeatures?.columns).toEqual([...columns, 'item_feature_2=x', 'item_feature_2=y']);
      for (let t = 0; t < 5; t++) expect(featuresAt(read, t)).toEqual(STATIC);
      expect(read.contexts.columns).toContain('user_feature_3=d1');
      expect(read.source).toMatchObject({
        format: 'obd',
        files: [`${path}/men.csv`, `${path}/item_context.csv`],
        rows: 5,
      });
    }
  });

  it('adds affinities on request: a version of an item per value, a candidate set per vector', async () => {
    const path = good('affinities');
    const read = await readLog([path], { affinities: true });
    expect(read.armFeatures?.columns.at(-1)).toBe('user-item_affinity');
    for (const [t, [, , affinities]] of EVENTS.entries()) {
      const expected = Object.entries(STATIC).map(([id, features], a) => [id, [...features, affinities[a]]]);
      expect(featuresAt(read, t)).toEqual(Object.fromEntries(expected));
    }
    expect(read.pools.count).toBe(3);
    expect(Array.from(read.pools.pool ?? [])).toEqual([0, 1, 0, 2, 1]);
    // Items 0 and 9 as they are; 2 and 10 in two versions.
    expect(read.armFeatures?.rows).toBe(6);
    const some = await readLog([path], { affinities: true, where: 'click = 1' });
    expect(some.pools).toMatchObject({ count: 1, pool: null });
    expect(featuresAt(some, 0)['2']).toEqual([...STATIC['2'], 2]);
    const none = await readLog([path], { affinities: true, where: 'click = 2' });
    expect(none).toMatchObject({ events: 0, pools: { count: 1 }, armFeatures: { rows: 4, row: null } });
  });

  it('reads packed files, and an order of arms of the caller', async () => {
    const path = directory('packed', {
      'all.csv.gz': gzipSync(log()),
      'item_context.csv.gz': gzipSync(ITEMS),
    });
    const read = await readLog([path], { affinities: true, arms: [9, 10, '0', 2] });
    expect(read.arms.ids).toEqual(['9', '10', '0', '2']);
    expect(featuresAt(read, 3)).toEqual({
      '9': [...STATIC['9'], 0],
      '10': [...STATIC['10'], 1],
      '0': [...STATIC['0'], 0],
      '2': [...STATIC['2'], 2],
    });
  });

  it('is a stream that is read whole', async () => {
    const path = good('stream');
    const stream = await readStream([path], { affinities: true }, 1e9);
    expect([stream.events, stream.head.armFeatures?.rows]).toEqual([5, 6]);
    expect((await fault(readStream([path], {}, 100))).message).toMatch(/does not fit the memory/);
  });

  it('counts bad rows, affinities too, on request', async () => {
    const spoiled = log()
      .replace('0,2,0,1\n', '0,2,much,1\n')
      .replace('4,2019-11-24 00:00:04+00:00,0', '4,2019-11-24 00:00:04+00:00,77');
    const path = good('spoiled', { 'men.csv': spoiled });
    const read = await readLog([path], { affinities: true, skipBadRows: true });
    expect(read.events).toBe(3);
    expect(read.source.badRows).toMatchObject([
      { kind: 'arm is not in the given list', count: 1 },
      { kind: 'affinity is not a number', count: 1 },
    ]);
    expect(Array.from(read.sourceRow ?? [0, 1, 2])).toEqual([0, 1, 2]);
    expect((await fault(readLog([path], { affinities: true }))).message).toMatch(
      /men\.csv, row 3 \(line 5\), column "user-item_affinity_9": affinity is not a number\n {2}got: {4}"much"/,
    );
  });

  const bad: [string, Record<string, string>, RegExp][] = [
    [
      'an item that is not described',
      { 'item_context.csv': ITEMS.replace(/^2,9.*\n/m, '') },
      /men\.csv, row 0 \(line 2\), column "item_id": arm is not in the given list\n {2}got: {4}"9"[\s\S]*no item of .*item_context\.csv/,
    ],
    [
      'an item described twice',
      { 'item_context.csv': `${ITEMS}4,10,0,red,x\n` },
      /item_context\.csv, row 4 \(line 6\), column "item_id": an item is described twice\n {2}got: {4}"10", also in row 1/,
    ],
    [
      'an item without an id',
      { 'item_context.csv': `${ITEMS}4,,0,red,x\n` },
      /item_context\.csv, row 4 \(line 6\), column "item_id": item is missing/,
    ],
    [
      'a feature that is no number',
      { 'item_context.csv': ITEMS.replace('1.25', 'nan') },
      /item_context\.csv, row 1 \(line 3\), column "item_feature_0": feature is not a finite number\n {2}got: {4}"nan"/,
    ],
    [
      'a missing category',
      { 'item_context.csv': ITEMS.replace('green', '') },
      /item_context\.csv, row 3 \(line 5\), column "item_feature_1": feature is missing/,
    ],
    [
      'a ragged description',
      { 'item_context.csv': `${ITEMS}4,11,0\n` },
      /item_context\.csv, row 4 \(line 6\): too few columns/,
    ],
    ['no items', { 'item_context.csv': ITEMS.split('\n')[0] }, /item_context\.csv: no item is described/],
    ['no features', { 'item_context.csv': 'item_id,x\n1,2\n' }, /item_context\.csv: the items have no features/],
    ['no ids', { 'item_context.csv': 'item,item_feature_0\n1,2\n' }, /item_context\.csv: no column "item_id"/],
    [
      'affinities of fewer items',
      { 'men.csv': log(EVENTS, AFFINITIES.replace('affinity_10', 'affinity_11')) },
      /men\.csv: no column "user-item_affinity_10", although there is an item "10"\n {2}got: {4}4 columns/,
    ],
    ['two logs', { 'women.csv': log() }, /unclear which file is the log\n {2}got: {4}"men\.csv", "women\.csv"/],
    ['two descriptions', { 'item_context.csv.gz': ITEMS }, /unclear which file is the description of the items/],
  ];
  it.each(bad)('is refused with %s', async (name, files, message) => {
    const path = good(`bad ${name}`, files);
    expect((await fault(readLog([path], { affinities: true }))).message).toMatch(message);
  });

  it('is refused where it is none, beside others, or with a mapping', async () => {
    const log1 = good('one');
    const none = directory('none', { 'men.csv': log() });
    expect((await fault(readLog([none], { format: 'obd' }))).message).toMatch(
      /not a directory of the Open Bandit Dataset\n {2}got: {4}"men\.csv"/,
    );
    expect((await fault(readLog([directory('empty', {})], { format: 'obd' }))).message).toMatch(/no CSV file/);
    expect((await fault(readLog([none], {}))).message).toMatch(/is a directory/);
    expect((await fault(readLog([log1, good('two')], {}))).message).toMatch(/is a log of its own/);
    expect((await fault(readLog([log1, `${none}/men.csv`], {}))).message).toMatch(/is a log of its own/);
    const mapping = { arm: 'item_id', payoff: 'click' };
    expect((await fault(readLog([log1], { mapping }))).message).toMatch(/is a directory/);
    expect((await fault(readLog([`${none}/men.csv`], { format: 'obd', affinities: true }))).message).toMatch(
      /come with a directory/,
    );
    expect((await fault(readLog([log1], { arms: [0, 2, 9, 10, 11] }))).message).toMatch(
      /an arm is not described\n {2}got: {4}"11"/,
    );
  });
});

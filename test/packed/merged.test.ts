/** Packed logs that are read as one give what their original files give together. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { Mapping } from '#dist/log/mapping.js';
import { convert } from '#dist/open/convert.js';
import { plainLog } from '../formats/yahoo/yahoo-world.js';
import { MAPPING, pathOf, write } from '../log/files.js';
import { convertEach, expectLog, expectSame, type ReadOptions } from './merged.js';

/** Rows of a CSV file: `columns` names them, `row` says what is in row i. */
function csv(name: string, columns: string, rows: number, row: (i: number) => (string | number)[]): string {
  const lines = Array.from({ length: rows }, (_, i) => row(i).join(','));
  return write(name, `${[columns, ...lines].join('\n')}\n`);
}

const table = (context: Mapping['context'], more: Partial<Mapping> = {}): ReadOptions => ({
  mapping: { ...MAPPING, context, ...more },
});

interface Case {
  files: string[];
  options?: ReadOptions;
  /** What the log must be like for the case to be one. */
  expected?: (log: EventLog) => boolean;
}

const FULL: Partial<Mapping> = {
  propensity: 'p',
  time: { column: 't', unit: 's' },
  user: 'u',
  keys: ['seg', 'id'],
  candidates: 'c',
};

/** Everything that a table may have, different in every file. */
const full = (name: string, rows: number, from: number): string =>
  csv(name, 'arm,payoff,x,y,p,t,u,seg,id,c', rows, (k) => {
    const i = from + k;
    const arms = [i % 7, 7 + ((i >> 4) % 5), 20 + (from % 3)];
    return [
      arms[i % 3],
      i % 2,
      i % 3,
      (i % 4) / 8,
      1 / (1 + (i % 4)),
      1e9 + i,
      `u${i % 23}`,
      `s${from % 2}${i % 3}`,
      i,
      arms.join('|'),
    ];
  });

const CASES: Record<string, () => Case> = {
  'tables with everything': () => ({
    files: [full('a1.csv', 70, 0), full('a2.csv', 33, 100), full('a3.csv', 90, 205)],
    options: table(['x', 'y'], FULL),
    expected: ({ arms, pools, user, keys, contexts }) =>
      arms.ids.length > 9 && pools.count > 20 && user?.levels.length === 23 && keys.size === 2 && contexts.rows === 12,
  }),
  'one file twice': () => {
    // A file that is there twice is told of with its name: a blank line at the end makes it another one.
    const file = full('b.csv', 40, 3);
    const again = write('again.csv', `${readFileSync(file, 'utf8')}\n`);
    return { files: [file, again], options: table(['x', 'y'], FULL), expected: ({ source }) => source.rows === 80 };
  },
  'rows that are dropped, at the end of one file and all of another': () => ({
    files: [
      write('c1.csv', 'arm,payoff,x\na,1,1\nb,0,2\nc,?,3\n'),
      write('c2.csv', 'arm,payoff,x\nd,?,1\nd,1\n'),
      write('c3.csv', 'arm,payoff,x\na,1,nan\nb,?,1\n,1,1\nb,0,2\na,1,1\n'),
    ],
    options: { ...table(['x']), skipBadRows: true },
    expected: ({ sourceRow, source, arms }) =>
      sourceRow?.join() === '0,1,8,9' && source.badRows.some(({ count }) => count === 3) && arms.ids.join() === 'a,b',
  }),
  'rows that are dropped at the end, and no event after': () => ({
    files: [write('d1.csv', 'arm,payoff\na,1\nb,0\na,?\n'), write('d2.csv', 'arm,payoff\nc,?\n')],
    options: { mapping: MAPPING, skipBadRows: true },
    expected: ({ sourceRow, arms }) => sourceRow === null && arms.ids.join() === 'a,b',
  }),
  'no event in any file': () => ({
    files: [write('e1.csv', 'arm,payoff,x\na,?,1\n'), write('e2.csv', 'arm,payoff,x\nb,?,1\n')],
    options: { ...table(['x'], { user: 'arm', keys: ['x'] }), skipBadRows: true },
    expected: ({ events, arms }) => events === 0 && arms.ids.length === 0,
  }),
  'a filter, under which the first file has no event': () => ({
    files: [full('f1.csv', 20, 0), full('f2.csv', 33, 100), full('f3.csv', 50, 300)],
    options: { ...table(['x', 'y'], FULL), where: 't >= 1000000110' },
    expected: ({ events, sourceRow }) => events === 73 && sourceRow?.[0] === 30,
  }),
  'one-hot contexts of the same values': () => ({
    files: [0, 1, 2].map((f) =>
      csv(`g${f}.csv`, 'arm,payoff,s,x', 40, (i) => [i % (3 + f), i % 2, `v${i % 4}`, i % (2 + f)]),
    ),
    options: table({ onehot: ['s'], numeric: ['x'] }, { intercept: true }),
    expected: ({ contexts, arms }) => contexts.dimension === 6 && contexts.row !== null && arms.ids.length === 5,
  }),
  'all arms as candidates, of which no file has all': () => ({
    files: ['1,2,3', '3,10', '2,20'].map((arms, f) =>
      csv(`h${f}.csv`, 'arm,payoff', 12, (i) => [arms.split(',')[i % 2], i % 2]),
    ),
    options: { mapping: MAPPING },
    expected: ({ arms, pools }) => arms.ids.join() === '1,2,3,10,20' && pools.pool === null && pools.arms.length === 5,
  }),
  'one named set in each file, of all of its arms': () => ({
    files: ['1|2|3', '3|10', '2|20|1'].map((arms, f) =>
      csv(`i${f}.csv`, 'arm,payoff,c', 12, (i) => [arms.split('|')[i % 2], i % 2, arms]),
    ),
    options: { mapping: { ...MAPPING, candidates: 'c' } },
    expected: ({ arms, pools }) => arms.ids.length === 5 && pools.count === 3 && pools.allArms === null,
  }),
  'a list of arms in an order of its own': () => ({
    files: [csv('j1.csv', 'arm,payoff', 9, (i) => [i % 2, 1]), csv('j2.csv', 'arm,payoff', 9, (i) => [i % 3, 1])],
    options: { mapping: MAPPING, arms: [2, 0, 7, 1] },
    expected: ({ arms }) => arms.ids.join() === '2,0,7,1',
  }),
  'numbers in one file, text in another': () => ({
    files: ['9,10', '9,b'].map((arms, f) =>
      csv(`k${f}.csv`, 'arm,payoff,u', 12, (i) => [arms.split(',')[i % 2], 1, f === 0 ? i : `${i}!`]),
    ),
    options: { mapping: { ...MAPPING, user: 'u' } },
    expected: ({ arms, user }) => arms.ids.join() === '10,9,b' && user?.levels[2] === '1',
  }),
  'dense contexts, then contexts that repeat': () => ({
    files: [
      csv('l1.csv', 'arm,payoff,x', 20, (i) => [i % 2, 1, i]),
      csv('l2.csv', 'arm,payoff,x', 60, (i) => [i % 3, 0, i % 3]),
      csv('l3.csv', 'arm,payoff,x', 20, (i) => [i % 2, 1, 0.1 * (i % 2)]),
    ],
    options: table(['x']),
    expected: ({ contexts }) =>
      contexts.row !== null && contexts.rows === 21 && contexts.values instanceof Float64Array,
  }),
  'contexts that repeat, then more that do not': () => ({
    files: [
      csv('m1.csv', 'arm,payoff,x,y', 30, (i) => [i % 2, 1, i % 3, 7]),
      csv('m2.csv', 'arm,payoff,x,y', 60, (i) => [i % 3, 0, i / 8, i]),
    ],
    options: table(['x', 'y']),
    expected: ({ contexts }) => contexts.row === null && contexts.values instanceof Float32Array,
  }),
  'dense contexts of f32 and of f64, and a table': () => ({
    files: [
      csv('n1.csv', 'arm,payoff,x', 30, (i) => [i % 2, 1, i / 8]),
      csv('n2.csv', 'arm,payoff,x', 40, (i) => [i % 3, 0, i / 10 + 100]),
      csv('n3.csv', 'arm,payoff,x', 10, (i) => [i % 3, 0, i % 2]),
    ],
    options: table(['x']),
    expected: ({ contexts }) => contexts.row === null && contexts.values instanceof Float64Array,
  }),
  'payoffs of different steps': () => ({
    files: ['2,4,6', '3,9', '0.5', '0'].map((payoffs, f) =>
      csv(`o${f}.csv`, 'arm,payoff', 12, (i) => [i % 2, payoffs.split(',')[i % payoffs.split(',').length]]),
    ),
    options: { mapping: MAPPING },
    expected: ({ payoff }) =>
      payoff.scale.denominator === 2 && payoff.maxSteps === 18 && payoff.rangeBasis === 'observed',
  }),
  'payoffs of the same step and other ranges': () => ({
    files: ['-3,5', '-1,0', '2,9', '2,2'].map((payoffs, f) =>
      csv(`p${f}.csv`, 'arm,payoff', 12, (i) => [i % 2, payoffs.split(',')[i % 2]]),
    ),
    options: { mapping: MAPPING },
    expected: ({ payoff }) => payoff.scale.low === -3 && payoff.scale.high === 9 && payoff.scale.origin === -3,
  }),
  'payoffs of nothing but 0, then more than 1': () => ({
    files: ['0', '5,7', '1'].map((payoffs, f) =>
      csv(`q${f}.csv`, 'arm,payoff', 12, (i) => [i % 2, payoffs.split(',')[i % payoffs.split(',').length]]),
    ),
    options: { mapping: MAPPING },
    expected: ({ payoff }) => payoff.scale.low === 0 && payoff.scale.high === 7,
  }),
  'payoffs in [0, 1], of which the smallest is not known': () => ({
    files: ['0.5,1', '3,5'].map((payoffs, f) =>
      csv(`r${f}.csv`, 'arm,payoff', 12, (i) => [i % 2, payoffs.split(',')[i % 2]]),
    ),
    options: { mapping: MAPPING },
    expected: ({ payoff }) => payoff.scale.low === 0.5 && payoff.scale.denominator === 2,
  }),
  'payoffs in cents, of a declared range': () => ({
    files: ['0.05,1', '-3.25,5', '0.5,0.5'].map((payoffs, f) =>
      csv(`s${f}.csv`, 'arm,payoff', 12, (i) => [i % 2, payoffs.split(',')[i % 2]]),
    ),
    options: { mapping: { ...MAPPING, payoffRange: [-10, 10] } },
    expected: ({ payoff }) =>
      payoff.scale.low === -10 && payoff.rangeBasis === 'declared' && payoff.scale.denominator === 20,
  }),
  'payoffs that are rounded, to steps of their own in each file': () => ({
    files: [0, 1, 2].map((f) => csv(`t${f}.csv`, 'arm,payoff', 40, (i) => [i % 2, Math.sin(i + f) * (f + 1)])),
    options: { mapping: MAPPING },
    expected: ({ payoff }) => payoff.scale.rounded && payoff.rangeBasis === 'observed',
  }),
  'payoffs that are rounded, in [0, 1]': () => ({
    files: [0, 1, 2].map((f) =>
      csv(`u${f}.csv`, 'arm,payoff', 40, (i) => [i % 2, Math.abs(Math.sin(i + f)) / (f + 1)]),
    ),
    options: { mapping: MAPPING },
    expected: ({ payoff }) => payoff.scale.rounded && payoff.rangeBasis === 'unit',
  }),
  'payoffs that are rounded in one file': () => ({
    files: [0, 1, 2].map((f) => csv(`v${f}.csv`, 'arm,payoff', 40, (i) => [i % 2, f === 1 ? Math.exp(-i) : i % 3])),
    options: { mapping: MAPPING },
    expected: ({ payoff }) => payoff.scale.rounded,
  }),
  'R6A, whose features change': () => {
    const lines = plainLog('r6a', 300).text.toString('latin1').split('\n').slice(0, -1);
    const file = (name: string, from: number, to: number) => write(name, `${lines.slice(from, to).join('\n')}\n`);
    return {
      files: [file('w1', 0, 90), file('w2', 90, 130), file('w3', 130, 300)],
      expected: ({ armFeatures, pools }) => armFeatures !== null && armFeatures.rows > 40 && pools.count > 5,
    };
  },
  'R6A of one set per file, and a file without an event': () => {
    const lines = plainLog('r6a', 200).text.toString('latin1').split('\n').slice(0, -1);
    const file = (name: string, from: number, to: number) => write(name, `${lines.slice(from, to).join('\n')}\n`);
    return {
      files: [
        file('x1', 0, 30),
        write('x2', `${lines[3].replace(/ [01] /, ' 7 ')}\n`),
        file('x3', 50, 70),
        file('x4', 0, 30),
      ],
      options: { format: 'r6a', skipBadRows: true },
      expected: ({ pools, armFeatures, source }) =>
        pools.count === 2 && armFeatures?.row === null && source.badRows[0].count === 1,
    };
  },
  R6B: () => {
    const lines = plainLog('r6b', 300).text.toString('latin1').split('\n').slice(0, -1);
    const file = (name: string, from: number, to: number) => write(name, `${lines.slice(from, to).join('\n')}\n`);
    return {
      files: [file('y1', 0, 100), file('y2', 100, 300)],
      expected: ({ contexts }) => contexts.dimension === 136,
    };
  },
  'VowpalWabbit lines, with and without candidates': () => ({
    files: [
      write('z1.vw', '1:1:0.5 | a b:2\n2:0:0.5 | a b\n'),
      write('z2.vw', '3:1:0.25 1 | a b:2\n2:0:0.5 | a b\n1:-0.5:0.5 7 | a b:3\n'),
    ],
    expected: ({ pools, arms, payoff }) => pools.count === 3 && arms.ids.length === 4 && payoff.scale.denominator === 2,
  }),
  'VowpalWabbit, a line per action, with features': () => ({
    files: ['1', '2', '3'].map((p) =>
      write(`A${p}.vw`, `shared |u x:${p}\n0:1:0.5 |a p:1\n|a p:2\n\nshared |u x:1\n|a p:2\n0:0:0.25 |a p:${p}\n\n`),
    ),
    expected: ({ armFeatures, contexts }) => (armFeatures?.rows ?? 0) > 3 && contexts.dimension === 1,
  }),
};

describe('packed logs that are read as one', () => {
  it.each(Object.entries(CASES))('%s', async (_, make) => {
    const { files, options = {}, expected } = make();
    const log = await expectSame(files, options);
    expect(expected?.(log) ?? true).toBe(true);
    // One of them is that one.
    expect((await readLog(await convertEach(files.slice(0, 1), options), {})).source.files).toEqual(files.slice(0, 1));
  });

  it('are a log of their own again: packed as one, and read with a third', async () => {
    const files = [full('B1.csv', 30, 0), full('B2.csv', 33, 100), full('B3.csv', 20, 205)];
    const options = table(['x', 'y'], FULL);
    const [a, b, c] = await convertEach(files, options);
    const ab = pathOf('ab.parquet');
    await convert({ files: [a, b] }, ab);
    await expectLog([ab, c], await readLog(files, options));
  });
});

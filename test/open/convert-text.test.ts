/** Text formats that are written while they are read give the packed log of the log in memory. */

import { appendFileSync, existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import { convert } from '#dist/open/convert.js';
import type { LogFiles } from '#dist/open/open.js';
import { openPacked } from '#dist/packed/read.js';
import { plainLog } from '../formats/yahoo/yahoo-world.js';
import { fault, pathOf, write } from '../log/files.js';
import { difference } from '../log/synthetic-log.js';

interface Case {
  files: Record<string, string | Uint8Array>;
  options?: Omit<LogFiles, 'files'> & { keys?: string[] };
  /** What the log must be like for the case to be one. */
  expected: (log: EventLog) => boolean;
}

/** Lines by number. */
const lines = (count: number, line: (t: number) => string): string =>
  Array.from({ length: count }, (_, t) => line(t)).join('');

/** A number that looks random. */
const mix = (t: number, salt = 0): number => (Math.imul(t + 1, 0x9e3779b1) ^ Math.imul(salt + 7, 0x85ebca6b)) >>> 3;

const six = (x: number): string => `1:1 2:${x} 3:0 4:0.5 5:0.25 6:0`;
const r6a = (t: number, user: string, articles = [7, 9, 11 + (Math.floor(t / 3000) % 5)]): string =>
  `${1_241_160_900 + t} ${articles[mix(t) % articles.length]} ${mix(t, 1) % 5 === 0 ? 1 : 0} |user ${user} ${articles.map((id) => `|${id} ${six(id / 10)}`).join(' ')}\n`;
const r6b = (t: number, user: string): string =>
  `${1_317_513_291 + t} id-${5 + (mix(t) % 2)} 0 |user ${user} |id-5 |id-6 ${t % 9000 < 4500 ? '|id-77' : ''}\n`;

const YAHOO: Record<string, Case> = {
  'R6A, contexts that differ: f64': {
    files: { 'a.txt': plainLog('r6a', 9_000).text },
    expected: ({ contexts, armFeatures }) => contexts.values instanceof Float64Array && armFeatures?.row !== null,
  },
  'R6A, contexts that differ: f32, found late': {
    files: { 'b.txt': lines(135_000, (t) => r6a(t, six(t), [7, 9])) },
    expected: ({ contexts, pools }) =>
      contexts.row === null && contexts.values instanceof Float32Array && pools.pool === null,
  },
  'R6A, contexts that repeat, in several files': {
    files: {
      'c1.txt': lines(9_000, (t) => r6a(t, six(mix(t, 3) % 50))),
      'c2.gz': gzipSync(lines(9_000, (t) => r6a(t + 9_000, six((mix(t, 3) % 70) / 3)))),
    },
    expected: ({ contexts, pools, arms }) => contexts.rows < 130 && pools.count === 5 && arms.ids.length === 7,
  },
  'R6A with rows that are dropped and candidates that are left out': {
    files: {
      'd.txt': lines(14_000, (t) =>
        t % 50 === 20 ? 'what?\n' : r6a(t, six(mix(t, 3) % 50)).replace(/\|9 1:1/, t % 70 === 3 ? '|9' : '|9 1:1'),
      ),
    },
    options: { skipBadRows: true },
    expected: ({ sourceRow, events, source }) => sourceRow !== null && events < 13_720 && source.badRows.length > 1,
  },
  'R6A, rows dropped in the last batch only': {
    files: { 'e.txt': `${lines(9_000, (t) => r6a(t, six(mix(t, 3) % 50)))}what?\n${r6a(1, six(2))}` },
    options: { skipBadRows: true },
    expected: ({ sourceRow, events }) => sourceRow?.[9_000] === 9_001 && events === 9_001,
  },
  'R6A with a list of arms': {
    files: { 'f.txt': lines(5_000, (t) => r6a(t, six(mix(t, 3) % 50))) },
    options: { arms: ['9', '7', '11', '3'], skipBadRows: true },
    expected: ({ arms, events }) => arms.ids[0] === '9' && arms.ids.length === 4 && events < 5_000,
  },
  'R6B, few users': {
    files: { 'g.txt': lines(9_500, (t) => r6b(t, `1 ${2 + (mix(t, 4) % 130)}`)) },
    expected: ({ contexts, pools, payoff }) => contexts.rows === 130 && pools.count === 2 && payoff.maxSteps === 0,
  },
  'R6B, a user for each event': {
    files: {
      'h.gz': gzipSync(
        lines(5_000, (t) => r6b(t, [...t.toString(2)].map((bit, j) => (bit === '1' ? j + 1 : 100 + j)).join(' '))),
      ),
    },
    expected: ({ contexts }) => contexts.dimension === 136 && contexts.rows === 5_000,
  },
  'one event': {
    files: { 'i.txt': r6a(0, six(1)) },
    expected: ({ events }) => events === 1,
  },
};

const cb = (t: number, features: string): string =>
  `${t % 3 === 0 ? '1 2 ' : ''}3:${(mix(t) % 100) / 100}:0.5 | ${features}\n`;
const adf = (t: number, tag: (a: number) => string = () => ''): string =>
  `shared |User s=${mix(t, 5) % 7}\n${[0, 1, 2]
    .map(
      (a) =>
        `${a === mix(t) % 3 ? `${a}:${(mix(t, 6) % 3) - 1}:0.25 ` : ''}${tag(a)}|Action a=${a} price:${1 + ((a + Math.floor(t / 1000)) % 4)}`,
    )
    .join('\n')}\n\n`;
const dsjson = (t: number, more: object = {}): string =>
  `${JSON.stringify({ _label_cost: -(mix(t) % 2), _label_probability: 0.5, _label_Action: 1, _labelIndex: 0, Timestamp: new Date(1.6e12 + t * 1000).toISOString(), a: [1, 2], p: [0.5, 0.5], c: { U: { seg: `s${mix(t, 2) % 4}`, x: t % 5 }, _multi: [{ A: { id: 'one' } }, { A: { id: t % 2 === 0 ? 'two' : 'three' } }] }, ...more })}\n`;

const DECISIONS: Record<string, Case> = {
  'cb, contexts that repeat': {
    files: { 'a.vw': lines(9_000, (t) => cb(t, `a b:${mix(t, 2) % 9} c${mix(t, 3) % 4}`)) },
    options: { arms: ['1', '2', '3', '4'] },
    expected: ({ contexts, pools }) => contexts.row !== null && contexts.dimension === 6 && pools.count > 1,
  },
  'cb, contexts that differ: f32': {
    files: { 'b.vw': lines(9_000, (t) => cb(t, `a b:${t}`)) },
    expected: ({ contexts }) => contexts.row === null && contexts.values instanceof Float32Array,
  },
  'cb, contexts that differ: f64, found late': {
    files: { 'c.vw': lines(132_000, (t) => cb(t, `b:${t}${t > 131_500 ? '.1' : ''}`)) },
    expected: ({ contexts }) => contexts.row === null && contexts.values instanceof Float64Array,
  },
  'cb, no contexts, payoffs that are rounded': {
    files: { 'd.vw': lines(6_000, (t) => `2:${Math.sin(t)}:0.5 |\n`) },
    options: { arms: ['1', '2', '4'] },
    expected: ({ contexts, payoff, arms }) => contexts.dimension === 0 && payoff.scale.rounded && arms.ids.length === 3,
  },
  'adf, versions of action features, in several files': {
    files: { 'e1.vw': lines(6_000, adf), 'e2.gz': gzipSync(lines(6_000, (t) => adf(t + 6_000))) },
    expected: ({ armFeatures, pools, events }) => armFeatures?.row !== null && pools.count === 4 && events === 12_000,
  },
  'adf with more arms than are written as texts': {
    files: { 'f.vw': lines(3_000, (t) => adf(t, (a) => `t${a + 2 * t}`)) },
    options: { armId: 'tag' },
    expected: ({ arms }) => arms.ids.length === 6_001,
  },
  'dsjson with keys, and with ids that UTF-8 cannot hold': {
    files: { 'g.json': lines(5_000, (t) => dsjson(t).replace('three', 'th\\ud800ree')) },
    options: { keys: ['U^seg'], armId: 'A^id=*' },
    expected: ({ keys, time, arms }) =>
      keys.get('U^seg')?.levels.length === 4 && time !== null && arms.ids.length === 3,
  },
  'dsjson, some without a time, contexts that differ, bad rows, a payoff of cost': {
    files: {
      'h.json': lines(9_000, (t) =>
        dsjson(t, {
          ...(t === 8_000 ? { Timestamp: undefined } : {}),
          ...(t % 100 === 50 ? { _label_probability: 2 } : {}),
          ...{ c: { U: { seg: `s${t % 3}`, x: t / 7 }, _multi: [{}, {}] } },
        }),
      ),
    },
    options: { skipBadRows: true, payoffFromCost: { scale: -3, offset: 0.5 }, keys: ['U^seg'] },
    expected: ({ time, sourceRow, contexts, payoff }) =>
      time === null && sourceRow !== null && contexts.row === null && payoff.rangeBasis === 'observed',
  },
};

describe.each([
  ['Yahoo', YAHOO],
  ['decisions', DECISIONS],
])('convert, batch by batch: %s', (_, cases) => {
  it.each(Object.entries(cases))('%s', async (_, { files, options, expected }) => {
    const paths = Object.entries(files).map(([name, content]) => write(name, content));
    const { keys, ...reading } = options ?? {};
    const log = await readLog(paths, { ...reading, keys });
    expect(expected(log)).toBe(true);
    const path = pathOf('converted.parquet');
    const seen: number[] = [];
    const conversion = await convert({ files: paths, ...reading }, path, {
      keys,
      onProgress: ({ done }) => seen.push(done),
    });
    expect(conversion).toMatchObject({ events: log.events, arms: log.arms.ids.length, pools: log.pools.count });
    expect(seen.length).toBeGreaterThan(0);
    expect(difference(await readLog([path], { keys }), log)).toBeNull();
  });
});

describe('convert, batch by batch', () => {
  it('writes row groups of about the same size, whatever the files are', async () => {
    const paths = Object.entries(YAHOO['R6A, contexts that repeat, in several files'].files).map(([n, c]) =>
      write(n, c),
    );
    const out = pathOf('groups.parquet');
    await convert({ files: paths }, out);
    const stream = await openPacked(out);
    expect((await stream.read(8_999, 9_001)).events).toBe(2);
    await stream.close();
  });

  it('ends with the error of a line that is bad, late, and leaves nothing', async () => {
    const bad = [
      {
        path: write('bad.txt', `${lines(9_000, (t) => r6a(t, six(t % 9)))}1 2\n`),
        message: /bad\.txt, row 9000 \(line 9001\)/,
      },
      { path: write('bad.vw', `${lines(9_000, (t) => cb(t, 'a'))}1:x:0.5 | a\n`), message: /bad\.vw.*line 9001/ },
    ];
    for (const { path, message } of bad) {
      expect((await fault(convert({ files: [path] }, pathOf('ends-late.parquet')))).message).toMatch(message);
      expect(existsSync(pathOf('ends-late.parquet'))).toBe(false);
    }
  });

  it('says where a file changed between its two readings', async () => {
    const path = write(
      'grows.vw',
      lines(9_000, (t) => cb(t, `a:${t % 7}`)),
    );
    let grew = false;
    const onProgress = ({ done }: { done: number }) => {
      if (grew || done < 9_000) return;
      grew = true;
      appendFileSync(path, cb(1, 'new'));
    };
    const { message } = await fault(convert({ files: [path] }, pathOf('grows.parquet'), { onProgress }));
    expect(message).toMatch(/grows\.vw: the log changed while it was read/);
  });

  it('takes a bound on memory, which the program itself must fit', async () => {
    const path = write('small.txt', r6a(0, six(1)));
    const least = await fault(convert({ files: [path] }, pathOf('least.parquet'), { memory: 1e6 }));
    expect(least.message).toMatch(/option memory is not usable[\s\S]*at least/);
    expect(await convert({ files: [path] }, pathOf('least.parquet'), { memory: 400e6 })).toMatchObject({ events: 1 });
  });
});

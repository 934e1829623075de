/** The same data twice: files that are there twice, and events whose EventId was there before. */

import { copyFileSync, linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readHead } from '#dist/files/files.js';
import { RepeatedEvents } from '#dist/formats/dsjson/repeated-events.js';
import { idIn, sharedEventIds } from '#dist/formats/dsjson/shared-event-ids.js';
import { repeatedFiles } from '#dist/formats/repeated-files.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { SeenIds } from '#dist/log/build/seen-ids.js';
import { convert } from '#dist/open/convert.js';
import { openStream } from '#dist/open/open.js';
import { difference } from './synthetic-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-repeated-'));
const file = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  writeFileSync(file(name), text);
  return file(name);
};
const mapping = { arm: 'arm', payoff: 'payoff' };
const a = write('a.csv', 'arm,payoff\n1,0\n2,1\n');
const b = write('b.csv', 'arm,payoff\n2,0\n1,1\n');

describe('a file that is there twice', () => {
  copyFileSync(a, file('copy.csv'));
  linkSync(a, file('link.csv'));
  symlinkSync(a, file('symlink.csv'));

  it.each([
    ['by its name', [a, b, a], /^1 file of the log is there twice.*: file 3, .*a\.csv, is given before; leave it out$/],
    ['by a copy', [a, b, file('copy.csv')], /file 3, .*copy\.csv, is the same as .*a\.csv/],
    ['by a link', [b, a, file('link.csv')], /file 3, .*link\.csv, is the same as .*a\.csv/],
    ['by a symbolic link', [a, file('symlink.csv')], /file 2, .*symlink\.csv, is the same as/],
    ['three times', [a, a, b, a, b], /^3 files of the log are there twice.*: file 2, .*leave them out$/],
  ])('is told of: %s', async (_, files, needed) => {
    const log = await readLog(files, { mapping });
    expect(log.source.warnings).toEqual([expect.stringMatching(needed)]);
    await convert({ files, mapping }, file('packed.parquet'));
    expect((await readLog([file('packed.parquet')], {})).source.warnings).toEqual(log.source.warnings);
  });

  it('is told of among packed logs, in memory and in batches', async () => {
    await convert({ files: [a], mapping }, file('p.parquet'));
    const files = [file('p.parquet'), file('p.parquet')];
    const stream = await openStream({ files }, { keys: [], memory: null, batches: true });
    expect(stream.head.source.warnings).toHaveLength(1);
    await stream.close();
    expect((await readLog(files, {})).source.warnings).toHaveLength(1);
  });

  it('is not what has the same size, or is empty', async () => {
    const [e, f] = [write('e.csv', ''), write('f.csv', '')];
    expect(await repeatedFiles([a, b, e, f, file('none.csv')])).toEqual([]);
  });
});

describe('an EventId that was there before', () => {
  const event = (id: string | null, cost = 0): string =>
    `${JSON.stringify({
      _label_cost: -cost,
      _label_probability: 0.5,
      _labelIndex: 0,
      ...(id === null ? {} : { EventId: id }),
      a: [1, 2],
      p: [0.5, 0.5],
      c: { u: { x: 1 }, _multi: [{ i: { k: 1 } }, { i: { k: 2 } }] },
    })}\n`;
  const log = write(
    'log.dsjson',
    ['e1', 'e2', null, 'e1', 'e3', null, 'e2', 'e1'].map((id, t) => event(id, t % 2)).join(''),
  );
  const SAID =
    /^3 events have an EventId that was there before and count again, with other actions, probabilities and costs than before; the first is .*log\.dsjson, line 4: "e1", that of row 0 of all files, which has other actions, probabilities and costs; --drop-repeated-events/;

  it('is told of, and dropped on request, in memory and converted', async () => {
    const read = await readLog([log], {});
    expect([read.events, read.source.warnings]).toEqual([8, [expect.stringMatching(SAID)]]);
    const dropped = await readLog([log], { dropRepeatedEvents: true });
    expect([dropped.events, dropped.source.warnings]).toEqual([5, undefined]);
    expect(Array.from(dropped.sourceRow ?? [])).toEqual([0, 1, 2, 4, 5]);
    expect(dropped.source.badRows).toEqual([
      expect.objectContaining({ kind: 'EventId is repeated', count: 3, first: expect.stringContaining('line 4') }),
    ]);
    await convert({ files: [log] }, file('d.parquet'));
    expect((await readLog([file('d.parquet')], {})).source.warnings).toEqual(read.source.warnings);
    await convert({ files: [log], dropRepeatedEvents: true }, file('d.parquet'));
    expect((await readLog([file('d.parquet')], {})).events).toBe(5);
  });

  it('is told of, and dropped on request, where memory is bounded', async () => {
    for (const dropRepeatedEvents of [false, true]) {
      const whole = await readLog([log], { dropRepeatedEvents });
      const { warnings, badRows } = await convert({ files: [log], dropRepeatedEvents }, file('b.parquet'), {
        memory: 400e6,
      });
      expect({ warnings, badRows }).toEqual({
        warnings: whole.source.warnings ?? [],
        badRows: whole.source.badRows,
      });
      expect(difference(await readLog([file('b.parquet')], {}), whole)).toBeNull();
    }
  });

  it('takes memory for ids that several events have, and for no others', async () => {
    const isRepeated = (t: number) => t > 2000 && t % 1000 === 999;
    for (const events of [3000, 9000]) {
      const ids = Array.from({ length: events }, (_, t) => (isRepeated(t) ? `e${t - 2001}` : `e${t}`));
      const path = write('many.dsjson', ids.map((id) => event(id)).join(''));
      const shared = await sharedEventIds([{ file: path, head: await readHead(path) }], {}, 100e6, 1000);
      if (shared === null) throw new Error('all ids would be held');
      const repeated = ids.filter((_, t) => isRepeated(t));
      expect(await sharedEventIds([{ file: path, head: await readHead(path) }], {}, 100e6)).toBeNull();
      expect(shared.high.length).toBe(repeated.length);
      const seen = SeenIds.among(shared);
      const repeatedEvents = new RepeatedEvents(seen);
      let told = 0;
      for (const [row, id] of ids.entries()) {
        const json = { EventId: id };
        const again = repeatedEvents.again(json);
        if (again !== null) told++;
        repeatedEvents.take(json, { file: path, row, line: row + 1 }, again);
      }
      expect([seen.count, told]).toEqual([repeated.length, repeated.length]);
    }
  });

  it('is found in a line whatever the line is', () => {
    for (const [line, id] of [
      ['{"EventId":"e 1","c":{}}', 'e 1'],
      ['{"c":{"EventId":"inner"},"EventId" : "outer"}', 'outer'],
      [String.raw`{"EventId":"a\"b"}`, 'a"b'],
      [String.raw`{"Event\u0049d":"a","x":"\u00e9"}`, 'a'],
      ['{"EventId":7}', null],
      ['{"EventId":""}', null],
      ['{"c":{}}', null],
      ['EventId', null],
      ['{"c":"EventId', null],
    ] as const)
      expect([line, idIn(line)]).toEqual([line, id]);
  });

  it('is looked for in all files', async () => {
    const more = write('more.dsjson', event('e3') + event('e4'));
    expect((await readLog([log, more], { dropRepeatedEvents: true })).events).toBe(6);
  });

  it('may say the same as before', async () => {
    const same = write('same.dsjson', event('e1') + event('e2') + event('e1'));
    const { source } = await readLog([same], {});
    expect(source.warnings?.[0]).toMatch(/^1 event has an EventId .* counts again, all with the same actions,/);
  });

  it('is of dsjson, or of a column that a mapping names', async () => {
    await expect(readLog([a], { mapping, dropRepeatedEvents: true })).rejects.toThrow(/--event-id COLUMN/);
  });
});

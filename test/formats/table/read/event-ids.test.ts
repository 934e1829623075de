/** Events whose id was there before, under a mapping: told of, or left out, whatever the format and the bound on memory. */

import { Table, tableToIPC, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { openDatabase, sqlPath } from '#dist/files/duckdb.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { hashOf, SeenIds } from '#dist/log/build/seen-ids.js';
import type { Mapping } from '#dist/log/mapping.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { convert } from '#dist/open/convert.js';
import { fault, pathOf, write } from '../../../log/files.js';
import { difference } from '../../../log/synthetic-log.js';

const MAPPING: Mapping = { arm: 'arm', payoff: 'payoff', keys: ['k'], eventId: 'id' };
/** Row 3 is row 0 again; row 4 has its id with another payoff; rows 5 and 6 have none; row 7 is row 2, with an arm of its own. */
const ROWS: [string, number, string, string][] = [
  ['a', 1, 'x', 'e1'],
  ['b', 0, 'y', 'e2'],
  ['a', 0, 'x', 'e3'],
  ['a', 1, 'x', 'e1'],
  ['a', 0, 'x', 'e1'],
  ['b', 1, 'y', ''],
  ['b', 1, 'y', ''],
  ['c', 0, 'x', 'e3'],
];
const csv = (rows = ROWS) => `arm,payoff,k,id\n${rows.map((row) => row.join(',')).join('\n')}\n`;
const read = (text: string, options: ReadOptions = {}, name = 'ids.csv') =>
  readLog([write(name, text)], { mapping: MAPPING, ...options });
const rowsOf = async (log: ReturnType<typeof read>) => {
  const { events, sourceRow } = await log;
  return Array.from({ length: events }, (_, t) => sourceRow?.[t] ?? t);
};

describe('an event id that was there before', () => {
  it('is told of, with how many there are, where the first is and what it says', async () => {
    const { source, events } = await read(csv());
    expect(events).toBe(8);
    expect(source.warnings).toEqual([
      expect.stringMatching(
        /^3 events have an id \(column "id"\) that was there before and count again, 2 of them with other values than before, the rest with the same values; the first is row 3 of all files \(in .*ids\.csv\), that of row 0 of all files, which has the same values; --drop-repeated-events/,
      ),
    ]);
    expect((await read(csv(ROWS.slice(0, 3)))).source.warnings).toBeUndefined();
    expect((await read(csv(ROWS.slice(0, 4)))).source.warnings?.[0]).toMatch(
      /^1 event has .* counts again, all with the same values;/,
    );
    expect((await read(csv([ROWS[0], ROWS[4]]))).source.warnings?.[0]).toMatch(
      /counts again, with other values than before;/,
    );
  });

  it('is left out on request, with what only it had', async () => {
    const log = await read(csv(), { dropRepeatedEvents: true });
    expect([...(log.sourceRow ?? [])]).toEqual([0, 1, 2, 5, 6]);
    expect(log.arms.ids).toEqual(['a', 'b']);
    expect(log.source.badRows).toEqual([
      expect.objectContaining({
        kind: 'event id is repeated',
        count: 3,
        first: expect.stringMatching(/row 3[\s\S]*"e1"[\s\S]*row 0 of all files, which has the same values/),
      }),
    ]);
    expect(log.source.warnings).toBeUndefined();
  });

  it('counts among the rows that are events: not of bad rows, nor of those that a filter leaves out', async () => {
    const drop = { dropRepeatedEvents: true };
    expect(await rowsOf(read(csv(), { ...drop, where: 'payoff = 0' }))).toEqual([1, 2, 4]);
    const bad = csv([['a', 1, 'x', 'e9'], ...ROWS]).replace('a,1,x,e9', 'a,?,x,e1');
    expect(await rowsOf(read(bad, { ...drop, skipBadRows: true }))).toEqual([1, 2, 3, 6, 7]);
    expect(await rowsOf(read(bad, { ...drop, skipBadRows: true, where: "k = 'x'" }))).toEqual([1, 3]);
    // A bad row is still an error, unless a filter leaves it out.
    expect((await fault(read(bad, drop))).message).toMatch(/row 0 .*payoff/);
    const other = bad.replace('a,?,x,e1', 'a,?,z,e1');
    expect(await rowsOf(read(other, { ...drop, where: "k <> 'z'" }))).toEqual([1, 2, 3, 6, 7]);
  });

  it('is found over several files and batches, of any format', async () => {
    const many = Array.from({ length: 5000 }, (_, t): (typeof ROWS)[0] => [
      'ab'[t % 2],
      t % 3 === 0 ? 1 : 0,
      'xy'[t % 2],
      String(t % 4900),
    ]);
    const expected = Array.from({ length: 4900 }, (_, t) => t);
    expect(await rowsOf(read(csv(many), { dropRepeatedEvents: true }))).toEqual(expected);
    const [first, second] = [write('ids1.csv', csv(many.slice(0, 3000))), write('ids2.csv', csv(many.slice(3000)))];
    expect(await rowsOf(readLog([first, second], { mapping: MAPPING, dropRepeatedEvents: true }))).toEqual(expected);
    const json = many.map(([arm, payoff, k, id]) => JSON.stringify({ arm, payoff, k, id: Number(id) })).join('\n');
    expect(await rowsOf(read(json, { dropRepeatedEvents: true }, 'ids.jsonl'))).toEqual(expected);
    const column = (i: number) => vectorFromArray(many.map((row) => row[i]));
    const arrow = new Table({
      arm: column(0),
      payoff: column(1),
      k: column(2),
      id: vectorFromArray(many.map((row) => Number(row[3]))),
    });
    expect(
      await rowsOf(
        readLog([write('ids.arrow', tableToIPC(arrow, 'file'))], { mapping: MAPPING, dropRepeatedEvents: true }),
      ),
    ).toEqual(expected);
    const database = await openDatabase(pathOf(''));
    const parquet = pathOf('ids.parquet');
    await database.run(
      `COPY (SELECT * FROM read_csv(${sqlPath(write('ids3.csv', csv(many)))})) TO ${sqlPath(parquet)} (FORMAT parquet)`,
    );
    database.close();
    expect(await rowsOf(readLog([parquet], { mapping: MAPPING, dropRepeatedEvents: true }))).toEqual(expected);
  });

  it('is the same in batches, and stays told of in a packed log', async () => {
    for (const dropRepeatedEvents of [false, true]) {
      const log = { files: [write('ids.csv', csv())], mapping: MAPPING, dropRepeatedEvents };
      const file = pathOf('ids.packed.parquet');
      const conversion = await convert(log, file, { memory: 400e6 });
      const whole = await readLog(log.files, { mapping: MAPPING, dropRepeatedEvents });
      expect(conversion).toMatchObject({ events: dropRepeatedEvents ? 5 : 8, warnings: whole.source.warnings ?? [] });
      expect(difference(await readLog([file], {}), whole)).toBeNull();
    }
  });

  it('is no context and no key, unless it is allowed', async () => {
    const mapping: Mapping = { arm: 'arm', payoff: 'payoff', context: { onehot: ['*'] }, eventId: 'id' };
    expect((await read(csv(), { mapping })).contexts.columns).toEqual(['k=x', 'k=y']);
    expect((await fault(read(csv(), { mapping: { ...mapping, context: { onehot: ['id'] } } }))).message).toMatch(
      /the id of the event is a context too[\s\S]*--allow-leak id/,
    );
  });

  it('needs a column of ids', async () => {
    expect((await fault(read(csv(), { mapping: { ...MAPPING, eventId: 'nothing' } }))).message).toMatch(
      /no column "nothing"/,
    );
    const plain: Mapping = { arm: 'arm', payoff: 'payoff' };
    expect((await fault(read(csv(), { mapping: plain, dropRepeatedEvents: true }))).message).toMatch(
      /--event-id COLUMN/,
    );
  });
});

describe('ids that came before', () => {
  it('are those that were added, among any number', () => {
    const seen = new SeenIds();
    for (let i = 0; i < 50_000; i++) seen.add(...hashOf(`id ${i}`), i, i % 7);
    for (let i = 0; i < 50_000; i++) expect(seen.find(...hashOf(`id ${i}`))).toEqual({ row: i, content: i % 7 });
    for (let i = 50_000; i < 60_000; i++) expect(seen.find(...hashOf(`id ${i}`))).toBeNull();
  });

  it('may be known before they come', () => {
    const seen = new SeenIds(2);
    seen.add(1, 0);
    expect([seen.knows(1, 0), seen.knows(2, 0), seen.find(1, 0)]).toEqual([true, false, null]);
    seen.add(1, 0, 5, 6);
    seen.add(1, 0, 7, 8);
    expect(seen.find(1, 0)).toEqual({ row: 5, content: 6 });
  });
});

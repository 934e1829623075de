import { open } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { FormatName } from '#dist/formats/index.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { ReadOptions as AnyOptions } from '#dist/log/read-options.js';
import { convertTo } from '#dist/open/convert.js';
import { armIds, candidates, context, pathOf, payoffs, write } from '../../../log/files.js';

/** With a format that there is. */
type ReadOptions = AnyOptions & { readonly format?: FormatName };

const MAPPING = {
  arm: 'arm',
  payoff: 'payoff',
  candidates: 'cands',
  user: 'user',
  keys: ['city', 'device'],
  context: { onehot: ['device', 'city'], numeric: ['x'] },
};

interface Row {
  arm: string;
  payoff: string;
  cands: string[];
  user: string;
  city: string;
  device: string;
  x: string;
}

/** Rows of arms 1 … 12 with `bad` ones put in between. */
function rows(count: number, bad: readonly Partial<Row>[]): { all: Row[]; good: Row[] } {
  const good = Array.from({ length: count }, (_, t): Row => {
    const arm = String(1 + ((t * 7) % 12));
    const cands =
      t % 3 === 0 ? Array.from({ length: 12 }, (_, a) => String(a + 1)) : [arm, String(1 + ((t * 7 + 5) % 12))];
    return {
      arm,
      payoff: String(t % 2),
      cands,
      user: `u${t % 40}`,
      city: `c${t % 5}`,
      device: `d${t % 2}`,
      x: String(t % 9),
    };
  });
  const all = [...good];
  for (const [k, row] of bad.entries())
    all.splice(Math.floor(((k + 1) * count) / (bad.length + 1)), 0, { ...good[0], ...row });
  return { all, good };
}

const BAD: Partial<Row>[] = [
  { arm: 'total', payoff: '', cands: ['total'], user: 'nobody', city: 'all', device: 'all' },
  { arm: 'arm', payoff: 'payoff', cands: ['cands'], user: 'user', city: 'city', device: 'device', x: 'x' },
  { arm: '1', cands: ['2', '99'], city: 'c6' },
  { x: 'NA', user: 'u99' },
  // A level that good rows have too stays.
  { x: 'inf', user: 'u3', arm: '007', cands: ['007', '3'] },
];

function csv(all: readonly Row[]): string {
  const header = 'arm,payoff,cands,user,city,device,x';
  const line = (row: Row) =>
    [row.arm, row.payoff, row.cands.join('|'), row.user, row.city, row.device, row.x].join(',');
  return `${[header, ...all.map(line)].join('\n')}\n`;
}

function jsonl(all: readonly Row[]): string {
  return all.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** All that a log says of its events. */
function content(log: EventLog): unknown {
  return {
    arms: log.arms.ids,
    arm: armIds(log),
    payoffs: payoffs(log),
    columns: log.contexts.columns,
    contexts: Array.from({ length: log.events }, (_, t) => context(log, t)),
    pools: log.pools.count,
    candidates: Array.from({ length: log.events }, (_, t) => candidates(log, t)),
    user: log.user,
    keys: [...log.keys],
  };
}

async function inBatches(file: string, name: string, options: ReadOptions): Promise<EventLog> {
  const path = pathOf(name);
  const out = await open(path, 'w+');
  try {
    await convertTo({ files: [file], ...options }, out, { memory: 400e6 });
  } finally {
    await out.close();
  }
  return readLog([path], {});
}

describe('rows that are dropped', () => {
  const { all, good } = rows(6000, BAD);

  for (const [format, text] of [
    ['csv', csv],
    ['jsonl', jsonl],
  ] as const) {
    it(`leave nothing behind, read whole and in batches (${format})`, async () => {
      const clean = await readLog([write(`clean.${format}`, text(good))], { mapping: MAPPING });
      const file = write(`dirty.${format}`, text(all));
      const options = { mapping: MAPPING, skipBadRows: true };
      const log = await readLog([file], options);
      expect(content(log)).toEqual(content(clean));
      expect(log.source.badRows.map(({ count }) => count).reduce((a, b) => a + b)).toBe(BAD.length);
      const packed = await inBatches(file, `dirty-${format}.hind`, options);
      expect(content(packed)).toEqual(content(clean));
      expect(packed.source.badRows).toEqual(log.source.badRows);
      expect(packed.source.warnings).toEqual(log.source.warnings);
      expect(Array.from(packed.sourceRow ?? [])).toEqual(Array.from(log.sourceRow ?? []));
    });
  }

  it('leave nothing behind where a filter leaves them out, and levels of good rows stay whatever it leaves out', async () => {
    const file = write('filtered.csv', csv(all));
    const clean = write('filtered-clean.csv', csv(good));
    for (const where of ["city = 'c1'", "city = 'all' OR city = 'c1'", "user = 'u3'", 'false']) {
      const log = await readLog([file], { mapping: MAPPING, skipBadRows: true, where });
      expect(content(log)).toEqual(content(await readLog([clean], { mapping: MAPPING, where })));
      expect(log.arms.ids).toHaveLength(12);
      const packed = await inBatches(file, 'filtered.hind', { mapping: MAPPING, skipBadRows: true, where });
      expect(content(packed)).toEqual(content(log));
      expect(packed.source.badRows).toEqual(log.source.badRows);
    }
    // Rows that are bad and left out by the filter are not dropped: nobody asked for them.
    const kept = await readLog([file], { mapping: MAPPING, skipBadRows: true, where: "city = 'c1'" });
    expect(kept.source.badRows).toEqual([]);
    const asked = await readLog([file], { mapping: MAPPING, skipBadRows: true, where: "city IN ('c1', 'all')" });
    expect(asked.source.badRows.map(({ kind, count }) => [kind, count])).toEqual([['payoff is missing', 1]]);
    expect(asked.source.badRows[0].first).toMatch(/row 1000 \(line 1002\)/);
  });

  it('stay in order with an explicit list of arms, over two files', async () => {
    const arms = Array.from({ length: 12 }, (_, a) => String(12 - a));
    const files = [write('one.csv', csv(all.slice(0, 2500))), write('two.csv', csv(all.slice(2500)))];
    const log = await readLog(files, { mapping: MAPPING, skipBadRows: true, arms });
    const clean = await readLog([write('both.csv', csv(good))], { mapping: MAPPING, arms });
    expect(content(log)).toEqual(content(clean));
  });

  it('may be all rows, or all rows of a level', async () => {
    const none = await readLog([write('none.csv', 'arm,payoff\na,\nb,x\n')], {
      mapping: { arm: 'arm', payoff: 'payoff' },
      skipBadRows: true,
    });
    expect([none.events, none.arms.ids]).toEqual([0, []]);
  });

  it('are warned of where payoffs go, or over 1 % of the rows', async () => {
    const mapping = { arm: 'arm', payoff: 'payoff' };
    const lines = (count: number) => Array.from({ length: count }, (_, t) => `${t % 3},${t % 2}\n`).join('');
    const one = await readLog([write('one.csv', `arm,payoff\n${lines(500)}1,\n`)], { mapping, skipBadRows: true });
    expect(one.source.warnings?.[0]).toMatch(/^1 row of 501 was dropped for its payoff \(the first: .*row 500/);
    const few = await readLog([write('few.csv', `arm,payoff\n${lines(500)},1\n`)], { mapping, skipBadRows: true });
    expect(few.source.warnings).toBeUndefined();
    const many = await readLog([write('many.csv', `arm,payoff\n${lines(94)}${',1\n'.repeat(6)}`)], {
      mapping,
      skipBadRows: true,
    });
    expect(many.source.warnings?.[0]).toMatch(/^6 rows of 100 \(6\.00 %\) were dropped \(arm is missing: 6 rows\)/);
  });
});

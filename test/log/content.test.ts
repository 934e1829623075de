/** What all of a log's events are together: rows that are there again, and columns that give the answer away. */

import { describe, expect, it } from 'vitest';
import { ArchiveReader, ArchiveWriter } from '#dist/archive.js';
import { evaluate, inspect, logFromColumns } from '#dist/index.js';
import { CopiedColumns } from '#dist/log/checks/copied-columns.js';
import { RepeatedRows } from '#dist/log/checks/repeated-rows.js';
import type { EventLog } from '#dist/log/event-log.js';
import { streamOf } from '#dist/log/stream-of.js';
import { write } from './files.js';

/** Uniform in [0, 1), from a counter. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let x = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
  };
}

interface Row {
  arm: string;
  payoff: number;
  x: number;
  user: string;
  time: number;
}

type Kind = 'plain' | 'levels' | 'rich' | 'sticky' | 'turns' | 'constant' | 'switched';

/** A fair log, whose arms may be those of users, or come in turn. */
function fair(events: number, K: number, seed: number, kind: Kind): Row[] {
  const draw = draws(seed);
  let [arm, user] = [0, 0];
  return Array.from({ length: events }, (_, t) => {
    const fresh = kind === 'sticky' ? draw() < 0.2 : kind === 'switched' ? t % 10 === 0 : true;
    if (fresh) [arm, user] = [Math.floor(draw() * K), Math.floor(draw() * 300)];
    if (kind === 'turns') arm = t % K;
    if (kind === 'constant') arm = 0;
    const payoff = kind !== 'constant' && draw() < 0.05 ? 1 : 0;
    return { arm: String(arm), payoff, x: Math.floor(draw() * 3), user: `u${user}`, time: 1.6e12 + 500 * t };
  });
}

function log(rows: readonly Row[], kind: Kind): EventLog {
  const of = <Key extends keyof Row>(key: Key) => rows.map((row) => row[key]);
  return logFromColumns({
    arm: of('arm'),
    payoff: of('payoff'),
    ...(kind === 'levels' || kind === 'rich' ? { context: of('x').map((x) => [x]) } : {}),
    ...(kind === 'sticky' || kind === 'rich' ? { user: of('user') } : {}),
    ...(kind === 'rich' ? { time: of('time') } : {}),
  });
}

const found = (one: EventLog) => new RepeatedRows(one, one.events).add(one);

describe('rows that are there again', () => {
  const KINDS: Kind[] = ['plain', 'levels', 'rich', 'sticky', 'turns', 'constant', 'switched'];

  it.each(KINDS)('are told of in no fair log: %s', (kind) => {
    for (const K of [2, 5, 33])
      for (const events of [1, 2, 300, 3000])
        for (let seed = 0; seed < 8; seed++) {
          const { repeated, doubled } = found(log(fair(events, K, seed * 7919 + K + events, kind), kind));
          expect([kind, K, events, seed, repeated, doubled]).toEqual([kind, K, events, seed, null, null]);
        }
  });

  it.each([
    ['plain', 2],
    ['plain', 33],
    ['levels', 3],
    ['rich', 2],
    ['rich', 10],
  ] as const)('are found in order: the whole log twice, or a part (%s, %i arms)', (kind, K) => {
    const rows = fair(5000, K, 5, kind);
    const twice = found(log([...rows, ...rows], kind));
    const { events = 0, first = 0, before = 0 } = twice.repeated ?? {};
    expect(events).toBeGreaterThan(5000 - 2 * twice.size);
    expect(events).toBeLessThanOrEqual(5000);
    expect(first - before).toBe(5000);
    const part = found(log([...rows.slice(0, 4000), ...rows.slice(1000, 2000), ...rows.slice(4000)], kind));
    expect(part.repeated?.events).toBeGreaterThan(1000 - 3 * part.size);
    expect(part.repeated?.events).toBeLessThanOrEqual(1000);
    expect((part.repeated?.first ?? 0) - (part.repeated?.before ?? 0)).toBe(3000);
  });

  it('are found as neighbours: all rows, or those that have the same time', () => {
    for (const kind of ['plain', 'levels', 'rich'] as const)
      for (const times of [2, 3]) {
        const rows = fair(2000, 4, 9, kind).flatMap((row) => Array.from({ length: times }, () => row));
        const { doubled } = found(log(rows, kind));
        expect(doubled).toEqual({ events: 2000 * (times - 1), times, first: 1 });
      }
    const some = fair(5000, 2, 3, 'rich').flatMap((row, t) => (t % 10 === 0 ? [row, row] : [row]));
    expect(found(log(some, 'rich')).doubled).toEqual({ events: 500, times: null, first: 1 });
  });

  it('are the same however the log is cut, and after a checkpoint', async () => {
    const rows = fair(3000, 3, 4, 'rich');
    const whole = log([...rows, ...rows.slice(500)], 'rich');
    const stream = streamOf(whole);
    for (const size of [1, 777, 4096]) {
      let part = new RepeatedRows(stream.head, whole.events);
      for (let from = 0; from < whole.events; from += size) {
        part.add(await stream.read(from, Math.min(whole.events, from + size)));
        if (size !== 777) continue;
        const writer = new ArchiveWriter();
        part.carry(writer);
        part = new RepeatedRows(stream.head, whole.events);
        part.carry(new ArchiveReader(writer.bytes()));
      }
      expect([part.repeated, part.doubled]).toEqual([found(whole).repeated, null]);
    }
  });
});

describe('columns that give the answer away', () => {
  const rows = fair(2000, 3, 11, 'rich');
  const table = (extra: (row: Row, t: number) => string | number): string =>
    `arm,payoff,x,leak\n${rows.map((row, t) => `${row.arm},${row.payoff},${row.x},${extra(row, t)}\n`).join('')}`;
  let files = 0;
  const warnings = async (extra: (row: Row, t: number) => string | number, use: object): Promise<string[]> => {
    const file = write(`leak${files++}.csv`, table(extra));
    return (await inspect({ files: [file], mapping: { arm: 'arm', payoff: 'payoff', ...use } })).warnings;
  };
  const numeric = { context: ['x', 'leak'] };
  const onehot = { context: { onehot: ['leak'], numeric: ['x'] } };

  it.each([
    ['a copy', ({ payoff }: Row) => payoff, numeric, /^context "leak" is a copy of the payoff \(column "payoff"\)/],
    [
      'the same in cents',
      ({ payoff }: Row) => payoff * 100,
      numeric,
      /^context "leak" gives the payoff \(column "payoff"\) away/,
    ],
    [
      'a revenue',
      ({ payoff }: Row, t: number) => (payoff > 0 ? t + 0.5 : 0),
      numeric,
      /^context "leak" gives the payoff/,
    ],
    [
      'words',
      ({ payoff }: Row, t: number) => (payoff > 0 ? 'won' : ['lost', 'left'][t % 2]),
      onehot,
      /^context "leak" gives .* 3 values/,
    ],
    ['a key', ({ payoff }: Row) => payoff, { keys: ['leak'] }, /^key "leak" is a copy of the payoff/],
    ['the arm', ({ arm }: Row) => arm, numeric, /^context "leak" is a copy of the logged arm \(column "arm"\)/],
    [
      'names of arms',
      ({ arm }: Row) => `banner ${arm}`,
      onehot,
      /^context "leak" gives the logged arm \(column "arm"\) away/,
    ],
  ])('are told of: %s', async (_, extra, use, needed) => {
    const all = await warnings(extra, use);
    expect(all.filter((text) => /copy|away/.test(text))).toEqual([expect.stringMatching(needed)]);
  });

  it.each([
    [
      'one that agrees in all events but one',
      ({ payoff }: Row, t: number) => (t === 1999 ? 1 - payoff : payoff),
      numeric,
    ],
    ['a number of its own at each event', (_: Row, t: number) => t, numeric],
    ['another', ({ x }: Row) => x, onehot],
    ['a constant', () => 1, numeric],
  ])('are not: %s', async (_, extra, use) => {
    expect(await warnings(extra, use)).toEqual([]);
  });

  it('are none by chance, in few events', () => {
    let alarms = 0;
    for (let seed = 0; seed < 300; seed++) {
      const draw = draws(seed);
      const few = Array.from({ length: 8 + (seed % 20) }, () => draw());
      const context = few.map(() => Array.from({ length: 40 }, () => Math.floor(draw() * 2)));
      const one = logFromColumns({ arm: few.map((_, t) => t % 2), payoff: few.map((x) => (x < 0.5 ? 1 : 0)), context });
      alarms += new CopiedColumns(one).add(one).warnings().length;
    }
    expect(alarms).toBe(0);
  });

  it('are named where the log is refused because the arm depends on them', async () => {
    const file = write(
      'refused.csv',
      table(({ arm }) => arm),
    );
    const log = { files: [file], mapping: { arm: 'arm', payoff: 'payoff', ...numeric } };
    await expect(evaluate({ log, policies: [{ family: 'constant' }] })).rejects.toThrow(
      /depends on [\s\S]*context "leak" is a copy of the logged arm/,
    );
  });

  it('are told of in results, whatever the memory', async () => {
    const file = write(
      'result.csv',
      table(({ payoff }) => payoff),
    );
    const log = { files: [file, file], mapping: { arm: 'arm', payoff: 'payoff', ...numeric } };
    const policies = [{ family: 'constant' as const }];
    const [whole, batches] = [await evaluate({ log, policies }), await evaluate({ log, policies, memory: '400MB' })];
    expect(whole.warnings.join('\n')).toMatch(
      /there twice[\s\S]*copy of the payoff[\s\S]*from row 2,000 on are those from row 0 on/,
    );
    expect(batches.warnings).toEqual(whole.warnings);
  });
});

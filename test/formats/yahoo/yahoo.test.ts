/** Files of R6A and R6B: recognized, streamed, compressed, cut; and what the lines mean. */

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { DAMAGED } from '#dist/files/damage.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { DROPPED, FORGIVEN } from '#dist/formats/yahoo/kinds.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { readBytes } from '../../fuzz/yahoo.mjs';
import { countsOf, difference, eventOf } from '../../fuzz/yahoo-reference.mjs';
import { armIds, candidates, context, fault, write } from '../../log/files.js';
import { inTwoSizes } from '../../long.js';
import { type Format, type PlainEvent, plainLog } from './yahoo-world.js';

const FORMATS: Format[] = ['r6a', 'r6b'];
let files = 0;

/** Writes contents and reads them as one log. */
function readFiles(contents: readonly (Buffer | string)[], options: ReadOptions = {}) {
  return readLog(
    contents.map((content) => write(`yahoo-${files++}`, content)),
    options,
  );
}

type Log = Awaited<ReturnType<typeof readLog>>;

function expectEvents(log: Log, events: readonly PlainEvent[]): void {
  expect(log.events).toBe(events.length);
  for (const [t, event] of events.entries()) expect(difference(eventOf(log, t), event)).toBeNull();
}

const sixth = '2:0.1 3:0.2 4:0.3 5:0.4 6:0.5 1:1';
const line = (pool: string, { user = sixth, displayed = 7, time = 1241160900, click = 0 } = {}) =>
  `${time} ${displayed} ${click} |user ${user} ${pool}\n`;

describe.each(FORMATS)('%s', (format) => {
  it('is recognized by content, dirty first lines and all', async () => {
    const { text, events } = plainLog(format, 50);
    const log = await readFiles([text]);
    expectEvents(log, events);
    expect(log.source.format).toBe(format);
    expect(log.source.rows).toBe(50);
    expect(log.source.badRows).toEqual([]);
    expect(log.sourceRow).toBeNull();
    expect(log.propensity).toBeNull();
    const dirty = await readFiles([Buffer.concat([Buffer.from('\n# junk\n'), text])], { skipBadRows: true });
    expect(dirty.events).toBe(50);
    expect(dirty.source.format).toBe(format);
  });

  it('is what most of its lines are, though the first ones are of the other format', async () => {
    const { text, events } = plainLog(format, 50);
    const other = plainLog(format === 'r6a' ? 'r6b' : 'r6a', 3).text;
    const log = await readFiles([Buffer.concat([other, text])], { skipBadRows: true });
    expect([log.source.format, log.events, log.source.rows]).toEqual([format, events.length, 53]);
    const first = await fault(readFiles([Buffer.concat([other, text])]));
    expect(first.fault.line).toBe(1);
    const half = Buffer.concat([other, plainLog(format, 3).text]);
    const error = await fault(readFiles([half], { skipBadRows: true }));
    expect(error.message).toMatch(/whether it is R6A or R6B[\s\S]*--log-format r6a/);
    expect((await readFiles([half], { skipBadRows: true, format })).events).toBe(3);
  });

  it.each([0, 1, 2])('reads a log of %i events', async (count) => {
    const { text, events } = plainLog(format, count);
    if (count > 0) {
      expectEvents(await readFiles([text]), events);
      return;
    }
    const error = await fault(readFiles(['\n \n'], { format }));
    expect(error.fault.problem).toBe('the log has no rows');
  });

  it('has an empty log where every line is dropped', async () => {
    const log = await readFiles(['x\ny\n'], { format, skipBadRows: true });
    expect(log.events).toBe(0);
    expect(log.source.rows).toBe(2);
    expect(log.source.badRows).toEqual([
      { kind: DROPPED.timestamp, count: 2, first: expect.stringMatching(/row 0 \(line 1\).*\n.*"x"/) },
    ]);
  });

  inTwoSizes('reads the same whatever the chunks', [5, 1], (step) => {
    const { text, events } = plainLog(format, 3);
    const dirty = Buffer.concat([Buffer.from('\r\n'), text, Buffer.from('bad line \r\n'), text.subarray(0, -20)]);
    const whole = readBytes(format, dirty, { skipBadRows: true });
    expect(whole.events).toBe(5);
    const same = (log: Log) => {
      expect(log.events).toBe(whole.events);
      for (let t = 0; t < log.events; t++) expect(difference(eventOf(log, t), eventOf(whole, t))).toBeNull();
      expect(log.source).toEqual(whole.source);
    };
    for (let chunk = 1; chunk <= dirty.length; chunk += step * (chunk < 100 ? 1 : 53))
      same(readBytes(format, dirty, { skipBadRows: true }, chunk));
    // One cut, anywhere.
    for (let at = 1; at < dirty.length; at += step)
      same(readBytes(format, dirty, { skipBadRows: true }, at, dirty.length));
    expectEvents(readBytes(format, text, {}, 100), events);
  });

  it('reads gzip of several members, and several files as one log', async () => {
    const { text, events } = plainLog(format, 300);
    const cuts = [0, 1000, 1001, 20_000, text.length];
    // Members and files of uneven lengths; members may end within a line, files must not.
    const members = cuts.slice(1).map((to, i) => gzipSync(text.subarray(cuts[i], to)));
    expectEvents(await readFiles([Buffer.concat(members)]), events);
    expectEvents(await readFiles([Buffer.concat([...members, Buffer.alloc(700)])]), events);
    const half = text.indexOf(10, text.length >> 1) + 1;
    const parts = [text.subarray(0, half), text.subarray(half)];
    expectEvents(await readFiles([gzipSync(parts[0]), parts[1]]), events);
    expectEvents(await readFiles(parts), events);
  });

  it('names the file, row and line of a fault in a later file', async () => {
    const { text } = plainLog(format, 20);
    const error = await fault(readFiles([text, Buffer.concat([Buffer.from('\n'), text, Buffer.from('5 x\n')])]));
    expect(error.fault).toMatchObject({ row: 20, line: 22, problem: DROPPED.displayedId, got: '"x"' });
    expect(error.fault.file).toMatch(/yahoo-/);
  });

  it('reports a line that is cut at the end of a file, and reads the rest only where asked', async () => {
    const { text, events } = plainLog(format, 20);
    for (const cut of [1, 2, 30, 60]) {
      const content = text.subarray(0, text.length - cut);
      const error = await fault(readFiles([content]));
      expect(error.fault).toMatchObject({ row: 19, line: 20, problem: DROPPED.noLineEnd });
      expect(error.message).toContain('--skip-bad-rows');
      const log = await readFiles([content], { skipBadRows: true });
      expectEvents(log, events.slice(0, 19));
      expect(countsOf(log)).toEqual(new Map([[DROPPED.noLineEnd, 1]]));
    }
  });

  it('reports a gzip member that is cut, and reads the whole lines before it only where asked', async () => {
    const { text, events } = plainLog(format, 300);
    const member = gzipSync(text);
    for (const cut of [1, 8, 9, 100, Math.floor(member.length / 2)]) {
      const content = Buffer.concat([gzipSync(text), member.subarray(0, member.length - cut)]);
      const error = await fault(readFiles([content]));
      expect(error.fault.problem).toBe(DAMAGED.cutGzip);
      expect(error.message).toContain('--skip-bad-rows');
      const log = await readFiles([content], { skipBadRows: true });
      expect(countsOf(log)).toEqual(new Map([[DAMAGED.cutGzip, 1]]));
      expect(log.source.badRows[0].lost).toBe('stretch');
      // What zlib can unpack of the rest, up to the last whole line.
      expect(log.events).toBeGreaterThanOrEqual(300);
      // The last bytes are the checksum: all lines are there.
      if (cut <= 8) expect(log.events).toBe(600);
      const twice = [...events, ...events.map((event) => ({ ...event, row: event.row + 300 }))];
      expectEvents(log, twice.slice(0, log.events));
    }
  });

  it('reads the next file after a damaged one, where asked', async () => {
    const { text, events } = plainLog(format, 100);
    const packed = gzipSync(text);
    const damaged = Buffer.from(packed);
    damaged[packed.length - 6] ^= 0x55;
    const error = await fault(readFiles([damaged, text]));
    expect(error.fault.problem).toBe(DAMAGED.damagedGzip);
    const log = await readFiles([damaged, text], { skipBadRows: true });
    expect(countsOf(log)).toEqual(new Map([[DAMAGED.damagedGzip, 1]]));
    // Only the checksum is wrong.
    expectEvents(log, [...events, ...events.map((event) => ({ ...event, row: event.row + 100 }))]);
  });

  it('does not lose what stands behind a gap in a compressed file', async () => {
    const { text, events } = plainLog(format, 50);
    const gap = Buffer.concat([gzipSync(text), Buffer.alloc(3), gzipSync(text)]);
    for (const content of [gap, Buffer.concat([gzipSync(text), Buffer.from('junk')])]) {
      expect((await fault(readFiles([content]))).fault.problem).toBe(DAMAGED.damagedGzip);
      const log = await readFiles([content], { skipBadRows: true });
      expectEvents(log, events);
      expect(countsOf(log)).toEqual(new Map([[DAMAGED.damagedGzip, 1]]));
    }
  });

  it('takes lines of up to 1 MiB, and counts longer ones in bounded memory', async () => {
    const { text, events } = plainLog(format, 3);
    const [first] = text.toString('latin1').split(/(?<=\n)/);
    const padded = (bytes: number) => first.replace(' ', ' '.repeat(bytes - (first.length - 1) + 1));
    const sound = Buffer.from(padded(2 ** 20));
    expect(sound.indexOf(10)).toBe(2 ** 20);
    expect((await readFiles([sound], { format })).events).toBe(1);
    const long = Buffer.concat([text, Buffer.from(padded(2 ** 20 + 1)), text]);
    const error = await fault(readFiles([long]));
    expect(error.fault).toMatchObject({ row: 3, line: 4, problem: DROPPED.tooLong });
    const log = await readFiles([long], { skipBadRows: true });
    expect(countsOf(log)).toEqual(new Map([[DROPPED.tooLong, 1]]));
    expectEvents(log, [...events, ...events.map((event) => ({ ...event, row: event.row + 4 }))]);
    expect(Array.from(log.sourceRow ?? [])).toEqual([0, 1, 2, 4, 5, 6]);
    // 200 MiB without a line feed, in pieces of 1 MiB.
    const piece = Buffer.alloc(2 ** 20, '7');
    expect(() => readBytes(format, Buffer.concat(Array.from({ length: 200 }, () => piece)), {}, 2 ** 20)).toThrow(
      DROPPED.noLineEnd,
    );
  });

  it('takes arms in a given order, and no others', async () => {
    const { text, events } = plainLog(format, 30);
    const ids = [...new Set(events.flatMap(({ pool }) => [...pool.keys()]))].sort((a, b) => Number(b) - Number(a));
    const log = await readFiles([text], { arms: ['never', ...ids] });
    expect(log.arms.ids).toEqual(['never', ...ids]);
    expectEvents(log, events);
    const error = await fault(readFiles([text], { arms: ids.slice(1) }));
    expect(error.fault.problem).toBe(DROPPED.unknownArm);
    expect((await readFiles([text], { arms: ids.slice(1), skipBadRows: true })).events).toBeLessThan(30);
  });

  it('declares payoffs of 0 to 1, or what is declared', async () => {
    const { text } = plainLog(format, 30);
    expect((await readFiles([text])).payoff).toMatchObject({ rangeBasis: 'declared', scale: { low: 0, high: 1 } });
    expect((await readFiles([text], { payoffRange: [-1, 2] })).payoff.scale).toMatchObject({ low: -1, high: 2 });
    const error = await fault(readFiles([text], { payoffRange: [0, 0.5] }));
    expect(error.fault.problem).toBe(DROPPED.payoffRange);
    expect((await fault(readFiles([text], { payoffRange: [2, 1] }))).fault.problem).toBe('not a range');
  });

  it('refuses a filter, keys and a mapping, and says what there is', async () => {
    const { text } = plainLog(format, 3);
    expect((await fault(readFiles([text], { format, where: 'click = 1' }))).fault.problem).toContain('takes no filter');
    const error = await fault(readFiles([text], { keys: ['hour'] }));
    expect(error.message).toMatch(/column "hour".*no columns to look up/);
    const mapping = { arm: 'a', payoff: 'b' };
    expect((await fault(readFiles([text], { format, mapping }))).fault.problem).toContain('its own mapping');
  });

  it('reports progress, and stops when told to', async () => {
    const { text } = plainLog(format, 400);
    const many = Buffer.concat(Array.from({ length: 20 }, () => text));
    for (const content of [many, gzipSync(many)]) {
      const seen: [number, number][] = [];
      await readFiles([content, content], { onProgress: (fraction, rows) => void seen.push([fraction, rows]) });
      expect(seen.at(-1)).toEqual([1, 16_000]);
      for (const [i, [fraction, rows]] of seen.entries()) {
        expect(fraction).toBeGreaterThanOrEqual(i === 0 ? 0 : seen[i - 1][0]);
        expect(rows).toBeGreaterThanOrEqual(i === 0 ? 0 : seen[i - 1][1]);
      }
      const controller = new AbortController();
      const reading = readFiles([content, content], {
        signal: controller.signal,
        onProgress: () => controller.abort(new Error('enough')),
      });
      await expect(reading).rejects.toThrow('enough');
    }
  });

  it('grows beyond its first columns', () => {
    const { text, events } = plainLog(format, 500);
    const many = Buffer.concat(Array.from({ length: 280 }, () => text));
    const log = readBytes(format, many, {}, 2 ** 20);
    expect(log.events).toBe(140_000);
    for (let t = 0; t < log.events; t += 311) {
      const wanted = { ...events[t % 500], row: t };
      expect(difference(eventOf(log, t), wanted)).toBeNull();
    }
    // A drop after the growth: rows are kept from there on.
    const late = readBytes(format, Buffer.concat([many, Buffer.from('x\n'), text]), { skipBadRows: true });
    expect([late.sourceRow?.[139_999], late.sourceRow?.[140_000]]).toEqual([139_999, 140_001]);
  });
});

describe('r6a', () => {
  const read = (text: string, options = {}) => readBytes('r6a', Buffer.from(text), options);

  it('places features by id, the constant last, whatever their order in the file', () => {
    const shuffled = '1:1.000000 6:0.5 2:0.1 4:0.3 3:0.2 5:0.4';
    const log = read(line(`|7 ${shuffled}`, { user: shuffled }) + line(`|7 ${sixth}`));
    expect(log.contexts.columns).toEqual(['user_2', 'user_3', 'user_4', 'user_5', 'user_6', 'user_1']);
    expect(log.armFeatures?.columns).toEqual([
      'article_2',
      'article_3',
      'article_4',
      'article_5',
      'article_6',
      'article_1',
    ]);
    expect(context(log, 0)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 1]);
    expect(context(log, 1)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 1]);
    expect(Array.from(log.armFeatures?.values ?? [])).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 1]);
    // One version, so one pool.
    expect(log.pools.count).toBe(1);
  });

  it('gives an article a version whenever its features change', () => {
    const other = sixth.replace('0.5', '0.6');
    const log = read(
      line(`|9 ${sixth} |7 ${sixth}`) + line(`|9 ${sixth} |7 ${other}`) + line(`|7 ${sixth} |9 ${sixth}`),
    );
    expect(log.arms.ids).toEqual(['7', '9']);
    expect(log.pools.count).toBe(2);
    expect(Array.from(log.pools.pool ?? [])).toEqual([0, 1, 0]);
    expect(log.armFeatures?.rows).toBe(3);
    expect(Array.from(log.armFeatures?.row ?? [])).toEqual([0, 2, 1, 2]);
    expect([0, 1, 2].map((row) => log.armFeatures?.values[row * 6 + 4])).toEqual([0.5, 0.6, 0.5]);
  });

  it('orders arms as numbers, and pools whatever their order in the file', () => {
    const pool = (ids: number[]) => ids.map((id) => `|${id} ${sixth}`).join(' ');
    const log = read(line(pool([1000, 7, 99])) + line(pool([99, 1000, 7]), { displayed: 99 }));
    expect(log.arms.ids).toEqual(['7', '99', '1000']);
    expect(armIds(log)).toEqual(['7', '99']);
    expect(log.pools.count).toBe(1);
    expect(candidates(log, 0)).toEqual(['7', '99', '1000']);
  });

  it('tests every article, not only the number of columns: seven short ones add up to a whole one', () => {
    // 7 × 6 tokens are as many as 6 × 7: the test of public readers passes.
    const short = Array.from({ length: 7 }, (_, i) => `|${20 + i} 2:0.1 3:0.2 4:0.3 5:0.4 6:0.5`).join(' ');
    const log = read(line(`|7 ${sixth} ${short}`), { skipBadRows: true });
    expect(candidates(log, 0)).toEqual(['7']);
    expect([...countsOf(log).values()]).toEqual([7]);
    expect(log.source.badRows[0].lost).toBe('candidate');
  });

  it('keeps the first of an article that is twice in a pool, and a sound one beside a short one', () => {
    const other = sixth.replace('0.5', '0.6');
    const log = read(line(`|7 ${sixth} |7 ${other}`));
    expect(log.armFeatures?.values[4]).toBe(0.5);
    expect(countsOf(log)).toEqual(new Map([[FORGIVEN.articleTwice, 1]]));
    expect(read(line(`|7 2:1 |7 ${sixth}`), { skipBadRows: true }).events).toBe(1);
    expect(read(line(`|7 ${sixth} |7 2:1`), { skipBadRows: true }).events).toBe(1);
  });

  it('keeps repeated times in the order of the file, and milliseconds', () => {
    const times = [300, 0, 0, 300];
    const log = read(times.map((time) => line(`|7 ${sixth}`, { time })).join(''));
    expect(Array.from(log.time ?? [])).toEqual([300_000, 0, 0, 300_000]);
    expect(log.source.badRows).toEqual([]);
  });

  it('gives the numbers that Number gives', () => {
    const texts = ['0.1234567890123456789', '-0.5', '1e-3', '.5', '7.', '123456789012345678'];
    const user = texts.map((text, i) => `${i + 1}:${text}`).join(' ');
    const log = read(line(`|7 ${sixth}`, { user }));
    expect(context(log, 0)).toEqual([...texts.slice(1), texts[0]].map(Number));
  });

  it('stores users that come back once', () => {
    const log = read(line(`|7 ${sixth}`).repeat(10));
    expect(log.contexts.rows).toBe(1);
    expect(Array.from(log.contexts.row ?? [])).toEqual(new Array(10).fill(0));
  });

  it('counts several faults of a line that is kept, and one of a line that is dropped', () => {
    const kept = line(`|7 ${sixth} |8 |9 2:1 |7 ${sixth}`).replace('\n', ' \r\n');
    const dropped = line(`|8 |9 2:1 |7 ${sixth} |10 2:x`).replace('\n', '\r\n');
    const counts = [...countsOf(read(kept + dropped, { skipBadRows: true })).entries()].sort();
    expect(counts.map(([, count]) => count)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(counts.map(([kind]) => kind)).toContain(DROPPED.value);
    expect(counts.map(([kind]) => kind)).not.toContain(DROPPED.displayedShort);
  });

  it('shows bytes that are no text in messages', () => {
    expect(() => read('\0\x1b[31m\xff 1\n')).toThrow('"\\u0000\\u001b[31m');
  });
});

describe('r6b', () => {
  const read = (text: string, options = {}) => readBytes('r6b', Buffer.from(text), options);

  it('clears the user of the line before, and takes features in any order', () => {
    const log = read('5 id-1 1 |user 136 1 9 |id-2 |id-1\n6 id-2 0 |user 1 |id-2 |id-1\n');
    const ones = (t: number) => context(log, t).flatMap((value, j) => (value === 1 ? [log.contexts.columns[j]] : []));
    expect(ones(0)).toEqual(['user_1', 'user_9', 'user_136']);
    expect(ones(1)).toEqual(['user_1']);
    expect(log.contexts.values).toBeInstanceOf(Float32Array);
    expect(log.armFeatures).toBeNull();
    expect(log.arms.ids).toEqual(['1', '2']);
  });
});

describe('several formats', () => {
  it('are not one log', async () => {
    const error = await fault(readFiles([plainLog('r6a', 2).text, plainLog('r6b', 2).text]));
    expect(error.fault.problem).toBe('the files look like different formats');
  });

  it('does not take other text for its own', async () => {
    for (const text of ['a,b\n1,0\n', '{"a":1}\n', '1 2 0 |users 3:1\n', '1 |user 2:3\n', '0 1 2 |user a\n']) {
      const error = await fault(readFiles([text]));
      expect(error).toBeInstanceOf(InputError);
      expect(error.fault.problem).toBe('nothing says which column is what');
    }
  });
});

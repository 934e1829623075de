/** Every quirk of R6A and R6B, alone and mixed: counted exactly, and the other events are those of the clean log. */

import { describe, expect, it } from 'vitest';
import { DROPPED, FORGIVEN, LEFT_OUT } from '#dist/formats/yahoo/kinds.js';
import { type Dirt, YahooDirt, yahooDirts } from '#dist/simulate/yahoo-dirt.js';
import { readBytes } from '../../fuzz/yahoo.mjs';
import { countsOf, difference, eventOf } from '../../fuzz/yahoo-reference.mjs';
import { type Format, type PlainEvent, plainLog } from './yahoo-world.js';

const FORMATS: Format[] = ['r6a', 'r6b'];
const EVENTS = 400;

function soiled(format: Format, rates: Partial<Record<Dirt, number>>, seed = 7) {
  const { text, events } = plainLog(format, EVENTS);
  const dirt = new YahooDirt({ format, seed, rates });
  return { dirty: Buffer.from(dirt.soil(text)), dirt, events };
}

/** The events that are left, as they should be read. Blank lines are no rows. */
function survivors(events: readonly PlainEvent[], dirt: YahooDirt): PlainEvent[] {
  const dropped = new Set(dirt.dropped);
  const without = new Set(dirt.withoutUser);
  return events
    .filter((_, t) => !dropped.has(t))
    .map((event) => {
      const left = new Map(event.pool);
      for (const one of dirt.leftOut) if (one.event === event.row) left.delete(one.article);
      return { ...event, pool: left, user: without.has(event.row) ? event.user.map(() => 0) : event.user };
    });
}

function expectExact(format: Format, dirty: Buffer, dirt: YahooDirt, events: readonly PlainEvent[]): void {
  const log = readBytes(format, dirty, { skipBadRows: true });
  expect([...countsOf(log)].sort()).toEqual([...dirt.counts].sort());
  const wanted = survivors(events, dirt);
  expect(log.events).toBe(wanted.length);
  expect(log.source.rows).toBe(EVENTS);
  for (const [t, event] of wanted.entries()) expect(difference(eventOf(log, t), event)).toBeNull();
}

describe.each(FORMATS)('%s', (format) => {
  it.each(yahooDirts(format))('%s alone', (name) => {
    const { dirty, dirt, events } = soiled(format, { [name]: 0.1 });
    expect(dirt.injected.get(name)).toBeGreaterThan(20);
    expect([...dirt.counts.values()].reduce((a, b) => a + b)).toBe(dirt.injected.get(name));
    expectExact(format, dirty, dirt, events);
  });

  it.each([1, 2, 3])('all mixed, seed %i', (seed) => {
    const names = yahooDirts(format);
    const { dirty, dirt, events } = soiled(
      format,
      Object.fromEntries(names.map((name) => [name, 0.9 / names.length])),
      seed,
    );
    expect(dirt.injected.size).toBe(names.length);
    expect(dirt.dropped.length).toBeGreaterThan(50);
    expectExact(format, dirty, dirt, events);
  });

  it('says which faults it has: each kind is one that the reader can name', () => {
    const known = new Set<string>(Object.values({ ...FORGIVEN, ...LEFT_OUT, ...DROPPED }));
    for (const name of yahooDirts(format)) {
      const { dirt } = soiled(format, { [name]: 0.2 });
      for (const kind of dirt.counts.keys()) expect(known).toContain(kind);
    }
  });

  it('puts the same dirt in, however the text is cut', () => {
    const { text } = plainLog(format, 60);
    const rates = { crlf: 0.2, badClick: 0.2, blank: 0.2 };
    const whole = new YahooDirt({ format, seed: 3, rates });
    const once = Buffer.from(whole.soil(text));
    const parts = new YahooDirt({ format, seed: 3, rates });
    const lines = text.toString('latin1').split(/(?<=\n)/);
    const pieces = lines.map((line) => Buffer.from(parts.soil(Buffer.from(line, 'latin1'))));
    expect(Buffer.concat(pieces).equals(once)).toBe(true);
    expect(parts.dropped).toEqual(whole.dropped);
    expect(parts.counts).toEqual(whole.counts);
  });
});

describe('what is asked for', () => {
  const forgiven: Dirt[] = [
    'crlf',
    'trailing',
    'leading',
    'blank',
    'articleTwice',
    'noUserFeatures',
    'userFeatureTwice',
  ];

  it.each(FORMATS)('%s: what loses nothing is read without being asked, and is an error under strict', (format) => {
    for (const name of yahooDirts(format).filter((one) => forgiven.includes(one))) {
      const { dirty, dirt } = soiled(format, { [name]: 0.1 });
      const log = readBytes(format, dirty);
      expect(log.events).toBe(EVENTS);
      expect(log.source.badRows.map(({ lost }) => lost)).toEqual(['nothing']);
      const [kind] = [...dirt.counts.keys()];
      expect(() => readBytes(format, dirty, { strict: true })).toThrow(kind);
      expect(() => readBytes(format, dirty, { strict: true, skipBadRows: true })).toThrow(kind);
    }
  });

  it.each(FORMATS)('%s: what loses an event or an article is an error at the first, unless asked for', (format) => {
    for (const name of yahooDirts(format).filter((one) => !forgiven.includes(one))) {
      const { dirty, dirt } = soiled(format, { [name]: 0.1 });
      let message = '';
      try {
        readBytes(format, dirty);
      } catch (error) {
        message = String(error);
      }
      const first = Math.min(...dirt.dropped, ...dirt.leftOut.map(({ event }) => event));
      expect(message).toContain(`log.txt, row ${first} (line ${first + 1}): `);
      expect(message).toContain('--skip-bad-rows');
      expect([...dirt.counts.keys()].some((kind) => message.includes(kind))).toBe(true);
    }
  });

  it('refuses rates that are none', () => {
    expect(() => new YahooDirt({ format: 'r6a', seed: 1, rates: { badIndex: 0.1 } })).toThrow('no such fault of r6a');
    expect(() => new YahooDirt({ format: 'r6b', seed: 1, rates: { crlf: 1.1 } })).toThrow('no share');
    expect(() => new YahooDirt({ format: 'r6b', seed: 1, rates: { crlf: 0.6, blank: 0.6 } })).toThrow('more than 1');
  });
});

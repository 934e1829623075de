import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePeriod, parseTime, periodOf } from '#dist/policy/table/time.js';
import { choices, compile, faultOf, fourEvents } from './small-log.js';

// Segments new, loyal, new, gone; devices phone, phone, desk, desk; times 00:00, 00:04:59.999, 00:05, 00:17.
const table = (keys: string[], ...tables: object[]) => [{ family: 'table', keys, tables }];
const byPeriod = (more: object, ...tables: object[]) => [{ family: 'table', period: '5m', ...more, tables }];

describe('table by keys', () => {
  it('looks up the value of a key', async () => {
    const set = table(['segment'], { choices: { new: '7', loyal: 12 }, default: '3' }, { choices: { gone: 12 } });
    expect(await choices(set, fourEvents())).toEqual([
      ['7', '12', '7', '3'],
      [null, null, null, '12'],
    ]);
  });

  it('looks up combinations of keys', async () => {
    const rows = [
      { when: { segment: 'new', device: 'phone' }, arm: '7' },
      { when: { device: 'desk', segment: 'new' }, arm: '12' },
    ];
    expect(await choices(table(['segment', 'device'], { rows }), fourEvents())).toEqual([['7', null, '12', null]]);
    expect(await choices(table(['device', 'segment'], { rows, default: 3 }), fourEvents())).toEqual([
      ['7', '3', '12', '3'],
    ]);
  });

  it('matches values as text, so that numbers and their text are the same', async () => {
    const log = fourEvents({ keys: { n: [1, 2, 1, 10] } });
    expect(await choices(table(['n'], { choices: { 1: '7' } }), log)).toEqual([['7', null, '7', null]]);
    expect(await choices(table(['n'], { rows: [{ when: { n: 10 }, arm: '3' }] }), log)).toEqual([
      [null, null, null, '3'],
    ]);
  });

  it('has a cell per combination that occurs, so that none is empty', async () => {
    const set = table(['segment', 'device'], { rows: [{ when: { segment: 'new', device: 'phone' }, arm: '7' }] });
    const [compiled] = await compile(set, fourEvents());
    expect(compiled).toHaveProperty('cells.count', 4);
    const [single] = await compile(table(['segment'], { choices: {} }), fourEvents());
    expect(single).toHaveProperty('cells.count', 3);
  });

  it('tells tuples apart that look alike when joined', async () => {
    const log = fourEvents({ keys: { a: ['x,y', 'x', 'x"', 'x'], b: ['z', 'y,z', ',"z', 'z'] } });
    const rows = [{ when: { a: 'x', b: 'y,z' }, arm: '7' }];
    expect(await choices(table(['a', 'b'], { rows }), log)).toEqual([[null, '7', null, null]]);
  });

  it('warns of events without an arm and of entries without an event', async () => {
    const set = table(['segment'], { name: 'mine', choices: { new: '7', nwe: '3' } }, { choices: {}, default: '3' });
    const [compiled] = await compile(set, fourEvents());
    expect(compiled?.names).toEqual(['mine', 'table 1']);
    expect(compiled?.warnings).toEqual([
      '[0]: "mine" has no arm for 2 of 4 events (e.g. segment = "loyal"; segment = "gone"); it matches nothing there.',
      '[0]: 1 table entry is for values that no event of the log has; did you mean segment "new" for "nwe"?',
    ]);
    const [quiet] = await compile(table(['segment'], { choices: { new: '7' }, default: '3' }), fourEvents());
    expect(quiet?.warnings).toEqual([]);
  });

  const faults: [set: unknown, message: RegExp][] = [
    [
      table(['segmnt'], { choices: {} }),
      /\[0\]\.keys\[0\]: the log has no key column "segmnt"\n {2}needed: one of "segment", "device"\n {2}try: {4}did you mean "segment"/,
    ],
    [table(['segment'], { choices: { new: '8' } }), /\[0\]\.tables\[0\]\.choices\.new: unknown arm "8"/],
    [table(['segment'], { choices: { absent: '8' } }), /choices\.absent: unknown arm "8"/],
    [table(['segment'], { choices: {}, default: '8' }), /\[0\]\.tables\[0\]\.default: unknown arm "8"/],
    [
      table(['segment'], {
        rows: [
          { when: { segment: 1 }, arm: 3 },
          { when: { segment: '1' }, arm: 7 },
        ],
      }),
      /\[0\]\.tables\[0\]\.rows\[1\]: two rows of the table for the same key/,
    ],
  ];
  it.each(faults)('refuses %j', async (set, message) => {
    expect(await faultOf(() => compile(set, fourEvents()))).toMatch(message);
  });

  it('says how to keep a column where the log kept none', async () => {
    const log = fourEvents({ keys: {} });
    expect(await faultOf(() => compile(table(['segment'], { choices: {} }), log))).toMatch(
      /a log that was read with this column kept/,
    );
  });

  it('serves an empty log', async () => {
    const log = fourEvents({ arm: [], payoff: [], context: [], keys: { segment: [] }, time: [] });
    expect(await choices(table(['segment'], { choices: { new: '7' } }), log)).toEqual([[]]);
    expect(await choices(byPeriod({}, { arms: ['7'] }), log)).toEqual([[]]);
  });
});

describe('table by period', () => {
  it('has an arm per period from the origin on; a border belongs to the later period', async () => {
    expect(await choices(byPeriod({}, { arms: ['7', '12', '3', '3'] }), fourEvents())).toEqual([['7', '7', '12', '3']]);
    expect(
      await choices(byPeriod({}, { arms: ['7', null] }, { arms: ['7', null], default: 12 }), fourEvents()),
    ).toEqual([
      ['7', '7', null, null],
      ['7', '7', '12', '12'],
    ]);
  });

  it('starts where it is told to', async () => {
    const origin = '2009-05-01T00:02:00Z';
    expect(await choices(byPeriod({ origin }, { arms: ['7', '12'] }), fourEvents())).toEqual([[null, '7', '7', null]]);
    expect(await choices(byPeriod({ origin }, { choices: { '2009-05-01T00:17:00Z': '12' } }), fourEvents())).toEqual([
      [null, null, null, '12'],
    ]);
  });

  it('looks up the start of a period, in any zone', async () => {
    const table = {
      choices: { '2009-05-01T00:00:00Z': '7', '2009-05-01T02:05:00+02:00': 12, '2009-05-01 00:15': '3' },
    };
    expect(await choices(byPeriod({}, table), fourEvents())).toEqual([['7', '7', '12', '3']]);
    expect(await choices([{ family: 'table', period: 300_000, tables: [table] }], fourEvents())).toEqual([
      ['7', '7', '12', '3'],
    ]);
  });

  it('does not warn of periods without events', async () => {
    const [compiled] = await compile(byPeriod({}, { arms: new Array<string>(100).fill('7') }), fourEvents());
    expect(compiled?.warnings).toEqual([]);
  });

  const faults: [set: unknown, message: RegExp][] = [
    [
      byPeriod({}, { choices: { '2009-05-01T00:06:00Z': '7' } }),
      /choices\["2009-05-01T00:06:00Z"\]: not the start of a period[\s\S]*2009-05-01T00:05:00\.000Z\?/,
    ],
    [byPeriod({}, { choices: { noon: '7' } }), /\.choices\.noon: not the start of a period[\s\S]*an ISO 8601 time/],
    [byPeriod({}, { arms: ['7', '8'] }), /\.tables\[0\]\.arms\[1\]: unknown arm "8"/],
    [
      byPeriod({}, { choices: { '2009-05-01T00:05:00Z': '7', '2009-05-01T00:05': '7' } }),
      /two rows of the table for the same key or period/,
    ],
  ];
  it.each(faults)('refuses %j', async (set, message) => {
    expect(await faultOf(() => compile(set, fourEvents()))).toMatch(message);
  });

  it('needs times', async () => {
    const log = fourEvents({ time: undefined });
    expect(await faultOf(() => compile(byPeriod({}, { arms: ['7'] }), log))).toMatch(
      /\[0\]\.period: the log has no times/,
    );
  });

  it('serves logs whose periods are far apart', async () => {
    const log = fourEvents({ time: [0, 1, 4e12, 4e12 + 1], timeUnit: 'ms' });
    const set = [
      {
        family: 'table',
        period: 1,
        tables: [{ choices: { '1970-01-01T00:00:00.001Z': '7', '2096-10-02T07:06:40.001Z': '3' } }],
      },
    ];
    expect(await choices(set, log)).toEqual([[null, '7', null, '3']]);
  });
});

describe('periods and times', () => {
  it('reads periods', () => {
    expect(['5m', '5min', '1h', '1.5h', '1d', '1w', '250ms', '30 s', '300000', 300000].map(parsePeriod)).toEqual([
      300_000, 300_000, 3_600_000, 5_400_000, 86_400_000, 604_800_000, 250, 30_000, 300_000, 300_000,
    ]);
    for (const bad of [
      '',
      'm',
      '0m',
      '-5m',
      '5 months',
      '0.5ms',
      '1e3',
      0,
      -1,
      0.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ]) {
      expect(parsePeriod(bad), String(bad)).toBeNull();
    }
  });

  it('reads times, UTC where no zone is given', () => {
    const time = Date.UTC(2009, 4, 1, 0, 5);
    for (const text of [
      '2009-05-01T00:05:00Z',
      '2009-05-01T00:05',
      '2009-05-01 00:05:00.000',
      '2009-05-01T02:05+02:00',
      '2009-04-30T19:05:00-0500',
    ]) {
      expect(parseTime(text), text).toBe(time);
    }
    expect(parseTime('2009-05-01')).toBe(Date.UTC(2009, 4, 1));
    expect(parseTime('2009-05-01T00:00:00.25Z')).toBe(Date.UTC(2009, 4, 1) + 250);
    for (const bad of [
      '',
      'May',
      '2009',
      '2009-02-30',
      '2009-13-01',
      '2009-05-01T24:01',
      '2009-05-01T00:05:00 CET',
      '1241136000',
    ]) {
      expect(parseTime(bad), bad).toBeNull();
    }
  });

  it('is exact at borders', () => {
    expect(periodOf(-1, 0, 5)).toBe(-1);
    expect(periodOf(-5, 0, 5)).toBe(-1);
    // The quotient rounds up to 1e12, the time is still before the border.
    const border = 3e12;
    const before = border - 2 ** -11;
    expect(before).toBeLessThan(border);
    expect(periodOf(before, 0, 3)).toBe(1e12 - 1);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: -1e6, max: 1e6 }), (period, n) => {
        expect(periodOf(n * period, 0, period)).toBe(n === 0 ? 0 : n);
        expect(periodOf(n * period - 0.001, 0, period)).toBe(n - 1);
      }),
    );
  });
});

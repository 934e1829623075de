/** Files of a simulated log: what is read back is the log in memory, and the truth file holds its probabilities. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { InputError } from '#dist/errors.js';
import { openDatabase } from '#dist/files/duckdb.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import { parseMapping } from '#dist/log/mapping.js';
import { writeTable } from '#dist/simulate/files/table-file.js';
import { writeTableLog, writeTruth, writeYahooLog } from '#dist/simulate/files/write.js';
import { type SimulatedWorld, simulate } from '#dist/simulate/simulate.js';
import { World } from '#dist/simulate/world/world.js';
import { candidates } from './bytes.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-simulate-'));
// What was broken on purpose may still be closing its file.
afterAll(() => vi.waitFor(() => rmSync(folder, { recursive: true }), { timeout: 20_000, interval: 100 }), 30_000);
const path = (name: string): string => join(folder, name);
const VISITS = 3000;
const toWrite = (options: Omit<ConstructorParameters<typeof World>[0], 'seed'> = {}) => ({
  world: new World({ seed: 4, ...options }),
  visits: VISITS,
  traffic: 2,
});
const inMemory = (options: Omit<ConstructorParameters<typeof World>[0], 'seed'> = {}): SimulatedWorld =>
  simulate({ events: VISITS, seed: 4, traffic: 2, ...options });

/** An event in words that do not depend on how arms, pools and rows are numbered. */
function eventOf(log: EventLog, t: number): unknown {
  const { dimension, values, row } = log.contexts;
  const x = (row?.[t] ?? t) * dimension;
  return {
    arm: log.arms.ids[log.arm[t]],
    page: candidates(log, t).map((a) => log.arms.ids[a]),
    click: log.payoff.steps[t],
    time: log.time?.[t],
    context: [...values.subarray(x, x + dimension)],
    propensity: log.propensity?.[t],
    user: log.user?.levels[log.user.code[t]],
    segment: log.keys.get('segment')?.levels[log.keys.get('segment')?.code[t] ?? 0],
  };
}

/** Compares all events; as text, because 3,000 deep comparisons take seconds. */
function expectSame(log: EventLog, known: EventLog, expected = (t: number): unknown => eventOf(known, t)): void {
  for (let t = 0; t < VISITS; t++) {
    if (JSON.stringify(eventOf(log, t)) !== JSON.stringify(expected(t))) expect(eventOf(log, t)).toEqual(expected(t));
  }
  expect(log.events).toBe(VISITS);
}

describe('a table', () => {
  it.each([
    ['log.parquet', 'parquet', {}],
    ['log.csv', 'csv', { kind: 'r6b' }],
    ['log.csv.gz', 'csv.gz', { logging: { policy: 'softmax', temperature: 0.01 } }],
    ['b.parquet', 'parquet', { kind: 'r6b', logging: { policy: 'epsilon-greedy', epsilon: 0.2 } }],
  ] as const)('%s read through its mapping is the log in memory', async (name, format, options) => {
    await writeTableLog(toWrite(options), path(name), format, path('mapping.json'));
    const mapping = parseMapping(JSON.parse(readFileSync(path('mapping.json'), 'utf8')));
    const log = await readLog([path(name)], { mapping, keys: ['segment'] });
    const { log: known } = inMemory(options);
    expect(log.events).toBe(VISITS);
    expect(log.arms.ids).toEqual(known.arms.ids);
    expect(log.contexts.columns).toEqual(known.contexts.columns);
    expectSame(log, known);
  });

  it('has the same bytes every time', async () => {
    const digest = async (name: string): Promise<string> => {
      await writeTableLog(toWrite(), path(name), 'parquet', path('mapping.json'));
      return createHash('sha256')
        .update(readFileSync(path(name)))
        .digest('hex');
    };
    expect(await digest('one.parquet')).toBe(await digest('two.parquet'));
  });

  it('passes on what goes wrong while it is filled, and stops at a signal', async () => {
    const columns = [{ name: 'x', type: 'u32' }] as const;
    const broken = writeTable(path('no.parquet'), 'parquet', {
      columns,
      fill: () => {
        throw new InputError({ problem: 'broken on purpose' });
      },
    });
    await expect(broken).rejects.toThrow('broken on purpose');
    const signal = AbortSignal.abort(new Error('stopped by hand'));
    await expect(writeTable(path('no.csv'), 'csv', { columns, fill: () => 1 }, signal)).rejects.toThrow(
      'stopped by hand',
    );
  });
});

describe('the truth', () => {
  it.each([{}, { kind: 'r6b' }] as const)(
    'of %o is the probability of every candidate at every visit',
    async (options) => {
      await writeTruth(toWrite(options), path('truth.parquet'), 'parquet');
      const world = inMemory(options);
      const database = await openDatabase(folder);
      const rows = await database.rows(`SELECT event, arm, probability FROM '${path('truth.parquet')}'`);
      database.close();
      const known: unknown[] = [];
      for (let t = 0; t < VISITS; t++)
        for (const a of candidates(world.log, t))
          known.push([t, Number(world.arms.ids[a]), world.clickProbability(t, a)]);
      expect(rows.length).toBe(known.length);
      expect(JSON.stringify(rows)).toBe(JSON.stringify(known));
    },
  );
});

describe('Yahoo text', () => {
  // Pinned, as the log in memory is.
  it.each([
    ['r6a', '9abf013496f868a4'],
    ['r6b', 'a724c6655066b1e5'],
  ] as const)('of %s has the same bytes always, compressed or not', async (kind, pinned) => {
    await writeYahooLog(toWrite({ kind }), path('text'), { gzip: false });
    await writeYahooLog(toWrite({ kind }), path('text.gz'), { gzip: true });
    const text = readFileSync(path('text'));
    expect(gunzipSync(readFileSync(path('text.gz'))).equals(text)).toBe(true);
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(pinned);
  });

  it.each(['r6a', 'r6b'] as const)('of %s holds the events of the log in memory, line by line', async (kind) => {
    await writeYahooLog(toWrite({ kind }), path('lines'), { gzip: false });
    const { log, armFeatures } = inMemory({ kind });
    const lines = readFileSync(path('lines'), 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.length).toBe(VISITS);
    const firsts = new Set<boolean>();
    for (const [t, line] of lines.slice(0, 600).entries()) {
      const known = eventOf(log, t) as { arm: string; page: string[]; click: number; time: number; context: number[] };
      const [head, ...pool] = line.split(' |').map((part) => part.split(' '));
      const [user, ...articles] = pool;
      const id = kind === 'r6a' ? known.arm : `id-${known.arm}`;
      expect(head).toEqual([String(Math.floor(known.time / 300_000) * 300), id, String(known.click)]);
      expect(articles.map(([article]) => article.replace('id-', '')).sort()).toEqual(known.page);
      firsts.add(articles[0][0] === `${kind === 'r6a' ? '' : 'id-'}${known.page[0]}`);
      const x = known.context;
      if (kind === 'r6a') {
        expect(user.slice(1)).toEqual(x.map((value, j) => `${j < 5 ? j + 2 : 1}:${value.toFixed(6)}`));
        const a = log.arms.index.get(articles[3][0]) ?? -1;
        const z = [...(armFeatures?.values.subarray(a * 6, a * 6 + 6) ?? [])];
        expect(articles[3].slice(1)).toEqual(z.map((value, j) => `${j < 5 ? j + 2 : 1}:${value.toFixed(6)}`));
      } else {
        expect(user[1]).toBe('1');
        expect(
          user
            .slice(1)
            .map(Number)
            .sort((p, q) => p - q),
        ).toEqual(x.flatMap((on, j) => (on === 1 ? [j + 1] : [])));
      }
    }
    // Pools are not sorted.
    expect(firsts).toEqual(new Set([true, false]));
  });

  it.each(['r6a', 'r6b'] as const)('of %s read back is the log in memory, in steps of five minutes', async (kind) => {
    await writeYahooLog(toWrite({ kind }), path('today.gz'), { gzip: true });
    const log = await readLog([path('today.gz')], {});
    const { log: known } = inMemory({ kind });
    expect(log.source.format).toBe(kind);
    expect(log.source.badRows).toEqual([]);
    expect(log.events).toBe(VISITS);
    expect(log.contexts.columns).toEqual(known.contexts.columns);
    expect(log.armFeatures?.columns).toEqual(known.armFeatures?.columns);
    expectSame(log, known, (t) => {
      const { arm, page, click, time, context } = eventOf(known, t) as Record<string, unknown>;
      const steps = Math.floor((time as number) / 300_000) * 300_000;
      return { arm, page, click, time: steps, context };
    });
    if (kind === 'r6b') return;
    const features = ({ arms, armFeatures }: EventLog, id: string): number[] => {
      const a = (arms.index.get(id) ?? 0) * 6;
      return [...(armFeatures?.values.subarray(a, a + 6) ?? [])];
    };
    // Articles on no page of the log are not in the text.
    expect(log.armFeatures?.rows).toBe(log.arms.ids.length);
    for (const id of log.arms.ids) expect(features(log, id)).toEqual(features(known, id));
  });

  it('is soiled on request, and says what a reader must count', async () => {
    const soiled = await writeYahooLog(toWrite(), path('dirty'), { gzip: false, dirt: { crlf: 0.1, badClick: 0.05 } });
    const lines = readFileSync(path('dirty'), 'utf8').split('\n');
    expect(lines.filter((line) => line.endsWith('\r')).length).toBe(soiled?.injected.get('crlf'));
    expect(soiled?.injected.get('crlf')).toBeGreaterThan(200);
    expect(soiled?.dropped.length).toBe(soiled?.injected.get('badClick'));
  });

  it('has no place for propensities', async () => {
    const greedy = toWrite({ logging: { policy: 'epsilon-greedy', epsilon: 0.1 } });
    await expect(writeYahooLog(greedy, path('no'), { gzip: false })).rejects.toThrow(/no place for the probability/);
  });
});

/** A checkpoint belongs to one log: the identity of a log is in all of its events, and in nothing that a run may change. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { evaluate, replay } from '#dist/index.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { LogStream } from '#dist/log/stream.js';
import { streamOf } from '#dist/log/stream-of.js';
import { convert } from '#dist/open/convert.js';
import { openStream } from '#dist/open/open.js';
import { Fingerprint } from '#dist/run/checkpoint/file.js';
import { addLog } from '#dist/run/checkpoint/identity.js';
import { contentOf } from '#dist/run/checkpoint/log-content.js';
import { inTwoSizes } from '../../long.js';
import { streamLog, watched } from '../stream-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-identity-'));
const file = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const EVENTS = 10_000;
const whole = (options = {}): EventLog => ({ ...streamLog({ events: EVENTS, ...options }), sourceRow: counted() });
const counted = (): Uint32Array => Uint32Array.from({ length: EVENTS }, (_, t) => 2 * t);

const denseContexts = (): EventLog['contexts'] => ({
  dimension: 2,
  rows: EVENTS,
  values: Float64Array.from({ length: 2 * EVENTS }, (_, i) => i / 3),
  row: null,
  columns: ['a', 'b'],
});

const digest = async (stream: LogStream): Promise<string> =>
  (await addLog(new Fingerprint(), stream, { bounded: false })).digest();

/** The log with one value of one column another one. */
function changed(
  log: EventLog,
  of: (log: EventLog) => Uint32Array | Float64Array | Float32Array,
  at: number,
): EventLog {
  // Columns are on shared memory, which a clone would share.
  const old = of(log);
  const column = old.slice();
  column[at] = column[at] === 0 ? 1 : 0;
  const put = (value: unknown): unknown => {
    if (value === old) return column;
    if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, put(one)]));
    if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, put(one)]));
  };
  return put(log) as EventLog;
}

const COLUMNS: [string, (log: EventLog) => Uint32Array | Float64Array | Float32Array][] = [
  ['arm', ({ arm }) => arm],
  ['payoff', ({ payoff }) => payoff.steps],
  ['context row', ({ contexts }) => contexts.row as Uint32Array],
  ['pool', ({ pools }) => pools.pool as Uint32Array],
  ['time', ({ time }) => time as Float64Array],
  ['user', ({ user }) => user?.code as Uint32Array],
  ['key', ({ keys }) => keys.get('device')?.code as Uint32Array],
  ['source row', ({ sourceRow }) => sourceRow as Uint32Array],
  ['arm features', ({ armFeatures }) => armFeatures?.values as Float64Array],
  ['context table', ({ contexts }) => contexts.values],
];

describe('the identity of a log', () => {
  const log = whole();

  it.each(COLUMNS)('is another one where one value differs: %s', async (name, of) => {
    const last = of(log).length - 1;
    for (const at of new Set([0, Math.min(last, 4096), last]))
      expect(await digest(streamOf(changed(log, of, at))), `${name} ${at}`).not.toBe(await digest(streamOf(log)));
  });

  it('is in rows of contexts that are not repeated, and in propensities', async () => {
    const dense: EventLog = { ...whole(), contexts: denseContexts(), propensity: new Float64Array(EVENTS).fill(0.5) };
    expect(dense.contexts.row).toBeNull();
    const before = await digest(streamOf(dense));
    for (const of of [
      ({ contexts }: EventLog) => contexts.values,
      ({ propensity }: EventLog) => propensity as Float64Array,
    ])
      expect(await digest(streamOf(changed(dense, of, of(dense).length - 1)))).not.toBe(before);
    expect(await digest(streamOf({ ...dense, propensity: null }))).not.toBe(before);
    expect(await digest(streamOf({ ...dense, firstEvent: 7 }))).not.toBe(before);
  });

  it('does not depend on the batches', async () => {
    const stream = streamOf(log);
    const needed = await contentOf(stream, { bounded: false });
    for (const bytesPerEvent of [2 ** 24 / 7, 2 ** 24 / 4096, 2 ** 24 / 9999])
      expect(await contentOf({ ...stream, bytesPerEvent }, { bounded: false })).toEqual(needed);
  });

  it('is that of its content, read in memory or by way of a packed log, and that of a packed log its checksums', async () => {
    const rows = Array.from({ length: 6000 }, (_, t) => `${t % 7},${t % 3 === 0 ? 1 : 0},${(t * 37) % 101}`);
    writeFileSync(file('log.csv'), `arm,payoff,age\n${rows.join('\n')}\n`);
    const files = { files: [file('log.csv')], mapping: { arm: 'arm', payoff: 'payoff', context: ['age'] } };
    const open = (memory: number | null) => openStream(files, { keys: [], memory, batches: memory !== null });
    const inMemory = await digest(await open(null));
    const packedOnTheWay = await open(350e6);
    expect(packedOnTheWay.identity).toBeUndefined();
    expect(await digest(packedOnTheWay)).toBe(inMemory);
    await packedOnTheWay.close();
    await convert(files, file('log.parquet'));
    const packed = await openStream({ files: [file('log.parquet')] }, { keys: [], memory: null, batches: true });
    expect(packed.identity).toHaveLength(1);
    await packed.close();
  });
});

describe.each(['evaluate', 'replay'] as const)('%s', (verb) => {
  const log = whole();
  const policies = [{ family: 'constant' as const, arms: [1] }];
  const run = (given: EventLog | LogStream | { files: string[] }, resume: string) => {
    const options = { device: 'cpu', threads: 1, stretchEvents: 1000, resume, checkpointEvery: 0 } as const;
    return verb === 'evaluate'
      ? evaluate({ log: given, policies, ...options })
      : replay(given, [{ algorithm: 'ucb1' }], options);
  };
  /** Leaves a checkpoint after so many reads. */
  const interrupt = (resume: string, reads: number) =>
    expect(
      run(
        watched(log, (read) => {
          if (read === reads) throw new Error('killed');
        }),
        resume,
      ),
    ).rejects.toThrow('killed');

  // One read for the identity, ten to count, ten to work.
  const PLACES = [[4096], [50, 4095, 4096, 8192, EVENTS - 1]] as const;
  for (const reads of [6, 17]) {
    const name = `refuses another log behind the checkpoint, whatever event differs (after ${reads} reads)`;
    inTwoSizes<readonly number[]>(name, PLACES, async (places) => {
      for (const at of places) {
        const resume = file(`${verb}-${reads}-${at}`);
        await interrupt(resume, reads);
        const saved = readFileSync(resume);
        await expect(
          run(
            changed(log, ({ payoff }) => payoff.steps, at),
            resume,
          ),
        ).rejects.toMatchObject({
          fault: { problem: 'the checkpoint belongs to another run', got: 'different log' },
        });
        expect(readFileSync(resume)).toEqual(saved);
        await run(log, resume);
      }
    });
  }

  it('refuses another packed log', async () => {
    const resume = file(`${verb}-packed`);
    await convert(log, file('a.parquet'));
    await convert(
      changed(log, ({ arm }) => arm, EVENTS - 1),
      file('b.parquet'),
    );
    const stream = await openStream({ files: [file('a.parquet')] }, { keys: [], memory: null, batches: true });
    let reads = 0;
    const read: LogStream['read'] = (...batch) => {
      if (reads++ === 15) throw new Error('killed');
      return stream.read(...batch);
    };
    const { head, events, bytesPerEvent, identity } = stream;
    await expect(run({ head, events, bytesPerEvent, identity, read, close: async () => {} }, resume)).rejects.toThrow(
      'killed',
    );
    await stream.close();
    await expect(run({ files: [file('b.parquet')] }, resume)).rejects.toMatchObject({
      fault: { got: 'different log' },
    });
    await run({ files: [file('a.parquet')] }, resume);
  });
});

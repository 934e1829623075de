/** A packed log of a simulated world, which is written batch by batch, is the log that `simulate()` has in memory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { batchOf } from '#dist/log/stream-of.js';
import { writePackedLog } from '#dist/simulate/files/write.js';
import { simulate } from '#dist/simulate/simulate.js';
import { explorationStream } from '#dist/simulate/world/exploration-stream.js';
import type { WorldOptions } from '#dist/simulate/world/options.js';
import { World } from '#dist/simulate/world/world.js';
import { difference } from '../log/synthetic-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-simulate-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);

const WORLDS: [name: string, events: number, options: Partial<WorldOptions>][] = [
  ['users of R6A', 3000, {}],
  ['users of R6B, with guests', 3000, { kind: 'r6b' }],
  ['propensities of their own', 3000, { logging: { policy: 'softmax', temperature: 0.01 } }],
  ['one page', 3000, { changesPerHour: 0, pool: 20 }],
  ['few people, most of whom come', 3000, { users: 50 }],
  ['one kind of user and no click', 40, { users: 1, clickRates: [0, 0] }],
  ['one visit', 1, {}],
  ['no visit', 0, {}],
  ['more visits than a row group has', 70_000, { days: 1 }],
];

describe.each(WORLDS)('a world with %s', (_, events, options) => {
  const settings = { seed: 4, ...options };
  const { log } = simulate({ events, traffic: 2, ...settings });
  const toWrite = () => ({ world: new World(settings), visits: events, traffic: 2 });

  it('is packed as the log in memory, with the same bytes every time', async () => {
    let seen = 0;
    const onEvents = (more: number): void => {
      seen += more;
    };
    await writePackedLog({ ...toWrite(), onEvents }, path('one.parquet'));
    await writePackedLog(toWrite(), path('two.parquet'));
    expect(difference(await readLog([path('one.parquet')], {}), { ...log, firstEvent: undefined })).toBeNull();
    expect(readFileSync(path('one.parquet')).equals(readFileSync(path('two.parquet')))).toBe(true);
    expect(seen).toBe(2 * events);
  });

  it('gives any batch, in any order, as the log in memory does', async () => {
    const { world, visits, traffic } = toWrite();
    const stream = await explorationStream(world, visits, traffic);
    expect(stream.events).toBe(events);
    for (const [from, to] of [
      [0.6, 1],
      [0, 0.3],
      [0.3, 0.6],
      [0, 1],
      [1, 1],
    ].map((ends) => ends.map((share) => Math.floor(share * events)))) {
      const part = await stream.read(from, to);
      expect(difference(part, { ...batchOf(log, from, to), firstEvent: from })).toBeNull();
      expect(part.pools.arms).toBe(stream.head.pools.arms);
      expect(part.user?.levels).toBe(stream.head.user?.levels);
    }
  });
});

describe('a stream of visits', () => {
  it('stops at a signal, and refuses batches that it does not have', async () => {
    const world = new World({ seed: 1 });
    const reason = new Error('stopped by hand');
    const signal = AbortSignal.abort(reason);
    await expect(explorationStream(world, 10, 0, { signal })).rejects.toBe(reason);
    const stream = await explorationStream(world, 10, 0);
    await expect(stream.read(0, 10, signal)).rejects.toBe(reason);
    await expect(stream.read(0, 11)).rejects.toThrow(/no such batch of the log/);
  });
});

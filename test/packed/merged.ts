/** The oracle of packed logs that are read as one: what their original files give together. */

import { expect } from 'vitest';
import type { FormatName } from '#dist/formats/index.js';
import { openPackedFiles } from '#dist/formats/packed/read-files.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { ReadOptions as AnyOptions } from '#dist/log/read-options.js';
import { batchOf, headOf, streamOf } from '#dist/log/stream-of.js';
import { convert } from '#dist/open/convert.js';
import { pack, pathOf } from '../log/files.js';
import { difference } from '../log/synthetic-log.js';

/** With a format that there is. */
export type ReadOptions = AnyOptions & { readonly format?: FormatName };

let count = 0;

/** Converts each file alone. Returns the packed logs. */
export async function convertEach(files: readonly string[], options: ReadOptions = {}): Promise<string[]> {
  const packed: string[] = [];
  for (const file of files) {
    const path = pathOf(`part-${count++}.parquet`);
    await convert({ files: [file], ...options }, path);
    packed.push(path);
  }
  return packed;
}

/** Has the files converted one by one and compares their packed logs, read as one, with the files read as one. */
export async function expectSame(files: readonly string[], options: ReadOptions = {}): Promise<EventLog> {
  const together = await readLog(files, options);
  await expectLog(await convertEach(files, options), together);
  return together;
}

/** A log without what its reader had to say: of rows and files, which a converted file counts by itself. */
function unsaid(log: EventLog): EventLog {
  const { warnings: _, ...source } = log.source;
  return { ...log, source };
}

/** The packed logs are one log but for what is said of them: whole, in batches of every size, and packed again. */
export async function expectLog(packed: readonly string[], read: EventLog): Promise<void> {
  const log = unsaid(read);
  expect(difference(unsaid(await readLog(packed, {})), log)).toBeNull();
  const stream = await openPackedFiles(packed);
  try {
    expect(difference(unsaid(stream.head), headOf(log))).toBeNull();
    expect([stream.events, stream.bytesPerEvent]).toEqual([log.events, streamOf(log).bytesPerEvent]);
    for (const size of [1, 7, 61, Math.max(1, log.events)]) {
      for (let from = 0; from < log.events; from += size) {
        const to = Math.min(log.events, from + size);
        const part = await stream.read(from, to);
        expect([from, to, difference(unsaid(part), batchOf(log, from, to))]).toEqual([from, to, null]);
        expectTables(part, stream.head);
      }
    }
    // Backwards: nothing that is held is taken for something else.
    for (let to = log.events; to > 0; to -= 13) {
      const from = Math.max(0, to - 17);
      expect([from, difference(unsaid(await stream.read(from, to)), batchOf(log, from, to))]).toEqual([from, null]);
    }
    const again = await readLog([await packStream(stream)], {});
    expect(difference(unsaid(again), log)).toBeNull();
  } finally {
    await stream.close();
  }
}

/** Dictionaries of a batch are the very objects of the head. */
function expectTables(part: EventLog, head: EventLog): void {
  const tables = ({ arms, pools, armFeatures, contexts, payoff, user, keys, source }: EventLog) => [
    arms,
    pools.arms,
    pools.offsets,
    armFeatures,
    contexts.columns,
    payoff.scale,
    user?.levels,
    ...[...keys.values()].map(({ levels }) => levels),
    source,
    ...(contexts.row === null ? [] : [contexts.values]),
  ];
  const expected = tables(head);
  for (const [i, table] of tables(part).entries()) expect(table).toBe(expected[i]);
}

async function packStream(stream: Awaited<ReturnType<typeof openPackedFiles>>): Promise<string> {
  const whole = await stream.read(0, stream.events);
  const { firstEvent: _, ...log } = whole;
  return pack(`again-${count++}.parquet`, stream.head.firstEvent === undefined ? log : whole, 32);
}

/** Packed logs that are no one log, and what is said about it. */

import { readFile, writeFile } from 'node:fs/promises';
import { parquetMetadata } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { openPackedFiles } from '#dist/formats/packed/read-files.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { footerCheck } from '#dist/packed/footer.js';
import { fault, MAPPING, pack, pathOf, write } from '../log/files.js';
import { difference, PLAIN, syntheticLog } from '../log/synthetic-log.js';
import { convertEach, type ReadOptions } from './merged.js';

let count = 0;

/** Converts texts one by one, each with options of its own, and reads their packed logs as one. */
async function errorOf(parts: [text: string, options: ReadOptions][]): Promise<string> {
  const packed: string[] = [];
  for (const [text, options] of parts)
    packed.push(...(await convertEach([write(`error-${count++}.txt`, text)], { mapping: MAPPING, ...options })));
  return (await fault(readLog(packed, {}))).message;
}

const mapped = (more: object): ReadOptions => ({ mapping: { ...MAPPING, ...more } });
const AB = 'arm,payoff,p,s\na,1,0.5,x\nb,0,0.5,y\n';
const BC = 'arm,payoff,p,s\nb,1,0.5,y\nc,0,0.25,z\n';
const VW = '1:1:0.5 | a\n2:0:0.5 | a\n';

const CASES: Record<string, [parts: [string, ReadOptions][], message: RegExp]> = {
  'a propensity in one': [
    [
      [AB, mapped({ propensity: 'p' })],
      [BC, {}],
    ],
    /part-\d+\.parquet: the packed log has no propensity, which .*part-\d+\.parquet has\n[\s\S]*same mapping/,
  ],
  'a user in one': [
    [
      [AB, {}],
      [BC, mapped({ user: 's' })],
    ],
    /has no user, which/,
  ],
  'a key in one': [
    [
      [AB, mapped({ keys: ['s', 'p'] })],
      [BC, mapped({ keys: ['p'] })],
    ],
    /has no key "s", which .* has\n {2}got: {4}keys "p"\n[\s\S]*--keys/,
  ],
  'a filter of its own': [
    [
      [AB, { where: 'p > 0.3' }],
      [BC, {}],
    ],
    /different options: a filter\n {2}got: {4}none\n {2}needed: p > 0\.3, as/,
  ],
  'costs that become payoffs otherwise': [
    [
      [VW, { mapping: undefined, format: 'vw-cb' }],
      [VW, { mapping: undefined, format: 'vw-cb', payoffFromCost: { scale: -2, offset: 0 } }],
    ],
    /different options: the payoff of a cost\n {2}got: {4}\{"scale":-2,"offset":0\}\n {2}needed: \{"scale":-1,"offset":0\}, as/,
  ],
  'other values of a one-hot context': [
    [
      [AB, mapped({ context: { onehot: ['s'] } })],
      [BC, mapped({ context: { onehot: ['s'] } })],
    ],
    /column "context": the context columns are not those of .*\n {2}got: {4}"s=y" as column 1 of 2\n {2}needed: "s=x" as column 1 of 2[\s\S]*convert the original files together: hindcast convert .*txt .*txt ALL\.parquet/,
  ],
  'fewer context columns': [
    [
      [AB, mapped({ context: ['p'] })],
      [BC, {}],
    ],
    /got: {4}no columns\n {2}needed: "p" as column 1 of 1/,
  ],
  'other features of arms': [
    [
      ['0:1:0.5 |a p:1\n|a q:2\n\n', { mapping: undefined, format: 'vw-adf' }],
      ['0:1:0.5 |a p:1\n|a p:2\n\n', { mapping: undefined, format: 'vw-adf' }],
    ],
    /column "arm features": the features of arms are not those of .*\n {2}got: {4}1 feature\n {2}needed: "a\^q" as feature 2 of 2/,
  ],
  'another declared range': [
    [
      [AB, { payoffRange: [0, 5] }],
      [BC, {}],
    ],
    /column "payoff": the range of payoffs is not that of .*\n {2}got: {4}0 to 1, where none was declared\n {2}needed: 0 to 5\n[\s\S]*--payoff-range/,
  ],
  'another column of payoffs': [
    [
      ['arm,payoff,p\na,1,3\nb,0,2\n', {}],
      ['arm,payoff,p\na,1,3\nb,0,2\n', mapped({ payoff: 'p' })],
    ],
    /part-\d+\.parquet: the payoff of this packed log is another column than that of .*part-\d+\.parquet\n {2}got: {4}"p"\n {2}needed: "payoff": values over both would mix two quantities\n {2}try: {4}evaluate each log by itself;/,
  ],
  'another column of arms': [
    [
      [AB, {}],
      [BC, mapped({ arm: 's' })],
    ],
    /the arm of this packed log is another column [\s\S]*got: {4}"s"\n {2}needed: "arm"/,
  ],
  'another column of propensities': [
    [
      ['arm,payoff,p,q\na,1,0.5,0.5\n', mapped({ propensity: 'p' })],
      ['arm,payoff,p,q\na,1,0.5,0.5\n', mapped({ propensity: 'q' })],
    ],
    /the propensity of this packed log is another column/,
  ],
  'arms called otherwise': [
    [
      ['0:1:0.5 tea|a p=1\nmilk|a p=2\n\n', { mapping: undefined, format: 'vw-adf' }],
      ['0:1:0.5 tea|a p=1\nmilk|a p=2\n\n', { mapping: undefined, format: 'vw-adf', armId: 'tag' }],
    ],
    /the arms of this packed log are called otherwise than those of .*\n {2}got: {4}by "tag"\n {2}needed: by their positions\n {2}try: {4}.*--arm-id/,
  ],
  'an order of arms that was given': [
    [
      [AB, { arms: ['b', 'a'] }],
      [BC, {}],
    ],
    /column "arms": the arms are in an order that was given, and .* has other arms[\s\S]*--arms-order/,
  ],
};

describe('packed logs that are no one log', () => {
  it.each(Object.entries(CASES))('say so: %s', async (_, [parts, message]) => {
    expect(await errorOf(parts)).toMatch(message);
    expect(await errorOf([...parts].reverse())).toMatch(/part-\d+\.parquet/);
  });

  /** Two files of a log in memory that is packed, of other arms. */
  async function both(one: Partial<EventLog>, other: Partial<EventLog> = {}): Promise<string> {
    const rows = { arm: ['a', 'b', 'a'], payoff: [1, 0, 1] };
    const a = await pack(`both-${count++}.parquet`, { ...logFromColumns(rows), ...one });
    const b = await pack(`both-${count++}.parquet`, { ...logFromColumns({ ...rows, arm: ['a', 'c', 'a'] }), ...other });
    const [result] = await Promise.allSettled([readLog([a, b], {})]);
    return result.status === 'fulfilled' ? `${result.value.pools.arms.length} candidates` : String(result.reason);
  }

  it('say so where it is not known whether a set of all arms was named', async () => {
    const { pools } = logFromColumns({ arm: ['a', 'b', 'a'], payoff: [1, 0, 1] });
    const { allArms: _, ...unknown } = pools;
    expect(await both({})).toBe('3 candidates');
    expect(await both({ pools: { ...pools, allArms: null } })).toBe('5 candidates');
    expect(await both({ pools: unknown })).toMatch(
      /both-\d+\.parquet, column "candidates": the packed log does not say whether[\s\S]*got: {4}a set of all of its 2 arms, where the files have 3/,
    );
    // A set that lacks an arm was named in any case.
    const smaller = { count: 1, offsets: Uint32Array.of(0, 1), arms: Uint32Array.of(0), pool: null };
    const log = logFromColumns({ arm: ['a', 'a', 'a'], payoff: [1, 0, 1], arms: ['a', 'b'] });
    expect(await both({ ...log, pools: smaller })).toBe('4 candidates');
  });

  it('say so where arms of other files have features, which events of all arms would show', async () => {
    const features = (rows: number[][]) => ({
      armFeatures: { dimension: 1, rows: 2, values: Float64Array.from(rows.flat()), row: null, columns: ['z'] },
    });
    expect(await both(features([[1], [2]]), features([[1], [3]]))).toBe('3 candidates');
    expect(await both(features([[1], [2]]), features([[4], [3]]))).toMatch(/what arms of the other files show/);
  });

  it('say so where payoffs were rounded before they were packed', async () => {
    const logs = [1, 2].map((seed) => syntheticLog({ ...PLAIN, payoff: 'rounded', sourceRow: false, seed }));
    const packed = [await pack('rounded-1.parquet', logs[0]), await pack('rounded-2.parquet', logs[1])];
    const { message } = await fault(readLog(packed, {}));
    expect(message).toMatch(/rounded-1\.parquet, column "payoff": the payoffs were rounded, and to other steps/);
    // To the same steps they are one log.
    const twice = await readLog([packed[0], packed[0]], {});
    expect(twice.payoff.scale).toEqual(logs[0].payoff.scale);
    expect([...twice.payoff.steps]).toEqual([...logs[0].payoff.steps, ...logs[0].payoff.steps]);
  });

  it('say so where rows were not counted', async () => {
    const log = logFromColumns({ arm: ['a', 'b'], payoff: [1, 0] });
    const path = await pack('uncounted.parquet', { ...log, source: { ...log.source, rows: null } });
    const counted = await pack('counted.parquet', log);
    expect((await fault(readLog([path, counted], {}))).message).toMatch(/uncounted\.parquet: .* how many rows/);
    expect((await readLog([counted, path], {})).source.rows).toBeNull();
    // PLAIN has the largest source rows that there are.
    const many = await pack('many.parquet', syntheticLog(PLAIN));
    expect((await fault(readLog([many, many], {}))).message).toMatch(/more rows than can be numbered/);
  });

  it('name the file that is damaged, missing or no packed log, and a column that none has', async () => {
    const good = await pack('good.parquet', syntheticLog({ ...PLAIN, sourceRow: false }));
    const bytes = await readFile(good);
    const bad = write('bad.parquet', bytes.subarray(0, bytes.length - 9));
    expect((await fault(readLog([good, bad], {}))).message).toMatch(
      /^.*\/bad\.parquet: the Parquet file ends too early/,
    );
    expect((await fault(readLog([good, pathOf('none.parquet')], {}))).message).toMatch(/none\.parquet/);
    const plain = write('plain.csv', 'arm,payoff\na,1\n');
    expect((await fault(readLog([good, plain], {}))).message).toMatch(/look like different formats/);
    expect((await fault(readLog([good, good], { keys: ['nothing'] }))).message).toMatch(/no column "nothing"/);
  });

  it('stop at a signal', async () => {
    const path = await pack('signal-merged.parquet', syntheticLog({ ...PLAIN, sourceRow: false }));
    const reason = new Error('stop');
    await expect(openPackedFiles([path, path], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stream = await openPackedFiles([path, path]);
    await expect(stream.read(50, 150, AbortSignal.abort(reason))).rejects.toBe(reason);
    for (const [from, to] of [
      [0, 201],
      [-1, 5],
      [7, 6],
    ])
      expect((await fault(stream.read(from, to))).message).toMatch(/no such batch of the log/);
    await stream.close();
  });
});

describe('a packed log of version 1', () => {
  /** What version 1 wrote: a header without what is new, and its checksum. */
  async function asVersion1(path: string): Promise<void> {
    const bytes = await readFile(path);
    const text = bytes.toString('latin1');
    const metadata = parquetMetadata(Uint8Array.from(bytes).buffer, { geoparquet: false });
    const entry = (key: string) => metadata.key_value_metadata?.find((one) => one.key === key)?.value ?? '';
    const header = entry('hindcast.log');
    expect(header).toMatch(/^\{"version":2,/);
    const old = header.replace('"version":2,', '"version":1,');
    const changed = text.replace(header, old).replace(entry('hindcast.log.crc32'), footerCheck(old, metadata));
    await writeFile(path, changed, 'latin1');
  }

  it('is read, alone and with others of the same arms', async () => {
    const log = syntheticLog({ ...PLAIN, sourceRow: false });
    const path = await pack('version-1.parquet', log);
    await asVersion1(path);
    expect(difference(await readLog([path], {}), log)).toBeNull();
    const next = await pack('version-2.parquet', log);
    expect((await readLog([path, next, path], {})).events).toBe(300);
  });
});

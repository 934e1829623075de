/** The order of times: told where a result depends on it, and made on request. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { encodeNpy, evaluate, logFromColumns, replay, sortByTime } from '#dist/index.js';
import { convert } from '#dist/open/convert.js';
import { openStream } from '#dist/open/open.js';
import { streamLog } from '../../run/stream-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-order-'));
const file = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const MAPPING = { arm: 'arm', payoff: 'payoff', time: 't', context: ['x'], user: 'u' };
/** A day of events, one a minute, uniform on two arms. */
function day(name: string, date: number, events = 40): string {
  const rows = Array.from({ length: events }, (_, t) => {
    const time = new Date(Date.UTC(2020, 2, date, 0, t)).toISOString();
    return `${(t * 7 + date) % 2},${t % 3 === 0 ? 1 : 0},${time},${t},u${t % 5}`;
  });
  writeFileSync(file(name), `arm,payoff,t,x,u\n${rows.join('\n')}\n`);
  return file(name);
}
const [first, second] = [day('1.csv', 1), day('2.csv', 2)];
const wrong = { files: [second, first], mapping: MAPPING };
const right = { files: [first, second], mapping: MAPPING };
const options = { device: 'cpu', threads: 1 } as const;
const SAID =
  /^the log is not in the order of its times, on which .* depend: 1 event is before the one that they follow, by up to 24.6 hours|^the log is not in the order/;

describe('a log out of the order of its times', () => {
  it('is told of with the first event and both times, where learners see it', async () => {
    const { warnings } = await replay(wrong, [{ algorithm: 'ucb1' }], options);
    expect(warnings.filter((text) => SAID.test(text))).toEqual([
      'the log is not in the order of its times, on which what learners have seen depend: 1 event is before the one that they follow, by up to 24.6 hours; the first is row 40 of all files: 2020-03-01T00:00:00.000Z after 2020-03-02T00:39:00.000Z; give the files in order, or sort with --sort-by-time (in code: sortByTime)',
    ]);
    const again = await replay({ ...wrong, sortByTime: true }, [{ algorithm: 'ucb1' }], options);
    expect(again.warnings.filter((text) => SAID.test(text))).toEqual([]);
    const needed = await replay(right, [{ algorithm: 'ucb1' }], options);
    expect(again.learners).toEqual(needed.learners);
  });

  it('is told of where policies depend on the order, and not elsewhere', async () => {
    const policies = [{ family: 'uniform' as const }];
    const told = async (more: object) =>
      (await evaluate({ log: wrong, policies, ...options, ...more })).warnings.filter((text) => SAID.test(text)).length;
    expect(await told({})).toBe(0);
    expect(await told({ validEvents: 10 })).toBe(1);
    expect(await told({ blockStatistics: true })).toBe(1);
    expect(await told({ blocks: 8 })).toBe(1);
    expect(await told({ blocks: { period: 3_600_000 } })).toBe(0);
    expect(await told({ log: { ...wrong, distinctViews: true } })).toBe(1);
    expect(await told({ validEvents: 10, log: right })).toBe(0);
    expect(await told({ validEvents: 10, stretchEvents: 7 })).toBe(1);
  });

  it('names the row of the files where rows were filtered', async () => {
    const { warnings } = await replay({ ...wrong, where: 'x >= 10' }, [{ algorithm: 'ucb1' }], options);
    expect(warnings.find((text) => SAID.test(text))).toMatch(/row 50 of all files/);
  });

  it('does not take equal times for a wrong order', async () => {
    const log = logFromColumns({ arm: ['a', 'b', 'a', 'b'], payoff: [0, 1, 1, 0], time: [1e12, 1e12, 1e12, 1e12] });
    const { warnings } = await replay(log, [{ algorithm: 'ucb1' }], { ...options, assumeUniform: true });
    expect(warnings.filter((text) => SAID.test(text))).toEqual([]);
    expect(sortByTime(log)).toBe(log);
  });
});

describe('sortByTime', () => {
  it('sorts every column, keeps the order of equal times, and says which rows they were', () => {
    const log = logFromColumns({
      arm: ['a', 'b', 'c', 'd', 'e'],
      payoff: [0, 1, 2, 3, 4],
      time: [3e12, 1e12, 2e12, 1e12, 3e12],
      context: [[0], [10], [20], [30], [40]],
      user: ['u0', 'u1', 'u2', 'u3', 'u4'],
      keys: { k: ['k0', 'k1', 'k2', 'k3', 'k4'] },
      propensity: [0.1, 0.2, 0.3, 0.4, 0.5],
    });
    const sorted = sortByTime(log);
    const rows = [1, 3, 2, 0, 4];
    expect(Array.from(sorted.sourceRow ?? [])).toEqual(rows);
    expect(Array.from(sorted.arm)).toEqual(rows);
    expect(Array.from(sorted.payoff.steps)).toEqual(rows);
    expect(Array.from(sorted.time ?? [])).toEqual([1e12, 1e12, 2e12, 3e12, 3e12]);
    expect(Array.from(sorted.propensity ?? [])).toEqual([0.2, 0.4, 0.3, 0.1, 0.5]);
    expect(Array.from(sorted.user?.code ?? [])).toEqual(rows);
    expect(Array.from(sorted.keys.get('k')?.code ?? [])).toEqual(rows);
    const { row, values } = sorted.contexts;
    expect(rows.map((_, t) => values[row === null ? t : row[t]])).toEqual([10, 30, 20, 0, 40]);
    expect(Array.from(log.arm)).toEqual([0, 1, 2, 3, 4]);
  });

  it('gives the log of sorted files, from files, from a packed log, in batches and converted', async () => {
    const needed = await readLog(right.files, { mapping: MAPPING });
    const columns = ({ arm, payoff, time, user }: Awaited<ReturnType<typeof readLog>>) =>
      [arm, payoff.steps, time ?? [], user?.code ?? []].map((column) => Array.from(column as ArrayLike<number>));
    const sorted = await readLog(wrong.files, { mapping: MAPPING, sortByTime: true });
    expect(columns(sorted)).toEqual(columns(needed));
    expect(Array.from(sorted.sourceRow ?? [])).toEqual(Array.from({ length: 80 }, (_, t) => (t + 40) % 80));
    await convert(wrong, file('wrong.parquet'));
    await convert({ ...wrong, sortByTime: true }, file('sorted.parquet'));
    expect(columns(await readLog([file('sorted.parquet')], {}))).toEqual(columns(needed));
    expect(columns(await readLog([file('wrong.parquet')], { sortByTime: true }))).toEqual(columns(needed));
    for (const memory of [null, 400e6]) {
      const log = { files: [file('wrong.parquet')], sortByTime: true };
      const stream = await openStream(log, { keys: [], memory, batches: true });
      expect(columns(await stream.read(0, stream.events))).toEqual(columns(needed));
      await stream.close();
    }
  });

  it('has choices refer to the rows of the files', async () => {
    writeFileSync(
      file('c.npy'),
      encodeNpy(
        Int32Array.from({ length: 80 }, (_, row) => (row < 40 ? 0 : 1)),
        [80],
      ),
    );
    writeFileSync(file('set.json'), JSON.stringify([{ family: 'choices', file: 'c.npy' }]));
    const matches = async (log: typeof wrong & { sortByTime?: boolean; where?: string }) =>
      (await evaluate({ log, policies: file('set.json'), ...options })).policies[0].matches;
    const some = { ...wrong, where: 'x >= 1' };
    expect(await matches({ ...some, sortByTime: true })).toBe(await matches(some));
    // As many rows as events may be either's.
    await expect(matches({ ...wrong, sortByTime: true })).rejects.toThrow(/without --sort-by-time/);
  });

  it('is refused without times, and where the log does not fit the memory', async () => {
    await expect(readLog([first], { mapping: { arm: 'arm', payoff: 'payoff' }, sortByTime: true })).rejects.toThrow(
      /the log has none/,
    );
    const { time: _, ...timeless } = streamLog();
    expect(() => sortByTime({ ...timeless, time: null })).toThrow(/the log has none/);
    const big = { ...wrong, sortByTime: true };
    await expect(openStream(big, { keys: [], memory: 1000, batches: true })).rejects.toThrow(
      /sorted by time with all of its events in memory[\s\S]*convert .* --sort-by-time PACKED.parquet/,
    );
  });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EvaluateOptions, evaluate } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { streamOf } from '#dist/log/stream-of.js';
import { distinctViews } from '#dist/log/views/distinct-views.js';
import { thinLog } from '#dist/log/views/thin.js';
import { convert } from '#dist/open/convert.js';
import { openLog } from '#dist/open/open.js';
import { openThinned } from '#dist/open/thinned.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import { toTable } from '#dist/report/table.js';
import { WorldDraws } from '#dist/simulate/draws.js';
import { fault, pathOf, write } from '../log/files.js';
import { difference } from '../log/synthetic-log.js';
import { bare, everyFamily, folder } from './evaluate-streams.js';
import { bare as bareReplay, EVERY, everything } from './replay-streams.js';
import { watched } from './stream-log.js';
import { skewedLog, THIN } from './thinned-log.js';

const L = 600;
const log = skewedLog({ events: L });
const how = { leastPropensity: THIN.leastPropensity, thinSeed: THIN.thinSeed };
const ONE = [{ family: 'constant' as const }];
const cpu = { device: 'cpu', threads: 1 } as const;

describe('policies of every family on a log that is thinned', () => {
  const policies = everyFamily(log);

  it.each<[string, Partial<EvaluateOptions>]>([
    ['blocks of consecutive events', { blockStatistics: true }],
    ['blocks of users', { blocks: { users: 9 }, blockStatistics: true }],
    ['blocks by the hour', { blocks: { period: 3_600_000 }, blockStatistics: true }],
    ['the first valid events', { validEvents: 20 }],
  ])('%s: as on what thinLog keeps, in any batches', async (_, more) => {
    const options = { policies, ...cpu, ...more };
    const whole = bare(await evaluate({ log, ...THIN, ...options }));
    const { inputs: __, ...kept } = bare(await evaluate({ log: thinLog(log, how), ...options }));
    expect(whole).toMatchObject(kept);
    expect(whole.log.thinned).toMatchObject({ events: L, kept: whole.log.events, declared: true });
    for (const stretchEvents of [7, 64, L])
      expect(bare(await evaluate({ log: streamOf(log), ...THIN, ...options, stretchEvents }))).toEqual(whole);
    expect(bare(await evaluate({ log, ...THIN, ...options, memory: '1GB' }))).toEqual(whole);
  });

  it('names the log by what it was before', async () => {
    const options = { log, policies: ONE, ...cpu };
    const inputs = async (more: Partial<EvaluateOptions>) => (await evaluate({ ...options, ...more })).inputs;
    const plain = await inputs({ assumeUniform: true });
    expect([await inputs(THIN), await inputs({ ...THIN, stretchEvents: 50 })]).toEqual([plain, plain]);
  });

  it('goes on where it was interrupted, with the same thinning only', async () => {
    const resume = join(folder, 'thinned.state');
    const options = { policies, ...cpu, stretchEvents: 32, checkpointEvery: 0, resume };
    const whole = bare(await evaluate({ log, ...THIN, policies, ...cpu }));
    // One batch to thin, and one more for each that is worked on.
    const stream = watched(log, (begun) => {
      if (begun === 12) throw new Error('the power is out');
    });
    await expect(evaluate({ log: stream, ...THIN, ...options })).rejects.toThrow('the power is out');
    await expect(evaluate({ log, ...THIN, thinSeed: 4, ...options })).rejects.toThrow(
      /belongs to another run[\s\S]*different log/,
    );
    expect(bare(await evaluate({ log, ...THIN, ...options }))).toEqual(whole);
  });

  it.each<[string, object, RegExp]>([
    ['κ without thinning', { leastPropensity: 0.5 }, /option leastPropensity belongs to --thin \(in code: thin\)/],
    ['a seed without thinning', { thin: false, thinSeed: 1 }, /option thinSeed belongs to --thin/],
    ['another estimator', { thin: true, estimators: 'ips' }, /option thin belongs to the estimator replay/],
    [
      'κ above 1',
      { thin: true, leastPropensity: 2 },
      /option leastPropensity is not usable[\s\S]*candidates × propensity/,
    ],
    ['a seed that is none', { thin: true, thinSeed: -1 }, /thinSeed/],
    ['thin that is no flag', { thin: 0.5 }, /option thin is not usable/],
    ['a path', { thin: true, log: 'log.csv' }, /log: neither an event log nor the files of one/],
    ['a log that is a batch', { thin: true, log: { ...log, firstEvent: 9 } }, /from event 9/],
  ])('%s is an error', async (_, options, message) => {
    const run = evaluate({ log, policies: ONE, ...options } as EvaluateOptions);
    expect((await fault(run)).message).toMatch(message);
  });
});

// VowpalWabbit/coba#38: rejection sampling kept 600 of 300,000 events, and said so nowhere.
it('says before the ranking that next to nothing is kept', async () => {
  const draws = new WorldDraws(2);
  const arm = Array.from({ length: 1000 }, (_, t) => (draws.unit(t, 1) < 0.999 ? 'a' : 'b'));
  const rare = logFromColumns({
    ...{ arm, arms: ['a', 'b'], payoff: arm.map((_, t) => t % 2) },
    propensity: arm.map((a) => (a === 'a' ? 0.999 : 0.001)),
  });
  const result = await evaluate({ log: rare, policies: ONE, thin: true, leastPropensity: 0.002, ...cpu });
  const { kept } = result.log.thinned ?? {};
  expect(result.log.events).toBe(kept);
  const table = toTable(result).replaceAll(/\s+/g, ' ');
  expect(table).toMatch(new RegExp(`^thinned kept ${kept} of 1,000 events, 0\\.${kept} % \\(0\\.2 % expected\\)`));
  expect(result.warnings.join()).toMatch(/--estimator snips/);
});

it('does not ask for thinning where a thinned log is not uniform', async () => {
  const arm = Array.from({ length: 4000 }, (_, t) => (t % 5 < 4 ? 'a' : 'b'));
  // Propensities that hold over all users, and for none of them.
  const odd = logFromColumns({
    ...{ arm, payoff: arm.map(() => 1), user: arm.map((_, t) => `u${t % 5}`) },
    propensity: arm.map((a) => (a === 'a' ? 0.8 : 0.2)),
  });
  const { message } = await fault(evaluate({ log: odd, policies: ONE, thin: true, leastPropensity: 0.4, ...cpu }));
  expect(message).toMatch(/depends on the user[\s\S]*try: +the log was thinned by its propensities/);
});

describe('every algorithm on a log that is thinned', () => {
  it('is as on what thinLog keeps, in any batches', async () => {
    const options: ReplayOptions = { ...everything, ...cpu, updateEvery: 10 };
    const whole = bareReplay(await replay(log, EVERY, { ...options, ...THIN }));
    const { inputs: _, ...kept } = bareReplay(await replay(thinLog(log, how), EVERY, options));
    expect(whole).toMatchObject(kept);
    for (const stretchEvents of [33, L])
      expect(bareReplay(await replay(streamOf(log), EVERY, { ...options, ...THIN, stretchEvents }))).toEqual(whole);
  });

  it('retains events of the log as it was', async () => {
    const { learners } = await replay(log, EVERY.slice(0, 3), { ...everything, ...cpu, ...THIN });
    const kept = new Set(thinLog(log, how).sourceRow);
    for (const { replicas } of learners)
      for (const { retained } of replicas ?? []) for (const row of retained ?? []) expect(kept.has(row)).toBe(true);
  });
});

describe('files that are thinned', () => {
  const COLUMNS = 'who,arm,click,p';
  const mapping = { arm: 'arm', payoff: 'click', user: 'who', propensity: 'p' };
  const draws = new WorldDraws(4);
  /** Users who see a with probability 0.8. */
  const text = (from: number, rows: number): string =>
    Array.from({ length: rows }, (_, i) => {
      const t = from + i;
      const arm = draws.unit(t, 1) < 0.8 ? 'a' : 'b';
      return `u${t % 5},${arm},${(t * 31) % 3 === 0 ? 1 : 0},${arm === 'a' ? 0.8 : 0.2}`;
    }).join('\n');
  const parts = [
    write('thin-1.csv', `${COLUMNS}\n${text(0, 700)}\n`),
    write('thin-2.csv', `${COLUMNS}\n${text(700, 800)}\n`),
  ];

  async function all(options: object, memory: number | null): Promise<EventLog> {
    const { stream } = await openThinned(
      { files: parts, mapping, ...options },
      { ...how, leastPropensity: 0.3, thin: true, memory, batches: memory !== null },
    );
    const { firstEvent: _, ...read } = await stream.read(0, stream.events);
    await stream.close();
    return read;
  }
  const thinned = { ...how, leastPropensity: 0.3 };

  it('are one log, of which a filter leaves what is thinned', async () => {
    for (const where of [undefined, "who <> 'u3'"]) {
      const expected = thinLog(await openLog({ files: parts, mapping, where }), thinned);
      expect(expected.source.thinned?.events).toBe(where === undefined ? 1500 : 1200);
      for (const memory of [null, 1e9]) expect(difference(await all({ where }, memory), expected)).toBeNull();
    }
  });

  it('and whose repeated views count as one, are thinned first', async () => {
    const expected = distinctViews(thinLog(await openLog({ files: parts, mapping }), thinned));
    for (const memory of [null, 1e9]) {
      const read = await all({ distinctViews: true }, memory);
      expect(difference(read, expected)).toBeNull();
      expect(read.source.thinned?.kept).toBe(read.source.distinctViews?.events);
      expect(read.events).toBeLessThan(read.source.distinctViews?.events ?? 0);
    }
  });

  it('are refused where their views count as one already', async () => {
    const packed = pathOf('thin-views.parquet');
    await convert({ files: parts, mapping, distinctViews: true }, packed);
    const run = (options: object) => evaluate({ log: { files: [packed] }, policies: ONE, thin: true, ...options });
    for (const options of [{}, { memory: '1GB' }])
      expect((await fault(run(options))).message).toMatch(/thin-1\.csv, [^:]*thin-2\.csv: repeated views count as one/);
  });

  it('may be packed, and thinned or joined no more', async () => {
    const [one, other] = ['thin-packed-1.parquet', 'thin-packed-2.parquet'].map(pathOf);
    for (const [i, packed] of [one, other].entries())
      await convert(thinLog(await openLog({ files: [parts[i]], mapping }), thinned), packed);
    const { log } = await evaluate({ log: { files: [one] }, policies: ONE });
    expect(log.thinned).toMatchObject({ events: 700, kept: log.events });
    expect((await fault(evaluate({ log: { files: [one] }, policies: ONE, thin: true }))).message).toMatch(
      /thinned before/,
    );
    const joined = evaluate({ log: { files: [one, other] }, policies: ONE });
    expect((await fault(joined)).message).toMatch(
      /thin-packed-1\.parquet[\s\S]*one thinning over all files[\s\S]*--thin/,
    );
  });

  it('say at once that they have no propensities, or no users', async () => {
    const { propensity: _, ...none } = mapping;
    const without = evaluate({ log: { files: ['nowhere.csv'], mapping: none }, policies: ONE, thin: true });
    expect((await fault(without)).message).toMatch(/^nowhere\.csv: thinning goes by propensities/);
    const { user: __, ...nobody } = mapping;
    const views = { files: ['nowhere.csv'], mapping: nobody, distinctViews: true };
    expect((await fault(evaluate({ log: views, policies: ONE, thin: true }))).message).toMatch(/no users/);
    expect((await fault(replay({ files: parts, mapping: none }, EVERY, THIN))).message).toMatch(/propensities/);
  });
});

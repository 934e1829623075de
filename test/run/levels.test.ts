/** Segments and hold-outs of whole evaluations: against the same evaluation without them, and against logs of their events alone. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stepSize } from '#dist/estimate/sums/payoff-scale.js';
import { type EvaluateOptions, evaluate } from '#dist/index.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { streamOf } from '#dist/log/stream-of.js';
import { pickEvents } from '#dist/log/views/pick.js';
import type { EvaluationResult, PolicyResult } from '#dist/report/result.js';
import { eachCase, inTwoSizes, LONG } from '../long.js';
import { ALL_ESTIMATORS, SKEWED } from './estimator-logs.js';
import { bare, choicesFile, everyFamily, expectSame, folder, L, LOGS } from './evaluate-streams.js';
import { streamLog, watched } from './stream-log.js';
import { skewedLog } from './thinned-log.js';

const cpu = { device: 'cpu', threads: 1 } as const;
const DAY = 86_400_000;

const byIndex = ({ policies }: EvaluationResult): PolicyResult[] => [...policies].sort((a, b) => a.index - b.index);

/** A result without its segments. */
function unsegmented({ segments: _, ...result }: EvaluationResult) {
  return { ...bare(result as EvaluationResult), policies: result.policies.map(({ segments: _, ...row }) => row) };
}

/** The log with its events over so many days. */
function overDays(log: EventLog, days: number): EventLog {
  const first = Date.UTC(2009, 4, 1);
  return { ...log, time: Float64Array.from({ length: log.events }, (_, t) => first + (t * days * DAY) / log.events) };
}

const value = (row: { value: number | null }): number => row.value ?? -1;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

describe.each([...LOGS])('segments of %s', (_, log) => {
  const policies = everyFamily(log);
  const BY = [
    { name: 'of one column, in runs', by: ['segment'], blocks: 10 },
    { name: 'of two columns, in periods', by: ['device', 'segment'], blocks: { period: 3_600_000 } },
    { name: 'of one column, in groups of users', by: ['segment'], blocks: { users: 5 }, long: true },
  ];
  eachCase(BY, async ({ by, blocks }) => {
    const options = { policies, blocks, blockStatistics: true, draws: 1000, ...cpu } as const;
    const whole = await evaluate({ log, ...options });
    const told = await expectSame(log, { ...options, by }, [7, 64]);
    // All else is as without segments, to the last bit.
    expect(unsegmented(told as EvaluationResult)).toEqual(bare(whole));
    const levels = told.segments?.levels ?? [];
    expect(levels.length).toBe(by.length === 1 ? 3 : 6);
    expect(sum(levels.map(({ events }) => events))).toBe(log.events);
    for (const row of told.policies) {
      expect(sum((row.segments ?? []).map(({ matches }) => matches))).toBe(row.matches);
      for (const { value, interval, band = [0, 0] } of row.segments ?? []) {
        expect(band[0]).toBeLessThanOrEqual(value ?? band[0]);
        expect(band[1]).toBeGreaterThanOrEqual(value ?? band[1]);
        expect(interval[0]).toBeLessThanOrEqual(interval[1]);
      }
    }
    for (const [v, { level, events, logged, winner }] of levels.entries()) {
      expect(Object.keys(level)).toEqual(by);
      const at = [...Array(log.events).keys()].filter((t) =>
        by.every((name) => log.keys.get(name)?.levels[log.keys.get(name)?.code[t] ?? 0] === level[name]),
      );
      expect(events).toBe(at.length);
      const paid = sum(at.map((t) => log.payoff.steps[t]));
      expect(logged).toBeCloseTo((paid * stepSize(log.payoff.scale)) / at.length, 12);
      const most = Math.max(...told.policies.map(({ segments = [] }) => value(segments[v])));
      expect(winner?.differs).toBe(false);
      expect(winner?.value).toBe(most);
      expect(winner?.name).toBe(byIndex(told as EvaluationResult)[winner?.index ?? 0].name);
    }
  });
});

describe('a segment', () => {
  it('is worth what a log of its events alone says', async () => {
    const log = streamLog({ events: 600 });
    const weights = Array.from({ length: 12 }, (_, p) =>
      Array.from({ length: 6 }, (_, a) => Array.from({ length: 4 }, (_, j) => ((p * 31 + a * 17 + j * 7) % 13) - 6)),
    );
    const options = {
      policies: [{ family: 'constant' }, { family: 'linear', weights }],
      ...({ interval: 'theorem-2', bands: false, ...cpu } as const),
    } as const;
    const { policies, segments } = await evaluate({ log, ...options, by: ['segment'] });
    for (const [v, { level }] of (segments?.levels ?? []).entries()) {
      const { levels = [], code = [] } = log.keys.get('segment') ?? {};
      const at = [...Array(log.events).keys()].filter((t) => levels[code[t]] === level.segment);
      const alone = await evaluate({ log: pickEvents(log, Uint32Array.from(at)), ...options, assumeUniform: true });
      const rows = byIndex(alone);
      for (const { index, segments: own = [] } of policies) {
        const { matches, value, interval } = rows[index];
        expect(own[v]).toEqual({ matches, value, interval });
      }
      expect(segments?.levels[v].winner).toMatchObject({ index: alone.policies[0].index, differs: null });
    }
  });

  it('has a winner that differs where that is credible, and not where it is not', async () => {
    // Each of four arms pays in a segment of its own; a rare segment tells nothing.
    const events = 6000;
    const kind = (t: number): number => (t % 600 === 0 ? 4 : (t * 7) % 11 < 5 ? 0 : (t % 3) + 1);
    const arm = Array.from({ length: events }, (_, t) => (((t * t + (t >> 2)) % 7) + t) % 4);
    const log = logFromColumns({
      arms: 4,
      armIndex: Uint32Array.from(arm),
      payoff: arm.map((a, t) => Number(a === kind(t) ? (t * 13) % 10 < 5 : (t * 13) % 100 < 10)),
      keys: { kind: arm.map((_, t) => ['zero', 'one', 'two', 'three', 'rare'][kind(t)]) },
    });
    const result = await evaluate({
      ...{ log, policies: [{ family: 'constant' }], by: ['kind'], assumeUniform: true, ...cpu },
    });
    expect(result.policies[0].name).toMatch(/0/);
    const differs = Object.fromEntries(
      (result.segments?.levels ?? []).map(({ level, winner }) => [level.kind, [winner?.index, winner?.differs]]),
    );
    expect(differs).toMatchObject({ zero: [0, false], one: [1, true], two: [2, true], three: [3, true] });
    expect(differs.rare[1]).toBe(false);
  });
});

describe.each([...SKEWED])('all estimators on %s', (name, log) => {
  const often = name === 'one pool' ? {} : LONG;
  const policies = everyFamily(log, true);

  const withoutSegments = async (by: readonly string[]): Promise<void> => {
    const options = { policies, ...ALL_ESTIMATORS, draws: 1000, blocks: 12, ...cpu } as const;
    const whole = await evaluate({ log, ...options });
    const told = await evaluate({ log, ...options, by });
    expect(unsegmented(told)).toEqual(bare(whole));
  };
  it('give what they give without segments', often, () => withoutSegments(['device']));
  it('give what they give without segments of two columns', LONG, () => withoutSegments(['segment', 'device']));

  it('give the ranking of a part, and its policies on the other', often, async () => {
    const options = { policies, ...ALL_ESTIMATORS, draws: 1000, blocks: 12, ...cpu } as const;
    const { holdOut, policies: picked } = await evaluate({ log, ...options, selectOn: 0.5, selectTop: 1000 });
    expect(holdOut?.by).toBe('users');
    expect(holdOut?.leftOut).toBe(0);
    expect((holdOut?.selection.events ?? 0) + (holdOut?.evaluation.events ?? 0)).toBe(log.events);
    expect(holdOut?.policies.map(({ index }) => index)).toEqual(picked.map(({ index }) => index));
    expect(holdOut?.policies.map(({ selected }) => selected)).toEqual(picked.map(({ value }) => value));
  });
});

describe('a hold-out', () => {
  const log = overDays(streamLog({ events: 2000 }), 8);
  const weights = Array.from({ length: 30 }, (_, p) =>
    Array.from({ length: 6 }, (_, a) => Array.from({ length: 4 }, (_, j) => ((p * 31 + a * 17 + j * 7) % 13) - 6)),
  );
  const options = { policies: [{ family: 'constant' }, { family: 'linear', weights }], draws: 1000, ...cpu } as const;

  it('by days is two logs: the ranking is of the one, the held-out values of the other', async () => {
    const anonymous = { ...log, user: null };
    const { holdOut, policies, logged, selection } = await evaluate({
      ...{ log: anonymous, ...options, selectOn: 'days', baseline: 'log', interval: 'theorem-2' },
    });
    const day = (t: number): number => Math.floor(((log.time?.[t] ?? 0) - Date.UTC(2009, 4, 1)) / DAY);
    const part = async (odd: number) => {
      const at = [...Array(log.events).keys()].filter((t) => day(t) % 2 === odd);
      const own = pickEvents(anonymous, Uint32Array.from(at));
      return evaluate({ log: own, ...options, interval: 'theorem-2', assumeUniform: true });
    };
    const [on, held] = [await part(0), await part(1)];
    expect(policies.map(({ index, value, interval }) => [index, value, interval])).toEqual(
      on.policies.map(({ index, value, interval }) => [index, value, interval]),
    );
    expect(logged).toEqual(on.logged);
    expect(selection?.winner?.index).toBe(policies[0].index);
    expect(holdOut).toMatchObject({ by: 'days', leftOut: 0, logged: held.logged });
    expect(holdOut?.policies.length).toBe(10);
    const rows = byIndex(held);
    for (const { index, selected, ...own } of holdOut?.policies ?? []) {
      const { name, matches, value, standardError, interval } = rows[index];
      expect(own).toEqual({ name, matches, value, standardError, interval });
      expect(selected).toBe(byIndex(on)[index].value);
    }
    const pick = holdOut?.policies[0];
    expect(holdOut?.difference?.value).toBe((pick?.value ?? 0) - (held.logged.value ?? 0));
    expect(holdOut?.difference?.better).toBe((holdOut?.difference?.lower ?? 0) > 0);
  });

  it('leaves out of the evaluation who is on both sides, and says how many', async () => {
    const few = {
      ...log,
      user: {
        levels: Array.from({ length: 500 }, (_, u) => `u${u}`),
        code: Uint32Array.from({ length: 2000 }, (_, t) => (t >> 2) % 500),
      },
    };
    const { holdOut } = await evaluate({ log: few, ...options, selectOn: 'days' });
    // A user has four events in a row: few are awake at midnight.
    expect(holdOut?.leftOut).toBeLessThan(100);
    expect((holdOut?.selection.events ?? 0) + (holdOut?.evaluation.events ?? 0) + (holdOut?.leftOut ?? 0)).toBe(2000);
  });

  it('has the baseline last where it is not among the best', async () => {
    const { holdOut, policies } = await evaluate({
      ...{ log: { ...log, user: null }, ...options, selectOn: { blocks: 128 }, baseline: 0, selectTop: 3 },
    });
    const rank = policies.findIndex(({ index }) => index === 0);
    expect(holdOut?.policies.map(({ index }) => index)).toEqual([
      ...policies.slice(0, 3).map(({ index }) => index),
      ...(rank < 3 ? [] : [0]),
    ]);
    expect(holdOut?.difference?.name).toBe(byIndex({ policies } as EvaluationResult)[0].name);
  });
});

describe('levels in batches, and after interruptions', () => {
  const log = overDays(skewedLog({ events: L, maxPayoff: 9 }), 6);
  const policies = everyFamily(log, true);
  const ASKED: readonly (readonly [string, Partial<EvaluateOptions>])[] = [
    ['segments', { by: ['segment', 'device'], blocks: { period: DAY } }],
    ['users', { selectOn: 0.4, blocks: 9 }],
    ['days', { selectOn: 'days', blocks: { period: DAY / 4 }, log: { ...log, user: null } }],
    ['blocks', { selectOn: { blocks: 4 }, blocks: { users: 9 } }],
  ];

  const FEW = { sizes: [32], all: [5, 12] };
  const MANY = { sizes: [1, 32, 65], all: [2, 5, 9, 11, 12, 15, 19] };
  for (const [name, asked] of ASKED)
    inTwoSizes(name, [FEW, MANY] as const, ({ sizes, all }) => triedAt(name, asked, sizes, all));

  async function triedAt(
    name: string,
    { log: own = log, ...asked }: Partial<EvaluateOptions>,
    sizes: readonly number[],
    all: readonly number[],
  ): Promise<void> {
    const options = { policies, draws: 1000, ...cpu, verify: 4, ...asked } as const;
    const whole = await expectSame(own as EventLog, options, sizes);
    for (const reads of all) {
      const resume = join(folder, `levels-${name}-${reads}`);
      const stream = watched(own as EventLog, (begun) => {
        if (begun === reads) throw new Error('the power is out');
      });
      const run = evaluate({ log: stream, ...options, stretchEvents: 32, resume, checkpointEvery: 0 });
      await expect(run).rejects.toThrow('the power is out');
      if (reads > 10) {
        const changed = asked.by === undefined ? { selectOn: 0.6 } : { by: ['segment'] };
        const other = evaluate({ log: own, ...options, resume, ...changed }).then(() => 'no error');
        await expect(other).rejects.toThrow(/different options/);
      }
      const resumed = await evaluate({ log: streamOf(own as EventLog), ...options, stretchEvents: 50, resume });
      expect(bare(resumed)).toEqual(whole);
    }
  }
});

describe('what cannot be', () => {
  const log = streamLog({ events: 60 });
  const policies = [{ family: 'constant' as const }];
  const CASES: readonly (readonly [string, Partial<EvaluateOptions>, RegExp])[] = [
    ['no such column', { by: ['segmnt'] }, /no such key column[\s\S]*did you mean "segment"/],
    ['no column', { by: [] }, /option by is not usable[\s\S]*no column/],
    ['a column twice', { by: ['segment', 'segment'] }, /each once/],
    ['by as text', { by: 'segment' as never }, /a list of names/],
    ['both', { by: ['segment'], selectOn: 0.5 }, /--select-on[\s\S]*the one or the other/],
    ['Algorithm 1', { by: ['segment'], validEvents: 5 }, /option by does not go together with --valid-events/],
    ['Algorithm 1 of a part', { selectOn: 0.5, validEvents: 5 }, /option selectOn does not go together/],
    ['a sequence of a part', { selectOn: 0.5, sequence: 'asymptotic' }, /option selectOn .* --sequence/],
    ['a share of 0', { selectOn: 0 }, /option selectOn is not usable[\s\S]*above 0 and below 1/],
    ['a share of 1', { selectOn: 1 }, /above 0 and below 1/],
    ['a share in per cent', { selectOn: 50 }, /0\.5 for 50 %/],
    ['another word', { selectOn: 'weeks' as 'days' }, /option selectOn is not usable[\s\S]*days/],
    ['no blocks', { selectOn: { blocks: 0 } }, /option selectOn is not usable/],
    ['a misspelling', { selectOn: { block: 3 } as never }, /selectOn\.block[\s\S]*blocks\?/],
    ['all blocks', { selectOn: { blocks: 60 } }, /of 60 blocks[\s\S]*at least 61/],
    ['one day', { selectOn: 'days' }, /events of one day/],
    ['no times', { selectOn: 'days', log: { ...log, time: null } }, /needs the time/],
    ['no hold-out', { selectTop: 3 }, /option selectTop belongs to --select-on/],
    ['users in periods', { selectOn: { blocks: 2 }, blocks: { period: 3_600_000 } }, /does not keep users apart/],
  ];
  it.each(CASES)('%s', async (_, asked, expected) => {
    await expect(evaluate({ log, policies, ...cpu, ...asked })).rejects.toThrow(expected);
  });

  it('an empty log has no segments', async () => {
    const none = streamLog({ events: 0 });
    const { segments } = await evaluate({ log: none, policies, ...cpu, by: ['segment'] });
    expect(segments).toEqual({ keys: ['segment'], criticalValue: null, levels: [] });
    await expect(evaluate({ log: none, policies, ...cpu, selectOn: 0.5 })).rejects.toThrow(/log without events/);
  });

  it('choices by file go on being read row by row', async () => {
    const policies = [{ family: 'choices' as const, file: choicesFile(60) }];
    await expect(evaluate({ log, policies, ...cpu, by: ['segment'] })).rejects.toThrow(/no way to read files/);
  });
});

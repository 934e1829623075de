/** Statements about all learners at once through `replay`: when they are made, of what, and on every engine alike. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { streamOf } from '#dist/log/stream-of.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import { toReplayCsv } from '#dist/report/csv.js';
import { toReplayJson } from '#dist/report/replay-json.js';
import type { ReplayResult } from '#dist/report/replay-result.js';
import { toReplayTable } from '#dist/report/replay-table.js';
import { displayWidth } from '#dist/report/text.js';
import { ADAPTER } from '../adapter.js';
import { uniforms } from '../estimate/world.js';

const random = uniforms(21);
const EVENTS = 4000;
const ARMS = ['a', 'b', 'c', 'd'];
const arm = Array.from({ length: EVENTS }, () => ARMS[Math.floor(4 * random())]);
/** d pays for those who came with x > 0, a for the others. */
const context = arm.map(() => [random() - 0.5, 1]);
const log = logFromColumns({
  ...{ arm, context, propensity: arm.map(() => 0.25) },
  payoff: arm.map((a, t) =>
    Number(random() < ({ a: 0.4, d: 0.5 }[a] ?? 0.05) * ((a === 'd') === context[t][0] > 0 ? 1 : 0.1)),
  ),
  user: arm.map((_, t) => `u${(t * 7) % 400}`),
  time: arm.map((_, t) => Date.UTC(2024, 0, 1) + t * 600_000),
});
const learners = [
  { algorithm: 'random' },
  { algorithm: 'linucb', alpha: [0.2, 1] },
  { algorithm: 'epsilon-greedy', epsilon: 0 },
] as const;
const run = (more: ReplayOptions = {}, set: Parameters<typeof replay>[1] = learners): Promise<ReplayResult> =>
  replay(log, set, { device: 'cpu', threads: 1, repeats: 12, subsample: 0.8, draws: 1000, ...more });
const text = (result: ReplayResult): string => toReplayTable(result).replaceAll(/\s+/g, ' ');

describe('of learners', () => {
  it('there are bands, the set of the best, the winner, and what they are compared with', async () => {
    const result = await run({ baseline: 'random' });
    const { selection, learners: rows, logged } = result;
    expect(result.blocks).toEqual({ count: 256, kind: 'run' });
    expect(selection).toMatchObject({ level: 0.95, blocks: 128, draws: 1000, bestSet: { paired: true } });
    expect(selection?.winner).toMatchObject({
      index: rows.findIndex(({ mean }) => mean === Math.max(...rows.map((r) => r.mean ?? 0))),
    });
    expect(logged).toMatchObject({ events: EVENTS });
    for (const { band, mean, mayBeBest, index } of rows) {
      expect(band?.[0]).toBeLessThan(mean ?? 0);
      expect(band?.[1]).toBeGreaterThan(mean ?? 0);
      expect(mayBeBest).toBe(selection?.bestSet.indices.includes(index));
    }
    // Who comes matters, and linucb is told.
    expect(rows.map(({ difference }) => difference?.better)).toEqual([false, true, true, expect.anything()]);
    expect(rows[0].difference).toEqual({ value: 0, lower: 0, better: false, lift: 0 });
    const table = toReplayTable(result);
    for (const line of table.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    expect(text(result)).toMatch(
      /^linucb alpha=\S+ looks best: .* It is better than random \(0\.\d+\) by at least 0\.\d+, \d+ % more\. This is about these runs: /,
    );
    expect(text(result)).toMatch(/bands 95 % for all learners at once: .* independent learners .*128 pairs of blocks/);
    expect(table).toMatch(/95 % band +better by ≥\n[\s\S]*\n\(the log\) +0\.\d+ +4,000 +0\.\d+ to 0\.\d+ *\n/);
    expect(toReplayCsv(result)).toMatch(
      /,runsDiffer,bandLower,bandUpper,mayBeBest,difference,differenceLower,lift,better\n/,
    );
    expect(JSON.parse(toReplayJson(result))).toEqual(result);
  });

  it('the log is a baseline too, as its own mean is', async () => {
    const result = await run({ baseline: 'log', margin: 0.01 });
    expect(result.selection?.baseline).toMatchObject({ name: 'the log', index: null, margin: 0.01 });
    expect(result.selection?.baseline?.value).toBe(result.logged.value);
    expect(text(result)).toContain('It is better than the log');
    // What everybody earns at random is what the log earned: the bound is below, and not far.
    const [{ difference }] = result.learners;
    expect(difference?.lower).toBeLessThan(0);
    expect(difference?.lower).toBeGreaterThan(-0.05);
  });

  it('paired: what learners have in common falls out', async () => {
    const { learners: rows } = await run({ baseline: 'linucb alpha=0.2' });
    const [lower] = rows[2].band ?? [0];
    const { value, lower: by } = rows[2].difference ?? { value: 0, lower: 0 };
    expect((value ?? 0) - (by ?? 0)).toBeLessThan((rows[2].mean ?? 0) - lower);
  });
});

describe('when', () => {
  it('there are two learners, or they are asked for; not if they are not wanted', async () => {
    const one = [{ algorithm: 'random' }] as const;
    const alone = await run({ draws: undefined }, one);
    expect(alone.selection).toBeNull();
    expect(alone.learners[0]).not.toHaveProperty('band');
    expect(alone.learners[0].runsDiffer).toBe(false);
    expect((await run({ bands: true }, one)).selection).not.toBeNull();
    expect((await run({ baseline: 'log' }, one)).learners[0].difference?.better).toBe(false);
    const none = await run({ bands: false, draws: undefined });
    expect(none).toMatchObject({ selection: null, blocks: { count: 64 } });
    expect(text(none)).toMatch(/^log made in code.*interval of the mean over replicas.*95 % interval.*\(the log\)/);
  });

  it('very many replicas take fewer blocks, and blocks are those that are asked for', async () => {
    expect((await run({ repeats: 16_385, validEvents: 1 }, [{ algorithm: 'random' }])).blocks.count).toBe(64);
    const few = await run({ blocks: { period: 86_400_000 } });
    expect(few.selection).toMatchObject({ blocks: 14, criticalError: 0, bestSet: { paired: false } });
    expect(few.warnings.join('\n')).toMatch(/bands rest on 14 pairs of neighbouring blocks/);
  });

  it('Algorithm 1 ends early, bands rest on the blocks that it met', async () => {
    const { selection } = await run({ validEvents: 300, subsample: 1, repeats: 1 });
    expect(selection?.blocks).toBeGreaterThan(30);
    expect(selection?.blocks).toBeLessThan(60);
  });

  it.each<[ReplayOptions, RegExp]>([
    [{ baseline: 'linucb' }, /not one of the learners[\s\S]*linucb[\s\S]*did you mean "linucb alpha/],
    [{ baseline: 4 }, /index from 0 to 3/],
    [{ margin: 0.1 }, /margin[\s\S]*learners[\s\S]*baseline/],
    [{ bands: false, draws: undefined, baseline: 'log' }, /baseline.*all learners.*none/],
    [{ draws: 10 }, /draws[\s\S]*1000/],
  ])('%o is refused', async (options, message) => {
    await expect(run(options)).rejects.toThrow(message);
  });
});

describe('what blocks cannot carry is said', () => {
  it('replicas that differ by more than what they met explains are named; few or alike ones cannot tell', async () => {
    const many = await run({ repeats: 40, subsample: 0.5 });
    const [byChance, , , greedy] = many.learners;
    expect(byChance.runsDiffer).toBe(false);
    // Without draws and without contexts it takes the first arm that paid more for good.
    expect(greedy.runsDiffer).toBe(true);
    expect(many.warnings.join('\n')).toMatch(
      /replicas differ by more than the events that they met explain: .*epsilon-greedy epsilon=0 \(std 0\.\d+, at most 0\.\d+ is due\)/,
    );
    expect(many.warnings.join('\n')).not.toMatch(/explain: [^;]*random/);
    const few = await run({ repeats: 3 });
    expect(few.learners.map(({ runsDiffer }) => runsDiffer)).toEqual([null, null, null, null]);
    expect(text(few)).toMatch(/Fewer than ten replicas/);
    expect(text(many)).not.toMatch(/Fewer than ten replicas/);
  });

  it('replicas that retained nothing leave nothing to say', async () => {
    const narrow = logFromColumns({ arm: ['a', 'b', 'a', 'b'], arms: ['a', 'b', 'c'], payoff: [0, 1, 0, 1] });
    const never = (name: string): LearnerInput => ({ name, create: () => ({ choose: () => 99, update() {} }) });
    const result = await replay(narrow, [never('one'), never('other')], {
      ...{ device: 'cpu', assumeUniform: true, baseline: 'log' },
    });
    expect(result.selection).toMatchObject({ winner: null });
    expect(text(result)).toMatch(/^No learner matched an event: of 2 learners nothing is known\./);
  });
});

describe('engines', () => {
  it('say the same to the last bit: in batches, resumed, on the GPU', async () => {
    const set = [
      { algorithm: 'random' },
      { algorithm: 'epsilon-greedy', epsilon: [0, 0.1] },
      { algorithm: 'ucb1' },
    ] as const;
    const said = ({ selection, learners: rows, logged, warnings }: ReplayResult) => ({
      selection,
      rows,
      logged,
      warnings,
    });
    const whole = said(await run({ baseline: 'log' }, set));
    const gpu = await run({ baseline: 'log', device: 'gpu', adapter: ADAPTER }, set);
    expect(gpu.engine.device).toBe('gpu');
    expect(said(gpu)).toEqual(whole);
    expect(said(await run({ baseline: 'log', stretchEvents: 333 }, set))).toEqual(whole);
    const resume = join(mkdtempSync(join(tmpdir(), 'hindcast-bands-')), 'state');
    let reads = 0;
    const stream = streamOf(log);
    const ended = new AbortController();
    const options: ReplayOptions = {
      repeats: 12,
      subsample: 0.8,
      draws: 1000,
      baseline: 'log',
      threads: 1,
      device: 'cpu',
    };
    const batches = { ...options, stretchEvents: 333, resume, checkpointEvery: 0 };
    const read: typeof stream.read = (...asked) => {
      if (++reads === 20) ended.abort(new Error('stopped'));
      return stream.read(...asked);
    };
    await expect(replay({ ...stream, read }, set, { ...batches, signal: ended.signal })).rejects.toThrow('stopped');
    expect(said(await replay(streamOf(log), set, batches))).toEqual(whole);
  });
});

/** `replay` from logs and learners to its result. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotUniformError } from '#dist/errors.js';
import { epsilonGreedy, exp3, exp3p, exp4, random, ucb1 } from '#dist/learner/set/entries.js';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import { toReplayCsv } from '#dist/report/csv.js';
import { toReplayJson } from '#dist/report/replay-json.js';
import { LONG } from './long.js';
import { uniformLog } from './random-log.mjs';

/** Six events, arms a and b, payoffs 1 0 1 1 0 1; arm a at events 0, 1, 3, arm b at 2, 4, 5. */
const log = logFromColumns({
  arm: ['a', 'a', 'b', 'a', 'b', 'b'],
  payoff: [1, 0, 1, 1, 0, 1],
  time: [0, 1, 2, 3, 4, 5].map((t) => Date.UTC(2009, 4, 1) + t * 60_000),
  user: ['u', 'v', 'u', 'w', 'v', 'u'],
});

/** Always the same arm of its replica: a where `draws.replica` is even. */
const alternating: LearnerInput = {
  name: 'alternating',
  create: (_, draws) => {
    let updates = 0;
    return {
      choose: () => draws.replica % 2,
      update: () => void updates++,
      state: () => ({ updates }),
    };
  },
};
const never: LearnerInput = { name: 'never', create: () => ({ choose: () => 99, update() {} }) };

const on = (learners: readonly LearnerInput[], options: ReplayOptions = {}) =>
  replay(log, learners, { device: 'cpu', threads: 1, ...options });

describe('replay', () => {
  it('summarizes replicas: mean, deviation, range, valid events and interval, in the order of the learners', async () => {
    // a earns 1, 0, 1 and b 1, 0, 1: Algorithm 1 with T = 2 gives 1/2 and 1/2; the first event of each gives 1 and 1.
    const result = await on([alternating, never, ucb1()], { repeats: 4 });
    expect(result.learners.map(({ index, name, algorithm }) => [index, name, algorithm])).toEqual([
      [0, 'alternating', 'custom'],
      [1, 'never', 'custom'],
      [2, 'ucb1', 'ucb1'],
    ]);
    expect(result.learners[0]).toMatchObject({ mean: 2 / 3, std: 0, matches: 3, estimates: 4, empty: 0 });
    expect(result.learners[1]).toEqual({
      ...{ index: 1, name: 'never', algorithm: 'custom', parameters: {}, matches: 0, estimates: 0, empty: 4 },
      ...{ mean: null, std: null, min: null, max: null, interval: null },
      ...{ runsDiffer: null, band: [0, 1], mayBeBest: true },
    });
    expect(result.learners[2].parameters).toMatchObject({ alpha: 1, tieTolerance: 1e-6 });
    expect(result).toMatchObject({
      version: 1,
      log: { events: 6, arms: 2 },
      estimator: { name: 'replay', algorithm: 2, validEvents: null },
      replay: { repeats: 4, subsample: 1, seed: 0, updateEvery: null, learnFrom: 'retained' },
      interval: { method: 'student-t', confidence: 0.95 },
      blocks: { count: 6, kind: 'run' },
      engine: { device: 'cpu', decisions: 72, fallback: null, verified: null },
    });
    expect(result.learners[0].replicas).toBeUndefined();
  });

  it('lists replicas on request: matches, payoff, value, rows', async () => {
    const { learners } = await on([alternating], { repeats: 2, replicas: true, seed: 9 });
    expect(learners[0].replicas).toEqual([
      { replica: 0, seed: 9, matches: 3, payoff: 2, value: 2 / 3, retained: [0, 1, 3] },
      { replica: 1, seed: 9, matches: 3, payoff: 2, value: 2 / 3, retained: [2, 4, 5] },
    ]);
  });

  it('adds states and learning curves, without rows unless they are asked for', async () => {
    const options = { repeats: 1, state: true, blockStatistics: true, blocks: 2 };
    const { learners, blocks } = await on([alternating], options);
    expect(blocks).toEqual({ count: 2, kind: 'run', events: [3, 3], logged: [2, 2] });
    expect(learners[0].replicas).toEqual([
      {
        ...{ replica: 0, seed: 0, matches: 3, payoff: 2, value: 2 / 3, state: { updates: 3 } },
        blocks: { matches: [2, 1], payoff: [1, 1], payoffSquared: [1, 1] },
      },
    ]);
    const { learners: bare } = await on([alternating], { replicas: true, retained: false });
    expect(bare[0].replicas?.[0]).not.toHaveProperty('retained');
  });

  it('runs Algorithm 1, reports L, and says where the log ended first', async () => {
    const short = await on([alternating], { repeats: 2, replicas: true, validEvents: 2 });
    expect(short.estimator).toEqual({ name: 'replay', algorithm: 1, validEvents: 2 });
    expect(short.learners[0]).toMatchObject({ mean: 0.5, matches: 2 });
    expect(short.learners[0].replicas).toMatchObject([
      { consumed: 2, complete: true, retained: [0, 1] },
      { consumed: 5, complete: true, retained: [2, 4] },
    ]);
    const long = await on([alternating], { repeats: 2, validEvents: 4 });
    expect(long.warnings.join()).toMatch(/ended before 4 valid events for 2 of 2 replicas/);
  });

  it('warns where replicas are one and the same, and gives them no interval', async () => {
    const same = await on([ucb1(), random()], { repeats: 3 });
    expect(same.warnings.join()).toMatch(/the 3 replicas of ucb1 are one and the same.*subsample below 1/);
    expect(same.learners.map(({ interval }) => interval === null)).toEqual([true, false]);
    const sampled = await on([ucb1()], { repeats: 3, subsample: 0.5 });
    expect(sampled.warnings.join()).not.toMatch(/one and the same/);
    expect((await on([ucb1()])).warnings.join()).not.toMatch(/one and the same/);
  });

  it('records updates by epoch, and warns where time runs backwards', async () => {
    const rules = { updateEvery: { period: 120_000 }, learnFrom: 'all' as const };
    expect((await on([ucb1()], rules)).replay).toMatchObject(rules);
    const backwards = logFromColumns({ arm: ['a', 'b'], payoff: [0, 1], time: [1e12 + 5, 1e12 + 1] });
    const { warnings } = await replay(backwards, [ucb1()], { device: 'cpu', updateEvery: { period: 2 } });
    expect(warnings.join()).toMatch(/not in the order of its times/);
  });

  it('spans grids', async () => {
    const { learners } = await on([epsilonGreedy({ epsilon: [0, 0.5] }), ucb1({ alpha: [0.5, 1] })]);
    expect(learners.map(({ name }) => name)).toEqual([
      ...['epsilon-greedy epsilon=0', 'epsilon-greedy epsilon=0.5', 'ucb1 alpha=0.5', 'ucb1 alpha=1'],
    ]);
  });

  it('gives the same on any number of threads', async () => {
    const long = uniformLog({ events: 50_000, arms: 4, dimension: 2, seed: 1 });
    const learners = [random(), ucb1(), epsilonGreedy({ epsilon: 0.2 })];
    const options = { repeats: 4, subsample: 0.5, replicas: true, state: true, device: 'cpu' as const };
    const [one, three] = await Promise.all([1, 3].map((threads) => replay(long, learners, { ...options, threads })));
    expect(three.learners).toEqual(one.learners);
  });

  it('works on a log without events', async () => {
    const empty = logFromColumns({ armIndex: [], arms: 2, payoff: [] });
    const { learners, warnings } = await replay(empty, [ucb1()], { device: 'cpu', repeats: 2, replicas: true });
    expect(learners[0]).toMatchObject({ mean: null, matches: 0, empty: 2 });
    expect(warnings).toEqual([expect.stringMatching(/the log has no events/)]);
  });

  it('reports progress of the whole run', async () => {
    const seen: number[] = [];
    await on([random()], { repeats: 5, onProgress: ({ phase, done }) => phase === 'replay' && seen.push(done) });
    expect(seen.at(-1)).toBe(30);
  });

  it('refuses logs that are not uniform, unless told', async () => {
    const skewed = logFromColumns({ arm: ['a', 'b'], payoff: [0, 1], propensity: [0.9, 0.1] });
    await expect(replay(skewed, [ucb1()], { device: 'cpu' })).rejects.toBeInstanceOf(NotUniformError);
    const { uniformity } = await replay(skewed, [ucb1()], { device: 'cpu', assumeUniform: true });
    expect(uniformity.assumed).toBe(true);
  });

  it.each<[ReplayOptions, RegExp]>([
    [{ repeats: 0 }, /repeats.*\n.*got: +0/],
    [{ repeats: 1.5 }, /repeats/],
    [{ subsample: 0 }, /subsample.*\n.*got: +0\n.*above 0 and at most 1/],
    [{ subsample: 1.01 }, /subsample/],
    [{ subsample: Number.NaN }, /subsample/],
    [{ seed: -1 }, /seed.*\n.*\n.*4294967295/],
    [{ validEvents: 0 }, /valid events/],
    [{ updateEvery: 0 }, /updateEvery/],
    [{ updateEvery: { period: -1 } }, /updateEvery.*\n.*-1 ms/],
    [{ learnFrom: 'some' as 'all' }, /learnFrom.*\n.*some/],
    [{ confidence: 95 }, /confidence/],
    [{ verify: 0 }, /verify.*\n.*got: +0\n.*true: every one/],
    [{ verify: 2.5 }, /verify/],
    [{ verifyTolerance: -1 }, /verifyTolerance.*\n.*got: +-1\n.*at least 0/],
    [{ verifyTolerance: Number.POSITIVE_INFINITY }, /verifyTolerance/],
    [{ verifyTolerance: Number.NaN }, /verifyTolerance/],
    [{ device: 'cpu', adapter: 'x' }, /adapter/],
  ])('refuses %j', async (options, message) => {
    await expect(on([ucb1()], options)).rejects.toThrow(message);
  });

  it('refuses to feed every event to learners that weigh payoffs by their own probabilities', async () => {
    const weighing = [exp3({ gamma: [0.1, 0.2] }), exp3p(), exp4({ experts: [{ family: 'constant' }] })];
    await expect(on([ucb1(), ...weighing], { learnFrom: 'all' })).rejects.toThrow(
      /got: +exp3 gamma=0\.1, exp3 gamma=0\.2, exp3p, exp4\n(.|\n)*--learn-from all/,
    );
    expect((await on([ucb1(), ...weighing])).learners).toHaveLength(5);
    expect((await on([ucb1(), alternating], { learnFrom: 'all' })).learners).toHaveLength(2);
  });

  it('verifies what it is told to, and keeps the rows for itself', async () => {
    const learners = [alternating, never, ucb1(), epsilonGreedy({ epsilon: 0.3 })];
    const seen: number[] = [];
    const onProgress: ReplayOptions['onProgress'] = ({ phase, done, total }) =>
      phase === 'verify' && seen.push(done, total ?? Number.NaN);
    const result = await on(learners, { repeats: 3, verify: true, replicas: true, retained: false, onProgress });
    expect(result.engine.verified).toEqual({
      ...{ replicas: 12, decisions: 72, differing: 0, beyond: 0, largest: 0, broken: 0 },
      ...{ tolerance: 1e-6, every: true, passed: true, first: null },
    });
    expect(seen.slice(-2)).toEqual([72, 72]);
    expect(result.learners[0].replicas?.[0]).not.toHaveProperty('retained');
    expect(JSON.parse(toReplayJson(result))).toEqual(result);
    const some = await on(learners, { verify: 2, verifyTolerance: 0, retained: true });
    expect(some.engine.verified).toMatchObject({ replicas: 2, tolerance: 0, passed: true });
    expect(some.learners[0].replicas?.[0].retained).toEqual([0, 1, 3]);
    for (const verify of [false, undefined]) expect((await on(learners, { verify })).engine.verified).toBeNull();
  });

  it('says where verification fails, and gives the result all the same', async () => {
    let answers = 0;
    const fickle: LearnerInput = {
      name: 'fickle',
      create: () => ({ choose: () => (answers++ < log.events ? 0 : 1), update() {} }),
    };
    const { engine, warnings, learners } = await on([fickle], { verify: true });
    expect(learners[0].matches).toBe(3);
    expect(engine.verified).toMatchObject({ passed: false, differing: 6, beyond: 6, largest: 0 });
    expect(engine.verified?.first).toBe(
      'fickle, replica 0, event 0: retained, but computed anew arm "a" is not the choice',
    );
    expect(warnings[0]).toMatch(/^verification failed.*: fickle, replica 0, event 0.*answer the same/);
  });

  it('refuses retained events that would not fit the memory, where they are for verification alone', async () => {
    const long = logFromColumns({ armIndex: new Uint32Array(2_000), arms: 1, payoff: new Float64Array(2_000) });
    await expect(replay(long, [ucb1()], { device: 'cpu', repeats: 1_000_000, verify: true })).rejects.toThrow(
      /would not fit the memory\n.*about 2,000,000,000 events in 1,000,000 replicas(.|\n)*--verify 250000 /,
    );
  });

  it('refuses rows that would not fit a result', LONG, async () => {
    const options = { repeats: 1_000_000, replicas: true, validEvents: 3 };
    const many = Array.from({ length: 20 }, (_, i) => ({ ...never, name: `never ${i}` }));
    await expect(on(many, options)).rejects.toThrow(/would not fit.*\n.*about 60,000,000 rows(.|\n)*--no-retained/);
  });
});

describe('files', () => {
  let folder: string;
  const file = (name: string): string => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hindcast-replay-'));
    const rows = (from: number): string =>
      Array.from(
        { length: 6 },
        (_, i) => `${'ab'[(from + i) % 2]},${(from + i) % 3 === 0 ? 1 : 0},${(from + i) % 2}`,
      ).join('\n');
    writeFileSync(file('one.csv'), `arm,click,side\n${rows(0)}\n`);
    writeFileSync(file('two.csv'), `arm,click,side\n${rows(6)}\n`);
    writeFileSync(file('learners.json'), '[{ "algorithm": "random" }, { "algorithm": "ucb1", "alpha": [0.5, 1] }]');
    writeFileSync(file('broken.json'), '[{ "algorithm": "ucb1", "alpha": -1 }]');
    writeFileSync(file('typo.json'), '[{ "algorithm": "ucb1", }]');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('number retained rows over all files, before `where`', async () => {
    const files = [file('one.csv'), file('two.csv')];
    const options: ReplayOptions = { replicas: true, device: 'cpu', assumeUniform: true };
    const always: LearnerInput = { name: 'first', create: () => ({ choose: () => 0, update() {} }) };
    const input = { files, mapping: { arm: 'arm', payoff: 'click' } };
    const all = await replay(input, [always], options);
    expect(all.learners[0].replicas?.[0].retained).toEqual([0, 2, 4, 6, 8, 10]);
    const some = await replay({ ...input, where: 'click = 0' }, [always], options);
    expect(some.learners[0].replicas?.[0]).toMatchObject({ payoff: 0, retained: [2, 4, 8, 10] });
  });

  it('hold learners, whose faults name file and place', async () => {
    const result = await replay(log, file('learners.json'), { device: 'cpu' });
    expect(result.learners.map(({ name }) => name)).toEqual(['random', 'ucb1 alpha=0.5', 'ucb1 alpha=1']);
    await expect(replay(log, file('broken.json'))).rejects.toThrow(/broken\.json, \[0\]\.alpha/);
    await expect(replay(log, file('typo.json'))).rejects.toThrow(/typo\.json, line 1.*not valid JSON/);
    await expect(replay(log, file('none.json'))).rejects.toThrow(/none\.json: no such file/);
  });

  it('of JSON hold the result, one learner or replica per line; CSV has learners or replicas', async () => {
    const result = await on([alternating, never, epsilonGreedy({ epsilon: 0.1 })], { repeats: 2, replicas: true });
    const text = toReplayJson(result);
    expect(JSON.parse(text)).toEqual(result);
    expect(text.split('\n').filter((line) => line.includes('"replica": '))).toHaveLength(6);
    expect(toReplayCsv(result).split('\n')).toHaveLength(1 + 6 + 1);
    const bare = await on([alternating, never], { repeats: 2, validEvents: 1, bands: false });
    expect(JSON.parse(toReplayJson(bare))).toEqual(bare);
    expect(toReplayCsv(bare)).toBe(
      'index,name,algorithm,parameters,mean,std,min,max,matches,lower,upper,estimates,empty,runsDiffer\n' +
        '0,alternating,custom,{},1,0,1,1,1,1,1,2,0,\n' +
        '1,never,custom,{},,,,,0,,,0,2,\n',
    );
  });
});

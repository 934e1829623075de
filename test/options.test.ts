/** Options from code: every key is known, every value of its type; and what an option means is the same in both verbs. */
import { describe, expect, test } from 'vitest';
import { InputError } from '#dist/errors.js';
import { EVENT_FORMATS, FORMAT_NAMES, FORMATS, PRESETS } from '#dist/formats/index.js';
import {
  CpuBackend,
  CpuReplayBackend,
  convert,
  evaluate,
  GpuBackend,
  inspect,
  logFromColumns,
  online,
  openLog,
  parseLearnerSet,
  parsePolicySet,
  planError,
  planMatches,
  replay,
  simulate,
  simulateToday,
  trueLinearValues,
  trueValues,
  ucb1,
  verifyReplay,
  World,
} from '#dist/index.js';
import { ALGORITHMS } from '#dist/learner/set/algorithms.js';
import * as learners from '#dist/learner/set/entries.js';
import { write } from './log/files.js';

const arms = Array.from({ length: 60 }, (_, t) => 'ab'[t % 2]);
const log = logFromColumns({ arm: arms, payoff: arms.map((_, t) => (t % 3 === 0 ? 1 : 0)) });
const csv = write('options.csv', `arm,click,site\n${arms.map((arm, t) => `${arm},${t % 2},s${t % 3}`).join('\n')}\n`);
const mapping = { arm: 'arm', payoff: 'click' };
const policies = [{ family: 'constant' as const }];

const small = { events: 10, seed: 1 };
const two = { arm: ['a', 'b'], payoff: [0, 1] };

/** Callers without types. */
const loose = (options: object): never => options as never;

async function message(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return 'no error';
}

describe('unknown keys are errors with the nearest name', () => {
  test.each([
    [
      'evaluate',
      () => evaluate(loose({ log, policies, validEvent: 3 })),
      /validEvent: .*\n.*\n.*did you mean validEvents\?/,
    ],
    ['evaluate, undefined', () => evaluate(loose({ log, policies, confidance: undefined })), /confidence\?/],
    ['replay', () => replay(log, [ucb1()], loose({ subSample: 0.5 })), /options\.subSample: .*\n.*\n.*subsample\?/],
    [
      'a log',
      () => evaluate({ log: loose({ files: [csv], mapping, wher: 'x' }), policies }),
      /log\.wher: .*\n.*\n.*where\?/,
    ],
    ['a mapping', () => evaluate({ log: { files: [csv], mapping: loose({ ...mapping, usr: 'x' }) }, policies }), /usr/],
    [
      'a log in batches',
      () => evaluate({ log: loose({ files: [csv], mapping, Where: 'x' }), policies, memory: '1GB' }),
      /where\?/,
    ],
    ['convert', () => convert(loose({ files: [csv], mapping, wher: 'x' }), `${csv}.packed`), /log\.wher/],
    ['convert, options', () => convert(log, `${csv}.packed`, loose({ key: ['a'] })), /options\.key: .*\n.*\n.*keys\?/],
    ['inspect', () => inspect(log, loose({ kys: [] })), /options\.kys: .*\n.*\n.*keys\?/],
    ['simulate', () => simulate(loose({ events: 10, seed: 1, click_rates: [0, 1] })), /clickRates\?/],
    ['online', () => online(simulate({ events: 10, seed: 1 }), ucb1(), 5, loose({ updatEvery: 2 })), /updateEvery\?/],
    ['columns', () => logFromColumns(loose({ arm: ['a'], payoff: [1], propensities: [1] })), /propensity\?/],
    ['openLog', () => openLog(log, loose({ kyes: [] })), /options\.kyes: .*\n.*\n.*keys\?/],
    ['a world', () => new World(loose({ seed: 1, user: 5 })), /user: .*\n.*\n.*users\?/],
    ['logging', () => simulate({ ...small, logging: loose({ policy: 'softmax', temprature: 1 }) }), /temperature\?/],
    [
      'other logging',
      () => simulate({ ...small, logging: loose({ policy: 'uniform', epsilon: 1 }) }),
      /logging\.epsilon/,
    ],
    ['no logging', () => simulate({ ...small, logging: loose({}) }), /logging\.policy/],
    [
      'trueValues',
      () => trueValues(simulate(small), policies, loose({ event: 5 })),
      /options\.event: .*\n.*\n.*events\?/,
    ],
    ['trueLinearValues', () => trueLinearValues(simulateToday(small), [], loose({ evry: 2 })), /every\?/],
    [
      'planError',
      () => planError(loose({ value: 1, error: 0.1, arms: 2, confidence: 0.9, rnge: [0, 9] })),
      /rnge[\s\S]*range/,
    ],
    ['planMatches', () => planMatches(loose({ validEvents: 9, arms: 2, confidence: 0.9, K: 3 })), /K: /],
    ['CpuBackend', () => new CpuBackend(loose({ thread: 2 })), /options\.thread: .*\n.*\n.*threads\?/],
    ['CpuReplayBackend', () => new CpuReplayBackend(loose({ thread: 2 })), /threads\?/],
    ['GpuBackend', () => new GpuBackend(loose({}), loose({ desciption: 'x' })), /description\?/],
    [
      'GpuBackend, sizes',
      () => new GpuBackend(loose({}), { plan: loose({ chunks: 2 }) }),
      /options\.plan\.chunks[\s\S]*chunk\?/,
    ],
    ['verifyReplay', () => verifyReplay(loose({}), loose({}), loose({ replica: 2 })), /replicas\?/],
    ['a matrix', () => logFromColumns({ ...two, context: loose({ values: [1, 2], dimensions: 1 }) }), /dimension\?/],
    ['pools', () => logFromColumns({ ...two, candidates: loose({ pool: [0, 0], sets: [] }) }), /candidates\.sets/],
    ['features', () => logFromColumns({ ...two, candidateFeatures: loose({ rows: [], column: [] }) }), /columns\?/],
    ['parsePolicySet', () => parsePolicySet(policies, loose({ fil: 'x' })), /place\.fil: .*\n.*\n.*file\?/],
    ['parseLearnerSet', () => parseLearnerSet([ucb1()], loose({ fil: 'x' })), /file\?/],
    [
      'a mapping, below',
      () =>
        evaluate({ log: { files: [csv], mapping: loose({ ...mapping, time: { colum: 'x', unit: 's' } }) }, policies }),
      /column/,
    ],
    ['a policy', () => evaluate({ log, policies: loose([{ family: 'constant', arm: ['a'] }]) }), /did you mean "arms"/],
    ['a learner', () => replay(log, loose([{ algorithm: 'linucb', alfa: 1 }])), /did you mean "alpha"/],
    [
      'costs',
      () => openLog(loose({ files: [csv], payoffFromCost: { scal: 1, offset: 0 } })),
      /^log\.payoffFromCost\.scal: there is no such option\n.*one of scale, offset\n.*did you mean scale\?/,
    ],
    ['blocks', () => evaluate({ log, policies, blocks: loose({ perod: 5 }) }), /^blocks\.perod: .*\n.*\n.*period\?/],
    [
      'blocks by user',
      () => replay(log, [ucb1()], { blocks: loose({ user: 5 }) }),
      /^options\.blocks\.user: .*\n.*one of events, period, users\n.*users\?/,
    ],
    [
      'a period',
      () => replay(log, [ucb1()], { updateEvery: loose({ perod: 5 }) }),
      /^options\.updateEvery\.perod: .*\n.*\n.*period\?/,
    ],
    [
      'a live period',
      () => online(simulate(small), ucb1(), 5, { updateEvery: loose({ perod: 5 }) }),
      /^options\.updateEvery\.perod: .*\n.*\n.*period\?/,
    ],
  ])('%s', async (_, work, expected) => {
    expect(await message(work)).toMatch(expected);
  });
});

describe('wrong values are errors that say what is needed', () => {
  const cases: [string, unknown, RegExp][] = [
    ['device', 'cuda', /got: +cuda\n.*needed: one of auto, cpu, gpu/],
    ['device', 'cpuu', /did you mean "cpu"\?/],
    ['threads', -1, /got: +-1\n.*from 1 to 1024/],
    ['threads', 1.5, /threads/],
    ['confidence', 95, /0\.95 for 95 %/],
    ['confidence', '0.9', /confidence/],
    ['memory', 'lots', /got: +lots\n.*such as 2GB/],
    ['memory', true, /such as 2GB/],
    ['blocks', 0, /blocks/],
    ['validEvents', '10', /validEvents/],
    ['assumeUniform', 'no', /true or false/],
    ['verify', 0, /a whole number of .*, at least 1; true: every one; false: none/],
    ['verify', 'all', /verify/],
    ['signal', {}, /AbortSignal/],
    ['onProgress', true, /a function/],
    ['adapter', 7, /text/],
    ['adapter', null, /got: +null/],
  ];
  test.each(cases)('%s: %j', async (key, value, expected) => {
    expect(await message(() => evaluate({ log, policies, device: 'cpu', ...({ [key]: value } as object) }))).toMatch(
      expected,
    );
    expect(await message(() => replay(log, [ucb1()], { device: 'cpu', ...({ [key]: value } as object) }))).toMatch(
      expected,
    );
  });

  test('of a log', async () => {
    for (const part of [{ skipBadRows: 'yes' }, { features: 'x' }, { payoffRange: [0] }, { files: [7] }]) {
      const files = loose({ files: [csv], mapping, ...part });
      expect(await message(() => evaluate({ log: files, policies }))).toMatch(Object.keys(part)[0]);
    }
  });
});

test.each([
  ['format', () => openLog({ files: [csv], format: 'cvs' as 'csv', mapping }), /did you mean "csv"\?/],
  ['estimators', () => evaluate({ log, policies, estimators: 'isp' as 'ips' }), /did you mean "ips"\?/],
  ...[0, Number.POSITIVE_INFINITY, [], [2, -1], '5', { most: 5 }, null].map((clip): [string, () => unknown, RegExp] => [
    `clip ${JSON.stringify(clip)}`,
    () => evaluate({ log, policies, estimators: 'ips-clip', clip: clip as 5 }),
    /option --clip M \(in code: clip\) is not usable[\s\S]*needed: a number above 0/,
  ]),
  ['interval', () => evaluate({ log, policies, interval: 'wilsn' as 'wilson' }), /did you mean "wilson"\?/],
  ['learnFrom', () => replay(log, [ucb1()], { learnFrom: 'retaind' as 'all' }), /did you mean "retained"\?/],
  ['kind', () => simulate({ ...small, kind: 'r6c' as 'r6b' }), /needed: one of r6a, r6b[\s\S]*did you mean "r6/],
  ['logging', () => simulate({ ...small, logging: loose({ policy: 'softmx', temperature: 1 }) }), /"softmax"\?/],
  ['logging, a name', () => simulate({ ...small, logging: 'uniform' as never }), /logging: not an object/],
  ['live', () => online(simulate(small), ucb1(), 5, { learnFrom: 'serve' as 'log' }), /did you mean "served"\?/],
  ['a period', () => online(simulate(small), ucb1(), 5, { updateEvery: loose({ period: '5' }) }), /\{ period \}/],
  ['blocks', () => evaluate({ log, policies, blocks: loose({ period: 5, users: 2 }) }), /option blocks is not usable/],
  ['no options', () => online(simulate(small), ucb1(), 5, null as never), /not an object with options/],
  ['threads', () => new CpuBackend({ threads: 0 }), /from 1 to 1024/],
  ['events', () => trueValues(simulate(small), policies, { events: -1 }), /of at least 0/],
  ['every', () => trueLinearValues(simulateToday(small), [], { every: 0 }), /of at least 1/],
])('wrong values of other functions: %s', async (_, work, expected) => {
  expect(await message(work)).toMatch(expected);
});

test('verify: true is everything, a number so many, false nothing, in both verbs', async () => {
  const verified = async (verify?: boolean | number) => {
    const one = await evaluate({ log, policies, device: 'cpu', verify });
    const other = await replay(log, [ucb1()], { device: 'cpu', repeats: 2, verify });
    return [one.engine.verified, other.engine.verified?.replicas ?? null];
  };
  expect(await verified(true)).toEqual([2, 2]);
  expect(await verified(1)).toEqual([1, 1]);
  expect(await verified(false)).toEqual([null, null]);
  expect(await verified()).toEqual([null, null]);
});

test('names in the tables are one each, and those that code uses are those of the algorithms', () => {
  const readers = [...FORMATS, ...EVENT_FORMATS].map(({ name }) => name);
  expect(new Set(FORMAT_NAMES).size).toBe(readers.length + Object.keys(PRESETS).length);
  const entries = Object.values(learners).map((entry) => entry().algorithm);
  expect(new Set(entries).size).toBe(entries.length);
  expect(entries.sort()).toEqual(ALGORITHMS.map(({ name }) => name).sort());
});

test('a log is loaded once, with the columns that policies look up', async () => {
  const table = [{ family: 'table' as const, keys: ['site'], tables: [{ choices: { s0: 'a' }, default: 'b' }] }];
  const files = { files: [csv], mapping };
  const opened = await openLog(files, { keys: ['site'] });
  const from = { policies: table, device: 'cpu' as const, assumeUniform: true };
  const once = await evaluate({ log: opened, ...from });
  expect(once.policies).toEqual((await evaluate({ log: files, ...from })).policies);
  expect((await inspect(opened)).events).toBe(60);
  expect(await inspect(files)).toMatchObject({ events: 60, context: { names: [] } });
  const without = await openLog(files);
  expect(await message(() => evaluate({ log: without, ...from }))).toMatch(/site.*[\s\S]*keys/);
});

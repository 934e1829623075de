/** Options from code: every key is known, every value of its type; and what an option means is the same in both verbs. */
import { describe, expect, test } from 'vitest';
import { InputError } from '#dist/errors.js';
import { convert, evaluate, inspect, logFromColumns, online, openLog, replay, simulate, ucb1 } from '#dist/index.js';
import { write } from './log/files.js';

const arms = Array.from({ length: 60 }, (_, t) => 'ab'[t % 2]);
const log = logFromColumns({ arm: arms, payoff: arms.map((_, t) => (t % 3 === 0 ? 1 : 0)) });
const csv = write('options.csv', `arm,click,site\n${arms.map((arm, t) => `${arm},${t % 2},s${t % 3}`).join('\n')}\n`);
const mapping = { arm: 'arm', payoff: 'click' };
const policies = [{ family: 'constant' as const }];

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
      'a log in stretches',
      () => evaluate({ log: loose({ files: [csv], mapping, Where: 'x' }), policies, memory: '1GB' }),
      /where\?/,
    ],
    ['convert', () => convert(loose({ files: [csv], mapping, wher: 'x' }), `${csv}.packed`), /log\.wher/],
    ['convert, options', () => convert(log, `${csv}.packed`, loose({ key: ['a'] })), /options\.key: .*\n.*\n.*keys\?/],
    ['inspect', () => inspect(log, loose({ kys: [] })), /options\.kys: .*\n.*\n.*keys\?/],
    ['simulate', () => simulate(loose({ events: 10, seed: 1, click_rates: [0, 1] })), /clickRates\?/],
    ['online', () => online(simulate({ events: 10, seed: 1 }), ucb1(), 5, loose({ updatEvery: 2 })), /updateEvery\?/],
    ['columns', () => logFromColumns(loose({ arm: ['a'], payoff: [1], propensities: [1] })), /propensity\?/],
    ['blocks', () => evaluate({ log, policies, blocks: loose({ perod: 5 }) }), /option blocks is not usable/],
    ['a period', () => replay(log, [ucb1()], { updateEvery: loose({ perod: 5 }) }), /option updateEvery is not usable/],
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

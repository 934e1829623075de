/** Columns of weights by name: order does not matter, names do. */
import { describe, expect, test } from 'vitest';
import { InputError } from '#dist/errors.js';
import { evaluate } from '#dist/evaluate.js';
import { logFromColumns } from '#dist/log/columns.js';
import { openLog } from '#dist/log/open.js';
import { encodeNpy } from '#dist/policy/npy.js';
import { write } from '../log/files.js';

const EVENTS = 48;
const rows = Array.from({ length: EVENTS }, (_, t) => `${'aab'[t % 3]},${t % 2},${'xyz'[t % 3]},${t % 5}`);
const MAPPING = { arm: 'arm', payoff: 'click', context: { onehot: ['site'], numeric: ['age'] }, intercept: true };
const files = (name: string, text = rows): { files: string[]; mapping: typeof MAPPING } => ({
  files: [write(name, `arm,click,site,age\n${text.join('\n')}\n`)],
  mapping: MAPPING,
});
const COLUMNS = ['site=x', 'site=y', 'site=z', 'age', '(intercept)'];
// Arm a on sites x and y, else b: every event matches.
const WEIGHTS = [
  [1, 1, -1, 0, 0],
  [0, 0, 0, 0, 0],
];

const run = async (entry: object, log: Parameters<typeof evaluate>[0]['log'] = files('log.csv')) =>
  evaluate({
    log,
    policies: [{ family: 'linear', weights: WEIGHTS, ...entry } as never],
    device: 'cpu',
    assumeUniform: true,
  });

async function message(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof InputError) return error.message;
  throw error ?? new Error('no error was raised');
}

describe('linear', () => {
  test('in another order: the same policy', async () => {
    const order = [4, 2, 0, 3, 1];
    const columns = order.map((j) => COLUMNS[j]);
    const weights = WEIGHTS.map((row) => order.map((j) => row[j]));
    const [as] = (await run({ columns: COLUMNS })).policies;
    expect((await run({ columns, weights })).policies).toEqual([as]);
    expect((await run({})).policies).toEqual([as]);
    // By place they would be another one.
    expect((await run({ weights })).policies[0].matches).not.toBe(as.matches);
    const typed = { data: Float64Array.from([...weights, ...weights].flat()), shape: [2, 2, 5] };
    expect((await run({ columns, weights: typed })).policies.map(({ matches }) => matches)).toEqual([
      as.matches,
      as.matches,
    ]);
  });

  test.each([
    [
      ['site=x', 'site=w', 'site=z', 'age', '(intercept)'],
      /columns\[1\].*no such column[\s\S]*"site=w"[\s\S]*did you mean "site=x"\?/,
    ],
    [['site=x', 'site=x', 'site=z', 'age', '(intercept)'], /named twice[\s\S]*columns\[0\] and columns\[1\]/],
    [['site=x', 'site=y', 'site=z', 'age'], /1 of the log's context columns have no weights[\s\S]*"\(intercept\)"/],
  ])('%j is refused', async (columns, expected) => {
    expect(await message(run({ columns }))).toMatch(expected);
  });

  test('as many levels that are other ones are refused by name, and warned of by place', async () => {
    const other = files(
      'other.csv',
      rows.map((row) => row.replace('z', 'w')),
    );
    expect(await message(run({ columns: COLUMNS }, other))).toMatch(/"site=z"/);
    write('w.npy', encodeNpy(Float64Array.from(WEIGHTS.flat()), [2, 5]));
    const set = write('set.json', '[{ "family": "linear", "weights": "w.npy" }]');
    const warned = await evaluate({ log: other, policies: set, device: 'cpu', assumeUniform: true });
    expect(warned.warnings.join()).toMatch(/taken by place, and 3 of the log's 5 context columns stand for levels/);
    const named = write('named.json', JSON.stringify([{ family: 'linear', weights: 'w.npy', columns: COLUMNS }]));
    const { warnings } = await evaluate({ log: files('log.csv'), policies: named, device: 'cpu', assumeUniform: true });
    expect(warnings.join()).not.toMatch(/by place/);
  });

  test('a name that two columns of the log share tells nothing', async () => {
    const log = await openLog(files('log.csv'));
    const twice = { ...log, contexts: { ...log.contexts, columns: ['a', 'a', 'b', 'c', 'd'] } };
    expect(await message(run({ columns: ['a', 'a', 'b', 'c', 'd'] }, twice))).toMatch(/same name/);
  });
});

test('joint-linear: components of φ by name', async () => {
  const arm = Array.from({ length: EVENTS }, (_, t) => 'ab'[t % 2]);
  const base = logFromColumns({
    arm,
    payoff: arm.map((_, t) => (t % 3 === 0 ? 1 : 0)),
    context: arm.map((_, t) => [t % 5, 1]),
    armFeatures: [
      [1, 0],
      [0, 2],
    ],
  });
  const { armFeatures } = base;
  if (armFeatures === null) throw new Error('no arm features');
  const log = {
    ...base,
    contexts: { ...base.contexts, columns: ['age', 'one'] },
    armFeatures: { ...armFeatures, columns: ['red', 'blue'] },
  };
  const columns = ['age', 'one', 'red', 'blue', 'age * red', 'age * blue', 'one * red', 'one * blue'];
  const weights = [1, 2, 3, -4, -1, 0.5, 2, 1];
  const joint = (entry: object) => run({ family: 'joint-linear', features: 'both', weights, ...entry }, log);
  const [as] = (await joint({})).policies;
  expect((await joint({ columns })).policies).toEqual([as]);
  const back = { columns: columns.toReversed(), weights: weights.toReversed() };
  expect((await joint(back)).policies).toEqual([as]);
  expect(await message(joint({ columns: columns.with(4, 'age*red') }))).toMatch(/did you mean "age \* red"\?/);
});

/** Columns of weights by name: order does not matter, names do. */
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { InputError } from '#dist/errors.js';
import { evaluate } from '#dist/evaluate.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { inspectLog } from '#dist/open/inspect.js';
import { openLog } from '#dist/open/open.js';
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
    [['site=x', 'site=y', 'site=z', 'age'], /1 of the log's context columns has no weights[\s\S]*"\(intercept\)"/],
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

/** Contexts of (age, one), arms with features (red, blue). */
function jointLog() {
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
  return {
    ...base,
    contexts: { ...base.contexts, columns: ['age', 'one'] },
    armFeatures: { ...armFeatures, columns: ['red', 'blue'] },
  };
}

/** Columns of each φ, as an entry names them. */
const JOINT = inspectLog(jointLog()).armFeatures?.jointColumns;
const jointColumns = (features: 'arm' | 'concat' | 'product' | 'both'): string[] => JOINT?.[features] ?? [];

test('inspect lists the components of every φ', () => {
  expect(JOINT).toEqual({
    arm: ['red', 'blue'],
    concat: ['age', 'one', 'red', 'blue'],
    product: ['age * red', 'age * blue', 'one * red', 'one * blue'],
    both: ['age', 'one', 'red', 'blue', 'age * red', 'age * blue', 'one * red', 'one * blue'],
  });
  const log = jointLog();
  const wide = Array.from({ length: 50_001 }, (_, i) => `x${i}`);
  const { armFeatures } = inspectLog({ ...log, contexts: { ...log.contexts, rows: 0, columns: wide } });
  expect(armFeatures?.jointColumns).toMatchObject({ arm: ['red', 'blue'], product: null, both: null });
});

test('joint-linear: components of φ by name', async () => {
  const log = jointLog();
  const columns = jointColumns('both');
  const weights = [1, 2, 3, -4, -1, 0.5, 2, 1];
  const joint = (entry: object) => run({ family: 'joint-linear', features: 'both', weights, ...entry }, log);
  const [as] = (await joint({})).policies;
  expect((await joint({ columns })).policies).toEqual([as]);
  const back = { columns: columns.toReversed(), weights: weights.toReversed() };
  expect((await joint(back)).policies).toEqual([as]);
  expect(await message(joint({ columns: columns.with(4, 'age*red') }))).toMatch(/did you mean "age \* red"\?/);
});

/** Of entries on one log, what is said of orders and of names. */
async function orderWarnings(log: Parameters<typeof evaluate>[0]['log'], policies: unknown): Promise<string[]> {
  const set = typeof policies === 'string' ? policies : (policies as never);
  const { warnings } = await evaluate({ log, policies: set, device: 'cpu', assumeUniform: true });
  return warnings.filter((warning) => /in another order|are called/.test(warning));
}

describe('entries that name their columns in another order make those doubtful that do not', () => {
  const linear = (entry: object) => ({ family: 'linear', weights: WEIGHTS, ...entry });
  test('linear', async () => {
    const swapped = ['age', 'site=x', 'site=y', 'site=z', '(intercept)'];
    const warningsOf = (...entries: object[]) => orderWarnings(files('mixed.csv'), entries.map(linear));
    expect(await warningsOf({ columns: swapped }, {}, {})).toEqual([
      '[0] names the columns of its weights in another order than the log\'s, and [1] and 1 more entry without "columns" are taken by place, in the log\'s order: if these were made for the same columns as the first, give them "columns" too',
    ]);
    expect(await warningsOf({ columns: COLUMNS }, {})).toEqual([]);
    expect(await warningsOf({ columns: swapped }, { columns: COLUMNS })).toEqual([]);
    expect(await warningsOf({}, {})).toEqual([]);
  });

  const joint = (features: 'arm' | 'concat' | 'product' | 'both', columns?: readonly string[]) => ({
    family: 'joint-linear',
    features,
    weights: jointColumns(features).map((_, i) => i),
    ...(columns === undefined ? {} : { columns }),
  });
  const two = {
    family: 'linear',
    weights: [
      [1, 2],
      [3, 4],
    ],
  };
  const arms = joint('arm', ['blue', 'red']);
  const both = jointColumns('both').toReversed();
  const transposed = ['age * red', 'one * red', 'age * blue', 'one * blue'];
  test.each([
    ['joint beside joint', [joint('both', both), joint('both')], /^\[0\].*\[1\] without "columns" is taken/],
    ['whatever comes first', [joint('both'), joint('both', both)], /^\[1\].*\[0\] without/],
    ['joint beside linear', [joint('concat', ['one', 'age', 'red', 'blue']), two], /^\[0\].*\[1\]/],
    ['linear beside products', [{ ...two, columns: ['one', 'age'] }, joint('product')], /^\[0\].*\[1\]/],
    ['features of arms beside products', [arms, joint('product'), two], /^\[0\].*\[1\] without/],
    ['features of arms beside linear', [arms, two], null],
    ['products the other way round', [joint('product', transposed), joint('product')], /^\[0\].*\[1\]/],
    ['products the other way round, beside linear', [joint('product', transposed), two], null],
    ['the order of the log', [joint('both', jointColumns('both')), joint('both'), two], null],
  ] as const)('%s', async (_, policies, expected) => {
    const warnings = await orderWarnings(jointLog(), policies);
    expect(warnings).toHaveLength(expected === null ? 0 : 1);
    if (expected !== null) expect(warnings[0]).toMatch(expected);
  });
});

test('names of a Parquet file count as those of an entry; names that the log does not have are told', async () => {
  const parquet = async (name: string, columns: readonly string[]): Promise<string> => {
    const path = write(name, '');
    const db = await DuckDBInstance.create();
    const selected = columns.map((column, i) => `${i + 0.5}::DOUBLE AS "${column}"`).join(', ');
    await (await db.connect()).run(`COPY (SELECT ${selected}) TO '${path}' (FORMAT parquet)`);
    return name;
  };
  const set = async (columns: readonly string[], ...more: object[]): Promise<string[]> => {
    const weights = await parquet('w.parquet', columns);
    const entry = { family: 'joint-linear', features: 'concat', weights };
    return orderWarnings(jointLog(), write('joint.json', JSON.stringify([entry, ...more])));
  };
  const byPlace = { family: 'joint-linear', features: 'concat', weights: [1, 2, 3, 4] };
  const swapped = ['one', 'age', 'red', 'blue'];
  expect(await set(swapped, byPlace)).toEqual([expect.stringMatching(/^\[0\] names .* \[1\] without "columns"/)]);
  expect(await set(swapped)).toEqual([]);
  expect(await set(['a', 'b', 'c', 'd'])).toEqual([
    expect.stringMatching(
      /w\.parquet .*are called "a", "b", "c", "d", and none .* is \("age", "one", "red", "blue"\): they are taken by place/,
    ),
  ]);
  expect(await set(['w0', 'w1', 'w2', 'w3'])).toEqual([]);
});

test('weights of a Parquet file may be DECIMAL, and are those of DOUBLE; what is no number is refused with a way out', async () => {
  const values = async (type: string, value = '-0.375') => {
    const path = write(`typed-${type.slice(0, 3)}.parquet`, '');
    const db = await DuckDBInstance.create();
    const columns = ['age', 'one', 'red', 'blue'].map((name, i) => `(${i} * 0.25 + ${value})::${type} AS "${name}"`);
    await (await db.connect()).run(`COPY (SELECT ${columns.join(', ')}) TO '${path}' (FORMAT parquet)`);
    const entry = { family: 'joint-linear', features: 'concat', weights: path };
    const policies = write('typed.json', JSON.stringify([entry]));
    return (await evaluate({ log: jointLog(), policies, device: 'cpu', assumeUniform: true })).policies;
  };
  expect(await values('DECIMAL(9,4)')).toEqual(await values('DOUBLE'));
  await expect(values('VARCHAR')).rejects.toThrow(
    /row 0, column "age": weight is not a number\n {2}got: {4}"-0\.37.*\n {2}needed: a column of numbers .*DECIMAL.*\n {2}try: {4}write the column as DOUBLE/,
  );
  // Below the largest whole number that is exact everything is a weight; a larger one is written as DOUBLE by its owner.
  await expect(values('DECIMAL(20,0)', '9007199254740993')).rejects.toThrow(
    /got: {4}"9007199254740993"[\s\S]*as DOUBLE/,
  );
});

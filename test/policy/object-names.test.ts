/** Names that every JavaScript object knows, such as `__proto__`, are names like others: of arms, values, columns and sets. */

import * as arrow from 'apache-arrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import {
  convert,
  evaluate,
  logFromColumns,
  type Mapping,
  parseMapping,
  parsePolicySet,
  policyFunctions,
  replay,
  toJson,
} from '#dist/index.js';
import { parsePolicySetText } from '#dist/policy/policy-set.js';
import { pathOf, write } from '../log/files.js';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'plain'];
/** An object as JSON.parse makes it, whose keys are all its own. */
const object = (value: (name: string) => unknown, names = NAMES): never =>
  JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value(name))}`).join(',')}}`) as never;

// Every arm is as often logged as any other at every value of the key; it pays where it has the name of that value.
const rows = Array.from({ length: 100 }, (_, t) => {
  const [arm, key] = [NAMES[t % 5], NAMES[Math.floor(t / 5) % 5]];
  return [arm, arm === key ? '1' : '0', key, key, NAMES[(t * 3) % 5]];
});
const columns = ['arm', 'payoff', '__proto__', 'constructor', 'set'];
const mapping: Mapping = {
  arm: 'arm',
  payoff: 'payoff',
  context: { onehot: ['__proto__', 'constructor'] },
  candidates: { id: 'set', sets: object(() => NAMES) },
  keys: ['__proto__', 'constructor'],
};

const policies = [
  { family: 'table', keys: ['__proto__'], tables: [{ name: 'one', choices: object((name) => name) }] },
  {
    family: 'table',
    keys: ['__proto__', 'constructor'],
    tables: [
      { name: 'two', rows: NAMES.map((arm) => ({ when: object(() => arm, ['__proto__', 'constructor']), arm })) },
    ],
  },
  policyFunctions({ ['__proto__']: (x, _, { columns }) => (columns[x.indexOf(1)] ?? '').split('=')[1] ?? null }),
] as Parameters<typeof evaluate>[0]['policies'];

const learners = [{ algorithm: 'semp', segment: ['__proto__'] }, { algorithm: 'linucb' }] as Parameters<
  typeof replay
>[1];

/** What learners retain on the same log with names of no meaning, which sort alike. */
async function plainReplay() {
  const plain = (name: string) => 'abcde'[[...NAMES].sort().indexOf(name)];
  const ids = rows.map(([arm]) => plain(arm));
  const key = rows.map((row) => plain(row[2]));
  const onehot = key.map((one) => [...'abcde'].map((level) => Number(level === one)));
  const log = logFromColumns({
    arm: ids,
    payoff: rows.map((row) => Number(row[1])),
    context: onehot.map((levels) => [...levels, ...levels]),
    keys: { ['__proto__']: key },
  });
  const { learners: results } = await replay(log, learners, { device: 'cpu' });
  return results.map(({ mean, matches }) => [mean, matches]);
}

describe('a log full of names of objects', () => {
  const files = new Map<string, string>();
  beforeAll(async () => {
    files.set('csv', write('names.csv', `${[columns, ...rows].map((row) => row.join(',')).join('\n')}\n`));
    const lines = rows.map((row) => `{${row.map((v, i) => `"${columns[i]}":"${v}"`).join(',')}}`);
    files.set('jsonl', write('names.jsonl', `${lines.join('\n')}\n`));
    const vectors = columns.map((_, i) =>
      arrow.vectorFromArray(
        rows.map((row) => row[i]),
        new arrow.Utf8(),
      ),
    );
    const fields = columns.map((name) => arrow.Field.new(name, new arrow.Utf8(), true));
    const data = arrow.makeData({
      type: new arrow.Struct(fields),
      children: vectors.map(({ data }) => data[0]),
    });
    const batch = new arrow.RecordBatch(new arrow.Schema(fields), data as never);
    const writer = arrow.RecordBatchFileWriter.writeAll([batch]);
    files.set('arrow', write('names.arrow', await writer.toUint8Array()));
    files.set('packed', pathOf('names.parquet'));
    await convert({ files: [files.get('csv') as string], mapping }, files.get('packed') as string);
  });

  it.each(['csv', 'jsonl', 'arrow', 'packed'])('is evaluated and replayed right from %s', async (format) => {
    const log = { files: [files.get(format) as string], ...(format === 'packed' ? {} : { mapping }) };
    const result = await evaluate({ log, policies, device: 'cpu' });
    expect(result.policies.map(({ name, matches, value }) => [name, matches, value])).toEqual([
      ['one', 20, 1],
      ['two', 20, 1],
      ['__proto__', 20, 1],
    ]);
    expect(JSON.parse(toJson(result))).toEqual(JSON.parse(JSON.stringify(result)));
    const replayed = await replay(log, learners, { device: 'cpu' });
    expect(replayed.learners.map(({ mean, matches }) => [mean, matches])).toEqual(await plainReplay());
  });
});

const faultOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('__proto__ where it is wrong', () => {
  it.each([
    ['[{"family":"constant","__proto__":{"arms":["a"]}}]', 'unknown key "__proto__"'],
    ['[{"family":"table","keys":["k"],"tables":[{"choices":{"__proto__":[1]}}]}]', 'choices.__proto__'],
    ['[{"family":"__proto__"}]', 'unknown policy family'],
    ['[{"family":"toString"}]', 'unknown policy family'],
  ])('is refused: %s', (text, words) => {
    expect(faultOf(() => parsePolicySetText(text))).toContain(words);
  });

  it('is refused in a mapping, as another name is', () => {
    const of = (text: string) => faultOf(() => parseMapping(JSON.parse(text)));
    expect(of('{"arm":"a","payoff":"p","__proto__":{"x":1}}')).toContain('unknown key');
    expect(of('{"arm":"a","payoff":"p","candidates":{"id":"s","sets":{"__proto__":7}}}')).toContain('sets.__proto__');
  });

  it('is told apart from a prototype, which a literal in code sets', () => {
    const text = faultOf(() => parsePolicySet([policyFunctions({ __proto__: () => 0, a: () => 0 } as never)]));
    expect(text).toContain('inherits from another object');
    const log = logFromColumns({ arm: ['__proto__', 'a'], payoff: [1, 0], keys: { ['__proto__']: ['x', 'y'] } });
    expect(log.keys.get('__proto__')?.levels).toEqual(['x', 'y']);
  });
});

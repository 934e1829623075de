import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventLog } from '#dist/log/event-log.js';
import { encodeNpy, type NpyData } from '#dist/policy/npy.js';
import { choices, compile, faultOf, fourEvents, memoryFiles } from './small-log.js';

const log = fourEvents(); // arms 3, 7, 12
const set = (file: string, more: object = {}) => [{ family: 'choices', file, ...more }];
const npy = (data: NpyData, shape: number[]) => memoryFiles({ npy: { 'c.npy': [data, shape] } });
const parquet = (columns: Record<string, (number | string | null)[]>) =>
  memoryFiles({ parquet: { 'c.parquet': columns } });

/** The log as if it held the given rows of a longer source. */
function filtered(rows: number[], total: number | null): EventLog {
  return { ...log, sourceRow: Uint32Array.from(rows), source: { ...log.source, rows: total } };
}

describe('choices from .npy', () => {
  it('reads a row per event and a column per policy, for every integer type', async () => {
    const types = [Int8Array, Int16Array, Int32Array, Uint8Array, Uint16Array, Uint32Array];
    const values = [0, 2, 1, 2, 2, 0, 0, 1];
    const all: NpyData[] = [
      ...types.map((type) => type.from(values)),
      BigInt64Array.from(values.map(BigInt)),
      BigUint64Array.from(values.map(BigInt)),
    ];
    for (const data of all) {
      expect(await choices(set('c.npy'), log, npy(data, [4, 2]))).toEqual([
        ['3', '7', '12', '3'],
        ['12', '12', '3', '7'],
      ]);
    }
  });

  it('takes [L] as one policy, and -1 as no choice', async () => {
    expect(await choices(set('c.npy'), log, npy(Int16Array.of(0, -1, 2, -1), [4]))).toEqual([['3', null, '12', null]]);
    expect(await choices(set('c.npy'), log, npy(BigInt64Array.of(0n, -1n, 2n, -1n), [4, 1]))).toEqual([
      ['3', null, '12', null],
    ]);
  });

  it('reads Fortran order', async () => {
    const bytes = encodeNpy(Int32Array.of(0, 1, 2, 0, 2, 2, 0, 1), [4, 2]);
    const text = new TextDecoder('latin1').decode(bytes).replace("'fortran_order': False", "'fortran_order': True ");
    const files = memoryFiles({ npy: { 'c.npy': Uint8Array.from(text, (c) => c.charCodeAt(0)) } });
    expect(await choices(set('c.npy'), log, files)).toEqual([
      ['3', '7', '12', '3'],
      ['12', '12', '3', '7'],
    ]);
  });

  it('reads arm ids where told to', async () => {
    expect(await choices(set('c.npy', { as: 'id' }), log, npy(Int32Array.of(3, -1, 12, 7), [4]))).toEqual([
      ['3', null, '12', '7'],
    ]);
    const named = fourEvents({
      arm: ['-1', '9007199254740993', '-1', '-1'],
      arms: ['-1', '9007199254740993', '9007199254740992'],
    });
    const big = BigInt64Array.of(9007199254740993n, 9007199254740992n, -1n, -1n);
    expect(await choices(set('c.npy', { as: 'id' }), named, npy(big, [4]))).toEqual([
      ['9007199254740993', '9007199254740992', '-1', '-1'],
    ]);
  });

  it('reads 64-bit integers around the borders of 32 bits', async () => {
    const values = [
      2n ** 31n - 1n,
      2n ** 31n,
      2n ** 32n - 1n,
      2n ** 32n,
      -(2n ** 31n),
      -(2n ** 31n) - 1n,
      -(2n ** 32n),
    ];
    const wide = fourEvents({
      arm: values.map(String),
      arms: undefined,
      payoff: values.map(() => 0),
      context: undefined,
      keys: {},
      time: undefined,
    });
    const signed = BigInt64Array.from(values);
    expect(await choices(set('c.npy', { as: 'id' }), wide, npy(signed, [7]))).toEqual([values.map(String)]);
    const unsigned = BigUint64Array.from(values.map((value) => (value < 0n ? -value : value)));
    const message = await faultOf(() => compile(set('c.npy', { as: 'id' }), wide, npy(unsigned, [7])));
    expect(message).toMatch(/row 5, column "0": unknown arm\n {2}got: {4}2147483649/);
  });

  it('names its policies', async () => {
    const files = npy(new Uint8Array(8), [4, 2]);
    expect((await compile(set('c.npy'), log, files))[0]?.names).toEqual(['choices 0', 'choices 1']);
    expect((await compile(set('c.npy', { names: ['a', 'b'] }), log, files))[0]?.names).toEqual(['a', 'b']);
    expect(await faultOf(() => compile(set('c.npy', { names: ['a'] }), log, files))).toMatch(
      /\[0\]\.names: wrong number of names\n {2}got: {4}1\n {2}needed: 2/,
    );
  });

  it('gives [P, L] whatever the size of L', async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 1, max: 5 }));
    await fc.assert(
      fc.asyncProperty(sizes, async ([events, policies]) => {
        const data = Uint8Array.from({ length: events * policies }, (_, i) => (i * 7 + Math.floor(i / 11)) % 3);
        const zeros = new Array<number>(events).fill(0);
        const long = fourEvents({
          arm: zeros.map(() => '3'),
          payoff: zeros,
          context: undefined,
          keys: {},
          time: undefined,
        });
        const [compiled] = await compile(set('c.npy'), long, npy(data, [events, policies]));
        if (compiled?.kind !== 'matrix') return expect.fail();
        for (let p = 0; p < policies; p++)
          for (let t = 0; t < events; t++)
            if (compiled.choices[p * events + t] !== data[t * policies + p]) expect.fail(`${p}, ${t}`);
      }),
      { numRuns: 30 },
    );
  });

  const faults: [data: NpyData, shape: number[], message: RegExp][] = [
    [
      Int32Array.of(0, 1, 2, 3),
      [4],
      /dir\/c\.npy \(set\.json, \[0\]\.file\), row 3, column "0": arm index is out of range\n {2}got: {4}3\n {2}needed: 0 to 2[\s\S]*"as": "id"/,
    ],
    [Int32Array.of(0, 1, 2, -2, 0, 0, 0, 0), [4, 2], /row 1, column "1": arm index is out of range\n {2}got: {4}-2/],
    [BigInt64Array.of(0n, 2n ** 62n, 0n, 0n), [4], /row 1, column "0"[\s\S]*got: {4}4611686018427387904/],
    [BigUint64Array.of(0n, 2n ** 64n - 1n, 0n, 0n), [4], /got: {4}18446744073709551615/],
    [Float64Array.of(0, 1, 2, 0), [4], /choices must be integers\n {2}got: {4}dtype f8[\s\S]*astype\(np\.int32\)/],
    [new Int32Array(8), [2, 2, 2], /choices have the wrong shape\n {2}got: {4}\[2, 2, 2\]/],
    [new Int32Array(1), [], /choices have the wrong shape\n {2}got: {4}\[\]/],
    [new Int32Array(0), [4, 0], /choices hold no policy/],
    [
      new Int32Array(12),
      [3, 4],
      /wrong number of rows for this log\n {2}got: {4}3 rows × 4 columns\n {2}needed: 4 rows, one per event\n {2}try: {4}events and columns are swapped/,
    ],
    [new Int32Array(5), [5], /got: {4}5 rows × 1 column\n {2}needed: 4 rows/],
  ];
  it.each(faults)('refuses fault %#', async (data, shape, message) => {
    expect(await faultOf(() => compile(set('c.npy'), log, npy(data, shape)))).toMatch(message);
  });

  it('says what an id must be', async () => {
    const message = await faultOf(() => compile(set('c.npy', { as: 'id' }), log, npy(Int32Array.of(3, 8, 3, 3), [4])));
    expect(message).toMatch(/row 1, column "0": unknown arm\n {2}got: {4}8\n {2}needed: one of the log's 3 arms/);
  });
});

describe('rows of choices', () => {
  const six = npy(Int32Array.of(0, 1, 2, 0, 1, 2), [6]);
  const four = npy(Int32Array.of(2, 1, 0, 1), [4]);

  it('are the loaded events, or all source rows', async () => {
    const some = filtered([1, 2, 4, 5], 6);
    expect(await choices(set('c.npy'), some, six)).toEqual([['7', '12', '7', '12']]);
    expect(await choices(set('c.npy'), some, four)).toEqual([['12', '7', '3', '7']]);
    expect(await choices(set('c.npy'), filtered([0, 1, 2, 3], 4), four)).toEqual([['12', '7', '3', '7']]);
  });

  it('are all source rows of a log that a filter cut to the first of them', async () => {
    const first = { ...log, source: { ...log.source, rows: 6 } };
    expect(await choices(set('c.npy'), first, six)).toEqual([['3', '7', '12', '3']]);
    expect(await choices(set('c.npy'), first, four)).toEqual([['12', '7', '3', '7']]);
  });

  it('may be neither', async () => {
    const some = filtered([1, 2, 4, 5], 7);
    expect(await faultOf(() => compile(set('c.npy'), some, six))).toMatch(
      /got: {4}6 rows × 1 column\n {2}needed: 4 rows, one per event, or 7 source rows/,
    );
  });

  it('cannot be told apart in a log that is in another order', async () => {
    expect(await faultOf(() => compile(set('c.npy'), filtered([3, 2, 1, 0], 4), four))).toMatch(/these differ/);
  });

  it('are taken for all source rows, with a warning, where those were not counted', async () => {
    const some = filtered([1, 2, 4, 5], null);
    expect(await choices(set('c.npy'), some, six)).toEqual([['7', '12', '7', '12']]);
    const [compiled] = await compile(set('c.npy'), some, six);
    expect(compiled?.warnings).toEqual([expect.stringMatching(/^\[0\]: .* were not counted; the 6 rows/)]);
    const beyond = filtered([1, 2, 4, 6], null);
    expect(await faultOf(() => compile(set('c.npy'), beyond, six))).toMatch(/or the number of source rows/);
  });
});

describe('choices from Parquet', () => {
  it('holds ids by default, as text or numbers, null for none, named by its columns', async () => {
    const files = parquet({ greedy: ['3', '7', null, '12'], fixed: [12, 12, 3, null] });
    expect(await choices(set('c.parquet'), log, files)).toEqual([
      ['3', '7', null, '12'],
      ['12', '12', '3', null],
    ]);
    expect((await compile(set('c.parquet'), log, files))[0]?.names).toEqual(['greedy', 'fixed']);
  });

  it('holds indices where told to, also as whole doubles with NaN (pandas)', async () => {
    const files = parquet({ a: [0, 1, Number.NaN, -1] });
    expect(await choices(set('c.parquet', { as: 'index' }), log, files)).toEqual([['3', '7', null, null]]);
  });

  const faults: [columns: Record<string, (number | string | null)[]>, more: object, message: RegExp][] = [
    [
      { a: ['3', '8', '3', '3'] },
      {},
      /dir\/c\.parquet \(set\.json, \[0\]\.file\), row 1, column "a": unknown arm\n {2}got: {4}"8"/,
    ],
    [{ a: [0, 0.5, 0, 0] }, { as: 'index' }, /row 1, column "a": arm index is out of range\n {2}got: {4}0\.5/],
    [{ a: ['3', '3', '3', '3'] }, { as: 'index' }, /row 0, column "a": choice is no arm index[\s\S]*"as": "id"/],
    [{}, {}, /choices hold no policy/],
    [{ a: ['3'] }, {}, /got: {4}1 row × 1 column\n {2}needed: 4 rows/],
  ];
  it.each(faults)('refuses %j %j', async (columns, more, message) => {
    expect(await faultOf(() => compile(set('c.parquet', more), log, parquet(columns)))).toMatch(message);
  });
});

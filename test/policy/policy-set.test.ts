import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyFunction } from '#dist/policy/functions.js';
import { compilePolicySet, keyColumns, parsePolicySet, parsePolicySetText } from '#dist/policy/policy-set.js';
import { compile, faultOf, fourEvents } from './small-log.js';

const parse = (set: unknown) => parsePolicySet(set, { file: 'set.json' });

describe('parsePolicySet', () => {
  const faults: [set: unknown, message: RegExp][] = [
    [{ family: 'constant' }, /set\.json: a policy set is a list[\s\S]*put the entry in a list/],
    ['constant', /a policy set is a list of entries\n {2}got: {4}"constant"/],
    [null, /got: {4}null/],
    [[], /set\.json: the policy set is empty/],
    [['constant'], /set\.json, \[0\]: not an entry/],
    [
      [{ family: 'constant' }, {}],
      /set\.json, \[1\]\.family: missing\n {2}needed: one of: constant, uniform, linear, joint-linear, table, choices/,
    ],
    [[{ family: 'liner' }], /\[0\]\.family: unknown policy family\n {2}got: {4}"liner"[\s\S]*did you mean "linear"\?/],
    [[{ family: 7 }], /got: {4}7/],
    [[{ family: 'linear' }], /\[0\]\.weights: missing\n {2}needed: a \.npy file name, or nested/],
    [
      [{ family: 'linear', weigths: 'w.npy' }],
      /\[0\]: unknown key "weigths"; known keys: family, weights, names, columns, arms, epsilon, temperature \(did you mean "weights"\?\)/,
    ],
    [[{ family: 'linear', weights: 'w.csv' }], /\[0\]\.weights: weights must be a \.npy file\n {2}got: {4}w\.csv/],
    [[{ family: 'linear', weights: 5 }], /\[0\]\.weights: weights are of no known form\n {2}got: {4}5/],
    [[{ family: 'linear', weights: [1, 2] }], /nested 1 deep/],
    [[{ family: 'linear', weights: [] }], /nested 1 deep/],
    [[{ family: 'linear', weights: [[[[1]]]] }], /nested 4 deep/],
    [
      [{ family: 'linear', weights: [[1, 2], [3]] }],
      /\[0\]\.weights\[1\]: ragged weights\n {2}got: {4}1 entry\n {2}needed: an array of 2/,
    ],
    [
      [{ family: 'linear', weights: [[1, '2']] }],
      /\[0\]\.weights\[0\]\[1\]: weight is not a finite number\n {2}got: {4}"2"/,
    ],
    [
      [{ family: 'linear', weights: [[[1, Number.NaN]]] }],
      /weights\[0\]\[0\]\[1\]: weight is not a finite number\n {2}got: {4}NaN/,
    ],
    [[{ family: 'linear', weights: [[1], 2] }], /weights\[1\]: ragged weights\n {2}got: {4}2/],
    [[{ family: 'linear', weights: { data: [1], shape: [1, 1] } }], /weights\.data: weights must be a Float32Array/],
    [
      [{ family: 'linear', weights: { data: new Float64Array(5), shape: [1, 2, 3] } }],
      /5 numbers\n {2}needed: 6: shape \[1, 2, 3\]/,
    ],
    [[{ family: 'linear', weights: { data: new Float64Array(6), shape: [6] } }], /weights\.shape: not a shape/],
    [
      [{ family: 'linear', weights: [[1]], names: [3] }],
      /\[0\]\.names\[0\]: expected string, received number\n {2}got: {4}3/,
    ],
    [[{ family: 'uniform', seed: -1 }], /\[0\]\.seed:[\s\S]*got: {4}-1/],
    [[{ family: 'uniform', seed: 1.5 }], /\[0\]\.seed: expected int[\s\S]*1\.5/],
    [[{ family: 'uniform', replicas: 0 }], /\[0\]\.replicas/],
    [[{ family: 'constant', arms: [] }], /\[0\]\.arms/],
    [
      [{ family: 'constant', arms: [true] }],
      /\[0\]\.arms\[0\]: expected an arm id \(text or a whole number\)\n {2}got: {4}true/,
    ],
    [[{ family: 'choices' }], /\[0\]\.file: missing; expected string/],
    [[{ family: 'choices', file: 'c.csv' }], /\[0\]\.file: choices must be a \.npy or \.parquet file/],
    [[{ family: 'choices', file: 'c.npy', as: 'name' }], /\[0\]\.as/],
    [
      [{ family: 'function', functions: { a: 'x' } }],
      /\[0\]\.functions\.a: not a function; the function family can be used from code only/,
    ],
    [[{ family: 'function', functions: {} }], /at least one function/],
    [[{ family: 'table', tables: [{ choices: {} }] }], /\[0\]: a table needs either keys or period/],
    [[{ family: 'table', keys: ['a'], period: '5m', tables: [{ choices: {} }] }], /either keys or period/],
    [[{ family: 'table', keys: ['a'], tables: [] }], /\[0\]\.tables/],
    [
      [{ family: 'table', keys: ['a'], tables: [{}] }],
      /tables\[0\]: a table with one key takes choices or rows; this one has none/,
    ],
    [[{ family: 'table', keys: ['a'], tables: [{ arms: ['1'] }] }], /takes choices or rows; this one has arms/],
    [
      [{ family: 'table', keys: ['a', 'b'], tables: [{ choices: {} }] }],
      /with several keys takes rows; this one has choices/,
    ],
    [
      [{ family: 'table', keys: ['a', 'a'], tables: [{ rows: [{ when: { a: 1 }, arm: 1 }] }] }],
      /a key is listed twice/,
    ],
    [
      [{ family: 'table', keys: ['a', 'b'], tables: [{ rows: [{ when: { a: 1 }, arm: 1 }] }] }],
      /rows\[0\]\.when: when must give each of the keys a, b; this one gives a/,
    ],
    [
      [{ family: 'table', keys: ['a'], tables: [{ choices: { 'x y': {} } }] }],
      /\[0\]\.tables\[0\]\.choices\["x y"\]: expected an arm id/,
    ],
    [
      [{ family: 'table', keys: ['a'], tables: [{ choices: { x: 1 }, defualt: 1 }] }],
      /tables\[0\]: unknown key "defualt"; known keys: name, choices, rows, arms, default \(did you mean "default"\?\)/,
    ],
    [[{ family: 'table', period: '5 parsecs', tables: [{ arms: ['1'] }] }], /\[0\]\.period: not a period/],
    [[{ family: 'table', period: 0, tables: [{ arms: ['1'] }] }], /\[0\]\.period: not a period/],
    [
      [{ family: 'table', period: '5m', origin: 'May', tables: [{ arms: ['1'] }] }],
      /\[0\]\.origin: not an ISO 8601 time/,
    ],
    [[{ family: 'table', keys: ['a'], origin: '2009-05-01', tables: [{ choices: {} }] }], /origin needs period/],
  ];
  it.each(faults)('refuses %j', async (set, message) => {
    expect(await faultOf(() => parse(set))).toMatch(message);
  });

  it('says how many more faults an entry has', async () => {
    const set = [{ family: 'constant', arms: [true, 1, null] }];
    expect(await faultOf(() => parse(set))).toMatch(/arms\[0\]: .* \(and 1 more\)/);
  });

  it('takes JSON text and names its syntax errors', async () => {
    expect(parsePolicySetText('[{ "family": "constant" }]')).toHaveLength(1);
    expect(await faultOf(() => parsePolicySetText('[\n{]', { file: 'set.json' }))).toContain(
      'set.json, line 2: not valid JSON at column 2',
    );
    // Another file, a log for one, does not even begin as JSON.
    expect(await faultOf(() => parsePolicySetText('arm,click\na,1\n', { file: 'log.csv' }))).toMatch(
      /^log\.csv, line 1: not valid JSON at column 1\n[\s\S]*try: {4}name a policy set: \[\{ "family"/,
    );
    expect(await faultOf(() => parsePolicySetText('[x]'))).not.toContain('name a policy set');
  });

  it('fills in defaults and does not touch the given objects', () => {
    const entry = Object.freeze({ family: 'uniform' });
    expect(parse(Object.freeze([entry]))[0]?.spec).toEqual({ family: 'uniform', seed: 0, replicas: 1 });
  });

  it('is undone by serialisation, and does nothing the second time', () => {
    const id = fc.oneof(fc.string(), fc.maxSafeInteger());
    const entry = fc.oneof(
      fc.record(
        { family: fc.constant('constant'), arms: fc.array(id, { minLength: 1 }) },
        { requiredKeys: ['family'] },
      ),
      fc.record(
        { family: fc.constant('uniform'), seed: fc.nat(), replicas: fc.integer({ min: 1, max: 99 }) },
        { requiredKeys: ['family'] },
      ),
      fc.record({
        family: fc.constant('linear'),
        weights: fc.array(
          fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 2, maxLength: 2 }),
          { minLength: 1 },
        ),
      }),
      fc.record({
        family: fc.constant('table'),
        keys: fc.constant(['k']),
        tables: fc.array(
          fc.record(
            { choices: fc.dictionary(fc.string({ minLength: 1 }), id), default: id },
            { requiredKeys: ['choices'] },
          ),
          { minLength: 1 },
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), (set) => {
        const once = parse(set).map(({ spec }) => spec);
        const again = parsePolicySetText(JSON.stringify(once)).map(({ spec }) => spec);
        // JSON has no -0.
        expect(JSON.stringify(again)).toBe(JSON.stringify(once));
      }),
    );
  });
});

describe('keyColumns', () => {
  it('lists each column once', () => {
    const tables = [{ rows: [{ when: { a: 1, b: 2 }, arm: 1 }] }];
    const set = [
      { family: 'table', keys: ['a', 'b'], tables },
      { family: 'constant' },
      { family: 'table', keys: ['b'], tables: [{ choices: {} }] },
    ];
    expect(keyColumns(parse(set))).toEqual(['a', 'b']);
  });
});

describe('compilePolicySet', () => {
  it('compiles entry by entry, in order, mixing JSON and code', async () => {
    const log = fourEvents();
    const set = [{ family: 'constant' }, policyFunction('mine', () => 0), { family: 'uniform', replicas: 2 }];
    const compiledEntries = await compile(set, log);
    expect(compiledEntries.map((compiled) => [compiled.kind, compiled.policies])).toEqual([
      ['matrix', 3],
      ['matrix', 1],
      ['uniform', 2],
    ]);
    expect(compiledEntries.flatMap((compiled) => compiled.names)).toEqual([
      'constant 3',
      'constant 7',
      'constant 12',
      'mine',
      'uniform 0',
      'uniform 1',
    ]);
  });

  it('says so where no file can be read', async () => {
    const set = parse([{ family: 'linear', weights: 'w.npy' }]);
    expect(await faultOf(() => compilePolicySet(set, fourEvents()))).toMatch(
      /w\.npy .*: this policy set has no way to read files/,
    );
  });

  it('refuses a log without arms', async () => {
    const log = { ...fourEvents(), arms: { ids: [], index: new Map() } };
    expect(await faultOf(() => compile([{ family: 'constant' }], log))).toMatch(/the log has no arms/);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALGORITHMS } from '#dist/learner/set/algorithms.js';
import { epsilonGreedy, exp4, linucb, semp, ucb1 } from '#dist/learner/set/entries.js';
import {
  type LearnerInput,
  learnerKeyColumns,
  parseLearnerSet,
  parseLearnerSetText,
  prepareLearners,
} from '#dist/learner/set/learner-set.js';
import { loadLearnerSet } from '#dist/learner/set/node-learners.js';
import { learnerSetJsonSchema } from '#dist/learner/set/schema.js';
import { encodeNpy } from '#dist/policy/npy.js';
import { faultOf } from '../../policy/small-log.js';
import { among, exploration, plainLog } from '../helpers.js';

const parse = (set: unknown) => parseLearnerSet(set, { file: 'learners.json' });
const names = (set: unknown) => parse(set).map(({ name }) => name);

describe('parseLearnerSet', () => {
  it('fills in defaults and names settings by what was given', () => {
    const [setting] = parse([{ algorithm: 'ucb1', alpha: 0.5 }]);
    expect(setting).toMatchObject({
      name: 'ucb1 alpha=0.5',
      custom: false,
      parameters: { alpha: 0.5, tieTolerance: 1e-6 },
    });
    expect(names([{ algorithm: 'ucb1' }])).toEqual(['ucb1']);
  });

  it('spans grids in the order of the keys, the last fastest', () => {
    expect(names([{ algorithm: 'linucb', alpha: [0.25, 1], tieTolerance: 1e-9 }])).toEqual([
      'linucb alpha=0.25',
      'linucb alpha=1',
    ]);
    expect(names([{ algorithm: 'ucb', tieTolerance: [0, 1e-3], alpha: [1, 2] }, { algorithm: 'random' }])).toEqual([
      'ucb tieTolerance=0 alpha=1',
      'ucb tieTolerance=0 alpha=2',
      'ucb tieTolerance=0.001 alpha=1',
      'ucb tieTolerance=0.001 alpha=2',
      'random',
    ]);
    expect(names([{ algorithm: 'emp' }, { algorithm: 'emp' }, { algorithm: 'emp', priorTrials: [1, 1] }])).toEqual([
      'emp',
      'emp #2',
      'emp priorTrials=1',
      'emp priorTrials=1 #2',
    ]);
  });

  it('leaves parameters that are lists alone', () => {
    const set = parse([
      { algorithm: 'exp4', experts: [{ family: 'constant' }, { family: 'uniform' }], gamma: [0.1, 0.2] },
    ]);
    expect(set.map(({ name }) => name)).toEqual(['exp4 gamma=0.1', 'exp4 gamma=0.2']);
  });

  it('takes entries made in code', () => {
    const set = [linucb({ alpha: [0.1, 0.5] }), ucb1(), epsilonGreedy({ epsilon: 0.1 }), semp({ segment: 'age' })];
    expect(names(set)).toEqual([
      'linucb alpha=0.1',
      'linucb alpha=0.5',
      'ucb1',
      'epsilon-greedy epsilon=0.1',
      'semp segment=age',
    ]);
    const table = { family: 'table' as const, keys: ['kind'], tables: [{ choices: { a: '0' } }] };
    expect(learnerKeyColumns(parse([...set, exp4({ experts: [table] }), semp({ segment: 'age' })]))).toEqual([
      'age',
      'kind',
    ]);
  });

  it('takes learners from code', async () => {
    const custom: LearnerInput = {
      name: 'last',
      keyColumns: ['who'],
      create: () => {
        let last = 0;
        return {
          choose: () => last,
          update: (_event, arm) => {
            last = arm;
          },
        };
      },
    };
    const set = parse([custom, { algorithm: 'random' }, custom]);
    expect(set.map(({ name, custom }) => [name, custom])).toEqual([
      ['last', true],
      ['random', false],
      ['last #2', true],
    ]);
    expect(learnerKeyColumns(set)).toEqual(['who']);
    const log = plainLog(3);
    const [prepared] = await prepareLearners(set, log);
    expect(prepared.algorithm).toBeNull();
    const one = prepared.create(log, exploration());
    one.update(0, 2, 0, 0);
    expect(one.choose(1, among(0, 1, 2))).toBe(2);
    expect(one.state()).toEqual({});
    expect(prepared.create(log, exploration()).choose(1, among(0))).toBe(0);
  });

  const faults: [set: unknown, message: RegExp][] = [
    [{ algorithm: 'ucb1' }, /learners\.json: a learner set is a list[\s\S]*put the entry in a list/],
    [[], /the learner set is empty/],
    [['ucb1'], /\[0\]: not an entry of a learner set\n {2}got: {4}"ucb1"/],
    [[{}], /\[0\]\.algorithm: missing\n {2}needed: one of: random, epsilon-greedy/],
    [
      [{ algorithm: 'linUBC' }],
      /\[0\]\.algorithm: unknown algorithm\n {2}got: {4}"linUBC"[\s\S]*did you mean "linucb"\?/,
    ],
    [
      [{ algorithm: 'ucb1' }, { algorithm: 'ucb', alhpa: 1 }],
      /\[1\]: unknown key "alhpa"; known keys: alpha, tieTolerance \(did you mean "alpha"\?\)/,
    ],
    [[{ algorithm: 'ucb', alpha: [] }], /\[0\]\.alpha: an empty list/],
    [[{ algorithm: 'ucb', alpha: [1, -1] }], /learners\.json, \[0\]\.alpha\[1\]:[\s\S]*got: {4}-1/],
    [[{ algorithm: 'ucb', alpha: [[1]] }], /\[0\]\.alpha\[0\]: expected number/],
    [[{ algorithm: 'ucb', alpha: Number.POSITIVE_INFINITY }], /\[0\]\.alpha/],
    [[{ algorithm: 'epsilon-greedy' }], /\[0\]: epsilon-greedy needs either epsilon or c\n {2}got: {4}neither/],
    [[{ algorithm: 'epsilon-greedy', epsilon: 0.1, c: 1 }], /got: {4}both/],
    [[{ algorithm: 'semp' }], /\[0\]\.segment: missing/],
    [[{ algorithm: 'exp4' }], /\[0\]\.experts: missing/],
    [
      [{ algorithm: 'exp4', experts: [{ family: 'linear', weights: 5 }] }],
      /\[0\]\.experts\[0\]\.weights: weights are of no known form/,
    ],
    [
      [{ algorithm: 'ucb', alpha: new Array(300).fill(1), tieTolerance: new Array(300).fill(0) }],
      /too many settings\n {2}got: {4}90000/,
    ],
    [[{ name: '', create: () => null }], /\[0\]\.name: a learner from code needs a name/],
    [[{ name: 'mine', create: 5 }], /\[0\]\.create: not a function\n {2}got: {4}5/],
  ];
  it.each(faults)('refuses %j', async (set, message) => {
    expect(await faultOf(() => parse(set))).toMatch(message);
  });

  // Each parameter just outside its range: the message names it.
  const ranges: [entry: { algorithm: string } & Record<string, unknown>, parameter: string][] = [
    [{ algorithm: 'epsilon-greedy', epsilon: -0.01 }, 'epsilon'],
    [{ algorithm: 'epsilon-greedy', epsilon: 1.01 }, 'epsilon'],
    [{ algorithm: 'epsilon-greedy', c: -1 }, 'c'],
    [{ algorithm: 'ucb', alpha: -1e-9 }, 'alpha'],
    [{ algorithm: 'ucb', tieTolerance: -1e-9 }, 'tieTolerance'],
    [{ algorithm: 'ucb', tieTolerance: 0.6 }, 'tieTolerance'],
    [{ algorithm: 'ucb1', alpha: '1' }, 'alpha'],
    [{ algorithm: 'thompson', a: 0 }, 'a'],
    [{ algorithm: 'thompson', b: 1e10 }, 'b'],
    [{ algorithm: 'exp3', gamma: 0 }, 'gamma'],
    [{ algorithm: 'exp3', gamma: 1.1 }, 'gamma'],
    [{ algorithm: 'exp3p', gamma: 0 }, 'gamma'],
    [{ algorithm: 'exp3p', eta: -1 }, 'eta'],
    [{ algorithm: 'exp3p', beta: 2 }, 'beta'],
    [{ algorithm: 'exp3p', delta: 0 }, 'delta'],
    [{ algorithm: 'exp3p', horizon: 0.5 }, 'horizon'],
    [{ algorithm: 'exp4', experts: [{ family: 'constant' }], gamma: 0 }, 'gamma'],
    [{ algorithm: 'epoch-greedy', exploit: -1 }, 'exploit'],
    [{ algorithm: 'epoch-greedy', c: -1 }, 'c'],
    [{ algorithm: 'epoch-greedy', c: 1, exploit: 1 }, 'c'],
    [{ algorithm: 'epoch-greedy', segment: '' }, 'segment'],
    [{ algorithm: 'emp', priorTrials: -1 }, 'priorTrials'],
    [{ algorithm: 'emp', priorTrials: 1.5 }, 'priorTrials'],
    [{ algorithm: 'emp', priorPayoff: 1 }, 'priorPayoff'],
    [{ algorithm: 'semp', segment: 'a', priorTrials: -1 }, 'priorTrials'],
    [{ algorithm: 'gamma-poisson', alpha: -1 }, 'alpha'],
    [{ algorithm: 'gamma-poisson', gamma: 0 }, 'gamma'],
    [{ algorithm: 'gamma-poisson', discount: 0 }, 'discount'],
    [{ algorithm: 'gamma-poisson', discount: 1.5 }, 'discount'],
    [{ algorithm: 'gamma-poisson', period: '5 parsecs' }, 'period'],
    [{ algorithm: 'gamma-poisson', periodEvents: 0 }, 'periodEvents'],
    [{ algorithm: 'gamma-poisson', periodEvents: 5, period: '5m' }, 'periodEvents'],
  ];
  it.each(ranges)('refuses %j, naming %s', async (entry, parameter) => {
    expect(await faultOf(() => parse([entry]))).toContain(`learners.json, [0].${parameter}: `);
  });

  it('gives syntax errors their line', async () => {
    expect(await faultOf(() => parseLearnerSetText('[\n{ "algorithm": }]', { file: 'l.json' }))).toMatch(
      /l\.json, line 2/,
    );
  });
});

describe('prepareLearners', () => {
  it('says which entry does not fit the log', async () => {
    const log = plainLog(3, 5, { payoff: [0, 0.5, 1, 1, 0] });
    const fault = (set: unknown) => faultOf(() => prepareLearners(parse(set), log));
    expect(await fault([{ algorithm: 'random' }, { algorithm: 'thompson' }])).toMatch(
      /learners\.json, \[1\]: thompson needs/,
    );
    expect(await fault([{ algorithm: 'semp', segment: 'age' }])).toMatch(
      /learners\.json, \[0\]\.segment: semp: the log has no key column "age"/,
    );
    expect(await fault([{ algorithm: 'exp4', experts: [{ family: 'constant', arms: ['x'] }] }])).toMatch(
      /\[0\]\.experts\[0\]\.arms/,
    );
    expect(await fault([{ algorithm: 'linucb' }])).toMatch(/\[0\]: linucb learns from contexts/);
  });

  it('refuses what custom code returns where it is no learner', async () => {
    const log = plainLog(2);
    const [{ create }] = await prepareLearners(parse([{ name: 'mine', create: () => ({ choose: () => 0 }) }]), log);
    expect(await faultOf(() => create(log, exploration()))).toMatch(
      /\[0\]\.create: create\(\) of "mine" returned no learner/,
    );
  });
});

it('loads a file, and files that its experts name, relative to it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindcast-'));
  try {
    const entry = { algorithm: 'exp4', experts: [{ family: 'linear', weights: 'w.npy' }], gamma: [0.1, 0.5] };
    writeFileSync(join(folder, 'learners.json'), JSON.stringify([entry]));
    writeFileSync(join(folder, 'w.npy'), encodeNpy(Float64Array.of(1, 2, 3, 4), [2, 2]));
    const { set, files } = await loadLearnerSet(join(folder, 'learners.json'));
    expect(set.map(({ name }) => name)).toEqual(['exp4 gamma=0.1', 'exp4 gamma=0.5']);
    const log = plainLog(2, 2, {
      context: [
        [1, 0],
        [0, 1],
      ],
    });
    const [first] = await prepareLearners(set, log, files);
    expect(first.create(log, exploration()).state().experts).toHaveLength(1);
    expect(await faultOf(() => loadLearnerSet(join(folder, 'none.json')))).toMatch(/none\.json: no such file/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('has a JSON Schema with every algorithm, single values and lists', () => {
  const schema = learnerSetJsonSchema() as {
    items: { anyOf: { title: string; properties: Record<string, unknown>; required: string[] }[] };
  };
  const entries = new Map(schema.items.anyOf.map((entry) => [entry.title, entry]));
  expect([...entries.keys()]).toEqual(ALGORITHMS.map(({ name }) => name));
  expect(entries.get('semp')?.required).toEqual(['algorithm', 'segment']);
  expect(entries.get('ucb')?.properties.alpha).toMatchObject({
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'array', minItems: 1 },
    ],
    default: 1,
  });
  expect(entries.get('exp4')?.properties.experts).toMatchObject({ type: 'array', minItems: 1 });
  JSON.stringify(schema);
});

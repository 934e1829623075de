/** A result says what it was made of: the mapping, every column, every file. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import xxhash from 'xxhash-wasm';
import { convert, encodeNpy, evaluate, inspect, logFromColumns, openLog, replay, streamOf } from '#dist/index.js';
import { hindcast } from '../cli/in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-inputs-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function hashOf(path: string) {
  const { create64 } = await xxhash();
  const digits = create64().update(readFileSync(path)).digest().toString(16).padStart(16, '0');
  return { path, bytes: statSync(path).size, hash: `xxh64:${digits}` };
}

const EVENTS = 600;
const rows = Array.from({ length: EVENTS }, (_, t) => ({
  id: t,
  arm: 'abc'[(t * 7 + (t >> 3)) % 3],
  click: Number(t % 5 === 0),
  age: 20 + ((t * 13) % 40),
  city: 'xy'[(t >> 1) % 2],
  note: `n${t % 7}`,
}));
const csvText = `id,arm,click,age,city,note\n${rows.map((row) => Object.values(row).join(',')).join('\n')}\n`;
const csv = write('log.csv', csvText);
const MAPPING = { arm: 'arm', payoff: 'click', context: { onehot: ['city'], numeric: ['a*e'] }, intercept: true };
const weights = write(
  'w.npy',
  encodeNpy(
    Float64Array.from({ length: 24 }, (_, i) => Math.sin(i)),
    [2, 3, 4],
  ),
);
const policies = write(
  'policies.json',
  JSON.stringify([{ family: 'constant' }, { family: 'linear', weights: 'w.npy' }]),
);
const learners = write('learners.json', JSON.stringify([{ algorithm: 'linucb' }, { algorithm: 'ucb1' }]));
const assume = { assumeUniform: true, device: 'cpu', threads: 1 } as const;

const USED = {
  arm: 'arm',
  payoff: 'click',
  context: [{ column: 'city', encode: 'onehot' }, 'age'],
  intercept: true,
};
const COLUMNS = [
  { name: 'id', roles: ['filter'] },
  { name: 'arm', roles: ['arm'] },
  { name: 'click', roles: ['payoff'] },
  { name: 'age', roles: ['context'], encode: 'numeric' },
  { name: 'city', roles: ['context'], encode: 'onehot' },
  { name: 'note', roles: [], unused: 'the mapping does not name it' },
];

describe('a result', () => {
  it('has the mapping as it was used, every column, and every file with its hash', async () => {
    const log = { files: [csv], mapping: MAPPING, where: 'id < 550' };
    const result = await evaluate({ log, policies, ...assume });
    expect(result.log).toMatchObject({ mapping: USED, columns: COLUMNS, options: {}, where: 'id < 550' });
    expect(result.inputs).toEqual([
      { role: 'log', ...(await hashOf(csv)) },
      { role: 'policies', ...(await hashOf(policies)) },
      { role: 'parameters', ...(await hashOf(weights)) },
    ]);
    const pasted = await evaluate({
      log: { ...log, mapping: JSON.parse(JSON.stringify(result.log.mapping)) },
      policies,
      ...assume,
    });
    expect({ ...pasted, engine: null }).toEqual({ ...result, engine: null });
    const learnt = await replay({ ...log, skipBadRows: true }, learners, assume);
    expect(learnt.log).toMatchObject({ mapping: USED, columns: COLUMNS, options: { skipBadRows: true } });
    expect(learnt.inputs).toEqual([
      { role: 'log', ...(await hashOf(csv)) },
      { role: 'learners', ...(await hashOf(learners)) },
    ]);
    const { mapping, columns, inputs } = await inspect(log);
    expect({ mapping, columns, inputs }).toEqual({
      mapping: USED,
      columns: COLUMNS,
      inputs: [{ role: 'log', ...(await hashOf(csv)) }],
    });
  });

  it('has what options and policies add to the mapping', async () => {
    const table = [
      { family: 'table', keys: ['note'], tables: [{ choices: { n1: 'a', n2: 'b' }, default: 'c' }] },
    ] as never;
    const gaps = write('gaps.csv', csvText.replace('\n7,', '\n7,').replace(/^(3,\w),\d,(\d+)/m, '$1,,'));
    const result = await evaluate({
      log: {
        files: [gaps],
        mapping: { ...MAPPING, candidates: { id: 'city', sets: { x: ['a', 'b', 'c'], y: ['c', 'a', 'b'] } } },
        missingPayoff: 0,
        impute: { '*': 'mean' },
        arms: ['c', 'b', 'a'],
        payoffRange: [0, 2],
        allowLeak: ['city'],
      },
      policies: table,
      ...assume,
    });
    expect(result.log.mapping).toEqual({
      ...USED,
      candidates: { id: 'city', sets: { x: ['a', 'b', 'c'], y: ['c', 'a', 'b'] } },
      keys: ['note'],
      payoffRange: [0, 2],
      arms: ['c', 'b', 'a'],
      missingPayoff: 0,
      impute: { age: 'mean' },
    });
    expect(result.log.options).toEqual({ allowLeak: ['city'] });
    expect(result.log.columns.find(({ name }) => name === 'city')?.roles).toEqual(['candidates', 'context']);
    expect(result.log.columns.find(({ name }) => name === 'note')?.roles).toEqual(['key']);
  });

  it('is the same however the log is gone through, and after an interruption', async () => {
    const log = { files: [csv], mapping: MAPPING };
    const whole = await replay(log, learners, assume);
    const record = ({ log, inputs }: typeof whole) => ({ log, inputs });
    expect(record(await replay(log, learners, { ...assume, stretchEvents: 64 }))).toEqual(record(whole));
    expect(record(await replay(log, learners, { ...assume, memory: '3GB' }))).toEqual(record(whole));
    const stop = new AbortController();
    const options = { ...assume, resume: join(folder, 'state'), stretchEvents: 50, checkpointEvery: 0 };
    const broken = replay(log, learners, {
      ...options,
      signal: stop.signal,
      onProgress: ({ phase, done }) => phase === 'replay' && done > 200 && stop.abort(),
    });
    await expect(broken).rejects.toThrow();
    expect(record(await replay(log, learners, options))).toEqual(record(whole));
  });

  it.each([
    ['gz', (text: string) => gzipSync(text)],
    ['jsonl', () => rows.map((row) => JSON.stringify(row)).join('\n')],
    ['utf-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ])('names files by what is on disk: %s', async (kind, bytes) => {
    const file = write(kind === 'jsonl' ? 'other.jsonl' : `other.csv${kind === 'gz' ? '.gz' : ''}`, bytes(csvText));
    const encoding = kind === 'utf-16' ? ({ encoding: 'utf-16' } as const) : {};
    const log = { files: [file], mapping: MAPPING, ...encoding };
    const result = await evaluate({ log, policies: [{ family: 'constant' }], ...assume });
    expect(result.inputs).toEqual([{ role: 'log', ...(await hashOf(file)) }]);
    expect(result.log.options).toEqual(encoding);
  });

  it('names a packed log, and what it was made of', async () => {
    const out = join(folder, 'packed.parquet');
    await convert({ files: [csv], mapping: MAPPING, where: 'id < 550' }, out);
    for (const options of [{}, { stretchEvents: 100 }]) {
      const result = await evaluate({
        log: { files: [out] },
        policies: [{ family: 'constant' }],
        ...assume,
        ...options,
      });
      expect(result.log).toMatchObject({ mapping: USED, columns: COLUMNS });
      expect(result.inputs).toEqual([
        {
          role: 'log',
          path: out,
          bytes: statSync(out).size,
          hash: expect.stringMatching(/^crc32:[0-9a-f]{8}$/),
          from: [{ role: 'log', ...(await hashOf(csv)) }],
        },
      ]);
    }
  });

  it('names a log made in code by its events, and where those once came from', async () => {
    const columns = { arm: rows.map(({ arm }) => arm), payoff: rows.map(({ click }) => click) };
    const log = logFromColumns(columns);
    const of = async (one: Parameters<typeof evaluate>[0]['log']) =>
      (await evaluate({ log: one, policies: [{ family: 'constant' }], ...assume })).inputs;
    const [input] = await of(log);
    expect(input).toEqual({
      role: 'log',
      path: null,
      bytes: null,
      hash: expect.stringMatching(/^xxh64:[0-9a-f]{16}$/),
    });
    expect(await of(streamOf(logFromColumns(columns)))).toEqual([input]);
    const flipped = { ...columns, payoff: columns.payoff.map((payoff, t) => (t === EVENTS - 1 ? 1 - payoff : payoff)) };
    expect((await of(logFromColumns(flipped)))[0].hash).not.toBe(input.hash);
    const read = await openLog({ files: [csv], mapping: MAPPING });
    expect(await of(read)).toEqual([
      { ...input, hash: expect.not.stringMatching(input.hash), from: read.source.inputs },
    ]);
    expect((await evaluate({ log, policies: [{ family: 'constant' }], ...assume })).log.columns).toEqual([
      { name: 'arm', roles: ['arm'] },
      { name: 'payoff', roles: ['payoff'] },
    ]);
  });

  it('has the mapping file, and standard input by its name', async () => {
    const mapping = write('mapping.json', JSON.stringify(MAPPING));
    const args = [
      '--mapping',
      mapping,
      '--policies',
      policies,
      '--device',
      'cpu',
      '--assume-uniform',
      '--format',
      'json',
    ];
    const { stdout } = await hindcast(['evaluate', csv, ...args]);
    expect(JSON.parse(stdout).inputs[1]).toEqual({ role: 'mapping', ...(await hashOf(mapping)) });
  });

  it('says in its table which column is what, and which was left out', async () => {
    const { stdout } = await hindcast([
      ...['evaluate', csv, '--arm', 'arm', '--payoff', 'click', '--numeric', 'age'],
      ...['--policies', policies.replace('policies', 'constant'), '--device', 'cpu', '--assume-uniform'],
    ]);
    expect(stdout).toContain('columns    arm arm; payoff click; context age; left out: id, city, note');
  });
});

write('constant.json', '[{ "family": "constant" }]');

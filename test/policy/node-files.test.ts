import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPolicySet, nodeFiles } from '#dist/policy/node-files.js';
import { encodeNpy } from '#dist/policy/npy.js';
import { compilePolicySet } from '#dist/policy/policy-set.js';
import { referenceChoice } from '#dist/policy/reference.js';
import { faultOf, fourEvents } from './small-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-policy-'));
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  mkdirSync(path('sub'));
  writeFileSync(path('sub/w.npy'), encodeNpy(Float64Array.of(0, 0, 1, 0, 0, 1), [3, 2]));
  writeFileSync(path('sub/c.npy'), encodeNpy(BigInt64Array.of(0n, 1n, 2n, -1n)));
  writeFileSync(
    path('set.json'),
    JSON.stringify([
      { family: 'linear', weights: 'sub/w.npy' },
      { family: 'choices', file: 'sub/c.npy' },
      { family: 'choices', file: "sub/it's.parquet" },
    ]),
  );
  writeFileSync(path('broken.json'), '[{ "family": "constant", }]');
  writeFileSync(path('broken.parquet'), 'PAR1 not really');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const copy = (select: string, file: string) =>
    connection.run(`COPY (${select}) TO '${path(file).replaceAll("'", "''")}' (FORMAT parquet)`);
  await copy("SELECT * FROM (VALUES ('3', 7), ('7', 7), (NULL, 12), ('12', NULL)) t(text, number)", "sub/it's.parquet");
  await copy(
    `SELECT 1::TINYINT a, 4294967295::UINTEGER b, 7::BIGINT c, 9007199254740993::BIGINT d, 1.5::FLOAT e, 1.25::DECIMAL(4,2) f,
      true g, DATE '2009-05-01' h, 18446744073709551615::UBIGINT i, 'x' "j ""k""", NULL::INTEGER l,
      7.0::DECIMAL(9,1) m, 9007199254740993::DECIMAL(20,0) n, 0.1234567890123456789::DECIMAL(38,19) o, NULL::DECIMAL(4,2) p`,
    'types.parquet',
  );
  connection.closeSync();
  instance.closeSync();
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('loadPolicySet', () => {
  it('reads a set and the files it names, relative to it', async () => {
    const { set, files } = await loadPolicySet(path('set.json'));
    const log = fourEvents();
    const compiledEntries = await compilePolicySet(set, log, files);
    const found = compiledEntries.flatMap((compiled) => {
      const choose = referenceChoice(compiled, log);
      return compiled.names.map((_, p) => [0, 1, 2, 3].map((t) => choose(p, t)));
    });
    expect(found).toEqual([
      [1, 2, 1, 2],
      [0, 1, 2, -1],
      [0, 1, -1, 2],
      [1, 1, 2, -1],
    ]);
    expect(compiledEntries[2]?.names).toEqual(['text', 'number']);
  });

  it('names what is wrong with files', async () => {
    expect(await faultOf(() => loadPolicySet(path('none.json')))).toBe(`${path('none.json')}: no such file`);
    expect(await faultOf(() => loadPolicySet(folder))).toBe(`${folder}: is a folder, not a file`);
    expect(await faultOf(() => loadPolicySet(path('broken.json')))).toContain(
      'broken.json, line 1: not valid JSON at column 26',
    );
    writeFileSync(path('missing.json'), '[{ "family": "linear", "weights": "none.npy" }]');
    const { set, files } = await loadPolicySet(path('missing.json'));
    expect(await faultOf(() => compilePolicySet(set, fourEvents(), files))).toBe(
      `${path('none.npy')} (${path('missing.json')}, [0].weights): no such file`,
    );
  });
});

describe('nodeFiles', () => {
  it('resolves relative and absolute paths', () => {
    expect(nodeFiles('sets').resolve('w.npy')).toBe(join('sets', 'w.npy'));
    expect(nodeFiles('sets').resolve('/data/w.npy')).toBe('/data/w.npy');
  });

  it('reads Parquet types without loss: numbers as numbers, the rest as text', async () => {
    const { columns, rows, data } = await nodeFiles(folder).parquet('types.parquet');
    expect(rows).toBe(1);
    expect(columns).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j "k"', 'l', 'm', 'n', 'o', 'p']);
    expect(data.map((column) => column[0])).toEqual([
      1,
      4294967295,
      7,
      '9007199254740993',
      1.5,
      1.25,
      'true',
      '2009-05-01',
      '18446744073709551615',
      'x',
      null,
      // DECIMAL: the nearest number, but for whole ones that it would change, which may be ids.
      7,
      '9007199254740993',
      0.12345678901234568,
      null,
    ]);
  });

  it('names what is wrong with Parquet files', async () => {
    const files = nodeFiles(folder);
    expect(await faultOf(() => files.parquet('none.parquet'))).toMatch(/none\.parquet: no such file$/);
    expect(await faultOf(() => files.parquet('broken.parquet'))).toMatch(
      /broken\.parquet: not a readable Parquet file/,
    );
  });
});

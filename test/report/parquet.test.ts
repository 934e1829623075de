/** A result as Parquet, read by DuckDB: rows with their types, and all else of the result in the metadata. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { toParquet } from '#dist/report/parquet.js';
import { evaluation } from './html/samples.js';

test('other programs read it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'h-parquet-'));
  const result = evaluation(3);
  const file = join(folder, 'result.parquet');
  writeFileSync(file, toParquet(result));
  const connection = await (await DuckDBInstance.create()).connect();
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjects();
  expect(await rows(`SELECT index, name, matches, value FROM '${file}'`)).toEqual(
    result.policies.map(({ index, name, matches, value }) => ({
      ...{ index: BigInt(index), name, matches: BigInt(matches), value },
    })),
  );
  const [{ about }] = await rows(
    `SELECT decode(value) AS about FROM parquet_kv_metadata('${file}') WHERE decode(key) = 'hindcast'`,
  );
  const { policies: _, ...rest } = result;
  expect(JSON.parse(String(about))).toEqual(JSON.parse(JSON.stringify(rest)));
  connection.closeSync();
  rmSync(folder, { recursive: true });
});

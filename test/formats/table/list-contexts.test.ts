/** Columns of lists as contexts: a feature per element, of the same number in every row. */

import { DuckDBInstance } from '@duckdb/node-api';
import { Field, FixedSizeList, Float32, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { convert } from '#dist/open/convert.js';
import { pathOf, write } from '../../log/files.js';

const D = 5;
const vector = (t: number): number[] => Array.from({ length: D }, (_, j) => ((t * 7 + j * 3) % 16) / 8 - 1);
const ROWS = Array.from({ length: 90 }, (_, t) => ({ arm: 'abc'[(t * 5) % 3], payoff: t % 2, emb: vector(t), x: t }));
const MAPPING = { arm: 'arm', payoff: 'payoff', context: ['emb', 'x'] };
const NAMES = [...Array.from({ length: D }, (_, j) => `emb[${j}]`), 'x'];

const csv = (rows: readonly { arm: string; payoff: number; emb: unknown; x: number }[]) =>
  `arm;payoff;emb;x\n${rows.map(({ arm, payoff, emb, x }) => `${arm};${payoff};${typeof emb === 'string' ? emb : JSON.stringify(emb)};${x}`).join('\n')}\n`;
const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function parquet(name: string, type: string): Promise<string> {
  const lines = write(`${name}.jsonl`, jsonl(ROWS));
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(
    `COPY (SELECT arm, payoff, CAST(emb AS ${type}) AS emb, x FROM read_json('${lines}')) TO '${pathOf(name)}' (FORMAT parquet)`,
  );
  connection.closeSync();
  return pathOf(name);
}

const FILES: Record<string, () => string | Promise<string>> = {
  csv: () => write('lists.csv', csv(ROWS)),
  jsonl: () => write('lists.jsonl', jsonl(ROWS)),
  'Parquet, DOUBLE[]': () => parquet('lists.parquet', 'DOUBLE[]'),
  'Parquet, FLOAT[5]': () => parquet('fixed.parquet', 'FLOAT[5]'),
  'Arrow, fixed': () => {
    const text = vectorFromArray(
      ROWS.map(({ arm }) => arm),
      new Utf8(),
    );
    const numbers = (values: number[]) => vectorFromArray(values, new Float32());
    const emb = vectorFromArray(
      ROWS.map(({ emb }) => emb),
      new FixedSizeList(D, new Field('e', new Float32())),
    );
    const table = new Table({
      arm: text,
      payoff: numbers(ROWS.map(({ payoff }) => payoff)),
      emb,
      x: numbers(ROWS.map(({ x }) => x)),
    });
    return write('lists.arrow', tableToIPC(table, 'file'));
  },
};

describe.each(Object.entries(FILES))('%s', (_, file) => {
  it('gives a feature per element', async () => {
    const log = await readLog([await file()], { mapping: MAPPING });
    expect(log.contexts.columns).toEqual(NAMES);
    ROWS.forEach(({ emb, x }, t) => {
      const at = (log.contexts.row?.[t] ?? t) * (D + 1);
      expect([...log.contexts.values.slice(at, at + D + 1)]).toEqual([...emb, x]);
    });
  });
});

describe('lists', () => {
  it.each<[string, unknown, string]>([
    ['shorter', [1, 2], '"[1,2]"'],
    ['longer', [1, 2, 3, 4, 5, 6], '"[1,2,3,4,5,6]"'],
    ['none at all', '', 'nothing'],
    ['no list', 'x', '"x"'],
    ['cut off', '[1,2,3,4', '"[1,2,3,4"'],
  ])('of another length are errors with their row: %s', async (_, emb, got) => {
    const file = write('bad.csv', csv(ROWS.map((row, t) => (t === 77 ? { ...row, emb } : row))));
    const error: unknown = await readLog([file], { mapping: MAPPING }).catch((e: unknown) => e);
    expect(String(error)).toContain('row 77 (line 79), column "emb": feature is no list of that length');
    expect(String(error)).toContain(`got:    ${got}\n  needed: a list of 5 numbers`);
    const log = await readLog([file], { mapping: MAPPING, skipBadRows: true });
    expect([log.events, log.source.badRows.map(({ kind, count }) => [kind, count])]).toEqual([
      89,
      [['feature is no list of that length', 1]],
    ]);
  });

  it.each([['[1,2,null,4,5]'], ['[1,2,"x",4,5]'], ['[1,2,[3],4,5]'], ['[1,2,,4,5]']])(
    'hold numbers only: %s',
    async (emb) => {
      const file = write('nan.csv', csv(ROWS.map((row, t) => (t === 3 ? { ...row, emb } : row))));
      await expect(readLog([file], { mapping: MAPPING })).rejects.toThrow(
        /row 3 \(line 5\), column "emb": feature is (not a number|no list)/,
      );
    },
  );

  it('are finite', async () => {
    const file = write('inf.csv', csv(ROWS.map((row, t) => (t === 3 ? { ...row, emb: '[1,2,inf,4,5]' } : row))));
    await expect(readLog([file], { mapping: MAPPING })).rejects.toThrow('feature is not finite');
  });

  it('are packed, and read in batches, with the same result', async () => {
    const file = write('large.csv', csv(Array.from({ length: 6000 }, (_, t) => ({ ...ROWS[t % 90], x: t }))));
    const weights = [0, 1, 2].map((a) => NAMES.map((_, j) => ((a * 5 + j * 11) % 7) - 3));
    const policies = [{ family: 'linear', weights: [weights], columns: NAMES }] as const;
    const log = { files: [file], mapping: MAPPING };
    const options = { policies: policies as never, assumeUniform: true };
    const whole = await evaluate({ log, ...options });
    const packed = pathOf('lists-packed.parquet');
    await convert(log, packed, { memory: 700e6 });
    const other = await evaluate({ log: { files: [packed] }, ...options, stretchEvents: 512 });
    expect(other.policies).toEqual(whole.policies);
  });

  it('are refused as one-hot columns and as payoffs', async () => {
    const file = await FILES['Parquet, DOUBLE[]']();
    const context = { onehot: ['emb'] };
    await expect(readLog([file], { mapping: { ...MAPPING, context } })).rejects.toThrow(
      /column "emb": the column has the wrong type/,
    );
    await expect(readLog([file], { mapping: { arm: 'arm', payoff: 'emb' } })).rejects.toThrow('wrong type');
  });
});

it('an empty list in the first row makes no lists of the numbers of others', async () => {
  const file = write('empty-list.jsonl', '{"arm":"a","payoff":1,"x":[]}\n{"arm":"b","payoff":0,"x":2}\n');
  const mapping = { arm: 'arm', payoff: 'payoff', context: { numeric: ['x'] } };
  await expect(readLog([file], { mapping })).rejects.toThrow(/row 0 \(line 1\), column "x"/);
  const { events, contexts } = await readLog([file], { mapping, skipBadRows: true });
  expect([events, ...(contexts.values ?? [])]).toEqual([1, 2]);
});

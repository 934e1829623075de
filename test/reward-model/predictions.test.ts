/** Predictions from files: what is read, and what is refused, with its place. */

import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { openDatabase } from '#dist/files/duckdb.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { headOf } from '#dist/log/stream-of.js';
import { encodeNpy } from '#dist/policy/npy.js';
import { arrayWriter } from '#dist/reward-model/files/parquet-file.js';
import { openRewardModel } from '#dist/reward-model/reward-model.js';
import { fourEvents } from '../policy/small-log.js';
import { batchesOf, fittedModel, tableOf } from './fitted.js';

const folder = mkdtempSync(join(tmpdir(), 'predictions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Four events, three arms: 0.5, 1.5, 2.5, … */
const Q = Float64Array.from({ length: 12 }, (_, i) => i + 0.5);
const log = fourEvents();
/** Events that offer two of the three arms: "7" and "3", "3" and "7", "12" and "3", "7" and "3". */
const pooled = fourEvents({
  candidates: [
    ['7', '3'],
    ['3', '7'],
    ['12', '3'],
    ['7', '3'],
  ],
});

let count = 0;
function npy(...content: Parameters<typeof encodeNpy>): string {
  return bytes(encodeNpy(...content));
}
function bytes(content: Uint8Array | string, ending = 'npy'): string {
  const path = join(folder, `${count++}.${ending}`);
  writeFileSync(path, content);
  return path;
}
/** The array with its axes swapped, as `np.save` writes a transposed one. */
function fortran(data: Float64Array | Float32Array, rows: number, columns: number): string {
  const swapped = data.map((_, i) => data[(i % rows) * columns + Math.floor(i / rows)]);
  const text = Buffer.from(encodeNpy(swapped, [rows, columns])).toString('latin1');
  return bytes(Buffer.from(text.replace('False', 'True '), 'latin1'));
}
async function parquet(select: string): Promise<string> {
  const path = join(folder, `${count++}.parquet`);
  const database = await openDatabase(folder);
  await database.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  database.close();
  return path;
}
const predicted = async (predictions: string, of: EventLog = log, batches = [of]): Promise<Float64Array> => {
  const model = await fittedModel(of, { predictions }, batches, true);
  const table = tableOf(model, of, batches);
  model.close?.();
  return table;
};
const fault = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(InputError);
  return (error as Error).message;
};

describe('are read', () => {
  it('as they are, in any number of batches', async () => {
    const path = npy(Q, [4, 3]);
    for (const batches of [1, 2, 4]) expect(await predicted(path, log, batchesOf(log, batches))).toEqual(Q);
  });

  it.each([
    ['float32', () => npy(Float32Array.from(Q), [4, 3])],
    ['columns first', () => fortran(Q, 4, 3)],
    ['columns first, float32', () => fortran(Float32Array.from(Q), 4, 3)],
    ['with an axis of one position', () => npy(Q, [4, 3, 1])],
  ])('%s', async (_, write) => {
    expect(await predicted(write(), log, batchesOf(log, 2))).toEqual(Q);
  });

  it.each([
    ['lists', "SELECT [t + .5, t + 1.5, t + 2.5]::DOUBLE[] AS q, 'x' AS other FROM (SELECT 3 * unnest(range(4)) AS t)"],
    [
      'floats of fixed number',
      'SELECT [t + .5, t + 1.5, t + 2.5]::FLOAT[3] AS q FROM (SELECT 3 * unnest(range(4)) AS t)',
    ],
    [
      'columns of arms',
      'SELECT t + 2.5 AS "12", t + 1.5::FLOAT AS "7", t + .5 AS "3" FROM (SELECT 3 * unnest(range(4)) AS t)',
    ],
  ])('of Parquet: %s', async (_, select) => {
    expect(await predicted(await parquet(select), log, batchesOf(log, 2))).toEqual(Q);
  });

  it('by rows of the files where the log is a part of these', async () => {
    const part = { ...log, sourceRow: Uint32Array.of(1, 2, 6, 9), source: { ...log.source, rows: 10 } };
    const all = Float64Array.from({ length: 30 }, (_, i) => i);
    const rows = [1, 2, 6, 9].flatMap((row) => [3 * row, 3 * row + 1, 3 * row + 2]);
    expect(await predicted(npy(all, [10, 3]), part, batchesOf(part, 2))).toEqual(Float64Array.from(rows));
    const sorted = { ...part, sourceRow: Uint32Array.of(6, 2, 9, 1) };
    const [a, b, c, d] = [0, 3, 6, 9].map((from) => rows.slice(from, from + 3));
    expect(await predicted(npy(all, [10, 3]), sorted)).toEqual(Float64Array.from([...c, ...b, ...d, ...a]));
    // By event too.
    expect(await predicted(npy(Q, [4, 3]), part)).toEqual(Q);
  });

  it('with anything where an arm is no candidate', async () => {
    const holes = Q.slice();
    // "12" at the first event, "7" at the third.
    holes[2] = Number.NaN;
    holes[7] = Number.NEGATIVE_INFINITY;
    const table = await predicted(npy(holes, [4, 3]), pooled, batchesOf(pooled, 2));
    expect(table).toEqual(Q.map((value, i) => (i === 2 || i === 7 ? 0 : value)));
  });

  it('of Parquet piece by piece, however many rows and arms there are', async () => {
    const [L, K] = [2100, 260];
    const arms = Array.from({ length: K }, (_, a) => String(a));
    const many = logFromColumns({
      ...{ arms, arm: Array.from({ length: L }, (_, t) => arms[t % K]), payoff: new Array(L).fill(0) },
    });
    const q = (t: string, a: string) => `(${t} * ${K} + ${a}) / 7.0`;
    const columns = arms.map((a) => `${q('t', a)} AS "${a}"`);
    const parts = batchesOf(many, 3);
    const expected = Float64Array.from({ length: L * K }, (_, i) => i / 7);
    const lists = await parquet(
      `SELECT list_transform(range(${K}), a -> ${q('t', 'a')})::DOUBLE[] AS q FROM range(${L}) AS r(t)`,
    );
    for (const path of [lists, await parquet(`SELECT ${columns.join(', ')} FROM range(${L}) AS r(t)`)]) {
      const model = await openRewardModel(headOf(many), L, { predictions: path });
      expect(tableOf(model, many, parts).findIndex((value, i) => value !== expected[i])).toBe(-1);
      model.close?.();
    }
    const before = (await openRewardModel(headOf(log), 4, { predictions: npy(Q, [4, 3]) })).held;
    const model = await openRewardModel(headOf(many), L, { predictions: lists });
    expect(model.held).toBe(before);
    model.close?.();
  });

  it.runIf(existsSync('/dev/full'))('of Parquet only where there is room to write them out', () => {
    const full = openSync('/dev/full', 'w');
    const write = arrayWriter('q.parquet', full, 12_000);
    expect(() => write(Float64Array.of(1, 2), 0)).toThrow(
      /q\.parquet: the predictions are written out .*\n.*ENOSPC.*\n.*12,000 bytes\n.*TMPDIR.*\.npy/,
    );
    closeSync(full);
  });

  it('by a column that has their rows, once each', async () => {
    const keyed = {
      ...pooled,
      keys: new Map([['pair', { levels: ['2', '0', '1'], code: Uint32Array.of(1, 2, 0, 1) }]]),
    };
    const q = Q.slice(0, 9);
    // What nobody may choose: "12" at row 0, "7" at row 2.
    [q[2], q[7]] = [Number.NaN, Number.POSITIVE_INFINITY];
    const rows = [0, 1, 2, 0].flatMap((row) => [3 * row, 3 * row + 1, 3 * row + 2]);
    const expected = Float64Array.from(rows, (i) => (i === 2 || i === 7 ? 0 : q[i]));
    for (const batches of [1, 2, 4]) {
      const model = await fittedModel(
        keyed,
        { predictions: npy(q, [3, 3]), predictionRows: 'pair' },
        batchesOf(keyed, batches),
        true,
      );
      expect(tableOf(model, keyed, batchesOf(keyed, batches))).toEqual(expected);
      expect(model.predict(keyed).rows).toBe(3);
      expect([model.rows, model.description.parameters.rowsOf]).toEqual([3, 'pair']);
      expect(model.warnings().join('\n')).not.toContain('the column');
      model.close?.();
    }
    const longer = await fittedModel(keyed, { predictions: npy(Q, [4, 3]), predictionRows: 'pair' }, [keyed], true);
    expect(longer.warnings()[0]).toMatch(/the column "pair" has the numbers of 3 of its 4 rows/);
    longer.close?.();
    const open = (content: Float64Array, of: EventLog, column = 'pair') =>
      fault(
        fittedModel(
          of,
          { predictions: npy(content, [content.length / 3, 3]), predictionRows: column },
          [of],
          true,
        ).then((model) => model.predict(of)),
      );
    expect(await open(q, pooled, 'pairs')).toMatch(
      /the predictions have a row for each value of a key column that the log does not have\n.*pairs\n.*among "?segment/,
    );
    expect(await open(q.slice(0, 6), keyed)).toMatch(
      /the predictions have no such row as the column "pair" says\n.*"2"\n.*0 to 1/,
    );
    q[3] = Number.NaN;
    expect(await open(q, keyed)).toMatch(
      /row 1, column "3": the prediction for arm "3", a candidate there, is not finite/,
    );
  });

  it('and described: no folds, not checked', async () => {
    const path = npy(Q, [4, 3]);
    const model = await openRewardModel(headOf(log), 4, { predictions: path });
    expect(model.fitted).toBe(true);
    expect(model.description).toEqual({
      name: 'predictions',
      parameters: { file: path, format: 'npy', rows: 4 },
      folds: null,
      crossFitted: null,
      passes: 0,
    });
    expect(model.inputs).toEqual([
      { role: 'parameters', path, bytes: 224, hash: expect.stringMatching(/^xxh64:[0-9a-f]{16}$/) },
    ]);
    const [unchecked, units, ...rest] = model.warnings();
    expect(unchecked).toMatch(/not checked for cross-fitting/);
    expect(units).toMatch(/reach from 0\.5 to 11\.5, and payoffs lie in 0 to 1/);
    expect(rest).toEqual([]);
    model.close?.();
  });
});

const BAD: [what: string, write: () => string | Promise<string>, message: RegExp, of?: EventLog][] = [
  ['no file', () => join(folder, 'none.npy'), /none\.npy: no such file/],
  ['no Parquet file', () => join(folder, 'none.parquet'), /none\.parquet: no such file/],
  ['a folder', () => folderAt('d.npy'), /d\.npy: is a directory/],
  ['no .npy', () => bytes('arm,q\n'), /not a \.npy file\n.*61 72 6d/],
  ['an empty file', () => bytes(''), /not a \.npy file\n.*an empty file/],
  [
    'a file cut short',
    () => cut(npy(Q, [4, 3]), 200),
    /cut short\n.*72 bytes of data\n.*96 bytes: shape \[4, 3\] of f8/,
  ],
  [
    'bytes behind the array',
    () => bytes(Buffer.concat([encodeNpy(Q, [4, 3]), Buffer.from('x')])),
    /bytes after its array/,
  ],
  [
    'whole numbers',
    () => npy(new Int32Array(12), [4, 3]),
    /must be real numbers.*\n.*dtype i4\n.*float64 or float32\n.*astype/,
  ],
  [
    'too few events',
    () => npy(Q.slice(3), [3, 3]),
    /wrong shape.*\n.*\[3, 3\]\n.*\[L, 3\]: L = 4, one per event.*\n.*--where/,
  ],
  ['events and arms swapped', () => npy(Q, [3, 4]), /wrong shape.*\n.*\[3, 4\]\n.*\n.*np\.save\(path, q\.T\)/],
  [
    'an arm too few',
    () => npy(Q.slice(4), [4, 2]),
    /\[4, 2\]\n.*\[L, 3\].*3 arms\n.*a column per arm of the log, in its order/,
  ],
  ['one dimension', () => npy(Q), /wrong shape.*\n.*\[12\]/],
  ['several positions', () => npy(new Float64Array(24), [4, 3, 2]), /\[4, 3, 2\]\n.*\n.*of several positions/],
  ['NaN', () => npy(set(4, Number.NaN), [4, 3]), /row 1, column "7": .*arm "7".*not finite\n.*NaN\n/],
  ['infinity', () => npy(set(11, Number.POSITIVE_INFINITY), [4, 3]), /row 3, column "12": .*\n.*Infinity/],
  ['NaN at a candidate', () => npy(set(8, Number.NaN), [4, 3]), /row 2, column "12"/, pooled],
  ['no Parquet', () => bytes('PAR1', 'parquet'), /cannot be read as Parquet/],
  [
    'text',
    () => parquet('SELECT \'a\' AS "3", 1. AS "7", 2. AS "12" FROM range(4)'),
    /column "3": .*numbers\n.*VARCHAR/,
  ],
  [
    'no column of predictions',
    () => parquet('SELECT 1. AS q FROM range(4)'),
    /no column.*\n.*"q" DECIMAL.*\n.*named by its id\n/,
  ],
  [
    'two columns of lists',
    () => parquet('SELECT [1.]::DOUBLE[] AS q, [1.]::DOUBLE[] AS r FROM range(4)'),
    /several columns of lists/,
  ],
  ['an arm without a column', () => parquet('SELECT 1. AS "3", 2. AS "7" FROM range(4)'), /arm "12" has no column/],
  [
    'rows too many',
    () => parquet('SELECT [1., 2., 3.]::DOUBLE[] AS q FROM range(5)'),
    /wrong number of rows.*\n.*5 rows\n.*4, one per event/,
  ],
  [
    'a list too short',
    () => parquet('SELECT CASE t WHEN 2 THEN [1.] ELSE [1., 2., 3.] END::DOUBLE[] AS q FROM range(4) AS r(t)'),
    /row 2, column "q": .*\n.*1 number\n.*3, one per arm/,
  ],
  [
    'no list',
    () => parquet('SELECT CASE t WHEN 1 THEN NULL ELSE [1., 2., 3.] END::DOUBLE[] AS q FROM range(4) AS r(t)'),
    /row 1, column "q": .*\n.*null/,
  ],
  ['null in a list', () => parquet('SELECT [1., NULL, 3.]::DOUBLE[] AS q FROM range(4)'), /row 0, column "7"/],
  [
    'null in a column',
    () => parquet('SELECT 1. AS "3", 2. AS "7", nullif(t, 3)::DOUBLE AS "12" FROM range(4) AS r(t)'),
    /row 3, column "12"/,
  ],
];

function set(at: number, value: number): Float64Array {
  const out = Q.slice();
  out[at] = value;
  return out;
}

function folderAt(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

function cut(path: string, length: number): string {
  truncateSync(path, length);
  return path;
}

describe('are refused', () => {
  it.each(BAD)('%s', async (_, write, message, of = log) => {
    const path = await write();
    const text = await fault(predicted(path, of));
    expect(text).toMatch(message);
    expect(text).toContain(path.split('/').at(-1));
  });

  it('where every event offers every arm, before any event is read', async () => {
    const path = npy(set(4, Number.NaN), [4, 3]);
    expect(await fault(openRewardModel(headOf(log), 4, { predictions: path }))).toMatch(/row 1, column "7"/);
  });

  it('where the order of rows is not clear', async () => {
    const sorted = { ...log, sourceRow: Uint32Array.of(1, 0, 2, 3), source: { ...log.source, rows: 4 } };
    expect(await fault(predicted(npy(Q, [4, 3]), sorted))).toMatch(
      /may be in the order.*\n.*event 0 is row 1.*\n.*\n.*--sort-by-time/,
    );
  });
});

describe('of many events', () => {
  let many: EventLog;
  beforeAll(() => {
    many = logFromColumns({ arm: Array.from({ length: 5000 }, (_, t) => t % 300), payoff: new Float64Array(5000) });
  });

  it.each(['C', 'F'])('a file larger than what is read at a time, order %s', async (order) => {
    const q = Float64Array.from({ length: 5000 * 300 }, (_, i) => i);
    const path = order === 'C' ? npy(q, [5000, 300]) : fortran(q, 5000, 300);
    const table = await predicted(path, many, batchesOf(many, 3));
    expect(Buffer.compare(Buffer.from(table.buffer), Buffer.from(q.buffer))).toBe(0);
  });
});

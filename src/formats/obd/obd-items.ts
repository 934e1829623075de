/** `item_context.csv` of the Open Bandit Dataset: every item, and its features. */

import { InputError } from '../../errors.js';
import type { Database } from '../../files/duckdb.js';
import { readHead } from '../../files/files.js';
import { f64Column } from '../../log/build/memory.js';
import type { ArmDictionary, ArmFeatureTable } from '../../log/event-log.js';
import { compareCodePoints, sortIds } from '../../names/order.js';
import type { SourceFile } from '../format.js';
import { csv } from '../table/csv.js';
import { findColumn, numberSql } from '../table/read/values.js';

/** Feature columns: the first is a number, the others are categories. */
const FEATURE = /^item_feature_(\d+)$/;

/** The items of a directory. */
export interface Items {
  readonly file: string;
  /** In the order of arms, not that of the file. */
  readonly ids: readonly string[];
  /** `item_feature_0`, then `item_feature_1=4ae3…` and so on. */
  readonly columns: readonly string[];
  /** Features of an item, as long as `columns`. */
  readonly features: ReadonlyMap<string, Float64Array>;
}

/**
 * Reads the items: `item_feature_0` as a number, every further one as a category, one-hot, levels in code-point order.
 *
 * @param number unique among the files of `database`.
 * @throws InputError with row and line for an item without an id, one that is described twice, or a missing feature.
 */
export async function readItems(database: Database, file: string, number: number): Promise<Items> {
  const head = await readHead(file);
  const source = await csv.open(file, { database, number, head, skipBadRows: false, reads: () => true });
  const features = source.columns.filter(({ name }) => FEATURE.test(name));
  if (features.length === 0) {
    throw new InputError({
      file,
      problem: 'the items have no features',
      got: source.columns.map(({ name }) => JSON.stringify(name)).join(', '),
      needed: 'columns item_feature_0 (a number), item_feature_1 (a category), …',
    });
  }
  const id = findColumn(source, 'item_id', 'the item');
  const select = features.map((column) => (isNumber(column.name) ? numberSql(source, column) : column.sql));
  const texts = features.map(({ sql }) => sql);
  let rows: unknown[][];
  try {
    rows = await database.rows(`SELECT ${[id.sql, ...select, ...texts].join(', ')} FROM ${source.relation}`);
  } catch (error) {
    throw await source.failure(error);
  }
  if (rows.length === 0) throw new InputError({ file, problem: 'no item is described', needed: 'a row per item' });
  const ids = await itemIds(source, rows);
  const levels = features.map(({ name }, j) => (isNumber(name) ? null : levelsOf(rows.map((row) => row[1 + j]))));
  const columns = features.flatMap(({ name }, j) => levels[j]?.map((level) => `${name}=${level}`) ?? [name]);
  const table = new Map<string, Float64Array>();
  for (const [i, row] of rows.entries()) {
    const values = new Float64Array(columns.length);
    let at = 0;
    for (const [j, { name }] of features.entries()) {
      const value = row[1 + j];
      const place = levels[j];
      if (place === null ? typeof value !== 'number' || !Number.isFinite(value) : value === null) {
        const text = row[1 + features.length + j];
        throw await rowError(source, i, {
          column: name,
          problem: place === null ? 'feature is not a finite number' : 'feature is missing',
          got: text === null ? 'nothing' : JSON.stringify(text),
          needed: place === null ? 'a finite number' : 'a category',
        });
      }
      if (place === null) values[at++] = Number(value) + 0;
      else {
        values[at + place.indexOf(String(value))] = 1;
        at += place.length;
      }
    }
    table.set(ids[i], values);
  }
  return { file, ids: sortIds(ids), columns, features: table };
}

function isNumber(name: string): boolean {
  return FEATURE.exec(name)?.[1] === '0';
}

function levelsOf(values: readonly unknown[]): string[] {
  return [...new Set(values.filter((value) => value !== null).map(String))].sort(compareCodePoints);
}

async function itemIds(source: SourceFile, rows: readonly unknown[][]): Promise<string[]> {
  const seen = new Map<string, number>();
  for (const [i, [value]] of rows.entries()) {
    if (value === null) {
      throw await rowError(source, i, {
        column: 'item_id',
        problem: 'item is missing',
        got: 'nothing',
        needed: 'its id',
      });
    }
    const id = String(value);
    const earlier = seen.get(id);
    if (earlier !== undefined) {
      throw await rowError(source, i, {
        column: 'item_id',
        problem: 'an item is described twice',
        got: `${JSON.stringify(id)}, also in row ${earlier}`,
        needed: 'a row per item',
      });
    }
    seen.set(id, i);
  }
  return [...seen.keys()];
}

async function rowError(
  source: SourceFile,
  row: number,
  fault: { column: string; problem: string; got: string; needed: string },
): Promise<InputError> {
  return new InputError({ file: source.file, row, line: (await source.line(row)) ?? undefined, ...fault });
}

/** Features of the arms, without those of single events. @throws InputError for an arm that is no item. */
export function itemFeatures({ file, features, columns }: Items, arms: ArmDictionary): ArmFeatureTable {
  const dimension = columns.length;
  const values = f64Column(arms.ids.length * dimension);
  for (const [a, id] of arms.ids.entries()) {
    const row = features.get(id);
    if (row === undefined) {
      throw new InputError({
        file,
        column: 'item_id',
        problem: 'an arm is not described',
        got: `${JSON.stringify(id)} in the list of arms, and no such item`,
        needed: 'a row for every arm',
      });
    }
    values.set(row, a * dimension);
  }
  return { dimension, rows: arms.ids.length, values, row: null, columns };
}

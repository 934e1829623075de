/** Rows of numbers from arrays: contexts and arm features. */

import { InputError } from '../../errors.js';
import { plural } from '../../words.js';
import { ContextPacker } from '../build/contexts.js';
import { f32Column, f64Column } from '../build/memory.js';
import type { ArmDictionary, ArmFeatureTable, ContextTable } from '../event-log.js';
import { checkLength, fail, type Matrix } from './column-checks.js';

interface CheckedMatrix {
  readonly rows: number;
  readonly dimension: number;
  readonly columns: readonly string[];
  at(row: number, j: number): number;
}

/** Callers without types may pass anything. */
function checkRows(name: string, matrix: unknown): void {
  const needed = 'an array of rows of numbers, or { values, dimension }';
  if (!Array.isArray(matrix))
    throw new InputError({ column: name, problem: 'not rows of numbers', got: typeof matrix, needed });
  for (const [i, row] of matrix.entries()) {
    if (Array.isArray(row) || ArrayBuffer.isView(row)) continue;
    fail(name, i, { problem: 'not a row of numbers', got: String(row), needed });
  }
}

function checkedMatrix(name: string, matrix: Matrix): CheckedMatrix {
  if (!('dimension' in matrix)) {
    checkRows(name, matrix);
    const dimension = matrix.length === 0 ? 0 : matrix[0].length;
    for (let i = 0; i < matrix.length; i++) {
      if (matrix[i].length !== dimension) {
        fail(name, i, {
          problem: 'rows differ in length',
          got: `${plural(matrix[i].length, 'value')}`,
          needed: `${dimension}, as in row 0`,
        });
      }
    }
    return { rows: matrix.length, dimension, columns: numbered(name, dimension), at: (row, j) => matrix[row][j] };
  }
  const { values, dimension } = matrix;
  if (!Number.isInteger(dimension) || dimension < 1 || values.length % dimension !== 0) {
    throw new InputError({
      column: name,
      problem: 'the values are not whole rows',
      got: `${plural(values.length, 'value')}, dimension ${dimension}`,
      needed: 'a multiple of the dimension, which is a positive integer',
    });
  }
  const columns = matrix.columns ?? numbered(name, dimension);
  if (columns.length !== dimension) {
    throw new InputError({
      column: name,
      problem: 'wrong number of column names',
      got: `${columns.length}`,
      needed: `${dimension}`,
    });
  }
  return { rows: values.length / dimension, dimension, columns, at: (row, j) => values[row * dimension + j] };
}

function numbered(name: string, dimension: number): string[] {
  return Array.from({ length: dimension }, (_, j) => `${name === 'context' ? 'x' : 'z'}${j}`);
}

function finite(name: string, row: number, column: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return fail(`${name}.${column}`, row, {
    problem: 'feature is not a finite number',
    got: String(value),
    needed: 'a finite number',
  });
}

/** Contexts of a log made in code; d = 0 where none are given. */
export function contextTable(matrix: Matrix | undefined, events: number): ContextTable {
  if (matrix === undefined) return { dimension: 0, rows: events, values: f32Column(0), row: null, columns: [] };
  const checked = checkedMatrix('context', matrix);
  checkLength('context', checked.rows, events);
  const names = checked.columns;
  const packer = new ContextPacker(
    { sources: names.map((name) => ({ kind: 'numeric', name })), intercept: false },
    events,
  );
  for (let t = 0; t < events; t++) {
    for (let j = 0; j < names.length; j++) packer.row[j] = finite('context', t, names[j], checked.at(t, j));
    packer.push();
  }
  return packer.finish();
}

/** Arm features of a log made in code: a row per arm. */
export function armFeatureTable(matrix: Matrix | undefined, arms: ArmDictionary): ArmFeatureTable | null {
  if (matrix === undefined) return null;
  const checked = checkedMatrix('armFeatures', matrix);
  if (checked.rows !== arms.ids.length) {
    throw new InputError({
      column: 'armFeatures',
      problem: 'arm features have a row per arm',
      got: `${plural(checked.rows, 'row')}`,
      needed: `${arms.ids.length}`,
    });
  }
  const { dimension, columns } = checked;
  const values = f64Column(checked.rows * dimension);
  for (let a = 0; a < checked.rows; a++) {
    for (let j = 0; j < dimension; j++)
      values[a * dimension + j] = finite('armFeatures', a, columns[j], checked.at(a, j));
  }
  return { dimension, rows: checked.rows, values, row: null, columns };
}

/** Weights of linear policies in the forms a spec can give them. */

import type { Fault } from '../../errors.js';
import { shapeText } from '../npy.js';
import { shown } from '../spec-faults.js';

type Matrix = readonly (readonly number[])[];

/** Typed weights, for specs made in code. */
export interface TypedWeights {
  /** Row-major. */
  readonly data: Float32Array | Float64Array;
  /** [P, K, d] or [K, d]. */
  readonly shape: readonly number[];
}

/** Name of a `.npy` file, nested arrays ([P][K][d] or [K][d]), or typed data with its shape (in code). */
export type Weights = string | Matrix | readonly Matrix[] | TypedWeights;

/** A fault and where in the weights it is. */
export type WeightsFault = Pick<Fault, 'problem' | 'got' | 'needed' | 'hint'> & { path: readonly PropertyKey[] };

const FORMS = 'a .npy file name, or nested arrays of numbers [P][K][d] or [K][d]';

/** What is wrong with the form of the weights; `null` where nothing is. Their fit to a log is checked later. */
export function faultOfWeights(value: unknown): WeightsFault | null {
  if (value === undefined) return { path: [], problem: 'missing', needed: FORMS };
  if (typeof value === 'string') {
    if (value.endsWith('.npy')) return null;
    return {
      path: [],
      problem: 'weights must be a .npy file',
      got: value,
      needed: FORMS,
      hint: 'np.save("w.npy", weights)',
    };
  }
  if (Array.isArray(value)) return faultOfNested(value);
  if (isTyped(value)) return faultOfTyped(value);
  return { path: [], problem: 'weights are of no known form', got: shown(value), needed: FORMS };
}

/** Nested arrays as typed data. Call after `faultOfWeights` found nothing wrong. */
export function flatten(nested: Matrix | readonly Matrix[]): TypedWeights {
  const shape = shapeOf(nested);
  return { data: Float64Array.from((nested as unknown[]).flat(shape.length - 1) as number[]), shape };
}

function isTyped(value: unknown): value is TypedWeights {
  return typeof value === 'object' && value !== null && 'data' in value && 'shape' in value;
}

function faultOfTyped({ data, shape }: { data: unknown; shape: unknown }): WeightsFault | null {
  if (!(data instanceof Float32Array || data instanceof Float64Array)) {
    return { path: ['data'], problem: 'weights must be a Float32Array or Float64Array', got: shown(data) };
  }
  const needed = '[P, K, d] or [K, d]';
  const whole = Array.isArray(shape) && shape.every((n) => Number.isInteger(n) && n >= 0);
  if (!whole || (shape.length !== 2 && shape.length !== 3)) {
    return { path: ['shape'], problem: 'not a shape of weights', got: shown(shape), needed };
  }
  const size = (shape as number[]).reduce((product, n) => product * n, 1);
  if (size === data.length) return null;
  const problem = 'weights do not fill their shape';
  return {
    path: ['data'],
    problem,
    got: `${data.length} numbers`,
    needed: `${size}: shape ${shapeText(shape as number[])}`,
  };
}

function shapeOf(nested: unknown): number[] {
  const shape: number[] = [];
  for (let value = nested; Array.isArray(value); value = value[0] as unknown) shape.push(value.length);
  return shape;
}

function faultOfNested(nested: readonly unknown[]): WeightsFault | null {
  const shape = shapeOf(nested);
  if (shape.length !== 2 && shape.length !== 3) {
    const got = `arrays nested ${shape.length} deep`;
    return { path: [], problem: 'weights must be nested two or three deep', got, needed: FORMS };
  }
  return faultOfLevel(nested, shape, 0, []);
}

/** Every array at a depth must be as long as the first one there, and every leaf a finite number. */
function faultOfLevel(value: unknown, shape: readonly number[], depth: number, path: number[]): WeightsFault | null {
  if (depth === shape.length) {
    if (typeof value === 'number' && Number.isFinite(value)) return null;
    return { path: [...path], problem: 'weight is not a finite number', got: shown(value) };
  }
  const length = shape[depth];
  if (!Array.isArray(value) || value.length !== length) {
    const got = Array.isArray(value) ? `${value.length} entries` : shown(value);
    return {
      path: [...path],
      problem: 'ragged weights',
      got,
      needed: `an array of ${length} entries, as in the first`,
    };
  }
  for (let i = 0; i < value.length; i++) {
    path.push(i);
    const fault = faultOfLevel(value[i], shape, depth + 1, path);
    if (fault !== null) return fault;
    path.pop();
  }
  return null;
}

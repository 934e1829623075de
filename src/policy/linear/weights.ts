/** Weights of linear and joint-linear policies in the forms a spec can give them. */

import { z } from 'zod';
import type { Fault } from '../../errors.js';
import { plural } from '../../words.js';
import { shapeText } from '../npy.js';
import { type IssueDetail, shown } from '../spec-faults.js';

type Matrix = readonly (readonly number[])[];

/** Typed weights, for specs made in code. */
export interface TypedWeights {
  /** Row-major. */
  readonly data: Float32Array | Float64Array;
  /** [P, K, d] or [K, d]; of joint-linear policies [P, D] or [D]. */
  readonly shape: readonly number[];
}

type Nested = readonly number[] | Matrix | readonly Matrix[];

/** Name of a file, nested arrays, or typed data with its shape (in code). */
export type Weights = string | Nested | TypedWeights;

/** Which forms a family takes. */
export interface WeightForms {
  /** Lengths of shapes: for one policy, and for several. */
  readonly depths: readonly [number, number];
  /** Both shapes in words, e.g. `[P, K, d] or [K, d]`. */
  readonly shapes: string;
  /** Endings of file names. */
  readonly files: readonly string[];
}

/** A fault and where in the weights it is. */
export type WeightsFault = Pick<Fault, 'problem' | 'got' | 'needed' | 'hint'> & { path: readonly PropertyKey[] };

/** The schema of weights. @param json what JSON Schema says of them. */
export function weightsSchema(forms: WeightForms, json: Record<string, unknown>) {
  return z
    .custom<Weights>()
    .superRefine((value, context) => {
      const fault = faultOfWeights(value, forms);
      if (fault === null) return;
      const { path, problem, ...detail } = fault;
      context.addIssue({ code: 'custom', path: [...path], message: problem, params: detail satisfies IssueDetail });
    })
    .meta(json);
}

function formsText({ shapes, files }: WeightForms): string {
  return `a ${files.join(' or ')} file name, or nested arrays of numbers ${shapes.replaceAll(', ', '][')}`;
}

/** What is wrong with the form of the weights; `null` where nothing is. Their fit to a log is checked later. */
function faultOfWeights(value: unknown, forms: WeightForms): WeightsFault | null {
  const needed = formsText(forms);
  if (value === undefined) return { path: [], problem: 'missing', needed };
  if (typeof value === 'string') {
    if (forms.files.some((ending) => value.endsWith(ending))) return null;
    return {
      path: [],
      problem: `weights must be a ${forms.files.join(' or ')} file`,
      got: value,
      needed,
      hint: 'np.save("w.npy", weights)',
    };
  }
  if (Array.isArray(value)) return faultOfNested(value, forms);
  if (isTyped(value)) return faultOfTyped(value, forms);
  return { path: [], problem: 'weights are of no known form', got: shown(value), needed };
}

/** Nested arrays as typed data. Call after `faultOfWeights` found nothing wrong. */
export function flatten(nested: Nested): TypedWeights {
  const shape = shapeOf(nested);
  return { data: Float64Array.from((nested as unknown[]).flat(shape.length - 1) as number[]), shape };
}

function isTyped(value: unknown): value is TypedWeights {
  return typeof value === 'object' && value !== null && 'data' in value && 'shape' in value;
}

function faultOfTyped({ data, shape }: { data: unknown; shape: unknown }, forms: WeightForms): WeightsFault | null {
  if (!(data instanceof Float32Array || data instanceof Float64Array)) {
    return { path: ['data'], problem: 'weights must be a Float32Array or Float64Array', got: shown(data) };
  }
  const whole = Array.isArray(shape) && shape.every((n) => Number.isInteger(n) && n >= 0);
  if (!whole || !forms.depths.includes(shape.length)) {
    return { path: ['shape'], problem: 'not a shape of weights', got: shown(shape), needed: forms.shapes };
  }
  const size = (shape as number[]).reduce((product, n) => product * n, 1);
  if (size === data.length) return null;
  const problem = 'weights do not fill their shape';
  return {
    path: ['data'],
    problem,
    got: `${plural(data.length, 'number')}`,
    needed: `${size}: shape ${shapeText(shape as number[])}`,
  };
}

function shapeOf(nested: unknown): number[] {
  const shape: number[] = [];
  for (let value = nested; Array.isArray(value); value = value[0] as unknown) shape.push(value.length);
  return shape;
}

const DEEP = ['', 'one', 'two', 'three'];

function faultOfNested(nested: readonly unknown[], forms: WeightForms): WeightsFault | null {
  const shape = shapeOf(nested);
  if (!forms.depths.includes(shape.length)) {
    const got = `arrays nested ${shape.length} deep`;
    const [one, several] = forms.depths.map((depth) => DEEP[depth]);
    const problem = `weights must be nested ${one} or ${several} deep`;
    return { path: [], problem, got, needed: formsText(forms) };
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
    const got = Array.isArray(value) ? `${plural(value.length, 'entry', 'entries')}` : shown(value);
    return {
      path: [...path],
      problem: 'ragged weights',
      got,
      needed: `an array of ${plural(length, 'entry', 'entries')}, as in the first`,
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

/** `{ "family": "joint-linear", "features": "both", "weights": "w.npy" }`: the candidate with the largest w · φ(x, z). */

import { z } from 'zod';
import { JOINT_FEATURES } from '../../log/joint-features.js';
import { epsilon, temperature } from '../drawn/entry.js';
import { type WeightForms, weightsSchema } from '../linear/weights.js';
import { family, strict } from '../spec-faults.js';

const FORMS: WeightForms = {
  depths: [1, 2],
  shapes: '[P, D] or [D]',
  files: ['.npy', '.parquet'],
};

const NUMBERS = { type: 'array', minItems: 1, items: { type: 'number' } };

export const jointSchema = strict({
  family: family('joint-linear'),
  features: z
    .enum(JOINT_FEATURES)
    .describe(
      'φ, what is weighed, of context x (dx columns) and arm features z (dz): arm: z; concat: x, then z; product: x_i z_j at i · dz + j; both: x, then z, then the products',
    ),
  weights: weightsSchema(FORMS, {
    description:
      'Weights of P policies for the D components of φ: a .npy file (float32 or float64) of shape [P, D] or [D], a Parquet ' +
      'file with a row per policy and a column per component, in order, or the numbers themselves, nested alike.',
    anyOf: [{ type: 'string', pattern: '\\.(npy|parquet)$' }, NUMBERS, { type: 'array', minItems: 1, items: NUMBERS }],
  }),
  columns: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      'Components of φ that the weights are for, by name: x of a context column, z of an arm feature, x * z of a product (hindcast inspect --format json lists them in armFeatures.jointColumns); checked, and put in the order of φ. Default for a Parquet file whose column names are all of them. Without it weights are taken by place',
    ),
  names: z.array(z.string()).min(1).optional().describe('Name of each policy, P of them'),
  epsilon,
  temperature,
}).describe(
  'The candidate with the largest dot product of the weights, which all arms share, and features of context and candidate; ties to the lowest arm index',
);

export interface JointSpec extends z.output<typeof jointSchema> {}

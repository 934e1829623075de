/** `{ "family": "linear", "weights": "w.npy" }`: the candidate with the largest w_a · x. */

import { z } from 'zod';
import { epsilon, temperature } from '../drawn/entry.js';
import { armId, family, strict } from '../spec-faults.js';
import { type WeightForms, weightsSchema } from './weights.js';

const NUMBERS = { type: 'array', items: { type: 'number' } };
const MATRIX = { type: 'array', minItems: 1, items: NUMBERS };

const FORMS: WeightForms = { depths: [2, 3], shapes: '[P, K, d] or [K, d]', files: ['.npy'] };

const weights = weightsSchema(FORMS, {
  description:
    'Weights of P policies for K arms and d context columns: a .npy file (float32 or float64) of shape [P, K, d] or ' +
    '[K, d], or the numbers themselves, nested in that order. Arms in the order of the log unless `arms` is given.',
  anyOf: [{ type: 'string', pattern: '\\.npy$' }, MATRIX, { type: 'array', minItems: 1, items: MATRIX }],
});

export const linearSchema = strict({
  family: family('linear'),
  weights,
  names: z.array(z.string()).min(1).optional().describe('Name of each policy, P of them'),
  columns: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      "Context columns of the weights, by the names that hindcast inspect --format json lists (context.names); checked, and put in the log's order. Without it weights are taken by place",
    ),
  arms: z.array(armId).min(1).optional().describe('Arm ids of the weight rows, where not in the order of the log'),
  epsilon,
  temperature,
}).describe('The candidate with the largest dot product of its weights and the context; ties to the lowest arm index');

export interface LinearSpec extends z.output<typeof linearSchema> {}

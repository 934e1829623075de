/** `{ "family": "constant" }`: always the same arm, one policy per arm. */

import { z } from 'zod';
import { epsilon } from '../drawn/entry.js';
import { armId, family, strict } from '../spec-faults.js';

export const constantSchema = strict({
  family: family('constant'),
  arms: z.array(armId).min(1).optional().describe('Only these arms, in this order; default: every arm of the log'),
  epsilon,
}).describe('Always the same arm: one policy per arm');

export interface ConstantSpec extends z.output<typeof constantSchema> {}

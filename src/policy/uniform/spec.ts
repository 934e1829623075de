/** `{ "family": "uniform", "seed": 0, "replicas": 1 }`: a random candidate per event. */

import { z } from 'zod';
import { epsilon } from '../drawn/entry.js';
import { family, strict } from '../spec-faults.js';

const U32_MAX = 0xffffffff;

export const uniformSchema = strict({
  family: family('uniform'),
  seed: z.int().min(0).max(U32_MAX).default(0).describe('Seed of the draws, 0 to 2³² − 1'),
  replicas: z.int().min(1).max(65536).default(1).describe('Number of policies that draw independently'),
  epsilon,
}).describe('A random candidate per event, each with the same probability; seeded');

export interface UniformSpec extends z.output<typeof uniformSchema> {}

/**
 * Precomputed choices: `{ "family": "choices", "file": "c.npy" }`.
 *
 * A matrix with a row per event, or per value of the column `rows`, and a column per policy. `.npy`: integers of shape [L, P] or [L] (one policy), arm
 * indices unless `as` says otherwise. Parquet: a column per policy, arm ids unless `as` says otherwise. "No choice"
 * (matches nothing): −1 for indices and, where no arm is called "-1", for ids; null in Parquet.
 */

import { z } from 'zod';
import { epsilon } from '../drawn/entry.js';
import { rowColumn } from '../event-rows.js';
import { family, strict } from '../spec-faults.js';

export const choicesSchema = strict({
  family: family('choices'),
  file: z
    .string()
    .refine((name) => /\.(npy|parquet)$/.test(name), { error: 'choices must be a .npy or .parquet file' })
    .describe('A .npy matrix [events, policies] of integers, or a Parquet file with a column per policy'),
  as: z
    .enum(['index', 'id'])
    .optional()
    .describe('Whether entries are arm indices (default for .npy) or arm ids (default for Parquet)'),
  rows: rowColumn,
  names: z.array(z.string()).min(1).optional().describe('Name of each policy; default: the Parquet columns'),
  epsilon,
}).describe('Choices computed elsewhere: a row per event, a column per policy');

export interface ChoicesSpec extends z.output<typeof choicesSchema> {}

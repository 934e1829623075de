/**
 * Probabilities computed elsewhere: `{ "family": "probabilities", "of": "logged", "file": "pi.npy" }`.
 *
 * A matrix with a row per event. Of `logged`: π(a_t|x_t) of the arm that the log has, a column per policy. Of `arms`: π(a|x_t) of one
 * policy, a column per arm; 0 for arms that are no candidates. With `rows`, a column of the log that numbers contexts and candidate sets, the
 * matrix of `arms` has a row per number.
 */

import { z } from 'zod';
import { epsilon } from '../drawn/entry.js';
import { rowColumn } from '../event-rows.js';
import { family, strict } from '../spec-faults.js';

export const probabilitiesSchema = strict({
  family: family('probabilities'),
  of: z
    .enum(['logged', 'arms'])
    .describe(
      'What columns are. logged: a policy each, its probability of the logged arm of each event. arms: the arms of the log, the probabilities of one policy',
    ),
  file: z
    .string()
    .refine((name) => /\.(npy|parquet)$/.test(name), { error: 'probabilities must be a .npy or .parquet file' })
    .describe(
      'A .npy matrix of float32 or float64 with a row per event, or a Parquet file; of arms in the order of the log, in Parquet named by their ids',
    ),
  rows: rowColumn,
  names: z.array(z.string()).min(1).optional().describe('Name of each policy; default: the Parquet columns'),
  epsilon,
}).describe('Policies that draw their arm with probabilities computed elsewhere: a row per event');

export interface ProbabilitiesSpec extends z.output<typeof probabilitiesSchema> {}

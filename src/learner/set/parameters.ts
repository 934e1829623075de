/** Parameters that several learners share. */

import { z } from 'zod';
import { TIE_TOLERANCE } from '../ties.js';

/** τ of the tie rule, an option of every learner with real-valued state. */
export const tieTolerance = z
  .number()
  .min(0)
  .max(0.5)
  .default(TIE_TOLERANCE)
  .describe('τ: the lowest index with score ≥ max − τ · max(1, |max|) is chosen');

/** Width of an index or of exploration: any number from 0 on. */
export const alpha = z.number().min(0);

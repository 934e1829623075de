/** The table of families whose policies score candidates. Adding one = a line here beside that in `families.ts`. */

import type { ScoredBatch } from './batch.js';
import { jointScores } from './joint/screen.js';
import { linearScores } from './linear/screen.js';
import type { DecisionLog, ScoredFamily } from './scored-family.js';
import type { Screen } from './screen.js';

/** By the family of their batches. */
const SCORED: Readonly<Record<string, ScoredFamily<never>>> = { linear: linearScores, 'joint-linear': jointScores };

/** What scores the policies of a batch. @throws RangeError where the table lacks its family. */
export function scoredFamily({ family }: ScoredBatch): ScoredFamily<ScoredBatch> {
  if (!Object.hasOwn(SCORED, family)) throw new RangeError(`no scores are known of the policy family ${family}`);
  return SCORED[family] as ScoredFamily<ScoredBatch>;
}

/** How f32 may screen a batch's policies on a log. */
export function screenOf(batch: ScoredBatch, log: DecisionLog): Screen {
  return scoredFamily(batch).screen(batch, log);
}

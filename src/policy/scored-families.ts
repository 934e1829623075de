/** The table of families whose policies score candidates. Adding one = a line here beside that in `families.ts`. */

import type { ScoredPolicies } from './compiled.js';
import { jointScores } from './joint/screen.js';
import { linearScores } from './linear/screen.js';
import type { DecisionLog, ScoredFamily } from './scored-family.js';
import type { Screen } from './screen.js';

/** By family. */
const SCORED: Readonly<Record<string, ScoredFamily<never>>> = { linear: linearScores, 'joint-linear': jointScores };

/** What scores compiled policies. @throws RangeError where the table lacks its family. */
export function scoredFamily({ family }: ScoredPolicies): ScoredFamily<ScoredPolicies> {
  if (!Object.hasOwn(SCORED, family)) throw new RangeError(`no scores are known of the policy family ${family}`);
  return SCORED[family] as ScoredFamily<ScoredPolicies>;
}

/** How f32 may screen the policies on a log. */
export function screenOf(compiled: ScoredPolicies, log: DecisionLog): Screen {
  return scoredFamily(compiled).screen(compiled, log);
}

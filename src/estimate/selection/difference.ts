/**
 * Lower bounds on how much better policies are than one that runs already, or than the log itself: MOVER (Zou & Donner, "Construction of
 * confidence intervals about effect measures", Statistics in Medicine 2008), by which limits of the two values become one of their
 * difference. Symmetric bounds d − c s waste power: rare clicks are skewed the safe way.
 */

import { studentT } from '../interval/student-t.js';
import { oneSidedLevel } from './critical-value.js';
import { dot, type Standing } from './standing.js';

/** The level of a one-sided limit: that of a critical value, with as many degrees of freedom as there are blocks but one. */
export function limitLevel({ degrees }: Pick<Standing, 'degrees'>, critical: number, blocks: number): number {
  // Of one block nothing was redrawn: the critical value is Bonferroni's. Bounds that go by blocks have their own degrees of freedom.
  if (blocks < 2 || degrees !== null) return oneSidedLevel(critical);
  // Two-sided t at 2α is one-sided at α.
  return oneSidedLevel(studentT(2 * oneSidedLevel(critical), blocks - 1));
}

/** @param critical one-sided, from so many blocks. `null`: nothing is known of one of them. */
export function differenceLower(policy: Standing, baseline: Standing, critical: number, blocks: number): number | null {
  if (policy.value === null || baseline.value === null) return null;
  const difference = policy.value - baseline.value;
  const below = policy.value - policy.bounds(2 * limitLevel(policy, critical, blocks))[0];
  const above = baseline.bounds(2 * limitLevel(baseline, critical, blocks))[1] - baseline.value;
  const scales = policy.scale * baseline.scale;
  const together = scales === 0 ? 0 : Math.min(1, Math.max(-1, dot(policy.influence, baseline.influence) / scales));
  const square = below ** 2 - 2 * together * below * above + above ** 2;
  return difference - Math.sqrt(Math.max(0, square));
}

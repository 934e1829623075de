/**
 * The boundary that a standardised sum of n independent terms crosses at some n with probability α or less: Robbins' normal mixture
 * (Robbins, Annals of Mathematical Statistics 1970; as Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, "Time-uniform central limit
 * theory and asymptotic confidence sequences", Annals of Statistics 2024, Theorem 2.2, have it for sums that are normal in the limit).
 */

import type { SequenceLevel } from './method.js';

/** ρ² for which the boundary is about the lowest at n* events (the same, Appendix B.2). */
export function mixtureRate({ delta, at }: SequenceLevel): number {
  const log = -2 * Math.log(delta);
  return (log + Math.log1p(log)) / at;
}

/** f(n) = √(2 (nρ² + 1)/(nρ²) · ln(√(nρ² + 1)/α)): in place of the z of a single look. */
export function mixtureBoundary(events: number, level: SequenceLevel): number {
  const time = events * mixtureRate(level);
  return Math.sqrt(2 * (1 + 1 / time) * (Math.log1p(time) / 2 - Math.log(level.delta)));
}

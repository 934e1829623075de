/** What intervals of weighted values go by. */

import type { Interval } from '../method.js';

/** Of one policy's value; payoffs are scaled to [0, 1] by the payoff range. */
export interface Moments {
  /** v̂; may lie outside [0, 1]. */
  readonly value: number;
  /** Of the value. */
  readonly variance: number;
  /** What it would be if payoffs did not depend on weights; `null`: not known. */
  readonly independentVariance: number | null;
  /** B − 1 where the variance is that between B blocks; `null`: between events. */
  readonly degrees: number | null;
  /** (Σ w)²/Σ w²; 0 without matches. */
  readonly ess: number;
  /** Largest share of one event in the value, if it paid 1; `null`: not known. */
  readonly largest: number | null;
  /** The matches paid nothing but this end of the range; `null`: more than that. */
  readonly edge: 0 | 1 | null;
  /** L */
  readonly events: number;
  /** No event could weigh more, as declared; `null`: nothing was. */
  readonly mostWeight: number | null;
  /** Values of so many logs made of blocks of this one, drawn with replacement. */
  readonly redrawn: (draws: number) => Float64Array;
}

/** May return bounds beyond [0, 1]: the caller clips them. @param delta δ = 1 − confidence, in (0, 1). */
export type WeightedBounds = (moments: Moments, delta: number) => Interval;

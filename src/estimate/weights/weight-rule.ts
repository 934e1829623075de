/** What the weight w = 1/p of a match counts as. */

export interface WeightRule {
  /** Unique, as columns are called. */
  readonly name: string;
  /** ≥ 0, and at most w. */
  readonly of: (weight: number) => number;
}

export const FULL_WEIGHT: WeightRule = { name: 'weight', of: (w) => w };

/** min(w, M). */
export function clipped(most: number): WeightRule {
  return { name: `weight clipped at ${most}`, of: (w) => Math.min(w, most) };
}

/** w where it is at most τ, else 0 (Wang, Agarwal & Dudík, ICML 2017: the model alone there). */
export function switched(most: number): WeightRule {
  return { name: `weight up to ${most}`, of: (w) => (w <= most ? w : 0) };
}

/** λ w / (w² + λ) (Su, Dimakopoulou, Krishnamurthy & Dudík, ICML 2020); 0 at w = 0 and at λ = 0. */
export function shrunk(lambda: number): WeightRule {
  return {
    name: `weight shrunk by ${lambda}`,
    of: (w) => (w === 0 || lambda === 0 ? 0 : lambda === Number.POSITIVE_INFINITY ? w : w / ((w * w) / lambda + 1)),
  };
}

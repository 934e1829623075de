/** Does a logged propensity say "uniform"? Numbers are written with few digits: 1/3 comes as 0.333333 or as 0.33. */

/** A propensity may differ from 1/|A_t| by this, relatively, whatever its digits: room for f32 and for arithmetic. */
export const PROPENSITY_TOLERANCE = 1e-6;

/** Decimals looked at. Beyond, a rounding is within the tolerance of any propensity that a log can hold. */
const MOST_DECIMALS = 12;

const POWERS = Float64Array.from({ length: MOST_DECIMALS + 1 }, (_, d) => 10 ** d);

/**
 * Whether `propensity` is 1/`size`, or that number rounded or cut to some number of decimals which still tell it from those of
 * one candidate more or less: 0.33 is 1/3, while 0.1 is not 1/11 (as 1/10 and 1/12 are 0.1 as well).
 */
export function saysUniform(propensity: number, size: number): boolean {
  const ratio = propensity * size;
  if (Math.abs(ratio - 1) <= PROPENSITY_TOLERANCE) return true;
  // Neighbours are 1/(size ± 1): what is as far off as that is no rounding.
  if (Math.abs(ratio - 1) * size > 1) return false;
  for (let d = 1; d <= MOST_DECIMALS; d++) {
    const power = POWERS[d];
    const written = Math.round(propensity * power);
    // The number itself, but for the rounding of f32.
    if (Math.abs(propensity * power - written) > propensity * power * 2 ** -23) continue;
    // A single digit says too little.
    if (written < 10) continue;
    for (const round of [Math.round, Math.floor]) {
      const decimals = (arms: number): number => round(power / arms);
      if (decimals(size) !== written) continue;
      if ((size === 1 || decimals(size - 1) !== written) && decimals(size + 1) !== written) return true;
    }
  }
  return false;
}

/** A factor near 1 with the digits that tell it from 1. */
export function factorText(ratio: number): string {
  const off = Math.abs(ratio - 1);
  const digits = off === 0 ? 4 : Math.min(16, Math.max(4, Math.ceil(-Math.log10(off)) + 2));
  return String(Number(ratio.toPrecision(digits)));
}

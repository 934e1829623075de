/** eˣ from +, −, × alone, so that it has the same bits on every machine (those of `Math.exp` differ between engines). */

const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const SMALLEST = -700;

/** eˣ for x ≤ 0, to about two units in the last place; 0 below −700. */
export function expOfNegative(x: number): number {
  if (x < SMALLEST) return 0;
  const halvings = Math.round(x / -(LN2_HIGH + LN2_LOW));
  const rest = x + halvings * LN2_HIGH + halvings * LN2_LOW;
  let sum = 1;
  for (let n = 14; n >= 1; n--) sum = 1 + (rest / n) * sum;
  // Halving is exact.
  for (let i = 0; i < halvings; i++) sum *= 0.5;
  return sum;
}

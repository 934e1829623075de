/** Sums and products of decimal numbers without rounding on the way. */

/** n · 10^e */
interface Decimal {
  readonly n: bigint;
  readonly e: number;
}

/** Numbers further apart than this many places are not brought to one exponent. */
const MOST_PLACES = 400;
/** Distinct costs whose payoffs are remembered. */
const MOST_REMEMBERED = 65536;

/** The decimal that f64 text stands for: the shortest that is read as that f64, which is what was written where it had up to 15 digits. */
function decimalOf(value: number): Decimal {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return { n: BigInt(`${sign}${whole}${fraction}`), e: Number(exponent) - fraction.length };
}

/**
 * payoff = offset + scale · cost of decimals, rounded to f64 once: 1 − 2 · 0.07 is 0.86, as if 0.86 had been written.
 *
 * @returns the payoff of a cost; not finite where the sum is beyond f64.
 */
export function linearOf(scale: number, offset: number): (cost: number) => number {
  if (offset === 0 && Math.abs(scale) === 1) return (cost) => scale * cost;
  const [a, b] = [decimalOf(scale), decimalOf(offset)];
  const known = new Map<number, number>();
  const payoff = (cost: number): number => {
    if (!Number.isFinite(cost)) return offset + scale * cost;
    const c = decimalOf(cost);
    const product = { n: a.n * c.n, e: a.e + c.e };
    const e = Math.min(product.e, b.e);
    if (Math.max(product.e, b.e) - e > MOST_PLACES) return offset + scale * cost;
    const n = product.n * 10n ** BigInt(product.e - e) + b.n * 10n ** BigInt(b.e - e);
    return Number(`${n}e${e}`);
  };
  return (cost) => {
    let found = known.get(cost);
    if (found === undefined) {
      found = payoff(cost);
      if (known.size < MOST_REMEMBERED) known.set(cost, found);
    }
    return found;
  };
}

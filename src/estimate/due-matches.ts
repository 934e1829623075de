/**
 * The check that sees all: at every event a policy that chooses among the candidates matches with probability 1/|A_t|, whatever
 * it is, if logging was uniform and the policy does not know the logged arm. So do learners, which know only what came before.
 */

/** One policy or replica. */
export interface MatchCount {
  readonly name: string;
  /** Events it was shown, and how many of them it matched. */
  readonly events: number;
  readonly matches: number;
  /** It may choose what is no candidate, or nothing: then no fewer matches than are due, but not more, mean something. */
  readonly mayPass: boolean;
}

/** The count that is furthest from what is due, as results record it. */
export interface MatchCheck {
  /** Policies or replicas that were looked at. */
  checked: number;
  name: string;
  matches: number;
  /** Σ 1/|A_t|, and its standard deviation. */
  due: number;
  deviation: number;
  /** (matches − due) / deviation */
  z: number;
  /** Bound of the probability that any of those checked is as far off. */
  p: number;
}

/**
 * @param due of the whole log; of a part of it, in proportion.
 * @returns `null` where nothing can be off: no counts, or a single candidate at every event.
 */
export function checkMatches(
  counts: readonly MatchCount[],
  due: { readonly events: number; readonly due: number; readonly variance: number },
): MatchCheck | null {
  if (counts.length === 0 || due.events === 0 || due.variance <= 0) return null;
  const share = due.due / due.events;
  let worst: { count: MatchCount; exponent: number } | null = null;
  for (const count of counts) {
    const exponent = count.mayPass && count.matches <= share * count.events ? 0 : tailExponent(count, share);
    if (worst === null || exponent > worst.exponent) worst = { count, exponent };
  }
  if (worst === null) return null;
  const { name, events, matches } = worst.count;
  const expected = share * events;
  const deviation = Math.sqrt((due.variance / due.events) * events);
  return {
    checked: counts.length,
    name,
    matches,
    due: expected,
    deviation,
    z: deviation === 0 ? 0 : (matches - expected) / deviation,
    p: Math.min(1, 2 * counts.length * Math.exp(-worst.exponent)),
  };
}

/**
 * n · KL(T/n ‖ p): e to minus this bounds the probability of T or more (T or fewer) matches in n events with mean probability p,
 * whether it is the same at each or not (Hoeffding, "Probability inequalities for sums of bounded random variables", 1963,
 * theorem 1), and that of the T-th match within n events (not before them).
 */
function tailExponent({ events, matches }: MatchCount, p: number): number {
  if (events === 0) return 0;
  const x = matches / events;
  const part = (a: number, b: number): number => (a === 0 ? 0 : a * Math.log(a / b));
  return Math.max(0, events * (part(x, p) + part(1 - x, 1 - p)));
}

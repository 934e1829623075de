/** A few of many, for checks. */

/** `count` different numbers of 0..of−1, ascending, spread evenly from the first to the last; all where there are no more. */
export function evenly(count: number, of: number): number[] {
  const taken = Math.min(count, of);
  return Array.from({ length: taken }, (_, i) => (taken === 1 ? 0 : Math.round((i * (of - 1)) / (taken - 1))));
}

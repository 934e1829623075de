/** Refuses or doubts a log by the matches of what was evaluated on it (`estimate/due-matches.ts`). */

import { NotUniformError } from '../../errors.js';
import { checkMatches, type MatchCheck, type MatchCount } from '../../estimate/due-matches.js';
import type { DueMatches } from '../../log/build/effective-arms.js';
import { DOUBT_BELOW, OTHER_WAYS, REFUSE_BELOW } from '../../log/checks/uniformity.js';

/**
 * @param what of the counts: `policy` or `learner`.
 * @param assume the caller asserts that logging was uniform.
 * @returns what results record, and warnings (none, or one).
 * @throws NotUniformError where the matches are clearly not those of uniform logging.
 */
export function requireDueMatches(
  counts: readonly MatchCount[],
  due: DueMatches,
  {
    what,
    assume,
    files,
  }: { readonly what: 'policy' | 'learner'; readonly assume: boolean; readonly files: readonly string[] },
): { matches: MatchCheck | null; warnings: string[] } {
  const matches = checkMatches(counts, due);
  if (matches === null || matches.p >= DOUBT_BELOW) return { matches, warnings: [] };
  const found = describe(matches, what);
  const made =
    what === 'policy'
      ? 'it was made from the logged arms of this very log'
      : 'it knows the logged arms of this very log beforehand';
  if (assume || matches.p >= REFUSE_BELOW) {
    const told = assume ? 'uniform logging is assumed as told, although ' : '';
    return {
      matches,
      warnings: [
        `${told}${found}: if that is no chance, the logged arms depend on what it goes by, or ${made}; either way its value is biased`,
      ],
    };
  }
  throw new NotUniformError({
    file: files.length === 0 ? undefined : files.join(', '),
    problem: `a ${what} matches the logged arms far more or less often than it could on a log of uniformly random decisions`,
    got: found,
    needed: 'about one match in as many events as there are candidates, for whatever does not know the logged arms',
    hint: `if ${made}, ${what === 'policy' ? 'evaluate' : 'replay'} it on another log; else the logged arms depend on what it goes by: ${OTHER_WAYS}`,
  });
}

/** `policy "by device" matches 4,808 events where 2,000 ± 37 are due (z = 76.9, …)`. */
function describe({ checked, name, matches, due, deviation, z, p }: MatchCheck, what: string): string {
  const number = (value: number): string => Math.round(value).toLocaleString('en');
  const bound = p < 1e-12 ? 'p < 1e-12' : `p = ${Number(p.toPrecision(3))}`;
  return `${what} "${name}" matches ${number(matches)} events where ${number(due)} ± ${number(deviation)} are due (z = ${z.toFixed(1)}, ${bound}, corrected for ${number(checked)} checked)`;
}

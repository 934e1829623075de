/** The answer in words, which leads a ranking: which policy to ship, what it is worth, and how sure that is. */

import { printable } from '../printable.js';
import { plural } from '../words.js';
import { count, decimalsFor, fixed, percent } from './numbers.js';
import type { ReplayResult } from './replay-result.js';
import type { EvaluationResult, PolicyResult } from './result.js';

/** Of a set of which so large a share may hold the best, the log cannot tell which it is. */
const NEARLY_ALL = 0.5;
/** What no block tells. */
export const OTHER_LOGS = 'This is about these runs: from another log learners would learn otherwise.';

/** Policies or learners that were compared. */
interface Ranked extends Pick<EvaluationResult, 'selection' | 'logged'> {
  readonly rows: readonly Pick<PolicyResult, 'index' | 'name' | 'difference'>[];
  /** Rows, and those that are not shown. */
  readonly total: number;
  /** One, and several. */
  readonly noun: readonly [string, string];
}

/** `null`: nothing is said of all policies at once. */
export function describeAnswer({ selection, logged, policies, omitted = 0 }: EvaluationResult): string | null {
  const total = policies.length + omitted;
  return answer({ selection, logged, rows: policies, total, noun: ['policy', 'policies'] });
}

/** `null`: nothing is said of all learners at once. */
export function describeLearnersAnswer({ selection, logged, learners }: ReplayResult): string | null {
  const found = answer({ selection, logged, rows: learners, total: learners.length, noun: ['learner', 'learners'] });
  return found === null ? null : `${found} ${OTHER_LOGS}`;
}

function answer({ selection, rows, logged, total, noun: [one, many] }: Ranked): string | null {
  if (selection === null) return null;
  const { winner, bestSet, baseline, level } = selection;
  if (winner === null) return `No ${one} matched an event: of ${plural(total, one, many)} nothing is known.`;
  const best = rows.find(({ index }) => index === winner.index);
  const name = printable(best?.name ?? `${one} ${winner.index}`);
  const [from, to] = winner.interval;
  const decimals = decimalsFor([(to - from) / 2]);
  const value = (payoff: number): string => fixed(payoff, decimals);
  const { corrected, uncorrected, lower } = winner;
  const range = `${percent(level)}: ${value(from)} to ${value(to)}`;
  const worth =
    corrected === null
      ? `${value(uncorrected)}, not corrected for having been picked, but for its band (${range}).`
      : `${value(corrected)} corrected for having been picked (${range}), ${value(uncorrected)} uncorrected; at least ${value(lower)} by its band.`;
  const { size, paired } = bestSet;
  const few = `${count(size)} of ${count(total)} may be${paired ? '' : ', as far as bands tell'}`;
  const isOpen = size > NEARLY_ALL * total && size > 1;
  const sentences = isOpen
    ? [`This log cannot tell which ${one} is best: ${few}. ${name} has the largest value: ${worth}`]
    : [
        `${name} looks best: ${worth}`,
        ...(total === 1 ? [] : [size === 1 ? 'No other may be the best.' : `${few} the best.`]),
      ];
  if (baseline === null) {
    if (logged.value !== null) sentences.push(`The log itself earned ${value(logged.value)}.`);
  } else if (baseline.index === winner.index) sentences.push('It is the baseline.');
  else {
    const { lower: by = null, better = false } = best?.difference ?? {};
    const than = `${printable(baseline.name)} (${value(baseline.value)})`;
    const margin = baseline.margin === 0 ? '' : ` by more than ${baseline.margin}`;
    sentences.push(
      better && by !== null
        ? `It is better than ${than} by at least ${value(by)}${lift(by, baseline.value)}.`
        : `That it is better than ${than}${margin} this log does not show.`,
    );
  }
  return sentences.join(' ');
}

/** `, 81 % more`, of a baseline above 0. */
function lift(by: number, baseline: number): string {
  return baseline > 0 ? `, ${percent(Number((by / baseline).toPrecision(2)))} more` : '';
}

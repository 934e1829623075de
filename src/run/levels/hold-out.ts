/** What the policies that were picked on one part of a log are worth on the other. */

import type { PartUnit } from '../../estimate/blocks/parts.js';
import type { Interval } from '../../estimate/interval/method.js';
import { zScore } from '../../estimate/interval/z-score.js';
import type { EstimateOptions } from '../../estimate/one-estimate.js';
import { differenceLower } from '../../estimate/selection/difference.js';
import { findBaseline, type LoggedValue, loggedValue, type SelectionOptions } from '../selection.js';
import type { Evaluation, StreamEvaluation } from '../stream-evaluation.js';

/** A policy on the part that it was not picked on. */
export interface HeldOutPolicy {
  /** Position in the policy set. */
  index: number;
  /** Name of the policy. */
  name: string;
  /** Its value on the part to pick on, which flatters the pick. */
  selected: number | null;
  /** T there. */
  matches: number;
  /** `null`: nothing is known of the policy there. */
  value: number | null;
  /** Of the value; `null`: it is not known. */
  standardError: number | null;
  /** Holds for one policy by itself, and for the pick although it was picked. */
  interval: Interval;
}

/** Some of the events. */
export interface PartSize {
  /** Number of them. */
  events: number;
  /** Of all events. */
  share: number;
}

/** How much better the pick is than the baseline, on the evaluation part. */
export interface HeldOutDifference {
  /** Name of the baseline. */
  name: string;
  /** Value of the pick less that of the baseline. */
  value: number;
  /** With probability 1 − α it is better by at least this. */
  lower: number;
  /** The bound is above the margin. */
  better: boolean;
}

/** The hold-out of a result. */
export interface HoldOut {
  /** What the parts are made of. */
  by: PartUnit;
  /** The part that the ranking is of. */
  selection: PartSize;
  /** The other one. */
  evaluation: PartSize;
  /** Events of neither: of users who are on both sides, on the side of the evaluation. */
  leftOut: number;
  /** What the log earned per event of the evaluation part. */
  logged: LoggedValue;
  /** The pick compared with the baseline; `null`: there is none, or nothing is known of one of them. */
  difference: HeldOutDifference | null;
  /** The pick first, then the next best on the part to pick on, and last the baseline where it is a policy that is not among them. */
  policies: HeldOutPolicy[];
}

/** What is asked. */
export interface HoldOutRequest extends SelectionOptions {
  readonly parts: {
    readonly by: PartUnit;
    readonly sizes: { readonly selection: number; readonly evaluation: number; readonly leftOut: number };
  };
  /** The best on the part to pick on, the best first. */
  readonly ranking: readonly { readonly index: number; readonly name: string; readonly value: number | null }[];
  /** So many of them are told of. */
  readonly top: number;
  readonly estimate: EstimateOptions;
}

/** Policies that are told of where nothing else is asked. */
export const SELECT_TOP = 10;

/** @param held policies on the evaluation part. */
export function holdOut(
  { estimates }: StreamEvaluation,
  held: Evaluation,
  { parts, ranking, top, estimate, baseline, margin = 0 }: HoldOutRequest,
): HoldOut {
  const options = { ...estimate, effectiveArms: held.effectiveArms };
  const rows = held.evaluated.flatMap(({ policies, names, stats, kind }) =>
    Array.from({ length: policies }, (_, p) => ({ name: names[p], stats, p, drawn: kind === 'drawn' })),
  );
  const names = rows.map(({ name }) => name);
  const against = baseline === undefined ? undefined : findBaseline(names, baseline, 'policies');
  const listed = ranking.filter(({ index }, rank) => rank < top || index === against);
  const standing = (index: number) => {
    const { stats, p, drawn } = rows[index];
    return estimates.standing(stats, p, options, drawn);
  };
  const compared = (): HeldOutDifference | null => {
    if (against === undefined || ranking.length === 0 || !estimates.stands) return null;
    const pick = standing(ranking[0].index);
    const other = against === null ? estimates.loggedStanding(held.logged, options) : standing(against);
    const blocks = held.logged.events.filter((events) => events > 0).length;
    // One comparison, named before looking at this part.
    const critical = zScore(2 * (1 - estimate.confidence));
    const lower = ranking[0].index === against ? 0 : differenceLower(pick, other, critical, blocks);
    if (pick.value === null || other.value === null || lower === null) return null;
    const name = against === null ? 'the log' : names[against];
    return { name, value: pick.value - other.value, lower, better: lower > margin };
  };
  const all = parts.sizes.selection + parts.sizes.evaluation + parts.sizes.leftOut;
  const size = (events: number): PartSize => ({ events, share: events / all });
  return {
    by: parts.by,
    selection: size(parts.sizes.selection),
    evaluation: size(parts.sizes.evaluation),
    leftOut: parts.sizes.leftOut,
    logged: loggedValue(estimates, held.logged, options),
    difference: compared(),
    policies: listed.map(({ index, name, value: selected }) => {
      const { stats, p, drawn } = rows[index];
      const { matches, value, standardError, interval } = estimates.estimate(stats, p, options, null, drawn);
      return { index, name, selected, matches, value, standardError, interval };
    }),
  };
}

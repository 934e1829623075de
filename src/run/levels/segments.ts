/** What policies are worth in each segment of a log. */

import type { Interval } from '../../estimate/interval/method.js';
import type { Estimate, EstimateOptions } from '../../estimate/one-estimate.js';
import type { Drawer } from '../../estimate/selection/draws.js';
import { type SegmentStanding, selectSegments } from '../../estimate/selection/segments.js';
import { DRAWS, mayStand, type SelectionOptions, standingsOf } from '../selection.js';
import type { Evaluation, StreamEvaluation } from '../stream-evaluation.js';

/** One policy in one segment. */
export interface PolicySegment {
  /** T there. */
  matches: number;
  /** By the first estimator; `null`: nothing is known of the policy there. */
  value: number | null;
  /** [lower, upper] within the payoff range. */
  interval: Interval;
  /** With probability 1 − α the bands of all policies in all segments hold their values; absent: there are none. */
  band?: Interval;
}

/** Which policy is best in a segment. */
export interface SegmentWinner extends PolicySegment {
  /** Position in the policy set. */
  index: number;
  /** Name of the policy. */
  name: string;
  /** It is credibly better there than the overall winner; `null`: such is not said (no bands). */
  differs: boolean | null;
}

/** Events with the same values of the key columns. */
export interface Segment {
  /** Value of each column. */
  level: Record<string, string>;
  /** Number of the segment's events. */
  events: number;
  /** Mean payoff of the log there; `null`: no event. */
  logged: number | null;
  /** The largest value there, of those that are credibly better than the overall winner where there are any; `null`: no policy has one. */
  winner: SegmentWinner | null;
}

/** The segments of a result. */
export interface Segments {
  /** Names of the key columns. */
  keys: string[];
  /** c: no policy is further from its value in any segment than so many standard errors, with probability 1 − α; `null`: no bands. */
  criticalValue: number | null;
  /** In the order of the values of the first column, then of the next. */
  levels: Segment[];
}

/** Segments, and each policy in them. */
export interface SegmentedPolicies {
  readonly segments: Segments;
  /** By index in the policy set, then by segment. */
  readonly policies: readonly PolicySegment[][];
}

/** What is asked. */
export interface SegmentRequest extends SelectionOptions {
  readonly by: readonly string[];
  /** Values of the columns, segment by segment. */
  readonly values: readonly Readonly<Record<string, string>>[];
  /** Index of the policy with the largest value of all; −1: none has one. */
  readonly overall: number;
  /** Of the whole log. */
  readonly estimate: EstimateOptions;
}

export async function segmentPolicies(
  evaluation: StreamEvaluation,
  request: SegmentRequest,
  drawer: Drawer,
): Promise<SegmentedPolicies> {
  const { estimates, ofLevel } = evaluation;
  const { by, values, overall } = request;
  const names = evaluation.evaluated.flatMap(({ names }) => names);
  const optionsOf = ({ effectiveArms }: Evaluation): EstimateOptions => ({ ...request.estimate, effectiveArms });
  const answer =
    mayStand(request, {}) && estimates.stands && overall >= 0 && values.length > 0
      ? await selectSegments(
          {
            ...{ segments: values.length, overall, level: request.estimate.confidence },
            ...{ draws: request.draws ?? DRAWS, seed: request.drawSeed ?? 0 },
            standings: (segment) => {
              const there = ofLevel(segment);
              return standingsOf(estimates, there.evaluated, optionsOf(there));
            },
            blocks: (segment) => ofLevel(segment).logged.events.filter((events) => events > 0).length,
          },
          drawer,
        )
      : null;
  const policies: PolicySegment[][] = names.map(() => []);
  const levels = values.map((level, segment): Segment => {
    const there = ofLevel(segment);
    const options = optionsOf(there);
    const standing = answer?.of(segment) ?? null;
    let index = 0;
    for (const { policies: count, stats, kind } of there.evaluated) {
      for (let p = 0; p < count; p++, index++) {
        const estimate = estimates.estimate(stats, p, options, null, kind === 'drawn');
        policies[index].push(policySegment(estimate, estimate.matches, standing?.bands[index]));
      }
    }
    const own = policies.map((segments) => segments[segment]);
    return {
      level: { ...level },
      events: there.logged.events.reduce((sum, events) => sum + events, 0),
      logged: estimates.loggedStanding(there.logged, options).value,
      winner: winnerThere(own, names, overall, standing),
    };
  });
  return { segments: { keys: [...by], criticalValue: answer?.criticalValue ?? null, levels }, policies };
}

function policySegment(
  { value, interval }: Pick<Estimate, 'value' | 'interval'>,
  matches: number,
  band: Interval | undefined,
): PolicySegment {
  return { matches, value, interval, ...(band === undefined ? {} : { band }) };
}

/** @param own each policy in the segment. @param overall index of the overall winner, which wins where another is its equal. */
function winnerThere(
  own: readonly PolicySegment[],
  names: readonly string[],
  overall: number,
  standing: SegmentStanding | null,
): SegmentWinner | null {
  const best = (among: (index: number) => boolean): number =>
    own.reduce((winner, { value }, p) => {
      if (value === null || !among(p)) return winner;
      const most = own[winner]?.value ?? Number.NEGATIVE_INFINITY;
      return value > most || (value === most && p === overall) ? p : winner;
    }, -1);
  const better = best((p) => (standing?.lower[p] ?? 0) > 0);
  const index = better >= 0 ? better : best(() => true);
  if (index < 0) return null;
  return { index, name: names[index], ...own[index], differs: standing === null ? null : better >= 0 };
}

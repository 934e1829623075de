/** What speaks against weighted values: of the best policy in full, of the others how many it concerns. */

import type { EstimatorDescription, PolicyEstimate } from '../../estimate/estimates.js';
import { zScore } from '../../estimate/interval/z-score.js';
import type { Estimate } from '../../estimate/one-estimate.js';
import { isBinary, type PayoffScale } from '../../estimate/sums/payoff-scale.js';
import { plural } from '../../words.js';

type Row = PolicyEstimate & { readonly name: string };

/** Fewer effective events are few. */
const FEW = 100;
/**
 * Fewer that paid, or did not, are few: heavy ones may all have failed to by chance. Of simulated logs with 5 to 6 the intervals of 81 to
 * 85 % held the truth, with 25 and more of 94 to 97 %.
 */
const FEW_PAID = 10;
/** Fewer blocks are too few to draw from. */
const FEW_BLOCKS = 50;
/** A share of one event that is much. */
const MUCH = 0.2;
/** A share of weight that clipping, switching or shrinking removes. */
const MUCH_REMOVED = 0.1;
/** A right log is accused with this probability, by all policies together: that of |z| > 4. */
const FALSE_ALARM = 6.3e-5;
/** Mean weights that are too small say something where they rest on so many effective events: else a heavy one may have failed to occur. */
const LEAST_EFFECTIVE = 30;

const digits = (value: number): string => String(Number(value.toPrecision(3)));
const count = (value: number): string => Math.round(value).toLocaleString('en');
const percent = (share: number): string => `${digits(100 * share)} %`;

/** @param rows best first. */
export function estimateWarnings(
  rows: readonly Row[],
  estimators: readonly EstimatorDescription[],
  scale: PayoffScale,
  blocks: number,
): string[] {
  const { low, high } = scale;
  const known = rows.filter(({ value }) => value !== null);
  const about = (is: (row: Row) => boolean, say: (row: Row) => string, have: string): string[] => {
    const concerned = known.filter(is);
    if (concerned.length === 0) return [];
    const [first] = concerned;
    const others = concerned.length - 1;
    const more =
      others === 0
        ? ''
        : `; ${count(others)} more of ${plural(rows.length, 'policy', 'policies')} ${others === 1 ? 'has' : 'have'} ${have}`;
    return [`${JSON.stringify(first.name)}: ${say(first)}${more}`];
  };
  return [
    ...about(
      (row) => row.weights !== undefined && (row.weights.ess < FEW || rarer(row, scale) < FEW_PAID),
      (row) => {
        const rare = rarer(row, scale);
        const paid = (row.value ?? 0) <= 0.5 ? 'paid' : 'did not pay';
        const ofWhich = rare === Number.POSITIVE_INFINITY ? '' : `, about ${digits(rare)} of which ${paid}`;
        return `the effective sample size is ${digits(row.weights?.ess ?? 0)} of ${plural(row.matches, 'match', 'matches')}${ofWhich}: the value rests on about so many events' worth of data`;
      },
      `fewer than ${FEW}, or ${FEW_PAID} that paid`,
    ),
    ...about(
      ({ largestPayoffShare = 0, weights }) => largestPayoffShare > MUCH && weights !== undefined,
      ({ largestPayoffShare = 0 }) => `one event carries ${percent(largestPayoffShare)} of its weighted payoffs`,
      `one of more than ${percent(MUCH)}`,
    ),
    ...about(
      ({ weights }) => weights !== undefined && isFar(weights, zScore(FALSE_ALARM / rows.length)),
      ({ weights }) =>
        `the mean weight is ${digits(weights?.mean ?? 0)}, where 1 is due: either the propensities are not those of the log, or the policy chooses what the logging policy never does, or chance kept the rare heavy events away`,
      'one that far from 1',
    ),
    ...about(
      ({ weights }) => (weights?.noOverlap ?? 0) > 0,
      ({ weights }) =>
        `at ${percent(weights?.noOverlap ?? 0)} of the events it chooses an arm that was never logged: ips counts these as payoff 0, snips leaves them out, and what goes by a model takes its word for them`,
      'such events',
    ),
    ...estimators.flatMap((estimator) =>
      about(
        ({ estimates }) => (estimates[estimator.name]?.clippedShare ?? 0) > MUCH_REMOVED,
        ({ estimates }) => removes(estimator, estimates[estimator.name], scale),
        `more than ${percent(MUCH_REMOVED)} removed`,
      ),
    ),
    ...outside(rows, estimators, low, high),
    ...estimators
      .filter(({ name }) => name === 'dm')
      .map(() => 'dm has no interval of its own error: what the reward model gets wrong is in none of its intervals'),
    ...chosenClips(rows, estimators),
    ...unmatched(rows),
    ...withoutChoice(rows),
    ...estimators
      .filter(({ interval }) => interval === 'bootstrap' && blocks < FEW_BLOCKS)
      .map(
        ({ name }) =>
          `the bootstrap interval of ${name} draws from ${plural(blocks, 'block')}: with fewer than ${FEW_BLOCKS} it is too narrow`,
      ),
  ];
}

/**
 * What an estimator loses is Σ (w − g(w)) y / L: y are payoffs, of snips those around the value (v − v_M is the share times the
 * difference of two means of payoffs), with a model what it leaves.
 */
function removes(
  { name, clip, switch: most, shrinkage }: EstimatorDescription,
  estimate: Estimate | undefined,
  { low, high }: PayoffScale,
): string {
  const { clippedShare = 0, clip: own = clip } = estimate ?? {};
  const by = shrinkage === undefined ? `at ${own ?? most}` : `with λ = ${shrinkage}`;
  const times =
    name === 'ips-clip'
      ? `the largest payoff, ${digits(Math.max(-low, high))}`
      : name === 'snips-clip'
        ? `the payoff range, ${digits(high - low)}`
        : 'what the model is wrong by there, which no interval knows';
  return `${name} ${by} removes ${percent(clippedShare)} of the weight: a bias of up to ${digits(clippedShare)} × ${times}`;
}

/** Effective events of the rarer of the two payoffs of clicks; infinite: payoffs are of other kinds. */
function rarer({ weights, value }: Row, scale: PayoffScale): number {
  if (weights === undefined || value === null || !isBinary(scale, 1)) return Number.POSITIVE_INFINITY;
  return weights.ess * Math.max(0, Math.min(value, 1 - value));
}

/** Σ w is due to be L, with a variance of about Σ w²: ESS = (Σ w)²/Σ w². */
function isFar({ mean, ess }: NonNullable<PolicyEstimate['weights']>, far: number): boolean {
  if (mean === 0 || ess === 0) return false;
  const z = (mean - 1) / (mean / Math.sqrt(ess));
  return z > far || (z < -far && ess >= LEAST_EFFECTIVE);
}

function outside(
  rows: readonly Row[],
  estimators: readonly EstimatorDescription[],
  low: number,
  high: number,
): string[] {
  return estimators.flatMap(({ name }) => {
    const estimated = ({ estimates }: Row): number => estimates[name]?.value ?? low;
    const out = rows.filter((row) => estimated(row) < low || estimated(row) > high);
    if (out.length === 0) return [];
    const example = `${digits(estimated(out[0]))} of ${JSON.stringify(out[0].name)}`;
    return [
      `${name}: ${plural(out.length, 'value lies', 'values lie')} outside the payoff range ${digits(low)} to ${digits(high)}, as weighted sums may (${example}); intervals are cut to the range`,
    ];
  });
}

function chosenClips(rows: readonly Row[], estimators: readonly EstimatorDescription[]): string[] {
  const chosen = estimators.filter(({ grid = [] }) => grid.length > 0).map(({ name }) => name);
  if (chosen.length === 0) return [];
  const ranked =
    rows.length < 2
      ? ''
      : '; values of different M are not alike, some having more bias and some more noise: to rank policies give one M for all, as --clip 20 (in code: clip)';
  return [
    `M of ${chosen.join(', ')} was chosen for each policy by its payoffs: intervals there hold as if it had been given, and do not know of the choice${ranked}`,
  ];
}

function unmatched(rows: readonly Row[]): string[] {
  const alone = rows.filter(
    ({ matches, estimates }) => matches === 0 && Object.values(estimates).some(({ value }) => value !== null),
  );
  if (alone.length === 0) return [];
  return [
    `${plural(alone.length, 'policy has', 'policies have')} no matching event, such as ${JSON.stringify(alone[0].name)}: the value is what the model predicts, and nothing else`,
  ];
}

function withoutChoice(rows: readonly Row[]): string[] {
  const silent = rows.filter((row) => row.withoutChoice !== undefined);
  if (silent.length === 0) return [];
  const [{ name, withoutChoice: events = 0 }] = silent;
  return [
    `${plural(silent.length, 'policy chooses', 'policies choose')} no candidate at some events (${JSON.stringify(name)} at ${count(events)}): predictions count 0 there, in every estimator that goes by a model`,
  ];
}

/** Which estimators an evaluation uses: those that are asked for, or what fits the log; and what does not go with them. */

import { InputError } from '../errors.js';
import { type ChosenEstimator, chooseEstimators } from '../estimate/estimators/choose.js';
import type { Parameters } from '../estimate/estimators/estimator.js';
import type { EstimatorName } from '../estimate/estimators/index.js';
import { WEIGHTED_INTERVALS, type WeightedInterval } from '../estimate/interval/weighted/index.js';
import type { Clip } from '../estimate/weights/clips.js';
import { PROPENSITY_TOLERANCE } from '../log/checks/uniform/propensity.js';
import type { EventLog } from '../log/event-log.js';
import { pathText } from '../options/path-text.js';
import { ofLogged, requireChoices } from '../policy/drawn/entry.js';
import type { PolicySet } from '../policy/policy-set.js';
import { givesRewardModel, type RewardModelOptions } from '../reward-model/options.js';

export interface EstimatorOptions extends RewardModelOptions {
  /**
   * What values are: one or several, of which the first ranks. Default: `replay` where logging is uniform, else `snips`, for any
   * logging policy whose propensities are in the log.
   */
  estimators?: EstimatorName | readonly EstimatorName[];
  /**
   * M of `ips-clip`, `snips-clip` and `dr-clip`: weights 1/p above it count as M. A list, or `auto` (2, 5, 10, 20, 50, … up to the
   * largest weight): for each policy one of these, or none, is chosen by its payoffs; for rankings one number for all is better.
   */
  clip?: Clip;
  /** τ of `switch-dr`: events of a larger weight are left to the reward model. */
  switch?: number;
  /** λ of `dros`: weights w count as λw/(w² + λ). */
  shrinkage?: number;
}

/** Options of replay, and of thinning. */
export interface ReplayOnly {
  readonly validEvents?: number;
  readonly blockStatistics?: boolean;
  readonly assumeUniform?: boolean;
  readonly thin?: boolean;
  /** Columns by which the logging policy went. */
  readonly estimatePropensities?: readonly string[];
  /** κ: candidates × propensity is never less. */
  readonly leastPropensity?: number;
}

/** Those that are named, else replay. */
export function chosenEstimators(options: EstimatorOptions): ChosenEstimator[] {
  return chooseEstimators(names(options), parameters(options));
}

export function names({ estimators = ['replay'] }: EstimatorOptions): readonly string[] {
  return typeof estimators === 'string' ? [estimators] : estimators;
}

export function parameters({ clip, switch: most, shrinkage }: EstimatorOptions): Parameters {
  return { clip, switch: most, shrinkage };
}

/** What a log that is not uniform is estimated by, where nothing is asked for. */
export const OTHERWISE = chooseEstimators(['snips'], {});

/** Nothing is asked for that only one of replay and snips has: the log's propensities are to tell. */
export function choosesByLog({
  estimators,
  interval,
  sequence,
  ...only
}: EstimatorOptions & ReplayOnly & { interval?: string; sequence?: string }): boolean {
  // The one sequence that snips has not.
  if (sequence === 'empirical-bernstein') return false;
  if (estimators !== undefined || interval === undefined) return estimators === undefined && !asksReplay(only);
  const intervals: readonly WeightedInterval[] = WEIGHTED_INTERVALS;
  const fits = intervals.some(
    ({ name, estimators: of }) =>
      name === interval && OTHERWISE.every(({ estimator }) => of?.includes(estimator.name) ?? true),
  );
  return !asksReplay(only) && fits;
}

function asksReplay({ validEvents, blockStatistics, assumeUniform, thin }: ReplayOnly): boolean {
  return validEvents !== undefined || [blockStatistics, assumeUniform, thin].includes(true);
}

/** What policies that draw their arm are estimated by. @throws InputError where that would be replay. */
export function estimatorsOfDrawn(set: PolicySet, options: EstimatorOptions & ReplayOnly): readonly ChosenEstimator[] {
  if (options.estimators === undefined && !asksReplay(options)) return OTHERWISE;
  const chosen = chosenEstimators(options);
  if (chosen.some(({ estimator }) => estimator.needs === 'uniform logging'))
    requireChoices(
      set,
      'replay compares the logged arm with the one that a policy chooses',
      '--estimator snips or ips, which weigh events by the probability of their arm; the log needs propensities',
    );
  const modelled = chosen.find(({ estimator }) => estimator.usesModel);
  const partial = set.find(({ spec }) => ofLogged(spec));
  if (modelled === undefined || partial === undefined) return chosen;
  throw new InputError({
    file: partial.place.file,
    path: pathText(partial.place.path, ['of']),
    problem: `the estimator ${modelled.estimator.name} goes by what a policy may choose, and these probabilities are of logged arms alone`,
    got: '"logged"',
    needed:
      '"of": "arms", a matrix with the probability of every arm; or estimators by weights alone, such as snips and ips',
  });
}

/** An interval of ips goes by the largest weight that there can be. */
export function boundsWeights(chosen: readonly ChosenEstimator[], interval: string | undefined): boolean {
  return interval === 'empirical-bernstein' && chosen.some(({ estimator }) => estimator.name === 'ips');
}

/**
 * The largest weight that there can be: candidates × propensity is at least κ. `null`: nothing is declared.
 *
 * @param least candidates × propensity in the log. @throws InputError where the log contradicts κ.
 */
export function mostWeight({ pools }: EventLog, { leastPropensity }: ReplayOnly, least: number): number | null {
  if (leastPropensity === undefined) return null;
  if (leastPropensity > least * (1 + PROPENSITY_TOLERANCE))
    throw new InputError({
      problem: 'option leastPropensity is more than candidates × propensity of an event',
      got: `${leastPropensity}, while the log has ${least}`,
      needed: `at most ${least}: the least of candidates × propensity, of every candidate that could be logged`,
    });
  let most = 0;
  for (let set = 0; set < pools.count; set++) most = Math.max(most, pools.offsets[set + 1] - pools.offsets[set]);
  return most / leastPropensity;
}

/** @throws InputError for options that the estimators have no use for. */
export function checkFits(
  chosen: readonly ChosenEstimator[],
  options: EstimatorOptions & ReplayOnly & { readonly interval?: string },
): void {
  const { validEvents, assumeUniform, blockStatistics, thin } = options;
  const alone = chosen.every(({ estimator }) => estimator.needs === 'uniform logging');
  const [unfit] = Object.entries({ validEvents, assumeUniform, blockStatistics, thin }).filter(
    ([, value]) => value !== undefined && value !== false,
  );
  if (unfit !== undefined && !alone)
    throw new InputError({
      problem: `option ${unfit[0]} belongs to the estimator replay, by itself`,
      got: `estimators ${names(options).join(', ')}`,
      needed: 'the one or the other',
    });
  if (boundsWeights(chosen, options.interval) && options.leastPropensity === undefined)
    throw new InputError({
      problem: 'the interval empirical-bernstein of ips goes by option leastPropensity, which is not given',
      needed:
        'the least of candidates × propensity that the logging policy gives any candidate; the least of the log is no bound',
      hint: '--least-propensity 0.05, say; of an epsilon-greedy logging policy it is epsilon',
    });
  const isOpen = options.estimators === undefined && !asksReplay(options);
  const weighs = isOpen || chosen.some(({ estimator }) => estimator.needs === 'propensities');
  if (options.estimatePropensities !== undefined && !weighs)
    throw new InputError({
      problem: 'propensities are to be estimated, and no estimator goes by them',
      got: `estimators ${names(options).join(', ')}`,
      needed: 'snips, ips or another that weighs events among them, or no option estimatePropensities',
    });
  if (!givesRewardModel(options) || chosen.some(({ estimator }) => estimator.usesModel)) return;
  throw new InputError({
    problem: 'options of a reward model are given, and no estimator goes by one',
    got: `estimators ${names(options).join(', ')}`,
    needed: 'dm, dr, dr-clip, switch-dr, dros or sndr among them, or no such option',
  });
}

/** @throws InputError where the log does not say how probable its arms were, or no longer does. */
export function requirePropensities(
  { propensity, source }: EventLog,
  chosen: readonly ChosenEstimator[],
  drawn: boolean,
): void {
  const needy = chosen.find(({ estimator }) => estimator.needs === 'propensities');
  if (needy === undefined) return;
  if (propensity !== null && source.distinctViews !== undefined)
    throw new InputError({
      file: source.files.length === 0 ? undefined : source.files.join(', '),
      problem: `the estimator ${needy.estimator.name} goes by propensities of events, and repeated views count as one`,
      got: 'arms that are likely come in longer runs, and so less often than their propensity says',
      needed: 'every view as an event of its own',
      hint: 'leave --distinct-views out; --block-user 64 (in code: blocks) allows for views of one user that depend on each other',
    });
  if (propensity !== null) return;
  throw new InputError({
    file: source.files.length === 0 ? undefined : source.files.join(', '),
    problem: `the estimator ${needy.estimator.name} goes by propensities, and the log has none`,
    got: source.columns === undefined ? undefined : `columns ${source.uses?.map(({ name }) => name).join(', ')}`,
    needed: 'the probability with which each logged arm was chosen',
    hint: `name their column in the mapping (propensity); ${
      drawn
        ? 'of uniformly random decisions they are 1 / candidates'
        : 'a log of uniformly random decisions needs none: --estimator replay'
    }; without either, --estimator dm goes by a reward model alone`,
  });
}

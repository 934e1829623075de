/** What an evaluation says of all its policies at once, as callers ask for it. */

import { InputError } from '../errors.js';
import type { Estimates } from '../estimate/estimates.js';
import type { ChosenEstimator } from '../estimate/estimators/choose.js';
import type { EstimateOptions } from '../estimate/one-estimate.js';
import type { Drawer } from '../estimate/selection/draws.js';
import { type PolicyStanding, type Selection, select } from '../estimate/selection/select.js';
import { FEW_BLOCKS, type Standing } from '../estimate/selection/standing.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import { nearestName } from '../names/order.js';
import { plural } from '../words.js';
import type { StreamEvaluation } from './stream-evaluation.js';

export interface SelectionOptions {
  /**
   * Statements that hold for all policies at once: bands, the set that may hold the best, what the best is worth. Default: where
   * there are two policies or more, or a baseline.
   */
  bands?: boolean;
  /** Draws of the bootstrap, at least 1,000; default 10,000. */
  draws?: number;
  /** Seed of the draws, a whole number in 0..2³²−1; default 0. */
  drawSeed?: number;
  /** What every policy is compared with: the name or the index of one of them, or `log`, what the log itself earned per event. */
  baseline?: string | number;
  /** A policy is called better than the baseline where it is so by more than this, in payoffs; default 0. */
  margin?: number;
}

/** Blocks of a log where nothing else is asked: bands rest on them. */
export const BAND_BLOCKS = 256;
export const DRAWS = 10_000;
/** The log itself as a baseline. */
const LOG = 'log';

/** @param chosen the first ranks. @throws InputError for options that do not go together, before a log is read. */
export function checkSelection(
  { bands, draws, drawSeed, baseline, margin }: SelectionOptions,
  { validEvents }: { readonly validEvents?: number },
  [first]: readonly ChosenEstimator[],
): void {
  const asked = Object.entries({ draws, drawSeed, baseline, margin, ...(bands === true ? { bands } : {}) });
  const option = asked.find(([, value]) => value !== undefined)?.[0];
  if (option === undefined) return;
  if (bands === false)
    throw new InputError({
      problem: `option ${option} belongs to statements about all policies at once, and there are to be none`,
      got: 'bands: false (--no-bands)',
      needed: 'the one or the other',
    });
  if (validEvents !== undefined)
    throw new InputError({
      problem: `option ${option} belongs to statements about all policies at once, which go by blocks of the whole log`,
      got: `validEvents ${validEvents}`,
      needed: 'Algorithm 2, the whole log: no option validEvents',
    });
  if (first.clips !== undefined)
    throw new InputError({
      problem: `option ${option} belongs to statements about all policies at once, which go by one M for all of them`,
      got: 'an M for each policy (clip: several, or auto)',
      needed: 'one number, such as --clip 20, or an estimator that does not clip',
    });
  if (margin !== undefined && baseline === undefined)
    throw new InputError({
      problem: 'option margin is by how much a policy is to be better than a baseline, and there is none',
      needed: 'a baseline (--baseline log, or a policy), or no margin',
    });
}

/** Bands may be asked for, or follow from two policies or a baseline. */
export function mayStand({ bands }: SelectionOptions, { validEvents }: { readonly validEvents?: number }): boolean {
  return bands !== false && validEvents === undefined;
}

/**
 * The policy that is meant, by name or index; `null`: the log itself.
 *
 * @throws InputError where there is none, or several.
 */
export function findBaseline(names: readonly string[], asked: string | number): number | null {
  const text = String(asked);
  const named = [...names.keys()].filter((p) => names[p] === text);
  const index = typeof asked === 'number' || /^\d+$/.test(text) ? Number(asked) : null;
  const inSet = index !== null && Number.isInteger(index) && index >= 0 && index < names.length;
  const meant = new Set([...(typeof asked === 'number' ? [] : named), ...(inSet ? [Number(index)] : [])]);
  const isLog = asked === LOG;
  if (meant.size + (isLog ? 1 : 0) === 1) return isLog ? null : [...meant][0];
  const problem = 'the baseline is not one of the policies';
  if (meant.size > 0)
    throw new InputError({
      problem: 'several are meant by the baseline',
      got: text,
      needed: `one; policies of that name or index: ${[...meant].slice(0, 5).join(', ')}${meant.size > 5 ? ', …' : ''}${isLog ? ', and the log itself' : ''}`,
      hint: 'an index that is no name, or other names in the policy set',
    });
  const near = nearestName(text, [...names.slice(0, 10_000), LOG]);
  throw new InputError({
    problem,
    got: text,
    needed: `the name of a policy, an index from 0 to ${names.length - 1}, or ${LOG}`,
    hint: near === null ? undefined : `did you mean ${JSON.stringify(near)}?`,
  });
}

/** What the policy that logged the events earned per event. */
export interface LoggedValue {
  events: number;
  value: number | null;
  interval: [number, number];
}

/** @param logged payoffs over all events. */
export function loggedValue(estimates: Estimates, logged: BlockStatistics, estimate: EstimateOptions): LoggedValue {
  const { value, bounds } = estimates.loggedStanding(logged, estimate);
  const events = logged.events.reduce((sum, events) => sum + events, 0);
  return { events, value, interval: bounds(1 - estimate.confidence) };
}

export interface Selected {
  readonly logged: LoggedValue;
  /** `null`: nothing is said of all policies at once. */
  readonly selection: Selection | null;
  /** By index in the policy set. */
  readonly standings: readonly PolicyStanding[];
  readonly warnings: readonly string[];
}

/** What holds for all policies at once, where that is asked for or there are several. */
export async function selectPolicies(
  { evaluated, estimates, logged, outline }: StreamEvaluation,
  asked: SelectionOptions & { readonly validEvents?: number },
  estimate: EstimateOptions,
  range: readonly [number, number],
  drawer: Drawer,
): Promise<Selected> {
  const log = estimates.loggedStanding(logged, estimate);
  const own = loggedValue(estimates, logged, estimate);
  const names = evaluated.flatMap(({ names }) => names);
  const none: Selected = { logged: own, selection: null, standings: [], warnings: [] };
  const { bands, draws = DRAWS, drawSeed: seed = 0, margin = 0 } = asked;
  const wanted = bands === true || asked.baseline !== undefined;
  if (!mayStand(asked, asked) || !estimates.stands || names.length < (wanted ? 1 : 2)) return none;
  const standings = standingsOf(estimates, evaluated, estimate);
  const blocks = logged.events.filter((events) => events > 0).length;
  const baseline = asked.baseline === undefined ? null : findBaseline(names, asked.baseline);
  const against =
    asked.baseline === undefined
      ? null
      : baseline === null
        ? { name: 'the log', index: null, standing: log }
        : { name: names[baseline], index: baseline, standing: standings[baseline] };
  const [low, high] = range;
  const options = {
    level: estimate.confidence,
    draws,
    seed,
    blocks,
    margin,
    baseline: against,
    range: [low, high] as [number, number],
  };
  const found = await select(standings, options, drawer);
  return {
    ...{ logged: own, selection: found.selection, standings: found.policies },
    warnings: [
      ...(against !== null && against.standing.value === null
        ? [`the baseline ${against.name} matched no event, so that nothing can be compared with it`]
        : []),
      ...fewBlocks(blocks, outline.description.kind),
    ],
  };
}

/** Where each policy stands, by index in the policy set. */
export function standingsOf(
  estimates: Estimates,
  evaluated: StreamEvaluation['evaluated'],
  estimate: EstimateOptions,
): Standing[] {
  return evaluated.flatMap(({ policies, stats, kind }) =>
    Array.from({ length: policies }, (_, p) => estimates.standing(stats, p, estimate, kind === 'drawn')),
  );
}

/** Of runs of events, errors are those of single events, which few blocks are no matter to. */
function fewBlocks(blocks: number, kind: StreamEvaluation['outline']['description']['kind']): string[] {
  if (blocks >= FEW_BLOCKS || kind === 'run') return [];
  const what = plural(blocks, kind === 'period' ? 'period' : 'group', kind === 'period' ? 'periods' : 'groups');
  return [
    `bands rest on ${what}, and fewer than ${FEW_BLOCKS} do not tell well how values vary between them: differences to a baseline (--baseline) suffer less, as what all policies have in common falls out of them`,
  ];
}

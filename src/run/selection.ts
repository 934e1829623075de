/** What an evaluation says of all its policies at once, or a replay of all its learners, as callers ask for it. */

import { z } from 'zod';
import { InputError } from '../errors.js';
import type { Estimates } from '../estimate/estimates.js';
import type { ChosenEstimator } from '../estimate/estimators/choose.js';
import type { EstimateOptions } from '../estimate/one-estimate.js';
import type { Drawer } from '../estimate/selection/draws.js';
import { type PolicyStanding, type Selection, select } from '../estimate/selection/select.js';
import { FEW_BLOCKS, type Standing } from '../estimate/selection/standing.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import { nearestName } from '../names/order.js';
import { option } from '../options/check-options.js';
import { plural } from '../words.js';
import type { StreamEvaluation } from './stream-evaluation.js';

export interface SelectionOptions {
  /**
   * Statements that hold for all policies (or learners) at once: bands, the set that may hold the best, what the best is worth. Default:
   * where there are two or more, or a baseline.
   */
  bands?: boolean;
  /** Draws of the bootstrap, at least 1,000; default 10,000. */
  draws?: number;
  /** Seed of the draws, a whole number in 0..2³²−1; default 0. */
  drawSeed?: number;
  /** What each is compared with: the name or the index of one of them, or `log`, what the log itself earned per event. */
  baseline?: string | number;
  /** One is called better than the baseline where it is so by more than this, in payoffs; default 0. */
  margin?: number;
}

/** Blocks of a log where nothing else is asked: bands rest on them. */
export const BAND_BLOCKS = 256;
export const DRAWS = 10_000;
/** The log itself as a baseline. */
const LOG = 'log';

export const SELECTION_OPTIONS = {
  bands: option.flag,
  draws: option.whole(1000, 100_000),
  drawSeed: option.whole(0, 2 ** 32 - 1),
  baseline: z.union([option.text, option.whole(0)], {
    error: 'the name or the index of one that is compared, or log',
  }),
  margin: option.number,
} as const;

/** The first option that asks for such statements, if any does. */
function askedOption({ bands, draws, drawSeed, baseline, margin }: SelectionOptions): string | undefined {
  const asked = Object.entries({ draws, drawSeed, baseline, margin, ...(bands === true ? { bands } : {}) });
  return asked.find(([, value]) => value !== undefined)?.[0];
}

/** @param what is compared, in the plural. @throws InputError for options that do not go together, before a log is read. */
export function checkSelection(options: SelectionOptions, what: 'policies' | 'learners'): void {
  const { bands, baseline, margin } = options;
  const option = askedOption(options);
  if (bands === false && option !== undefined)
    throw new InputError({
      problem: `option ${option} belongs to statements about all ${what} at once, and there are to be none`,
      got: 'bands: false (--no-bands)',
      needed: 'the one or the other',
    });
  if (margin !== undefined && baseline === undefined)
    throw new InputError({
      problem: `option margin is by how much ${what} are to be better than a baseline, and there is none`,
      needed: 'a baseline (--baseline log, or one of them), or no margin',
    });
}

/** @param chosen the first ranks. @throws InputError for an estimate that no such statement can be made of. */
export function checkEstimate(
  options: SelectionOptions,
  { validEvents }: { readonly validEvents?: number },
  [first]: readonly ChosenEstimator[],
): void {
  const option = askedOption(options);
  if (option === undefined) return;
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
}

/** Bands may be asked for, or follow from two policies or a baseline. */
export function mayStand({ bands }: SelectionOptions, { validEvents }: { readonly validEvents?: number }): boolean {
  return bands !== false && validEvents === undefined;
}

/**
 * The policy or learner that is meant, by name or index; `null`: the log itself.
 *
 * @throws InputError where there is none, or several.
 */
export function findBaseline(
  names: readonly string[],
  asked: string | number,
  what: 'policies' | 'learners',
): number | null {
  const text = String(asked);
  const named = [...names.keys()].filter((p) => names[p] === text);
  const index = typeof asked === 'number' || /^\d+$/.test(text) ? Number(asked) : null;
  const inSet = index !== null && Number.isInteger(index) && index >= 0 && index < names.length;
  const meant = new Set([...(typeof asked === 'number' ? [] : named), ...(inSet ? [Number(index)] : [])]);
  const isLog = asked === LOG;
  if (meant.size + (isLog ? 1 : 0) === 1) return isLog ? null : [...meant][0];
  if (meant.size > 0)
    throw new InputError({
      problem: 'several are meant by the baseline',
      got: text,
      needed: `one; ${what} of that name or index: ${[...meant].slice(0, 5).join(', ')}${meant.size > 5 ? ', …' : ''}${isLog ? ', and the log itself' : ''}`,
      hint: `an index that is no name, or other names of ${what}`,
    });
  const near =
    nearestName(text, [...names.slice(0, 10_000), LOG]) ?? names.find((name) => name.startsWith(text)) ?? null;
  throw new InputError({
    problem: `the baseline is not one of the ${what}`,
    got: text,
    needed: `the name of one, an index from 0 to ${names.length - 1}, or ${LOG}`,
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

/** What is compared with each other. */
export interface Compared {
  readonly what: 'policies' | 'learners';
  readonly names: readonly string[];
  readonly standings: readonly Standing[];
  readonly log: Standing;
  /** Blocks with events. */
  readonly blocks: number;
  readonly level: number;
  readonly range: readonly [number, number];
}

/** What holds for all of them at once. */
export async function selectAmong(
  { what, names, standings, log, blocks, level, range: [low, high] }: Compared,
  { draws = DRAWS, drawSeed: seed = 0, baseline: asked, margin = 0 }: SelectionOptions,
  drawer: Drawer,
): Promise<Pick<Selected, 'selection' | 'standings' | 'warnings'>> {
  const index = asked === undefined ? null : findBaseline(names, asked, what);
  const baseline =
    asked === undefined
      ? null
      : index === null
        ? { name: 'the log', index, standing: log }
        : { name: names[index], index, standing: standings[index] };
  const range: [number, number] = [low, high];
  const found = await select(standings, { level, draws, seed, blocks, margin, baseline, range }, drawer);
  return {
    ...{ selection: found.selection, standings: found.policies },
    warnings:
      baseline !== null && baseline.standing.value === null
        ? [`the baseline ${baseline.name} matched no event, so that nothing can be compared with it`]
        : [],
  };
}

/** They are wanted, and not merely made where there are several. */
export function isAsked({ bands, baseline }: SelectionOptions): boolean {
  return bands === true || baseline !== undefined;
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
  if (!mayStand(asked, asked) || !estimates.stands || names.length < (isAsked(asked) ? 1 : 2)) return none;
  const standings = standingsOf(estimates, evaluated, estimate);
  const blocks = logged.events.filter((events) => events > 0).length;
  const compared = { names, standings, log, blocks, level: estimate.confidence, range };
  const found = await selectAmong({ what: 'policies', ...compared }, asked, drawer);
  return {
    ...{ logged: own, ...found },
    warnings: [...found.warnings, ...fewBlocks(blocks, outline.description.kind)],
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

/**
 * Collects decisions as a reader meets them: features stay sparse, and names, arms and candidate sets are numbered in order
 * of appearance, until tables.ts makes those of an event log of them. Only what events of the log have gets in. Complete
 * events go to a taker, which keeps them (finish.ts) or hands them on (survey.ts, handed-events.ts).
 */

import { InputError } from '../../errors.js';
import { linearOf } from '../../log/build/exact-decimals.js';
import { WordInterner } from '../../log/build/interner.js';
import { outsideRange, propensityFault, propensityIsBad } from '../../log/build/rules.js';
import { listNames, nearestName } from '../../names/order.js';
import { FeatureBag } from './feature-bag.js';
import type { DecisionOptions } from './options.js';
import { badRow } from './rows.js';
import type { EventTaker } from './taken-events.js';
import { UsedColumns } from './used-columns.js';
import { Vocabulary } from './vocabulary.js';

/** Pool of an event whose candidates are all arms of the log, whichever these turn out to be. */
export const ALL_ARMS = 0xffffffff;

/** The decision that was logged. */
export interface LoggedDecision {
  readonly cost: number;
  /** Of the logged arm. */
  readonly propensity: number;
  /** Milliseconds since 1970; `null` where the row has none. */
  readonly time: number | null;
  /** Share of events like this one that were dropped before they were logged, below 1; absent: 0. */
  readonly dropRate?: number;
}

/** Place of the event that is being read. */
export interface EventPlace {
  readonly file: string;
  /** Over all files. */
  readonly row: number;
  readonly line: number;
}

/** Candidates of one event, at most: what the engines can tell apart in a set. */
export const MOST_ACTIONS = 65_535;

/** Rates at which events were dropped, at most: statistics are kept of each. */
const MOST_RATES = 64;

export class DecisionCollector {
  /** Features of the event that is being read; cleared by `event`. */
  readonly context: FeatureBag;
  /** Features of the action that is being read; cleared by `action`. */
  readonly action: FeatureBag;
  readonly contextColumns: UsedColumns;
  readonly actionColumns: UsedColumns;
  /** Distinct actions: the arm, then its features. */
  readonly versions = new WordInterner();
  /** Distinct candidate sets: versions, ascending. */
  readonly pools = new WordInterner();
  readonly armIds: string[] = [];
  /** At which events were dropped. */
  readonly dropRates = new Set<number>();
  private readonly arms = new Map<string, number>();
  /** Payoff of a cost. */
  private readonly payoff: (cost: number) => number;
  private readonly knownArms: ReadonlySet<string> | null;
  private readonly actions: { id: string; words: number[] }[] = [];

  /** Takes events that are complete; without one, they are checked and forgotten. */
  taker: EventTaker | null = null;

  constructor(readonly options: DecisionOptions) {
    const { isColumn, armId, keys, featureLimit, arms, payoffFromCost } = options;
    this.payoff = linearOf(payoffFromCost.scale, payoffFromCost.offset);
    const isKey = (name: string) => keys.some((key) => name.startsWith(key) && (name[key.length] ?? '=') === '=');
    this.context = new FeatureBag(
      new Vocabulary('context', (name) => ({ column: isColumn(name), lookup: isKey(name) })),
    );
    this.action = new FeatureBag(
      new Vocabulary('action', (name) => ({
        column: isColumn(name),
        lookup: armId.kind === 'feature' && armId.fits(name) !== null,
      })),
    );
    this.contextColumns = new UsedColumns(this.context.vocabulary, featureLimit);
    this.actionColumns = new UsedColumns(this.action.vocabulary, featureLimit);
    this.knownArms = arms === undefined ? null : new Set(arms.map(String));
  }

  /** L so far. */
  get events(): number {
    return this.taker?.events ?? 0;
  }

  /** Names, arms and candidate sets so far: what it was before where nothing is new. */
  get size(): number {
    const { context, action, versions, pools, armIds } = this;
    return (
      context.vocabulary.names.length + action.vocabulary.names.length + versions.count + pools.count + armIds.length
    );
  }

  /** Forgets an event that is not finished. */
  abandon(): void {
    this.context.clear();
    this.action.clear();
    this.actions.length = 0;
  }

  /** Takes `action` as the next candidate of the event. @throws RowFault where it has no arm id, or one that is taken. */
  addAction(tag: string): void {
    if (this.actions.length === MOST_ACTIONS) {
      badRow({ problem: 'event has too many actions', needed: `at most ${MOST_ACTIONS.toLocaleString('en')}` });
    }
    const words: number[] = [];
    const id = this.idOf(tag);
    this.action.appendTo(words);
    this.action.clear();
    this.actions.push({ id, words });
  }

  private idOf(tag: string): string {
    const { armId } = this.options;
    const position = this.actions.length + 1;
    if (armId.kind === 'position') return String(position);
    const got = `action ${position}`;
    if (armId.kind === 'tag') {
      if (tag !== '') return tag;
      badRow({ problem: 'action has no tag', got, needed: 'a tag, which names the arm' });
    }
    const { names } = this.action.vocabulary;
    const ids: string[] = [];
    for (const number of this.action.numbers()) {
      const id = armId.fits(names[number]);
      if (id !== null) ids.push(id);
    }
    if (ids.length === 1) return ids[0];
    return badRow({
      problem:
        ids.length === 0 ? 'action has no feature that names its arm' : 'action has several features that name its arm',
      got: ids.length === 0 ? got : `${got}: ${listNames(ids)}`,
      needed: `one feature ${armId.text}`,
    });
  }

  /** Ends an event whose candidates were added as actions. @param logged 0-based position of the logged one. */
  endOfActions(logged: number, decision: LoggedDecision, place: EventPlace): void {
    const ids = new Set<string>();
    for (const { id } of this.actions) {
      if (ids.has(id))
        badRow({
          problem: 'two actions of an event have the same arm id',
          got: JSON.stringify(id),
          needed: 'different ids',
        });
      ids.add(id);
      this.checkArm(id);
    }
    this.check(decision);
    const versions = this.actions.map(({ id, words }) => {
      const list = [this.arm(id), ...words];
      this.actionColumns.mark(list, 1, place);
      return this.versions.intern(list, 0, list.length);
    });
    this.commit(this.arm(this.actions[logged].id), this.internPool(versions), decision, place);
  }

  /** Ends an event whose candidates have no features. @param candidates ids, or `null`: all arms of the log. */
  endOfArms(logged: string, candidates: readonly string[] | null, decision: LoggedDecision, place: EventPlace): void {
    for (const id of candidates ?? [logged]) this.checkArm(id);
    this.check(decision);
    const pool =
      candidates === null
        ? ALL_ARMS
        : this.internPool(candidates.map((id) => this.versions.intern([this.arm(id)], 0, 1)));
    this.commit(this.arm(logged), pool, decision, place);
  }

  private internPool(versions: number[]): number {
    versions.sort((a, b) => a - b);
    return this.pools.intern(versions, 0, versions.length);
  }

  private commit(
    arm: number,
    pool: number,
    { cost, propensity, time, dropRate = 0 }: LoggedDecision,
    place: EventPlace,
  ): void {
    this.countRate(dropRate, place);
    const context: number[] = [];
    this.context.appendTo(context);
    this.contextColumns.mark(context, 0, place);
    this.taker?.take({ context, arm, pool, payoff: this.payoff(cost), propensity, time, dropRate, row: place.row });
    this.abandon();
  }

  private countRate(rate: number, { file, line }: EventPlace): void {
    this.dropRates.add(rate);
    if (this.dropRates.size <= MOST_RATES) return;
    throw new InputError({
      file,
      line,
      path: 'pdrop',
      problem: 'events were dropped at too many different rates',
      got: `${rate}, beside ${MOST_RATES} others before`,
      needed: `at most ${MOST_RATES} rates, as statistics are kept of each`,
      hint: 'split the log by pdrop, and read each part by itself',
    });
  }

  private arm(id: string): number {
    let number = this.arms.get(id);
    if (number === undefined) {
      number = this.armIds.push(id) - 1;
      this.arms.set(id, number);
    }
    return number;
  }

  private checkArm(id: string): void {
    const { knownArms } = this;
    if (knownArms === null || knownArms.has(id)) return;
    const near = nearestName(id, [...knownArms]);
    badRow({
      problem: 'arm is not in the given list of arms',
      got: JSON.stringify(id),
      needed: `one of ${listNames([...knownArms])}`,
      hint: near === null ? 'add it to the list, or leave the list out' : `did you mean ${JSON.stringify(near)}?`,
    });
  }

  private check({ cost, propensity }: LoggedDecision): void {
    if (!Number.isFinite(cost))
      badRow({ problem: 'cost is not a finite number', got: String(cost), needed: 'a finite number' });
    if (propensityIsBad(propensity)) badRow(propensityFault(propensity));
    const payoff = this.payoff(cost);
    const { payoffRange: range } = this.options;
    if (!Number.isFinite(payoff)) {
      badRow({
        problem: 'payoff is not a finite number',
        got: `${payoff}, of the cost ${cost}`,
        needed: 'a finite number',
      });
    }
    if (range !== undefined && (payoff < range[0] || payoff > range[1])) {
      badRow(outsideRange(`${payoff}, of the cost ${cost}`, range));
    }
  }
}

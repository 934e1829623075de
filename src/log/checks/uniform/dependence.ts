/**
 * Does the logged arm depend on anything that the log knows? Uniform overall is not enough: arms chosen by a level of the
 * context, by the hour or by the user make every value wrong. Counts are made batch by batch, and do not depend on the batches.
 */

import type { Archive, Carried } from '../../../archive.js';
import type { EventLog } from '../../event-log.js';
import {
  BORDERS,
  bin,
  bordersOf,
  MOST_CONTEXT_FACTORS,
  numericFactor,
  oneHotFactor,
  Prefix,
  planContexts,
  wholeContextFactor,
} from './context-factors.js';
import { type Factor, type FactorSpan, keyFactor, positionFactors, previousFactor, timeFactors } from './factor.js';
import { FactorTable, type FactorTest, type WorstCell } from './factor-table.js';
import { RunSums } from './run-sums.js';
import type { Slots } from './slots.js';

/** Cells of a factor's table: 4 MB. */
const MOST_CELLS = 2 ** 20;

/** Events that are gone through at a time; in a long log, drawn or not. */
export const WINDOW = 256;

/** Events beyond which windows are drawn, about so many. */
const MOST_EVENTS = 2 ** 19;
/** The same for factors of which there may be few events a group. */
const MOST_OF_MANY_GROUPS = 4 * MOST_EVENTS;

/** Events from which the borders of numbers are made. */
const PREFIX = 8 * WINDOW;

/** Events of a run: divide a window. */
const RUNS = [16, 128] as const;

/** Runs of neighbours are taken for dependent below this p. */
const NEIGHBOURS_BELOW = 1e-3;

/** One test, as results record it. */
export interface DependenceTest {
  /** What the logged arm was tested to depend on. */
  factor: string;
  events: number;
  /** Pearson's statistic and degrees of freedom; `null` where groups have too few events for it. */
  statistic: number | null;
  degrees: number | null;
  /** As if it were the only test; 0: below what doubles hold. */
  p: number;
}

/** A test with what messages need. */
export interface DependenceFinding {
  readonly test: DependenceTest;
  /** As of the factor. */
  readonly neighbours: boolean;
  /** The cells that are furthest from their due. */
  readonly worst: (most: number) => WorstCell[];
}

export class DependenceCounts implements Carried {
  /** Those that count more events stand first. */
  private readonly tables: FactorTable[];
  private readonly often: number;
  private readonly runs: RunSums[];
  private readonly prefix: Prefix;
  private readonly heldSlots: Uint32Array;
  /** Numeric columns, when the first events have shown where their borders are. */
  private numbers: FactorTable[] = [];
  private readonly chosen: Uint32Array;
  private readonly borders: Float64Array;
  /** Columns of the context that are not tested. */
  readonly untested: number;
  private seen = 0;
  private readonly groups = new Uint32Array(WINDOW);

  /** @param head the log, or its head. @param events of all of it. */
  constructor(
    private readonly head: EventLog,
    readonly events: number,
    private readonly slots: Slots,
  ) {
    const span: FactorSpan = { events, room: Math.floor(MOST_CELLS / Math.max(1, slots.width)) };
    const plan = planContexts(head.contexts);
    const { user, keys } = head;
    const factors: (Factor | null)[] = [
      user && keyFactor('the user', user, span, (log) => (log.user as typeof user).code, true),
      ...plan.oneHot.map((family) => oneHotFactor(head.contexts, family, span)),
      wholeContextFactor(head, span),
      ...[...keys].map(([name, key]) => keyFactor(name, key, span, (log) => (log.keys.get(name) as typeof key).code)),
      ...timeFactors(head),
      ...positionFactors(span),
      // Distinct views of one user never repeat an arm: the next one depends on the last, however it was drawn.
      head.source.distinctViews === undefined ? previousFactor(head, span) : null,
    ];
    this.tables = factors
      .filter((factor) => factor !== null && factor.groups <= span.room)
      .map((factor) => new FactorTable(factor as Factor, slots));
    this.often = this.tables.filter(({ factor }) => factor.often === true).length;
    this.runs = RUNS.map((size) => new RunSums(size, slots));
    const numeric = span.room > BORDERS ? plan.numeric : [];
    this.prefix = new Prefix(numeric, Math.min(events, PREFIX));
    this.heldSlots = new Uint32Array(this.prefix.size);
    const most = Math.min(numeric.length, Math.max(0, MOST_CONTEXT_FACTORS - plan.oneHot.length));
    this.chosen = new Uint32Array(most);
    this.borders = new Float64Array(most * BORDERS);
    this.untested = plan.left + plan.numeric.length - most;
  }

  /** Whether not all events are counted. */
  get sampled(): boolean {
    return this.events > MOST_EVENTS;
  }

  /** Counts events [from, to) of a batch, which lie in one window. @param slots theirs. */
  addWindow(log: EventLog, from: number, to: number, slots: Uint32Array): void {
    const first = this.seen - from;
    const length = to - from;
    const window = Math.floor(this.seen / WINDOW);
    const drawn = this.draws(window, MOST_EVENTS);
    const drawnOften = this.draws(window, MOST_OF_MANY_GROUPS);
    const count = (table: FactorTable): void => {
      table.factor.groupsOf(log, from, to, first, this.groups);
      table.add(this.groups, slots, length);
    };
    const { tables, numbers, runs, prefix, seen } = this;
    this.seen += length;
    for (let i = 0; i < (drawn ? tables.length : drawnOften ? this.often : 0); i++) count(tables[i]);
    if (!drawn) return;
    for (const run of runs) run.add(slots, length, seen);
    if (prefix.full) {
      for (const table of numbers) count(table);
      return;
    }
    this.heldSlots.set(slots.subarray(0, length), prefix.seen);
    prefix.take(log, from, to);
    if (prefix.full) this.makeBorders();
  }

  /** A batch is done with. */
  leave(log: EventLog): void {
    for (const { factor } of this.tables) factor.leave?.(log);
  }

  /**
   * Whether a window is counted, where about `most` events are: all of the first events, and of a long log a share that depends
   * on the number alone. What is drawn of fewer is among what is drawn of more.
   */
  private draws(window: number, most: number): boolean {
    if (!this.sampled || window * WINDOW < PREFIX) return true;
    let hash = Math.imul(window + 1, 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32 < most / this.events;
  }

  /** Chooses the columns whose values are spread most, and counts the first events by them. */
  private makeBorders(): void {
    const { prefix, chosen } = this;
    const found = prefix.columns.map((_, i) => {
      const values = prefix.of(i);
      const borders = bordersOf(values);
      const counts = new Uint32Array(BORDERS + 1);
      for (const value of values) counts[bin(borders, value)]++;
      return { i, borders, most: Math.max(...counts) };
    });
    const taken = found
      .sort((a, b) => a.most - b.most || a.i - b.i)
      .slice(0, chosen.length)
      .sort((a, b) => a.i - b.i);
    for (const [k, { i, borders }] of taken.entries()) {
      chosen[k] = i;
      this.borders.set(borders, k * BORDERS);
    }
    this.makeNumbers();
    const groups = new Uint32Array(prefix.size);
    for (const [k, table] of this.numbers.entries()) {
      prefix.of(chosen[k]).forEach((value, t) => {
        groups[t] = bin(taken[k].borders, value);
      });
      table.add(groups, this.heldSlots, prefix.size);
    }
  }

  private makeNumbers(): void {
    const { columns, dimension } = this.head.contexts;
    this.numbers = Array.from(this.chosen, (i, k) => {
      const column = this.prefix.columns[i];
      const borders = this.borders.subarray(k * BORDERS, (k + 1) * BORDERS);
      return new FactorTable(numericFactor(columns[column], dimension, column, borders), this.slots);
    });
  }

  /** All tests. */
  tests(): DependenceFinding[] {
    const { ids } = this.head.arms;
    const runs = this.runs.map((run) => entry(run.name, run.test(), () => [], true));
    // Where the arms of neighbours go together, those of groups do so the more.
    const inflation = runs[0].test.p < NEIGHBOURS_BELOW ? this.runs[0].inflation : 1;
    const factors = [...this.tables, ...this.numbers].flatMap((table) => {
      const { name, neighbours = false } = table.factor;
      const found = table.test(neighbours ? 1 : inflation);
      // In a single group there is nothing to depend on.
      return found.groups < 2 ? [] : [entry(name, found, (most) => table.worst(ids, most), neighbours)];
    });
    return [...factors, ...runs];
  }

  carry(archive: Archive): void {
    this.seen = archive.number(this.seen);
    for (const table of this.tables) table.carry(archive);
    for (const run of this.runs) run.carry(archive);
    this.prefix.carry(archive);
    archive.array(this.heldSlots);
    archive.array(this.chosen);
    archive.array(this.borders);
    if (archive.reading && this.prefix.full) this.makeNumbers();
    for (const table of this.numbers) table.carry(archive);
  }
}

function entry(
  factor: string,
  { events, pearson, p }: FactorTest,
  worst: (most: number) => WorstCell[],
  neighbours: boolean,
): DependenceFinding {
  const { statistic, degrees } = pearson ?? { statistic: null, degrees: null };
  return { test: { factor, events, statistic, degrees, p }, neighbours, worst };
}

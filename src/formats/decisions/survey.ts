/**
 * A first look at events: which columns, tables and numbers they will have. Where events are handed on, the files are read once
 * for this and once more for the events, so that no event is kept.
 */

import { atPlace, filesText, InputError } from '../../errors.js';
import { outgrowsTable } from '../../log/build/context-form.js';
import { isDense, seemsDense } from '../../log/build/contexts.js';
import { WordInterner } from '../../log/build/interner.js';
import { f32Column, f64Column, u32Column } from '../../log/build/memory.js';
import type { BuiltPools } from '../../log/build/pool-builder.js';
import { ScaleFinder } from '../../log/build/scale-finder.js';
import { type ContextTable, DROP_RATE, type EventLog, type KeyColumn } from '../../log/event-log.js';
import { sortIds } from '../../names/order.js';
import type { DecisionCollector } from './collector.js';
import { KeyLookup } from './key-lookup.js';
import type { CountedSource } from './reading.js';
import { ArmTables, checkSize, columnsOf, type FeatureColumns, fitsF32, writeRow } from './tables.js';
import type { DecidedEvent, EventTaker } from './taken-events.js';

/** What is known of a log after the first look. */
export interface SurveyedLog {
  /** The log without its events. */
  readonly head: Omit<EventLog, 'source'>;
  readonly events: number;
  /** Distinct contexts where the log keeps them as a table, else `null`. */
  readonly contexts: WordInterner | null;
  readonly columns: FeatureColumns;
  readonly tables: ArmTables;
  readonly armOf: BuiltPools['armOf'];
  readonly lookups: readonly KeyLookup[];
}

export class VocabularySurvey implements EventTaker {
  events = 0;
  private timed = 0;
  /** `null` once they are too many for a table, or hardly repeat, unless events are kept. */
  contexts: WordInterner | null = new WordInterner();
  private fits = true;
  private readonly scale = new ScaleFinder();
  /** Candidate sets, in order of first appearance. */
  private readonly pools = new Set<number>();
  private readonly keys: readonly { readonly lookup: KeyLookup; readonly levels: Set<string> }[];

  /**
   * @param collector whose events these are.
   * @param keeps events are kept, and their contexts with them.
   */
  constructor(
    private readonly collector: DecisionCollector,
    private readonly keeps = false,
  ) {
    const { context, options } = collector;
    this.keys = options.keys.map((key) => ({
      lookup: new KeyLookup(key, context.vocabulary.names),
      levels: new Set<string>(),
    }));
  }

  /** @returns the number of its context among those that the log keeps. */
  take({ context, pool, payoff, time }: DecidedEvent): number | undefined {
    this.events++;
    if (time !== null) this.timed++;
    this.scale.push(payoff + 0);
    this.pools.add(pool);
    const { contexts } = this;
    const distinct = contexts?.count;
    const number = contexts?.intern(context, 0, context.length);
    // A context that was there before has nothing new.
    if (contexts !== null && contexts.count === distinct) return number;
    this.fits &&= fitsF32(this.collector.context.vocabulary, context);
    for (const { lookup, levels } of this.keys) levels.add(lookup.of(context));
    if (contexts !== null && !this.keeps && this.isDense(contexts.count)) this.contexts = null;
    return number;
  }

  private isDense(distinct: number): boolean {
    return (
      seemsDense(distinct, this.events) || outgrowsTable(distinct, Math.max(1, this.collector.contextColumns.count))
    );
  }

  /**
   * The log but for its events.
   *
   * @throws InputError where there are too many columns, or an unknown key, or payoffs that no scale takes.
   */
  finish(source: CountedSource): SurveyedLog {
    return atPlace({ file: filesText(source.files) }, () => this.surveyed(source.rows));
  }

  private surveyed(rows: number): SurveyedLog {
    const { collector, events, pools, timed, scale } = this;
    const rates = this.rates();
    const keys = this.keys.filter(({ lookup }) => rates.length === 0 || lookup.key !== DROP_RATE);
    collector.contextColumns.check();
    collector.actionColumns.check();
    for (const { lookup } of keys) lookup.check();
    const columns = columnsOf(collector.context.vocabulary, collector.contextColumns.isUsed);
    const tables = new ArmTables(collector);
    for (const pool of pools) tables.pool(pool);
    const { arms, pools: poolTable, armFeatures, armOf } = tables.finish(u32Column(0));
    const { maxSteps, basis, ...found } = scale.finish(collector.options.payoffRange);
    const contexts = this.contextTable(columns);
    const key = (levels: ReadonlySet<string>): KeyColumn => ({ levels: sortIds([...levels]), code: u32Column(0) });
    return {
      head: {
        events: 0,
        arms,
        arm: u32Column(0),
        payoff: { steps: u32Column(0), maxSteps, ...found, rangeBasis: basis },
        contexts,
        pools: poolTable,
        propensity: f64Column(0),
        time: events > 0 && timed === events ? f64Column(0) : null,
        user: null,
        keys: new Map([
          ...keys.map(({ lookup, levels }) => [lookup.key, key(levels)] as const),
          ...rates.map((levels) => [DROP_RATE, key(levels)] as const),
        ]),
        armFeatures,
        sourceRow: events === rows ? null : u32Column(0),
      },
      events,
      columns,
      tables,
      armOf,
      lookups: keys.map(({ lookup }) => lookup),
      contexts: this.contexts,
    };
  }

  /** Those at which events were dropped, where there are several. @throws InputError where a feature is asked for by their name. */
  private rates(): ReadonlySet<string>[] {
    const { dropRates: rates } = this.collector;
    if (rates.size < 2) return [];
    const isFeature = this.keys.some(({ lookup }) => lookup.key === DROP_RATE && lookup.isKnown);
    if (!isFeature) return [new Set([...rates].map(String))];
    throw new InputError({
      problem: `events were dropped at different rates, which the log has as its key ${DROP_RATE}`,
      got: `a feature of the context as the key ${DROP_RATE}`,
      needed: 'keys of other names',
      hint: 'give the feature another name',
    });
  }

  private contextTable(columns: FeatureColumns): ContextTable {
    const { events, fits, keeps } = this;
    const { names } = columns;
    const dimension = names.length;
    // Where contexts hardly repeat, a row per event is smaller than rows and a column that points at them.
    if (this.contexts !== null && (dimension === 0 || isDense(this.contexts.count, events))) this.contexts = null;
    const { contexts } = this;
    const rows = contexts?.count ?? 0;
    if (keeps) checkSize('context', contexts === null ? events : rows, dimension, 1);
    const values = fits || dimension === 0 ? f32Column(rows * dimension) : f64Column(rows * dimension);
    if (contexts !== null) for (let row = 0; row < rows; row++) writeRow(columns, contexts.list(row), values, row);
    return { dimension, rows, values, row: contexts === null ? null : u32Column(0), columns: names };
  }
}

/** The columns of events as they come, in the collector's numbers: of all of them, or of those that are handed on next. */

import { type BatchLayout, batchEvents, type EventBatch, referTo } from '../../log/batch.js';
import { GrowingF64, GrowingU32 } from '../../log/build/growing.js';
import { WordInterner } from '../../log/build/interner.js';
import { f32Column, f64Column } from '../../log/build/memory.js';
import { DROP_RATE } from '../../log/event-log.js';
import type { SurveyedLog } from './survey.js';
import { writeRow } from './tables.js';
import type { DecidedEvent, EventTaker } from './taken-events.js';

/** Bytes of an event of a packed log beside its context: payoff, propensity, time, arm, pool and row. */
const EVENT_BYTES = 36;

/** The columns that batches of a log have. */
export function layoutOf({ arms, time, sourceRow, keys, contexts }: SurveyedLog['head']): BatchLayout {
  return {
    arms: referTo(arms.ids),
    steps: false,
    propensity: true,
    time: time !== null,
    pool: true,
    sourceRow: sourceRow !== null,
    user: null,
    keys: [...keys].map(([name, { levels }]) => ({ name, ...referTo(levels) })),
    contexts: {
      table: contexts.row !== null,
      values: contexts.values instanceof Float32Array ? 'f32' : 'f64',
      columns: contexts.columns,
    },
  };
}

export class DecisionColumns implements EventTaker {
  events = 0;
  /** Whether a key had a level that the log has not. */
  private hasOther = false;
  private readonly contextOf = new GrowingU32();
  private readonly arm = new GrowingU32();
  private readonly pool = new GrowingU32();
  private readonly payoff = new GrowingF64();
  private readonly propensity = new GrowingF64();
  private readonly time = new GrowingF64();
  private readonly row = new GrowingU32();
  private readonly dropRate = new GrowingF64();
  /** Of each key, the code of each context. */
  private keyCodes: GrowingU32[] = [];

  /** @param contexts those of the log where it keeps them, which these events add to. */
  constructor(private contexts = new WordInterner()) {}

  /** @param number of the context, where it is known. */
  take(event: DecidedEvent, number = this.contexts.intern(event.context, 0, event.context.length)): void {
    this.events++;
    this.contextOf.push(number);
    this.arm.push(event.arm);
    this.pool.push(event.pool);
    this.payoff.push(event.payoff + 0);
    this.propensity.push(event.propensity);
    this.time.push(event.time ?? Number.NaN);
    this.row.push(event.row);
    this.dropRate.push(event.dropRate);
  }

  /** Whether there are events for a batch. */
  isBatch({ head: { contexts } }: SurveyedLog): boolean {
    const context = contexts.row === null ? contexts.dimension * contexts.values.BYTES_PER_ELEMENT : 4;
    return this.arm.length >= batchEvents(EVENT_BYTES + context);
  }

  /** Whether all events were such as the first look saw. */
  isSame({ events, contexts, head }: SurveyedLog): boolean {
    return !this.hasOther && this.events === events && (contexts === null || contexts.count === head.contexts.rows);
  }

  /** The events since the last call, in the numbers of the log; valid until the next `take`. */
  emit(log: SurveyedLog): EventBatch {
    const events = this.arm.length;
    const contextOf = this.contextOf.take();
    const keys = [...this.keys(log, contextOf), ...this.rates(log)];
    const isTable = log.contexts !== null;
    const context = isTable ? f32Column(0) : this.rows(log, contextOf);
    // Contexts that the log does not keep are those of these events.
    if (!isTable) [this.contexts, this.keyCodes] = [new WordInterner(), []];
    return {
      events,
      arm: renumbered(this.arm.take(), (arm) => log.armOf[arm]),
      payoff: this.payoff.take(),
      steps: null,
      propensity: this.propensity.take(),
      time: this.time.take(),
      pool: renumbered(this.pool.take(), (pool) => log.tables.pool(pool)),
      sourceRow: this.row.take(),
      user: null,
      keys,
      context,
      contextRow: isTable ? contextOf : null,
    };
  }

  private keys({ head, lookups }: SurveyedLog, contextOf: Uint32Array): Uint32Array[] {
    const { contexts, keyCodes } = this;
    return lookups.map((lookup, k) => {
      keyCodes[k] ??= new GrowingU32();
      const codes = keyCodes[k];
      const codeOf = new Map(head.keys.get(lookup.key)?.levels.map((level, code) => [level, code]));
      while (codes.length < contexts.count) {
        const code = codeOf.get(lookup.of(contexts.list(codes.length)));
        if (code === undefined) this.hasOther = true;
        codes.push(code ?? 0);
      }
      return contextOf.map((context) => codes.at(context));
    });
  }

  /** Rates at which events were dropped, where there are several: the last key. */
  private rates({ head, lookups }: SurveyedLog): Uint32Array[] {
    const rates = this.dropRate.take();
    const key = head.keys.get(DROP_RATE);
    if (key === undefined || head.keys.size === lookups.length) return [];
    const codeOf = new Map(key.levels.map((level, code) => [Number(level), code]));
    return [
      Uint32Array.from(rates, (rate) => {
        const code = codeOf.get(rate);
        if (code === undefined) this.hasOther = true;
        return code ?? 0;
      }),
    ];
  }

  /** Dense contexts. */
  private rows({ head, columns }: SurveyedLog, contextOf: Uint32Array): Float32Array | Float64Array {
    const length = contextOf.length * columns.names.length;
    const values = head.contexts.values instanceof Float32Array ? f32Column(length) : f64Column(length);
    for (let t = 0; t < contextOf.length && length > 0; t++)
      writeRow(columns, this.contexts.list(contextOf[t]), values, t);
    return values;
  }
}

function renumbered(numbers: Uint32Array, numberOf: (number: number) => number): Uint32Array {
  for (let t = 0; t < numbers.length; t++) numbers[t] = numberOf(numbers[t]);
  return numbers;
}

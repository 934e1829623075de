/** Events that are handed on a stretch at a time, once a first look has told what the log is like. */

import { type BatchLayout, batchEvents, type EventBatch, referTo } from '../../log/batch.js';
import { GrowingF64, GrowingU32 } from '../../log/build/growing.js';
import type { SurveyedLog } from './survey.js';
import { writeRow } from './tables.js';
import type { DecidedEvent, EventTaker } from './taken-events.js';

/** Bytes of an event of a packed log beside its context: payoff, propensity, time, arm, pool and row. */
const EVENT_BYTES = 36;

export class HandedEvents implements EventTaker {
  events = 0;
  /** Whether a context was other than any at the first look. */
  private isOther = false;
  private readonly arm = new GrowingU32();
  private readonly pool = new GrowingU32();
  private readonly payoff = new GrowingF64();
  private readonly propensity = new GrowingF64();
  private readonly time = new GrowingF64();
  private readonly row = new GrowingU32();
  private readonly contextRow = new GrowingU32();
  /** Dense contexts of the stretch. */
  private dense: Float32Array | Float64Array;
  private readonly keys: readonly { readonly codes: GrowingU32; readonly codeOf: ReadonlyMap<string, number> }[];
  /** Events of a stretch, about. */
  private readonly stretchEvents: number;

  constructor(private readonly log: SurveyedLog) {
    const { contexts, keys } = log.head;
    const context = log.contexts === null ? contexts.dimension * contexts.values.BYTES_PER_ELEMENT : 4;
    this.stretchEvents = batchEvents(EVENT_BYTES + context);
    this.dense = contexts.values.slice(0, 0);
    this.keys = [...keys.values()].map(({ levels }) => ({
      codes: new GrowingU32(),
      codeOf: new Map(levels.map((level, code) => [level, code])),
    }));
  }

  /** The columns of the packed log. */
  layout(): BatchLayout {
    const { arms, time, sourceRow, keys, contexts } = this.log.head;
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

  take({ context, arm, pool, payoff, propensity, time, row }: DecidedEvent): void {
    const { log, keys } = this;
    this.events++;
    this.arm.push(log.armOf[arm]);
    this.pool.push(log.tables.pool(pool));
    this.payoff.push(payoff + 0);
    this.propensity.push(propensity);
    this.time.push(time ?? Number.NaN);
    this.row.push(row);
    if (log.contexts !== null) this.contextRow.push(log.contexts.intern(context, 0, context.length));
    else if (log.columns.names.length > 0) this.pushDense(context);
    for (const [k, { codes, codeOf }] of keys.entries()) {
      const code = codeOf.get(log.lookups[k].of(context));
      if (code === undefined) this.isOther = true;
      codes.push(code ?? 0);
    }
  }

  /** Whether all events were such as the first look saw. */
  get isSame(): boolean {
    const { log, events } = this;
    return (
      !this.isOther && events === log.events && (log.contexts === null || log.contexts.count === log.head.contexts.rows)
    );
  }

  private pushDense(context: readonly number[]): void {
    const { columns } = this.log;
    const dimension = columns.names.length;
    const at = this.arm.length - 1;
    if ((at + 1) * dimension > this.dense.length) {
      const length = Math.max(2 * this.dense.length, 1024 * dimension);
      const wider = this.dense instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
      wider.set(this.dense);
      this.dense = wider;
    }
    this.dense.fill(0, at * dimension, (at + 1) * dimension);
    writeRow(columns, context, this.dense, at);
  }

  /** Whether there are events for a stretch. */
  get isStretch(): boolean {
    return this.arm.length >= this.stretchEvents;
  }

  /** The events since the last call; valid until the next `take`. */
  handOn(): EventBatch {
    const { contexts } = this.log.head;
    const events = this.arm.length;
    const rows = this.contextRow.take();
    return {
      events,
      arm: this.arm.take(),
      payoff: this.payoff.take(),
      steps: null,
      propensity: this.propensity.take(),
      time: this.time.take(),
      pool: this.pool.take(),
      sourceRow: this.row.take(),
      user: null,
      keys: this.keys.map(({ codes }) => codes.take()),
      context: this.dense.subarray(0, contexts.row === null ? events * contexts.dimension : 0),
      contextRow: contexts.row === null ? null : rows,
    };
  }
}

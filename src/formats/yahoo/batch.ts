/** Events that are handed on while a log is read. */

import { type BatchLayout, batchEvents, type EventBatch } from '../../log/batch.js';
import type { ContextForm } from '../../log/build/context-form.js';
import type { EventColumns } from './events.js';
import type { Users } from './users.js';

/** Bytes of an event of a packed log beside its context: payoff, time, arm, pool and row. */
const EVENT_BYTES = 28;

/** The columns of the packed log. @param hasRows rows may be dropped. */
export function layoutOf(form: ContextForm, users: Users, armIds: readonly string[], hasRows: boolean): BatchLayout {
  return {
    // Indices are known at the end; there are some hundred articles.
    arms: { as: 'text', levels: armIds },
    steps: false,
    propensity: false,
    time: true,
    pool: true,
    sourceRow: hasRows,
    user: null,
    keys: [],
    contexts: { table: form === 'table', values: form === 'f64' ? 'f64' : 'f32', columns: users.columns },
  };
}

/** Events of a batch, about. */
export function eventsPerBatch(form: ContextForm, { columns }: Users): number {
  return batchEvents(EVENT_BYTES + (form === 'table' ? 4 : columns.length * (form === 'f64' ? 8 : 4)));
}

/** The events since the last call; valid until the next event. @throws OtherForm */
export function takeBatch(events: EventColumns, users: Users): EventBatch {
  const { values, row } = users.take();
  const sourceRow = events.rows.take();
  const { count, arm, clicks, pool, time } = events.take();
  return {
    events: count,
    arm,
    payoff: Float64Array.from(clicks),
    steps: null,
    propensity: null,
    time,
    pool,
    sourceRow,
    user: null,
    keys: [],
    context: values,
    contextRow: row,
  };
}

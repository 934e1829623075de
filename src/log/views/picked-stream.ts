/** Some events of a log that is gone through in batches, as a stream of their own. */

import { batchEvents } from '../batch.js';
import { f32Column, f64Column, u32Column } from '../build/memory.js';
import type { EventLog } from '../event-log.js';
import { everyArm } from '../pools.js';
import type { LogStream } from '../stream.js';
import { checkBatch } from '../stream-of.js';
import { pickEvents } from './pick.js';
import { UsedEntries, usedContexts, usedPools } from './used-entries.js';

/** Candidate sets and contexts that the picked events refer to, numbered anew. */
export class PickedTables {
  private readonly contexts: UsedEntries | null;
  private readonly pools: UsedEntries | null;

  /** @param log with its tables; its events do not matter. */
  constructor({ contexts, pools }: EventLog) {
    this.contexts = contexts.row === null ? null : new UsedEntries(contexts.rows);
    this.pools = pools.pool === null ? null : new UsedEntries(pools.count);
  }

  /** Event `i` of a batch is picked. Events come in order. */
  use({ contexts, pools }: EventLog, i: number): void {
    if (contexts.row !== null) this.contexts?.use(contexts.row[i]);
    if (pools.pool !== null) this.pools?.use(pools.pool[i]);
  }

  /** The head of what is picked, of that of all. @param isBeginning whether it is the first events of all. */
  head(all: EventLog, events: number, isBeginning: boolean): EventLog {
    const { contexts, pools } = this;
    const isEmpty = events === 0 && pools !== null && (all.armFeatures?.row ?? null) === null;
    if (events === 0 && !isEmpty) pools?.use(0);
    return {
      ...all,
      ...(isEmpty
        ? { pools: everyArm(all.arms.ids.length) }
        : pools !== null && usedPools(all.pools, all.armFeatures, pools)),
      contexts: contexts === null ? all.contexts : usedContexts(all.contexts, contexts),
      sourceRow: all.sourceRow ?? (isBeginning ? null : u32Column(0)),
    };
  }

  /** Events of a batch under the tables of the head. @param at their indices in the batch. */
  pick(base: EventLog, head: EventLog, at: Uint32Array): EventLog {
    const picked = pickEvents(base, at);
    const { pool } = picked.pools;
    const { row } = picked.contexts;
    if (pool !== null) this.pools?.renumber(pool);
    if (row !== null) this.contexts?.renumber(row);
    const first = base.firstEvent ?? 0;
    return {
      ...picked,
      payoff: { ...head.payoff, steps: picked.payoff.steps },
      contexts: row === null ? picked.contexts : { ...head.contexts, row },
      pools: { ...head.pools, pool: head.pools.pool === null ? null : pool },
      armFeatures: head.armFeatures,
      sourceRow: head.sourceRow === null ? null : (picked.sourceRow ?? rowsFrom(first, at)),
      source: head.source,
    };
  }
}

function rowsFrom(first: number, at: Uint32Array): Uint32Array {
  const rows = u32Column(at.length);
  for (let i = 0; i < at.length; i++) rows[i] = first + at[i];
  return rows;
}

/** Events that are read of a log at a time. */
export function eventsPerBatch({ bytesPerEvent }: LogStream): number {
  return batchEvents(bytesPerEvent);
}

/**
 * The stream of picked events.
 *
 * @param at which event of `stream` each of the `events` is, rising.
 * @param finish what else becomes of events [from, to).
 */
export function pickedStream(
  stream: LogStream,
  head: EventLog,
  tables: PickedTables,
  { events, at }: { readonly events: number; at(i: number): number },
  finish: (picked: EventLog, from: number, to: number) => EventLog = (picked) => picked,
): LogStream {
  const most = eventsPerBatch(stream);
  return {
    head,
    events,
    // The parts of a batch, and the batch.
    bytesPerEvent: 2 * stream.bytesPerEvent + 8,
    identity: stream.identity,
    async read(from, to, signal) {
      signal?.throwIfAborted();
      checkBatch(from, to, events);
      const parts: EventLog[] = [];
      for (let i = from, next = from; i < to; i = next) {
        const start = at(i);
        while (next < to && at(next) < start + most) next++;
        const base = await stream.read(start, at(next - 1) + 1, signal);
        const some = Uint32Array.from({ length: next - i }, (_, k) => at(i + k) - start);
        parts.push(tables.pick({ ...base, firstEvent: start }, head, some));
      }
      if (parts.length === 0) parts.push(tables.pick(await stream.read(0, 0, signal), head, new Uint32Array(0)));
      return { ...finish(joined(parts), from, to), firstEvent: from };
    },
    close: () => stream.close(),
  };
}

/** Batches of one log as one, under the tables of the first. */
function joined(parts: readonly EventLog[]): EventLog {
  const [first] = parts;
  if (parts.length === 1) return first;
  const events = parts.reduce((sum, part) => sum + part.events, 0);
  const u32 = (of: (part: EventLog) => Uint32Array | null | undefined) => column(parts, of, u32Column);
  const f64 = (of: (part: EventLog) => Float64Array | null) => column(parts, of, f64Column);
  const { contexts, user } = first;
  const values = (part: EventLog) => part.contexts.values;
  const dense = () =>
    contexts.values instanceof Float32Array
      ? column(parts, (part) => values(part) as Float32Array, f32Column)
      : column(parts, (part) => values(part) as Float64Array, f64Column);
  return {
    ...first,
    events,
    arm: u32((part) => part.arm) ?? first.arm,
    payoff: { ...first.payoff, steps: u32((part) => part.payoff.steps) ?? first.payoff.steps },
    contexts:
      contexts.row === null
        ? { ...contexts, rows: events, values: dense() ?? contexts.values }
        : { ...contexts, row: u32((part) => part.contexts.row) },
    pools: { ...first.pools, pool: u32((part) => part.pools.pool) },
    propensity: f64((part) => part.propensity),
    time: f64((part) => part.time),
    user: user && { ...user, code: u32((part) => part.user?.code) ?? user.code },
    keys: new Map(
      [...first.keys].map(([name, key]) => [
        name,
        { ...key, code: u32((part) => part.keys.get(name)?.code) ?? key.code },
      ]),
    ),
    sourceRow: u32((part) => part.sourceRow),
  };
}

/** A column of all parts; `null` where they have none. */
function column<T extends Uint32Array | Float32Array | Float64Array>(
  parts: readonly EventLog[],
  of: (part: EventLog) => T | null | undefined,
  make: (length: number) => T,
): T | null {
  const columns = parts.map(of);
  if (columns.includes(null) || columns.includes(undefined)) return null;
  const all = columns as T[];
  const whole = make(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const one of all) {
    whole.set(one, at);
    at += one.length;
  }
  return whole;
}

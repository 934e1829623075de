/** The columns of a batch, filled row group by row group, of one file or of several. */

import { f32Column, f64Column, u32Column } from '../log/build/memory.js';
import { stepCounter } from '../log/build/scale-finder.js';
import type { ContextTable, EventLog, KeyColumn } from '../log/event-log.js';
import type { ReadNeed } from '../log/stream.js';
import type { Decoded } from './groups.js';
import type { PackedColumn, PackedColumns } from './layout.js';
import { type Codes, type ContextRecoding, type Recoding, recoded } from './recoding.js';

/** Rows of a row group. */
export interface GroupRows {
  readonly columns: PackedColumns;
  readonly decoded: Decoded;
  /** Rows [from, to) of the group. */
  readonly from: number;
  readonly to: number;
  /** Event of the file that row 0 of the group is. */
  readonly start: number;
}

export class BatchColumns {
  private readonly arm: Uint32Array;
  private readonly steps: Uint32Array;
  private readonly propensity: Float64Array | null;
  private readonly time: Float64Array | null;
  private readonly pool: Uint32Array | null;
  private readonly sourceRow: Uint32Array | null;
  private readonly user: Uint32Array | null;
  private readonly keys: readonly Uint32Array[];
  private readonly contextRow: Uint32Array | null;
  private readonly context: Float32Array | Float64Array;
  private readonly stepsOf: (payoff: number) => number;
  /** Events so far. */
  private count = 0;

  /** @param head the log that the batch is one of. */
  constructor(
    private readonly head: EventLog,
    private readonly events: number,
    private readonly need: ReadNeed = 'all',
  ) {
    const { contexts } = head;
    // Columns that are not needed stay empty.
    const rest = need === 'all' ? events : 0;
    this.arm = u32Column(events);
    this.steps = u32Column(rest);
    this.propensity = head.propensity === null ? null : f64Column(events);
    this.time = head.time === null ? null : f64Column(events);
    this.pool = head.pools.pool === null ? null : u32Column(events);
    this.sourceRow = head.sourceRow === null ? null : u32Column(rest);
    this.user = head.user === null ? null : u32Column(events);
    this.keys = [...head.keys].map(() => u32Column(events));
    this.contextRow = contexts.row === null ? null : u32Column(events);
    const length = contexts.row === null ? events * contexts.dimension : 0;
    this.context = contexts.values instanceof Float32Array ? f32Column(length) : f64Column(length);
    this.stepsOf = stepCounter(head.payoff.scale);
  }

  /** Takes rows of a file, whose codes mean what `recoding` says. */
  append(rows: GroupRows, recoding: Recoding): void {
    const { columns, decoded, from, to } = rows;
    const copy = (
      column: PackedColumn | null,
      target: Uint32Array | Float64Array | null,
      codes: Codes = null,
    ): void => {
      if (column === null || target === null) return;
      const values = valuesOf(decoded, column);
      if (codes === null) copyInto(target, this.count, values, from, to);
      else for (let i = from, t = this.count; i < to; i++, t++) target[t] = recoded(codes, values[i]);
    };
    copy(columns.arm, this.arm, recoding.arm);
    copy(columns.propensity, this.propensity);
    copy(columns.time, this.time);
    if (recoding.onePool !== null) this.pool?.fill(recoding.onePool, this.count, this.count + to - from);
    else copy(columns.pool, this.pool, recoding.pool);
    copy(columns.user, this.user, recoding.user);
    if (this.need === 'all') {
      if (columns.steps === null) this.appendSteps(valuesOf(decoded, columns.payoff), from, to);
      else copy(columns.steps, this.steps);
      this.appendRows(rows, recoding);
    }
    for (const [k, column] of columns.keys.entries()) copy(column, this.keys[k], recoding.keys?.[k]);
    this.appendContexts(rows, recoding.context);
    this.count += to - from;
  }

  private appendSteps(payoffs: ArrayLike<number>, from: number, to: number): void {
    const { steps, stepsOf } = this;
    for (let i = from, t = this.count; i < to; i++, t++) steps[t] = stepsOf(payoffs[i]);
  }

  private appendRows({ columns, decoded, from, to, start }: GroupRows, { rowOffset, firstRow }: Recoding): void {
    const { sourceRow } = this;
    if (sourceRow === null) return;
    if (firstRow !== null) {
      for (let i = from, t = this.count; i < to; i++, t++) sourceRow[t] = firstRow + start + i;
      return;
    }
    if (columns.sourceRow === null) throw new RangeError('events without source rows');
    const values = valuesOf(decoded, columns.sourceRow);
    if (rowOffset === 0) copyInto(sourceRow, this.count, values, from, to);
    else for (let i = from, t = this.count; i < to; i++, t++) sourceRow[t] = values[i] + rowOffset;
  }

  private appendContexts({ columns, decoded, from, to, start }: GroupRows, recoding: ContextRecoding): void {
    const { contextRow, count } = this;
    if (recoding.kind === 'events') {
      contextRow?.set(recoding.rows.subarray(start + from, start + to), count);
      return;
    }
    if (columns.contextRow === null) {
      for (const [j, column] of columns.context.entries())
        this.appendFeature(j, columns.context.length, valuesOf(decoded, column), from, to);
      return;
    }
    const rows = valuesOf(decoded, columns.contextRow);
    if (recoding.kind === 'dense') {
      this.appendDense(recoding.values, rows, from, to);
    } else if (contextRow !== null) {
      if (recoding.codes === null) copyInto(contextRow, count, rows, from, to);
      else for (let i = from, t = count; i < to; i++, t++) contextRow[t] = recoded(recoding.codes, rows[i]);
    }
  }

  private appendFeature(j: number, dimension: number, values: ArrayLike<number>, from: number, to: number): void {
    const { context } = this;
    for (let i = from, at = this.count * dimension + j; i < to; i++, at += dimension) context[at] = values[i];
  }

  /** Rows of a table, written out. */
  private appendDense(table: Float32Array | Float64Array, rows: ArrayLike<number>, from: number, to: number): void {
    const { context } = this;
    const { dimension } = this.head.contexts;
    for (let i = from, at = this.count * dimension; i < to; i++) {
      for (let j = 0, k = rows[i] * dimension; j < dimension; j++) context[at++] = table[k++];
    }
  }

  /** The batch that begins at event `from` of the log. */
  finish(from: number): EventLog {
    const { head } = this;
    const key = ({ levels }: KeyColumn, code: Uint32Array): KeyColumn => ({ levels, code });
    return {
      ...head,
      firstEvent: (head.firstEvent ?? 0) + from,
      events: this.events,
      arm: this.arm,
      payoff: { ...head.payoff, steps: this.steps },
      contexts: this.contexts(head.contexts),
      pools: { ...head.pools, pool: this.pool },
      propensity: this.propensity,
      time: this.time,
      user: head.user === null || this.user === null ? null : key(head.user, this.user),
      keys: new Map([...head.keys].map(([name, column], k) => [name, key(column, this.keys[k])])),
      sourceRow: this.sourceRow,
    };
  }

  private contexts(contexts: ContextTable): ContextTable {
    if (this.contextRow !== null) return { ...contexts, row: this.contextRow };
    return { ...contexts, rows: this.events, values: this.context };
  }
}

function valuesOf(decoded: Decoded, column: PackedColumn): ArrayLike<number> {
  const values = decoded.get(column);
  if (values === undefined) throw new RangeError(`column ${column.name} was not decoded`);
  return values;
}

function copyInto(
  target: Uint32Array | Float64Array,
  at: number,
  values: ArrayLike<number>,
  from: number,
  to: number,
): void {
  if (ArrayBuffer.isView(values) && !(values instanceof DataView)) {
    target.set((values as Float64Array).subarray(from, to), at);
    return;
  }
  for (let i = from; i < to; i++) target[at++] = values[i];
}

/** Reads packed logs: whole, or stretch by stretch. */

import type { ContextTable, EventLog, KeyColumn } from '../event-log.js';
import { f32Column, f64Column, u32Column } from '../memory.js';
import { stepCounter } from '../scale-finder.js';
import type { LogStream, StretchNeed } from '../stream.js';
import { bytesPerEvent, checkStretch } from '../stream-of.js';
import { type Decoded, Groups } from './groups.js';
import { layoutOf, readHead } from './head.js';
import { countedColumns, type PackedColumn, type PackedColumns, packedColumns } from './layout.js';
import { PackedFile } from './packed-file.js';
import { readNumbers } from './sections.js';

/** What reading a stretch may be told. */
export interface StretchOptions {
  readonly signal?: AbortSignal;
  /** Told after every row group: events read so far. */
  readonly onEvents?: (events: number) => void;
  /** Default: all. */
  readonly need?: StretchNeed;
}

/** Opens a packed log for reading in stretches. @throws InputError where it is missing, no packed log, or damaged. */
export async function openPacked(file: string): Promise<PackedLog> {
  const packed = await PackedFile.open(file);
  try {
    const head = await readHead(packed);
    const columns = packedColumns(layoutOf(packed, head));
    const table = u32Column(2 * packed.header.groups.count);
    await readNumbers(packed, packed.header.groups.table, table);
    return new PackedLog(packed, head, columns, new Groups(packed, columns.all, table));
  } catch (error) {
    await packed.close();
    throw error;
  }
}

/** A packed log that is open. */
export class PackedLog implements LogStream {
  readonly events: number;
  readonly bytesPerEvent: number;
  /** The row group in which the last stretch ended, decoded: the next stretch mostly begins there. */
  private last: { group: number; need: StretchNeed; decoded: Promise<Decoded> } | null = null;

  constructor(
    private readonly file: PackedFile,
    readonly head: EventLog,
    private readonly columns: PackedColumns,
    private readonly groups: Groups,
  ) {
    this.events = file.header.events;
    this.bytesPerEvent = bytesPerEvent(head);
  }

  read(from: number, to: number, signal?: AbortSignal, need?: StretchNeed): Promise<EventLog> {
    return this.readStretch(from, to, { signal, need });
  }

  /** `read`, with progress. */
  async readStretch(
    from: number,
    to: number,
    { signal, onEvents, need = 'all' }: StretchOptions = {},
  ): Promise<EventLog> {
    signal?.throwIfAborted();
    checkStretch(from, to, this.events);
    const { groups, head } = this;
    const columns = need === 'all' ? this.columns.all : countedColumns(this.columns);
    const target = new Target(head, this.columns, to - from, need);
    if (from < to) {
      const first = groups.groupOf(from);
      const end = groups.groupOf(to - 1) + 1;
      const last = this.last;
      this.last = null;
      const load = (group: number) =>
        last?.group === group && last.need === need
          ? last.decoded
          : groups.bytes(group).then((bytes) => groups.decode(group, bytes, columns));
      for (let group = first; group < end; group++) {
        const decoded = await load(group);
        signal?.throwIfAborted();
        const start = groups.start(group);
        const begin = Math.max(from, start);
        const stop = Math.min(to, groups.start(group + 1));
        target.append(decoded, begin - start, stop - start);
        if (stop < groups.start(group + 1)) this.last = { group, need, decoded: Promise.resolve(decoded) };
        onEvents?.(stop - from);
      }
    }
    return target.finish(from);
  }

  close(): Promise<void> {
    this.last = null;
    return this.file.close();
  }
}

/** The columns of a stretch, filled row group by row group. */
class Target {
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
  private count = 0;

  constructor(
    private readonly head: EventLog,
    private readonly columns: PackedColumns,
    private readonly events: number,
    private readonly need: StretchNeed,
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
    this.keys = columns.keys.map(() => u32Column(rest));
    this.contextRow = contexts.row === null ? null : u32Column(rest);
    const length = contexts.row === null ? rest * contexts.dimension : 0;
    this.context = contexts.values instanceof Float32Array ? f32Column(length) : f64Column(length);
    this.stepsOf = stepCounter(head.payoff.scale);
  }

  /** Takes rows [from, to) of a row group. */
  append(decoded: Decoded, from: number, to: number): void {
    const { columns } = this;
    const valuesOf = (column: PackedColumn): ArrayLike<number> => {
      const values = decoded.get(column);
      if (values === undefined) throw new RangeError(`column ${column.name} was not decoded`);
      return values;
    };
    const copy = (column: PackedColumn | null, target: Uint32Array | Float64Array | null): void => {
      if (column !== null && target !== null) copyInto(target, this.count, valuesOf(column), from, to);
    };
    copy(columns.arm, this.arm);
    copy(columns.propensity, this.propensity);
    copy(columns.time, this.time);
    copy(columns.pool, this.pool);
    copy(columns.user, this.user);
    if (this.need === 'all') this.appendRest(valuesOf, copy, from, to);
    this.count += to - from;
  }

  /** Columns beyond those that are counted. */
  private appendRest(
    valuesOf: (column: PackedColumn) => ArrayLike<number>,
    copy: (column: PackedColumn | null, target: Uint32Array | null) => void,
    from: number,
    to: number,
  ): void {
    const { columns } = this;
    if (columns.steps === null) this.appendSteps(valuesOf(columns.payoff), from, to);
    else copy(columns.steps, this.steps);
    copy(columns.sourceRow, this.sourceRow);
    copy(columns.contextRow, this.contextRow);
    for (const [k, column] of columns.keys.entries()) copy(column, this.keys[k]);
    for (const [j, column] of columns.context.entries()) this.appendFeature(j, valuesOf(column), from, to);
  }

  private appendSteps(payoffs: ArrayLike<number>, from: number, to: number): void {
    const { steps, stepsOf } = this;
    for (let i = from, t = this.count; i < to; i++, t++) steps[t] = stepsOf(payoffs[i]);
  }

  private appendFeature(j: number, values: ArrayLike<number>, from: number, to: number): void {
    const { context } = this;
    const dimension = this.columns.context.length;
    for (let i = from, at = this.count * dimension + j; i < to; i++, at += dimension) context[at] = values[i];
  }

  /** The stretch that begins at event `from` of the file. */
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
    return { ...contexts, rows: this.need === 'all' ? this.events : 0, values: this.context };
  }
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

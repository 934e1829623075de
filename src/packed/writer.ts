/** Writes a packed log batch by batch; what is only known at the end of a log is written last. */

import type { FileHandle } from 'node:fs/promises';
import { type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { InputError } from '../errors.js';
import { basePayoff, totalPayoff } from '../estimate/sums/payoff-scale.js';
import { FileSink } from '../files/file-sink.js';
import type { BatchLayout, EventBatch } from '../log/batch.js';
import { stepCounter } from '../log/build/scale-finder.js';
import type { ArmFeatureTable, EventLog, KeyColumn, PayoffColumn, PoolTable } from '../log/event-log.js';
import { footerCheck } from './footer.js';
import { CHECK_KEY, HEADER_KEY, PACKED_VERSION, type PackedHeader } from './header.js';
import {
  CREATED_BY,
  groupEvents,
  type PackedColumn,
  type PackedColumns,
  packedColumns,
  parquetSchema,
} from './layout.js';
import { writeNumbers, writeTexts } from './sections.js';

type Values = Uint32Array | Float32Array | Float64Array;

export class PackedWriter {
  /** Events that a row group holds, but the last. */
  readonly groupEvents: number;
  private readonly columns: PackedColumns;
  private readonly sink: FileSink;
  private readonly parquet: ParquetWriter;
  private readonly groups: number[] = [];
  private written = 0;

  /** @param events per row group; default: by the size of an event. */
  constructor(
    handle: FileHandle,
    private readonly layout: BatchLayout,
    events?: number,
  ) {
    this.columns = packedColumns(layout);
    this.groupEvents = events ?? groupEvents(this.columns.all);
    this.sink = new FileSink(handle);
    this.parquet = new ParquetWriter({
      writer: this.sink,
      schema: parquetSchema(this.columns.all),
      // Numbers that repeat become dictionaries, which is what shrinks them; what is left hardly compresses.
      codec: 'UNCOMPRESSED',
      statistics: false,
      createdBy: CREATED_BY,
    });
  }

  /** Events written. */
  get events(): number {
    return this.written;
  }

  /** Writes a row group of about `groupEvents` events. */
  async append(group: EventBatch): Promise<void> {
    if (group.events === 0) return;
    this.sink.beginCheck();
    await this.parquet.write({
      columnData: this.columnData(group),
      rowGroupSize: group.events,
      // One page per column.
      pageSize: 0,
    });
    this.groups.push(group.events, this.sink.check);
    this.written += group.events;
  }

  private columnData(group: EventBatch): ColumnSource[] {
    const { columns } = this;
    const dimension = columns.context.length;
    const sources: ColumnSource[] = [];
    const add = (column: PackedColumn | null, values: Values | null): void => {
      if (column === null) return;
      if (values === null) throw new RangeError(`the layout has a column ${column.name}, the group has none`);
      sources.push(columnSource(column, values));
    };
    add(columns.arm, group.arm);
    add(columns.payoff, group.payoff);
    add(columns.steps, group.steps);
    add(columns.propensity, group.propensity);
    add(columns.time, group.time);
    add(columns.pool, group.pool);
    add(columns.sourceRow, group.sourceRow);
    add(columns.contextRow, group.contextRow);
    add(columns.user, group.user);
    for (const [k, key] of columns.keys.entries()) add(key, group.keys[k]);
    for (const [j, column] of columns.context.entries()) {
      const values = column.kind === 'f32' ? new Float32Array(group.events) : new Float64Array(group.events);
      for (let t = 0, i = j; t < group.events; t++, i += dimension) values[t] = group.context[i];
      add(column, values);
    }
    return sources;
  }

  /**
   * Writes the tables, the header and the footer.
   *
   * @param head the whole log without its events.
   */
  async finish(head: EventLog): Promise<void> {
    const { sink, parquet } = this;
    const header = JSON.stringify(await this.header(head));
    parquet.kvMetadata = [
      { key: HEADER_KEY, value: header },
      { key: CHECK_KEY, value: footerCheck(header, parquet) },
    ];
    await parquet.finish();
    await sink.flush();
  }

  private async header(head: EventLog): Promise<PackedHeader> {
    const { sink, layout } = this;
    const { contexts, payoff, user } = head;
    const { warnings, ...source } = head.source;
    // Written one after the other, in this order.
    const groups = await writeNumbers(sink, Uint32Array.from(this.groups));
    const ids = await writeTexts(sink, head.arms.ids);
    const names = await writeTexts(sink, contexts.columns);
    const table = layout.contexts.table ? await writeNumbers(sink, contexts.values) : null;
    const pools = await this.pools(head.pools);
    const users = user === null ? null : await this.keyHeader(user, layout.user?.as);
    const keys: PackedHeader['keys'] = [];
    for (const [k, [name, key]] of [...head.keys].entries())
      keys.push({ name, ...(await this.keyHeader(key, layout.keys[k].as)) });
    return {
      version: PACKED_VERSION,
      events: this.written,
      firstEvent: head.firstEvent,
      groups: { count: this.groups.length / 2, table: groups },
      arms: { count: head.arms.ids.length, as: layout.arms.as, ids },
      payoff: {
        scale: payoff.scale,
        maxSteps: payoff.maxSteps,
        rangeBasis: payoff.rangeBasis,
        rounding: payoff.rounding,
        steps: layout.steps,
      },
      contexts: {
        dimension: contexts.dimension,
        rows: layout.contexts.table ? contexts.rows : this.written,
        values: contexts.values instanceof Float32Array ? 'f32' : 'f64',
        table,
        columns: names,
      },
      pools,
      propensity: layout.propensity,
      time: layout.time,
      user: users,
      keys,
      armFeatures: await this.armFeatures(head.armFeatures),
      sourceRow: { column: layout.sourceRow, perEvent: head.sourceRow !== null },
      source: {
        ...source,
        files: [...source.files],
        badRows: source.badRows.map((bad) => ({ ...bad })),
        ...(warnings === undefined ? {} : { warnings: [...warnings] }),
      },
    };
  }

  private async pools({ count, offsets, arms, pool, allArms }: PoolTable): Promise<PackedHeader['pools']> {
    const sizes = new Uint32Array(count);
    for (let s = 0; s < count; s++) sizes[s] = offsets[s + 1] - offsets[s];
    return {
      count,
      column: this.layout.pool,
      perEvent: pool !== null,
      sizes: await writeNumbers(this.sink, sizes),
      arms: await writeNumbers(this.sink, arms),
      allArms,
    };
  }

  private async keyHeader({ levels }: KeyColumn, as: 'text' | 'index' = 'index') {
    return { as, count: levels.length, levels: await writeTexts(this.sink, levels) };
  }

  private async armFeatures(features: ArmFeatureTable | null): Promise<PackedHeader['armFeatures']> {
    if (features === null) return null;
    const { dimension, rows, values, row, columns } = features;
    return {
      dimension,
      rows,
      values: await writeNumbers(this.sink, values),
      row: row === null ? null : await writeNumbers(this.sink, row),
      columns: await writeTexts(this.sink, columns),
    };
  }
}

const I32_END = 0x80000000;

function columnSource({ name, kind, levels = [], rising = false }: PackedColumn, values: Values): ColumnSource {
  if (kind === 'text') return { name, data: Array.from(values, (code) => levels[code]), encoding: 'RLE_DICTIONARY' };
  if (kind !== 'u32') {
    // A dictionary would take −0 for 0.
    const isPlain = values.some((value) => Object.is(value, -0));
    return { name, data: values, encoding: isPlain ? 'PLAIN' : undefined };
  }
  // The writer takes numbers beyond i32 in plain arrays only.
  const isLarge = values.some((value) => value >= I32_END);
  return { name, data: isLarge ? Array.from(values) : values, encoding: rising ? 'DELTA_BINARY_PACKED' : undefined };
}

/** Payoffs of steps; `null` where the steps would not follow from them. */
export function payoffsOf(steps: Uint32Array, { scale }: Pick<PayoffColumn, 'scale'>): Float64Array {
  const payoffs = new Float64Array(steps.length);
  for (let t = 0; t < steps.length; t++) payoffs[t] = totalPayoff(scale, 1, steps[t]);
  if (scale.rounded) return payoffs;
  const stepsOf = stepCounter(scale);
  for (let t = 0; t < steps.length; t++) {
    if (stepsOf(payoffs[t]) === steps[t]) continue;
    throw new InputError({
      column: 'payoff',
      row: t,
      problem: 'the payoff scale is not exact, although it says so',
      got: `step ${steps[t]} of ${basePayoff(scale)} is the payoff ${payoffs[t]}, which is step ${stepsOf(payoffs[t])}`,
      needed: 'a scale made by findScale, or one with `rounded: true`',
    });
  }
  return payoffs;
}

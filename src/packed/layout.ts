/** The Parquet columns of a packed log: one function of what the log has, the same for the writer and the reader. */

import type { SchemaElement } from 'hyparquet';
import { isParquet } from '../files/files.js';
import { type BatchLayout, batchEvents, type Levels, utf8Text } from '../log/batch.js';

/** What `created_by` of a packed log begins with: it stands near the end of the file. */
export const CREATED_BY = 'hindcast packed log';

/** Whether a file is a packed log, by its beginning and its end. */
export function isPacked({ bytes, tail }: { readonly bytes: Buffer; readonly tail: Buffer }): boolean {
  if (!isParquet(bytes)) return false;
  // A Parquet file without its end is none for anybody: the reader says so.
  return tail.includes(CREATED_BY) || tail.subarray(-4).toString('latin1') !== 'PAR1';
}

/** Physical kinds. `text` is stored by value and read as the index of its level. */
export type ColumnKind = 'text' | 'u32' | 'f32' | 'f64';

export interface PackedColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The dictionary of a text column. */
  readonly levels?: readonly string[];
  /** Values mostly rise by the same amount. */
  readonly rising?: boolean;
}

/** The columns by what they hold. */
export interface PackedColumns {
  readonly arm: PackedColumn;
  readonly payoff: PackedColumn;
  readonly steps: PackedColumn | null;
  readonly propensity: PackedColumn | null;
  readonly time: PackedColumn | null;
  readonly pool: PackedColumn | null;
  readonly sourceRow: PackedColumn | null;
  readonly contextRow: PackedColumn | null;
  readonly user: PackedColumn | null;
  readonly keys: readonly PackedColumn[];
  readonly context: readonly PackedColumn[];
  /** All of them, in the order of the file. */
  readonly all: readonly PackedColumn[];
}

/** A column name as Parquet readers decode it, which drop a byte-order mark. */
function readableName(name: string): string {
  return utf8Text(name).replace(/^\ufeff+/, '');
}

/** The columns of a file. Names are those of the log; one that is taken gets a number. */
export function packedColumns(layout: BatchLayout): PackedColumns {
  const taken = new Set<string>();
  const all: PackedColumn[] = [];
  const add = (name: string, kind: ColumnKind, more: Partial<PackedColumn> = {}): PackedColumn => {
    const column = { name: freeName(readableName(name), taken), kind, ...more };
    all.push(column);
    return column;
  };
  const addIf = (has: boolean, ...column: Parameters<typeof add>) => (has ? add(...column) : null);
  const addCodes = (name: string, suffix: string, { as, levels }: Levels): PackedColumn =>
    as === 'text' ? add(name, 'text', { levels }) : add(name + suffix, 'u32');
  const { contexts } = layout;
  const columns = {
    arm: addCodes('arm', '_index', layout.arms),
    payoff: add('payoff', 'f64'),
    steps: addIf(layout.steps, 'payoff_steps', 'u32'),
    propensity: addIf(layout.propensity, 'propensity', 'f64'),
    time: addIf(layout.time, 'time', 'f64'),
    pool: addIf(layout.pool, 'pool', 'u32'),
    sourceRow: addIf(layout.sourceRow, 'source_row', 'u32', { rising: true }),
    contextRow: addIf(contexts.table, 'context_row', 'u32'),
    user: layout.user === null ? null : addCodes('user', '_index', layout.user),
    keys: layout.keys.map((key) => addCodes(key.name, '_index', key)),
    context: contexts.table ? [] : contexts.columns.map((name) => add(name, contexts.values)),
  };
  return { ...columns, all };
}

/** The columns of a batch that is read to be counted. */
export function countedColumns({ payoff, steps, sourceRow, all }: PackedColumns): PackedColumn[] {
  return all.filter((column) => column !== payoff && column !== steps && column !== sourceRow);
}

/** Other programs take names without regard to case. */
function freeName(name: string, taken: Set<string>): string {
  const base = name === '' ? 'unnamed' : name;
  let free = base;
  for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${base}_${n}`;
  taken.add(free.toLowerCase());
  return free;
}

const PARQUET_TYPES: Readonly<Record<ColumnKind, Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  u32: { type: 'INT32', converted_type: 'UINT_32' },
  f32: { type: 'FLOAT' },
  f64: { type: 'DOUBLE' },
};

/** The Parquet schema: flat, no value may be missing. */
export function parquetSchema(columns: readonly PackedColumn[]): SchemaElement[] {
  return [
    { name: 'log', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'REQUIRED' as const, ...PARQUET_TYPES[kind] })),
  ];
}

/** Most bytes of an event in the file, texts and dictionaries apart. */
function eventBytes(columns: readonly PackedColumn[]): number {
  return columns.reduce((sum, { kind }) => sum + (kind === 'f64' ? 8 : 4), 0);
}

/** Events per row group, which are decoded at once: a power of two. */
export function groupEvents(columns: readonly PackedColumn[]): number {
  return batchEvents(eventBytes(columns));
}

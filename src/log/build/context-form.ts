/** How contexts are kept: rows of a table that events point at, or dense rows. */

/** How a log's contexts are kept: which one fits is known at its end. */
export type ContextForm = 'table' | 'f32' | 'f64';

/** Contexts of some events: dense rows, or row numbers. */
export interface ContextBatch {
  readonly values: Float32Array | Float64Array;
  readonly row: Uint32Array | null;
}

/** The contexts do not have the form that was supposed: the log is to be read again. */
export class OtherForm extends Error {
  override readonly name = 'OtherForm';

  constructor(readonly form: ContextForm) {
    super(`the contexts are kept as ${form}`);
  }
}

/**
 * Reads with a supposed form of the contexts, and again with the one that they turn out to have, where events are handed on. In
 * most logs that shows in the first batches.
 *
 * @param hands events are handed on; else contexts are kept in the form that fits, `null`.
 */
export async function inForm<T>(hands: boolean, read: (form: ContextForm | null) => Promise<T>): Promise<T> {
  for (let form: ContextForm | null = hands ? 'table' : null; ; ) {
    try {
      return await read(form);
    } catch (error) {
      if (!(error instanceof OtherForm)) throw error;
      form = error.form;
    }
  }
}

/** Bytes of distinct contexts that are kept as a table, which is held in memory: beyond, rows are dense. */
const MOST_TABLE_BYTES = 1 << 27;

/** Whether so many distinct contexts are too many for a table, however often they repeat. */
export function outgrowsTable(distinct: number, dimension: number): boolean {
  return distinct * dimension * 8 > MOST_TABLE_BYTES;
}

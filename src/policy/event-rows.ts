/** Which rows of a file belong to the events of a log. */

import { z } from 'zod';
import { InputError } from '../errors.js';
import type { EventLog } from '../log/event-log.js';
import { plural } from '../words.js';
import type { EventMatrix } from './event-matrix.js';
import type { LogSpan } from './family.js';
import { keyedRows } from './keyed-rows.js';

/** The entry's key column of row numbers. */
export const rowColumn = z
  .string()
  .optional()
  .describe(
    'Column of the log that has the row of the file for each event, numbered from 0: a row per distinct context and candidate set, say. Default: a row per event',
  );

/** Row of the file for each event of a batch. */
export type RowsOf = (batch: EventLog) => (event: number) => number;

/**
 * Rows are those that a key column has the numbers of, or the loaded events, or else all source rows, before `where`.
 *
 * @throws InputError where the number of rows is neither, or (from what is returned) the two disagree.
 */
export function rowsOfEvents(
  what: string,
  matrix: Pick<EventMatrix, 'file' | 'rows' | 'columns'>,
  { head, events }: LogSpan,
  path: string,
  column?: string,
): { rowsOf: RowsOf; warnings: readonly string[] } {
  if (column !== undefined) {
    const keyed = keyedRows({ ...matrix, what, column }, head);
    const rowsOf: RowsOf = (batch) => {
      const rows = keyed.rowsOf(batch);
      return (event) => rows[event];
    };
    return { rowsOf, warnings: keyed.warnings };
  }
  const known = head.sourceRow !== null;
  const sourceRows = head.source.rows ?? (known ? null : events);
  const inOrder: RowsOf =
    ({ firstEvent = 0 }) =>
    (event) =>
      firstEvent + event;
  const bySource: RowsOf = (batch) => {
    const { sourceRow } = batch;
    // Without `sourceRow` the events are the first source rows: a filter may keep just those.
    return sourceRow === null ? inOrder(batch) : (event) => sourceRow[event];
  };
  const misfit = (): InputError => {
    const source = sourceRows === events ? '' : `, or ${sourceRows ?? 'the number of'} source rows`;
    return new InputError({
      file: matrix.file,
      problem: `${what} have the wrong number of rows for this log`,
      got: `${plural(matrix.rows, 'row')} × ${plural(matrix.columns, 'column')}`,
      needed: `${plural(events, 'row')}, one per event${source}`,
      hint: matrix.columns === events ? `events and columns are swapped: np.save(path, ${what}.T)` : undefined,
    });
  };
  if (matrix.rows === events) {
    if (!known || sourceRows !== events) return { rowsOf: inOrder, warnings: [] };
    const rowsOf: RowsOf = (batch) => {
      const { sourceRow, firstEvent = 0 } = batch;
      if (sourceRow?.some((row, event) => row !== firstEvent + event)) {
        throw new InputError({
          file: matrix.file,
          problem: `${plural(events, 'row')} may be in the order of the log's events or of its source rows, and these differ`,
          hint: 'evaluate the log in its source order, without --sort-by-time',
        });
      }
      return inOrder(batch);
    };
    return { rowsOf, warnings: [] };
  }
  if (matrix.rows === sourceRows) return { rowsOf: bySource, warnings: [] };
  // Where the source rows were not counted, the largest one in use is the best check there is.
  if (known && sourceRows === null && matrix.rows > events) {
    const warning = `${path}: the log's source rows were not counted; the ${plural(matrix.rows, 'row')} of ${what} were taken to be all of them, in order.`;
    const rowsOf: RowsOf = (batch) => {
      if (!batch.sourceRow?.every((row) => row < matrix.rows)) throw misfit();
      return bySource(batch);
    };
    return { rowsOf, warnings: [warning] };
  }
  throw misfit();
}

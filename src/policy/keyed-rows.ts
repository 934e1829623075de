/** Files with a row for each value of a key column, such as one that numbers distinct contexts and candidate sets. */

import { InputError } from '../errors.js';
import type { EventLog } from '../log/event-log.js';
import { listNames } from '../names/order.js';
import { plural } from '../words.js';

/** Row of the file for each event of a batch, [L]. */
export type KeyedRows = (batch: EventLog) => Uint32Array;

/** A file, as messages name it, and the column that has its row numbers, from 0. */
export interface KeyedFile {
  readonly what: string;
  readonly file: string;
  readonly rows: number;
  readonly column: string;
}

/**
 * @param head of the log, which keeps the column by value.
 * @throws InputError where it does not, and (from what is returned) for a value that is no row of the file.
 */
export function keyedRows(
  { what, file, rows, column }: KeyedFile,
  { keys }: EventLog,
): { readonly rowsOf: KeyedRows; readonly warnings: readonly string[] } {
  const key = keys.get(column);
  if (key === undefined)
    throw new InputError({
      file,
      problem: `${what} have a row for each value of a key column that the log does not have`,
      got: column,
      needed: `a column kept by value${keys.size === 0 ? '; the log has none' : `, among ${listNames([...keys.keys()])}`}`,
    });
  const rowOf = key.levels.map((level) => (/^(0|[1-9]\d*)$/.test(level) && Number(level) < rows ? Number(level) : -1));
  const used = new Set(rowOf.filter((row) => row >= 0)).size;
  // Another column of small whole numbers would do as well.
  const warnings =
    used === rows
      ? []
      : [
          `${what} of ${file}: the column ${JSON.stringify(column)} has the numbers of ${used} of its ${plural(rows, 'row')}, and no event goes by the others; it must be the column that the file was made by`,
        ];
  const rowsOf: KeyedRows = (batch) => {
    const { code } = batch.keys.get(column) ?? key;
    return Uint32Array.from(code, (level) => {
      if (rowOf[level] >= 0) return rowOf[level];
      throw new InputError({
        file,
        problem: `${what} have no such row as the column ${JSON.stringify(column)} says`,
        got: JSON.stringify(key.levels[level]),
        needed: `a row of the file, 0 to ${rows - 1}`,
        hint: 'pandas numbers groups from 0: df.groupby([…]).ngroup()',
      });
    });
  };
  return { rowsOf, warnings };
}

/** Identifiers of a column that look alike, with the rows that have each. */

import { type Database, sqlText } from '../../../files/duckdb.js';
import { alikeWarning, lookAlikes, SPELT_OUT } from '../../../log/checks/look-alikes.js';
import type { SourceFile } from '../../format.js';
import { findColumn, textSql } from './values.js';

/**
 * Warnings of a column whose values look alike: both spellings, and how many rows have each.
 *
 * @param what the values are, as the warning says it: `arms`.
 */
export async function lookAlikeWarnings(
  database: Database,
  sources: readonly SourceFile[],
  column: string,
  what: string,
  levels: readonly string[],
): Promise<string[]> {
  const groups = lookAlikes(levels);
  if (groups.length === 0) return [];
  const counts = new Map<string, string>();
  for (const level of groups.slice(0, SPELT_OUT).flatMap((group) => group.slice(0, SPELT_OUT))) {
    let rows = 0;
    for (const source of sources) {
      const sql = textSql(source, findColumn(source, column, what));
      const [[n]] = await database.rows(`SELECT count(*) FROM ${source.relation} WHERE ${sql} = ${sqlText(level)}`);
      rows += Number(n);
    }
    counts.set(level, `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`);
  }
  return [alikeWarning(`${what} of column ${JSON.stringify(column)}`, groups, (level) => counts.get(level) ?? null)];
}

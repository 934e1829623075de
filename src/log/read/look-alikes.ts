/**
 * Identifiers that look alike. Numbers of numeric columns are their values (1.0 is 1 in Parquet, Arrow and code); text stays
 * as it is written, so that `007` is no 7 and a version 1.0 no 1. Where two spellings may be one thing, that is said.
 */

import { type Database, sqlText } from '../formats/duckdb.js';
import type { SourceFile } from '../formats/source.js';
import { findColumn, textSql } from './values.js';

const NUMBER = /^[+-]?[0-9]{1,15}(?:\.[0-9]*)?(?:e[+-]?[0-9]{1,2})?$/i;

/** What identifiers that look alike have in common. */
function look(id: string): string {
  const text = id.normalize('NFC').trim();
  return NUMBER.test(text) ? String(Number(text) + 0) : text;
}

/** Groups of at least two identifiers that look alike. */
export function lookAlikes(ids: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const id of ids) {
    const key = look(id);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [id]);
    else group.push(id);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Groups that are spelt out in a warning. */
const SPELT_OUT = 3;

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
  const texts: string[] = [];
  for (const group of groups.slice(0, SPELT_OUT)) {
    const counts: string[] = [];
    for (const level of group.slice(0, SPELT_OUT)) {
      let rows = 0;
      for (const source of sources) {
        const sql = textSql(source, findColumn(source, column, what));
        const [[n]] = await database.rows(`SELECT count(*) FROM ${source.relation} WHERE ${sql} = ${sqlText(level)}`);
        rows += Number(n);
      }
      counts.push(`${shown(level)} (${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'})`);
    }
    texts.push(counts.join(' and '));
  }
  const more = groups.length > SPELT_OUT ? `; and ${groups.length - SPELT_OUT} more groups` : '';
  return [
    `${what} of column ${JSON.stringify(column)} look alike and are kept apart: ${texts.join('; ')}${more}; write each in one way if they are one`,
  ];
}

/** Text in quotes; characters that look like others as their code points. */
function shown(id: string): string {
  const text = JSON.stringify(id);
  return /^[\x20-\x7e]*$/.test(id)
    ? text
    : `${text}, ${[...id].map((c) => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(' ')},`;
}

/** Context columns that hold a list of numbers, such as an embedding: as many features as the first event has numbers. */

import type { Database } from '../../../files/duckdb.js';
import type { SourceFile } from '../../format.js';
import type { Plan } from './plan.js';
import { elementOf, findColumn } from './values.js';

/** The plan with the length of every list. Whether other rows have as many is checked as they are read. */
export async function withLists(database: Database, sources: readonly SourceFile[], plan: Plan): Promise<Plan> {
  const [source] = sources;
  const columns = plan.context.flatMap(({ column, encode }) =>
    encode === 'numeric' ? [findColumn(source, column, 'context')] : [],
  );
  const typed = columns.filter((column) => elementOf(column, 'e') !== null);
  // Commas either part numbers or are in them.
  const texts = source.decimalComma === true ? [] : columns.filter(({ type }) => type === 'TEXT');
  const lengths = new Map<string, number>();
  try {
    for (const { name, sql } of typed) {
      const [first] = await database.rows(`SELECT len(${sql}) FROM ${source.relation} WHERE len(${sql}) > 0 LIMIT 1`);
      lengths.set(name, Number(first?.[0] ?? 0));
    }
    if (texts.length > 0) {
      const values = texts.map(({ sql }) => sql).join(', ');
      const [first] = await database.rows(`SELECT ${values} FROM ${source.relation} LIMIT 1`);
      for (const [i, { name }] of texts.entries()) {
        const list = numbersOf(first?.[i]);
        if (list !== null) lengths.set(name, list);
      }
    }
  } catch (error) {
    throw await source.failure(error);
  }
  if (lengths.size === 0) return plan;
  return {
    ...plan,
    context: plan.context.map((entry) =>
      entry.encode === 'numeric' && lengths.has(entry.column) ? { ...entry, length: lengths.get(entry.column) } : entry,
    ),
  };
}

/** How many elements a list has that is written as JSON or as Python writes one; `null`: it is no list, or says nothing of others. */
function numbersOf(value: unknown): number | null {
  const inside = /^\s*\[(.*)\]\s*$/s.exec(typeof value === 'string' ? value : '')?.[1];
  if (inside === undefined) return null;
  return inside.trim() === '' ? null : inside.split(',').length;
}

/** Names of the features of a list. */
export function elementNames(column: string, length: number): string[] {
  return Array.from({ length }, (_, i) => `${column}[${i}]`);
}

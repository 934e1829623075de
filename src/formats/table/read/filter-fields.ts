/** Fields in a filter, such as `user.age`: of structs in Parquet SQL knows them; of objects in JSON and structs in Arrow they are put together. */

import { sqlName } from '../../../files/duckdb.js';
import type { SourceFile } from '../../format.js';
import { ROW_NAME } from './filter-nodes.js';

/** Names of columns as a filter writes them, by their steps; the name of the row before them is left out. */
export function writtenNames(tree: unknown): string[][] {
  if (typeof tree !== 'object' || tree === null) return [];
  const { column_names: names } = tree as { column_names?: unknown };
  if (!Array.isArray(names)) return Object.values(tree).flatMap((part) => writtenNames(part));
  const steps = names.map(String);
  return [steps.length > 1 && steps[0].toLowerCase() === ROW_NAME ? steps.slice(1) : steps];
}

/** A column that a filter sees, under its name. */
export interface Seen {
  readonly name: string;
  readonly sql: string;
}

interface Struct {
  readonly fields: Map<string, Struct | string>;
}

/**
 * What a filter sees of a file, with a struct for each column whose fields it names.
 *
 * @param fail throws, for a name that stands both for the column and for one of its fields.
 */
export function withStructs(
  columns: readonly Seen[],
  written: readonly (readonly string[])[],
  source: SourceFile,
  fail: (reason: string) => never,
): Seen[] {
  const lower = (name: string) => name.toLowerCase();
  const known = new Map(columns.map((column) => [lower(column.name), column.sql]));
  const real = new Set(source.columns.filter(({ type }) => type.startsWith('STRUCT(')).map(({ name }) => lower(name)));
  const structs = new Map<string, Struct>();
  for (const steps of written) {
    const sql = known.get(lower(steps.join('.')));
    const [first, ...inner] = steps.map(lower);
    if (inner.length === 0 || sql === undefined || real.has(first)) continue;
    if (written.some((other) => other.length === 1 && lower(other[0]) === first))
      fail(`${JSON.stringify(steps[0])} stands for the whole and for its field ${JSON.stringify(inner.join('.'))}`);
    let at = structs.get(first) ?? { fields: new Map() };
    structs.set(first, at);
    for (const step of inner.slice(0, -1)) {
      const found = at.fields.get(step);
      const next: Struct = typeof found === 'object' ? found : { fields: new Map() };
      at.fields.set(step, next);
      at = next;
    }
    at.fields.set(inner[inner.length - 1], sql);
  }
  return [
    ...columns.filter(({ name }) => !structs.has(lower(name))),
    ...[...structs].map(([name, struct]) => ({ name, sql: packed(struct) })),
  ];
}

function packed({ fields }: Struct): string {
  const parts = [...fields].map(
    ([name, value]) => `${sqlName(name)} := ${typeof value === 'string' ? value : packed(value)}`,
  );
  return `struct_pack(${parts.join(', ')})`;
}

/**
 * What a filter may consist of: the columns of a row, constants, and functions that give the same for the same row on every
 * machine and day. A subquery could read any file, and a volatile function would select other rows in every run.
 */

import { type Database, sqlText } from '../../../files/duckdb.js';

/** Classes of the nodes of DuckDB's expression trees, as `json_serialize_sql` names them. */
const ALLOWED = new Set([
  'COLUMN_REF',
  'CONSTANT',
  'COMPARISON',
  'CONJUNCTION',
  'OPERATOR',
  'BETWEEN',
  'CASE',
  'CAST',
  'COLLATE',
  'FUNCTION',
  'LAMBDA',
  'STAR',
]);

const REFUSED: Readonly<Record<string, string>> = {
  SUBQUERY: 'a subquery, which reads more than the row; a list of values stands in IN (…)',
  WINDOW: 'a window function, which reads more than the row',
  PARAMETER: 'a parameter, which nothing gives a value',
  POSITIONAL_REFERENCE: 'a column by its place; name it',
};

/** Functions that DuckDB calls consistent, though they tell of the clock, the machine or the program, or look at tables. */
const TELLTALE =
  /^(current_localtime|current_localtimestamp|current_setting|getvariable|get_block_size|vector_type|version|json_(de)?serialize_\w+|parse_duckdb_log_message|__internal_\w+)$/;

/** Name of the row that a filter looks at, by which its columns may be qualified. */
export const ROW_NAME = 'log';

/** Names that stand for a function, or for the whole row, where no column has them. */
const LONE =
  /^(log|current_(catalog|date|role|schema|time|timestamp|user)|localtime|localtimestamp|session_user|user)$/;

/** Macros within macros, at most. */
const DEEPEST = 8;

interface Node {
  readonly class?: unknown;
  readonly function_name?: unknown;
  readonly children?: readonly unknown[];
}

/** Checks the trees of filters. */
export class FilterNodes {
  /** Per function, what is wrong with it; `null`: nothing. */
  private readonly known = new Map<string, string | null>();

  /** @param parse the expression of a text as a tree. */
  constructor(
    private readonly database: Database,
    private readonly parse: (expression: string) => Promise<unknown>,
  ) {}

  /** What a filter may not hold, in words; `null`: it is usable. */
  async fault(tree: unknown, depth = 0): Promise<string | null> {
    if (typeof tree !== 'object' || tree === null) return null;
    const node = tree as Node;
    if (typeof node.class === 'string') {
      if (!ALLOWED.has(node.class)) {
        const name = node.class.toLowerCase().replaceAll('_', ' ');
        return Object.hasOwn(REFUSED, node.class) ? REFUSED[node.class] : `${name}, which is no part of a condition`;
      }
      if (node.class === 'FUNCTION') {
        const fault = await this.functionFault(String(node.function_name).toLowerCase(), node, depth);
        if (fault !== null) return fault;
      }
    }
    for (const part of Object.values(tree) as unknown[]) {
      const fault = await this.fault(part, depth);
      if (fault !== null) return fault;
    }
    return null;
  }

  private async functionFault(name: string, { children = [] }: Node, depth: number): Promise<string | null> {
    // With one argument it counts from today.
    if (name === 'age' && children.length === 1) return 'age() of one time, which is another every day; give it two';
    let fault = this.known.get(name);
    if (fault === undefined) {
      fault = await this.definitionFault(name, depth);
      this.known.set(name, fault);
    }
    return fault;
  }

  private async definitionFault(name: string, depth: number): Promise<string | null> {
    const changing = `${name}(), which does not depend on the row alone`;
    if (TELLTALE.test(name)) return changing;
    const rows = await this.database.rows(
      'SELECT function_type, stability, macro_definition FROM duckdb_functions() ' +
        `WHERE lower(function_name) = ${sqlText(name)} AND function_type IN ('scalar', 'macro', 'aggregate') ORDER BY function_type`,
    );
    if (rows.length === 0) return `${name}(), which is no function of single values`;
    for (const [type, stability, definition] of rows) {
      if (type === 'aggregate') return `${name}(), an aggregate, which reads more than the row`;
      if (type === 'scalar' ? stability !== 'CONSISTENT' : depth >= DEEPEST) return changing;
      if (type === 'scalar') continue;
      const tree = await this.parse(String(definition));
      if (loneNames(tree).length > 0 || (await this.fault(tree, depth + 1)) !== null) return changing;
    }
    return null;
  }
}

/** Names in a tree that must be columns: where none has the name, DuckDB takes it for a function or for the row. */
export function loneNames(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const { class: kind, column_names: names } = tree as { class?: unknown; column_names?: unknown };
  if (kind === 'COLUMN_REF' && Array.isArray(names) && names.length === 1) {
    const name = String(names[0]).toLowerCase();
    return LONE.test(name) ? [name] : [];
  }
  return Object.values(tree).flatMap((part) => loneNames(part));
}

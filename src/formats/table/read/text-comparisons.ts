/**
 * Comparisons of a filter that DuckDB makes in another way than is meant: text ordered letter by letter though numbers stand in
 * it ('10' < '9'), and numbers rounded to whole ones before they are compared (10 = '10.4'). It refuses most others itself.
 */

import { type Database, sqlName, sqlText } from '../../../files/duckdb.js';

const ORDER = /^COMPARE_(?:GREATERTHAN|LESSTHAN|GREATERTHANOREQUALTO|LESSTHANOREQUALTO)$/;
/** Functions that order what they are given. */
const ORDERING =
  /^(?:greatest|least|(?:list|array)_(?:sort|reverse_sort|grade_up|max|min)|grade_up|(?:list|array)_aggr(?:egate)?|aggregate)$/;
const NUMBER = /^\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?\s*$/i;
const WHOLE = /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/;

interface Node {
  readonly class?: unknown;
  readonly type?: unknown;
  readonly function_name?: unknown;
  readonly column_names?: readonly unknown[];
  readonly cast_type?: unknown;
  readonly value?: { readonly type?: { readonly id?: unknown }; readonly is_null?: unknown; readonly value?: unknown };
  readonly children?: readonly Node[];
  readonly left?: Node;
  readonly right?: Node;
  readonly input?: Node;
  readonly lower?: Node;
  readonly upper?: Node;
}

/** What is compared with one another. */
interface Comparison {
  readonly orders: boolean;
  readonly operands: readonly Node[];
}

interface Operand {
  readonly sql: string;
  /** As messages call it. */
  readonly name: string;
  /** DuckDB's type; `null`: it cannot be told, as of a parameter of a lambda. */
  readonly type: string | null;
  /** The value as text, where no column is in it; `null`: NULL. */
  readonly constant?: string | null;
  /** All of its columns are turned to text on purpose. */
  readonly isMeant: boolean;
}

export interface ComparedIn {
  readonly database: Database;
  /** The columns that the filter sees, with their types: a table without rows, and that of the file. */
  readonly empty: string;
  readonly rows: string;
}

/** What is doubtful about a comparison of a filter, in words; `null`: nothing. */
export async function textFault(tree: unknown, place: ComparedIn): Promise<string | null> {
  for (const { orders, operands } of comparisons(tree)) {
    const all: Operand[] = [];
    for (const node of operands) all.push(await operandOf(node, place));
    const fault = (orders ? orderFault(all) : null) ?? (await roundingFault(all, place));
    if (fault !== null) return fault;
  }
  return null;
}

function comparisons(tree: unknown): Comparison[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const { class: kind, type, left, right, input, lower, upper, children, function_name: name } = tree as Node;
  const found: Comparison[] = [];
  const pair = (orders: boolean, a: Node | undefined, b: Node | undefined) => {
    if (a !== undefined && b !== undefined) found.push({ orders, operands: [a, b] });
  };
  if (kind === 'COMPARISON') pair(ORDER.test(String(type)), left, right);
  if (kind === 'BETWEEN') for (const bound of [lower, upper]) pair(true, input, bound);
  if (kind === 'OPERATOR' && /^COMPARE_(?:NOT_)?IN$/.test(String(type)))
    for (const value of children?.slice(1) ?? []) pair(false, children?.[0], value);
  if (kind === 'FUNCTION' && ORDERING.test(String(name).toLowerCase()))
    found.push({ orders: true, operands: children ?? [] });
  return [...found, ...Object.values(tree).flatMap(comparisons)];
}

/** Text that is ordered, unless it is so on purpose: by a cast, or beside text that is no number. */
function orderFault(operands: readonly Operand[]): string | null {
  const constants = operands.flatMap(({ constant }) => (typeof constant === 'string' ? [constant] : []));
  const number = constants.find((text) => NUMBER.test(text));
  const texts = operands.filter(
    ({ constant, type, isMeant }) =>
      constant === undefined && !isMeant && (type === null ? number !== undefined : type.includes('VARCHAR')),
  );
  if (texts.length === 0) return null;
  const isPlain = texts.every(({ type }) => type === 'VARCHAR' || type === null);
  if (isPlain && constants.length > 0 && number === undefined) return null;
  const names = texts.map(({ name }) => name).join(' and ');
  const are = texts.length === 1 ? 'is' : 'are';
  return number === undefined
    ? `${names} ${are} text here, and would be compared letter by letter`
    : `${names} ${are} text here, and would be compared with '${number}' letter by letter`;
}

/** A number with a fraction that is compared as a whole one, because the other side is whole. */
async function roundingFault(operands: readonly Operand[], place: ComparedIn): Promise<string | null> {
  const whole = operands.find(({ type }) => type !== null && WHOLE.test(type));
  if (whole === undefined) return null;
  for (const { sql, name, type, constant, isMeant } of operands) {
    if (type !== 'VARCHAR' || constant === null) continue;
    if (constant !== undefined && (!NUMBER.test(constant) || Number.isInteger(Number(constant)))) continue;
    if (constant === undefined) {
      if (isMeant) continue;
      const fraction = `(TRY_CAST(${sql} AS DOUBLE) % 1) <> 0`;
      const [[found]] = await place.database.rows(`SELECT min(${sql}) FILTER (WHERE ${fraction}) FROM ${place.rows}`);
      if (found === null) continue;
      return `${name} is text here, of which '${String(found)}' would be rounded to compare it with ${whole.name}, a whole number`;
    }
    return `'${constant}' would be rounded to compare it with ${whole.name}, a whole number; write it without quotes`;
  }
  return null;
}

async function operandOf(node: Node, { database, empty }: ComparedIn): Promise<Operand> {
  const { class: kind, value } = node;
  if (kind === 'CONSTANT') {
    const constant = value?.is_null === true ? null : String(value?.value);
    const name = String(constant);
    return { sql: name, name, type: String(value?.type?.id), constant, isMeant: false };
  }
  const isColumn = kind === 'COLUMN_REF' && node.column_names?.length === 1;
  const sql = isColumn ? sqlName(String(node.column_names?.[0])) : await sqlOf(node, database);
  const name = isColumn
    ? `column ${JSON.stringify(node.column_names?.[0])}`
    : sql.replace(/\bmain\."?(\w+)"?\(/g, '$1(');
  const isConstant = !hasColumn(node);
  try {
    const select = `SELECT typeof(${sql})${isConstant ? `, CAST(${sql} AS VARCHAR)` : ''} FROM ${empty}`;
    const [[type, constant]] = await database.rows(select);
    const text = constant === null ? null : String(constant);
    return { sql, name, type: String(type), isMeant: isMeant(node), ...(isConstant ? { constant: text } : {}) };
  } catch {
    return { sql, name, type: null, isMeant: isMeant(node) };
  }
}

/** A tree as SQL again. */
async function sqlOf(node: Node, database: Database): Promise<string> {
  const [[plain]] = await database.rows(`SELECT json_serialize_sql('SELECT 1')::VARCHAR`);
  const tree = JSON.parse(String(plain)) as { statements: { node: { select_list: unknown[] } }[] };
  tree.statements[0].node.select_list = [{ ...node, alias: '' }];
  // Its largest value is more than JSON.parse keeps.
  const text = JSON.stringify(tree, (key, value: unknown) => (key === 'query_location' ? 0 : value));
  const [[sql]] = await database.rows(`SELECT json_deserialize_sql(${sqlText(text)}::JSON)`);
  return String(sql).replace(/^SELECT /, '');
}

function hasColumn(tree: unknown): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  return (tree as Node).class === 'COLUMN_REF' || Object.values(tree).some(hasColumn);
}

/** Whether every column of a tree is within a cast to text. */
function isMeant(tree: unknown): boolean {
  if (typeof tree !== 'object' || tree === null) return true;
  const node = tree as Node;
  if (node.class === 'CAST' && JSON.stringify(node.cast_type).includes('"VARCHAR"')) return true;
  return node.class !== 'COLUMN_REF' && Object.values(tree).every(isMeant);
}

/**
 * Comparisons of a filter by which text is ordered though numbers were meant: '10' < '9' as text. DuckDB refuses text beside a
 * number itself; a number in quotes, or two columns of text, it compares letter by letter.
 */

const ORDER = /^COMPARE_(?:GREATERTHAN|LESSTHAN|GREATERTHANOREQUALTO|LESSTHANOREQUALTO)$/;
const NUMBER = /^\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?\s*$/i;

interface Node {
  readonly class?: unknown;
  readonly type?: unknown;
  readonly column_names?: readonly unknown[];
  readonly value?: { readonly type?: { readonly id?: unknown }; readonly value?: unknown };
  readonly left?: Node;
  readonly right?: Node;
  readonly input?: Node;
  readonly lower?: Node;
  readonly upper?: Node;
}

/**
 * A column of text that a filter orders by its letters, and why that is doubtful; `null`: there is none.
 *
 * @param isText whether a column, by its name in lower case, is text.
 */
export function orderedText(tree: unknown, isText: (column: string) => boolean): string | null {
  if (typeof tree !== 'object' || tree === null) return null;
  const node = tree as Node;
  if (node.class === 'COMPARISON' && ORDER.test(String(node.type))) {
    const fault = pairFault(node.left, node.right, isText) ?? pairFault(node.right, node.left, isText);
    if (fault !== null) return fault;
  }
  if (node.class === 'BETWEEN') {
    const fault = pairFault(node.input, node.lower, isText) ?? pairFault(node.input, node.upper, isText);
    if (fault !== null) return fault;
  }
  for (const part of Object.values(tree) as unknown[]) {
    const fault = orderedText(part, isText);
    if (fault !== null) return fault;
  }
  return null;
}

function pairFault(one: Node | undefined, other: Node | undefined, isText: (column: string) => boolean): string | null {
  const name = textColumn(one, isText);
  if (name === null || other === undefined) return null;
  const number = other.class === 'CONSTANT' && other.value?.type?.id === 'VARCHAR' ? String(other.value.value) : null;
  if (number !== null && NUMBER.test(number))
    return `column ${JSON.stringify(name)} is text here, and would be compared with '${number}' letter by letter`;
  const second = textColumn(other, isText);
  return second === null
    ? null
    : `columns ${JSON.stringify(name)} and ${JSON.stringify(second)} are text here, and would be compared letter by letter`;
}

function textColumn(node: Node | undefined, isText: (column: string) => boolean): string | null {
  if (node?.class !== 'COLUMN_REF') return null;
  const name = String(node.column_names?.at(-1));
  return isText(name.toLowerCase()) ? name : null;
}

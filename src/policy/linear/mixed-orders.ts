/** Entries that name the columns of their weights beside entries that are taken by place. */

import { plural } from '../../words.js';

/** An entry whose policies weigh columns of the log. */
export interface WeighedEntry {
  /** JSON path in the policy set. */
  readonly path: string;
  /** Names of the weights' columns, in their order; absent: taken by place. */
  readonly columns?: readonly string[];
  /** What they weigh, in the order of the log. */
  log(): readonly string[];
}

/**
 * A warning where an entry names the columns of its weights in another order than the log's, and others that weigh some of the
 * same columns do not name theirs: what was made for one log is likely to be in one order.
 */
export function mixedOrders(entries: readonly WeighedEntry[]): string[] {
  const unnamed = entries.filter(({ columns }) => columns === undefined);
  if (unnamed.length === 0) return [];
  for (const other of entries) {
    const { columns } = other;
    if (columns === undefined || other.log().every((name, i) => name === columns[i])) continue;
    const doubtful = unnamed.filter((entry) => differ(columns, other.log(), entry.log()));
    if (doubtful.length === 0) continue;
    const more = doubtful.length === 1 ? '' : ` and ${plural(doubtful.length - 1, 'more entry', 'more entries')}`;
    return [
      `${other.path} names the columns of its weights in another order than the log's, and ${doubtful[0].path}${more} without "columns" ${doubtful.length === 1 ? 'is' : 'are'} taken by place, in the log's order: if these were made for the same columns as the first, give them "columns" too`,
    ];
  }
  return [];
}

/** Whether two orders of some columns differ in those that `third` has, too. */
function differ(one: readonly string[], other: readonly string[], third: readonly string[]): boolean {
  const shared = new Set(spelt(third));
  const [left, right] = [one, other].map((names) => spelt(names).filter((name) => shared.has(name)));
  return left.some((name, i) => name !== right[i]);
}

/** Names, and behind each product those of its factors, each where it is first. */
function spelt(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => (name.includes(' * ') ? [name, ...name.split(' * ')] : [name])))];
}

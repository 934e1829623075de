/** The cells of a test that are furthest from what is due, as a small table for people. */

import type { EventLog } from '../event-log.js';
import type { WorstCell } from './factor-table.js';

/** Rows of such a table. */
export const MOST_ROWS = 5;

/** Characters of a group's name and of an arm's. */
const NAME = 26;

/** Arms over all events. @param observed events that logged each entry of `pools.arms`. */
export function worstArms({ arms, pools }: EventLog, observed: Float64Array, most: number): WorstCell[] {
  const cells = arms.ids.map((arm) => ({ group: 'all', arm, events: 0, shown: 0, due: 0, variance: 0 }));
  for (let s = 0; s < pools.count; s++) {
    const m = pools.offsets[s + 1] - pools.offsets[s];
    let n = 0;
    for (let i = pools.offsets[s]; i < pools.offsets[s + 1]; i++) n += observed[i];
    for (let i = pools.offsets[s]; i < pools.offsets[s + 1]; i++) {
      const cell = cells[pools.arms[i]];
      cell.events += n;
      cell.shown += observed[i];
      cell.due += n / m;
      cell.variance += (n / m) * (1 - 1 / m);
    }
  }
  const far = ({ shown, due, variance }: (typeof cells)[number]): number =>
    variance === 0 ? 0 : Math.abs(shown - due) / Math.sqrt(variance);
  return cells
    .sort((a, b) => far(b) - far(a))
    .slice(0, most)
    .map(({ group, arm, events, shown, due }) => ({ group, arm, events, shown, due }));
}

/** Rows of text of less than 70 characters: group, arm, events, share shown, share due. */
export function worstTable(head: string, cells: readonly WorstCell[]): string[] {
  if (cells.length === 0) return [];
  const share = (part: number, of: number): string => `${((100 * part) / of).toFixed(1)} %`;
  const rows = [
    [head, 'arm', 'events', 'shown', 'due'],
    ...cells.map(({ group, arm, events, shown, due }) => [
      group,
      arm,
      events.toLocaleString('en'),
      share(shown, events),
      share(due, events),
    ]),
  ].map(([group, arm, ...numbers]) => [cut(group), cut(arm), ...numbers]);
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  return rows.map((row) =>
    row
      .map((cell, c) => (c < 2 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd(),
  );
}

function cut(name: string): string {
  return name.length <= NAME ? name : `${name.slice(0, NAME - 1)}…`;
}

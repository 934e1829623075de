/** The cells of a test that are furthest from what is due, as a small table for people. */

import type { EventLog } from '../../event-log.js';
import type { WorstCell } from './factor-table.js';

/** Rows of such a table. */
export const MOST_ROWS = 5;

/** Characters of a group's name and of an arm's. */
const NAME = 26;

/** A cell, and the variance of what is shown in it where choices are uniform. */
interface Cell extends WorstCell {
  readonly variance: number;
}

/** Arms over all events, and within their candidate sets. @param observed events that logged each entry of `pools.arms`. */
export function worstArms({ arms, pools }: EventLog, observed: Float64Array, most: number): WorstCell[] {
  const cells: Cell[] = [];
  const totals = arms.ids.map((arm) => ({ group: 'all', arm, events: 0, shown: 0, due: 0, variance: 0 }));
  for (let s = 0; s < pools.count; s++) {
    const members = pools.arms.subarray(pools.offsets[s], pools.offsets[s + 1]);
    const shown = observed.subarray(pools.offsets[s], pools.offsets[s + 1]);
    const n = shown.reduce((sum, count) => sum + count, 0);
    const due = n / members.length;
    const variance = due * (1 - 1 / members.length);
    const group = pools.count === 1 ? null : `of ${Array.from(members, (arm) => arms.ids[arm]).join(', ')}`;
    for (const [i, arm] of members.entries()) {
      const total = totals[arm];
      total.events += n;
      total.shown += shown[i];
      total.due += due;
      total.variance += variance;
      if (group !== null) cells.push({ group, arm: arms.ids[arm], events: n, shown: shown[i], due, variance });
    }
  }
  const far = ({ shown, due, variance }: Cell): number =>
    variance === 0 ? 0 : Math.abs(shown - due) / Math.sqrt(variance);
  return [...totals, ...cells]
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

/** Segments of a log: what the overall winner is worth in each, and who is best there. */

import { count, decimalsFor, fixed, nonzero, percent } from '../../numbers.js';
import type { EvaluationResult } from '../../result.js';
import { differs, segmentName, segmentNotes } from '../../segments-table.js';
import { type Child, tag } from '../markup.js';
import type { Report } from '../model.js';
import { grid } from './parts.js';

/** The section's content; nothing without segments. */
export function segments({ kind, result, level }: Report): Child[] {
  if (kind === 'replay') return [];
  const { segments: found, policies } = result as EvaluationResult;
  if (found === undefined || found.levels.length === 0) return [];
  const [overall] = policies;
  const bands = found.criticalValue !== null;
  const ranges = found.levels.map(({ winner }) => winner?.band ?? winner?.interval ?? null);
  const decimals = Math.max(
    1,
    decimalsFor(ranges.flatMap((range) => (range === null ? [] : (range[1] - range[0]) / 2))) - 1,
  );
  const value = (payoff: number | null | undefined): string => (payoff == null ? 'none' : nonzero(payoff, decimals));
  const rows = found.levels.map((segment, v) => {
    const { winner, events, logged } = segment;
    const range = ranges[v];
    return [
      segmentName(segment),
      count(events),
      value(logged),
      value(overall?.segments?.[v]?.value),
      winner?.name ?? '–',
      value(winner?.value),
      range === null ? '–' : `${fixed(range[0], decimals)} to ${fixed(range[1], decimals)}`,
      ...(bands ? [differs(winner, overall?.index)] : []),
    ];
  });
  return [
    grid(
      `By ${found.keys.join(', ')}`,
      [
        ['segment', false],
        ['events', true],
        ['log', true],
        ['overall', true],
        ['best there', false],
        ['value', true],
        [`${percent(level)} ${bands ? 'band' : 'interval'}`, true],
        ...(bands ? [['differs', false] as const] : []),
      ],
      rows,
    ),
    segmentNotes(result as EvaluationResult, Number.POSITIVE_INFINITY).map((note) => tag('p', { class: 'note' }, note)),
  ];
}

/** What a format without room for it must not leave unsaid: rows that were dropped, memory beyond its bound, and warnings. */

import { printable } from '../printable.js';
import { describeDropped } from '../report/describe.js';
import { describeMemory } from '../report/describe-memory.js';
import type { EvaluationResult } from '../report/result.js';

/** Lines for standard error, beside a result as CSV; nothing where there is nothing to say. */
export function notesOf({
  log,
  engine,
  warnings,
}: {
  log: Pick<EvaluationResult['log'], 'droppedRows'>;
  engine: Pick<EvaluationResult['engine'], 'memory'>;
  warnings: readonly string[];
}): string {
  const exceeded = describeMemory(engine).filter(({ warn }) => warn === true);
  const notes = [
    ...[...describeDropped(log.droppedRows), ...exceeded].map(({ label, text }) => `${label} ${text}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return notes.map((note) => `hindcast: ${printable(note)}\n`).join('');
}

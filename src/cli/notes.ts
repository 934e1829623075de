/** What a format without room for it must not leave unsaid: rows that were dropped, and warnings. */

import { describeDropped } from '../report/describe.js';
import type { EvaluationResult } from '../report/result.js';

/** Lines for standard error, beside a result as CSV; nothing where there is nothing to say. */
export function notesOf({
  log,
  warnings,
}: {
  log: Pick<EvaluationResult['log'], 'droppedRows'>;
  warnings: readonly string[];
}): string {
  const notes = [
    ...describeDropped(log.droppedRows).map(({ label, text }) => `${label} ${text}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return notes.map((note) => `hindcast: ${note}\n`).join('');
}

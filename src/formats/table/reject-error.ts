import { InputError } from '../../errors.js';
import type { Reject } from '../format.js';

/** A row that is no record, as an error. */
export function rejectError(file: string, reject: Reject): InputError {
  const { row, line, kind, got, needed, hint } = reject;
  return new InputError({
    file,
    row,
    line: line ?? undefined,
    problem: kind,
    got,
    needed,
    hint: hint ?? 'correct the line, or drop such rows with --skip-bad-rows, which counts them',
  });
}

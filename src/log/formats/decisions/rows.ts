/** Rows of a log that are not as they should be: counted by kind, or the end of the reading. */

import { describeFault, type Fault, InputError } from '../../../errors.js';
import type { BadRows } from '../../event-log.js';

/** Why a row is no event; `problem` is the kind that such rows are counted under. Thrown by parsers of a row, caught at it. */
export class RowFault extends Error {
  override readonly name = 'RowFault';

  constructor(readonly fault: Fault) {
    super(fault.problem);
  }
}

/** Throws a {@link RowFault}. */
export function badRow(fault: Fault): never {
  throw new RowFault(fault);
}

/** Longest part of a value shown in a message. */
const SHOWN = 120;

/** A value as messages show it. */
export function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

class Kinds {
  private readonly counts = new Map<string, { count: number; first: string }>();

  add(fault: Fault): void {
    const entry = this.counts.get(fault.problem);
    if (entry === undefined) this.counts.set(fault.problem, { count: 1, first: describeFault(fault) });
    else entry.count++;
  }

  list(): BadRows[] {
    return [...this.counts].map(([kind, { count, first }]) => ({ kind, count, first }));
  }
}

/** Counts rows that are left out and deviations that are forgiven. */
export class RowCounter {
  private readonly dropped = new Kinds();
  private readonly repaired = new Kinds();

  constructor(private readonly options: { readonly skipBadRows?: boolean; readonly strict?: boolean }) {}

  /** A row that is wrong. @throws InputError unless bad rows are skipped. */
  bad(fault: Fault): void {
    const hint = fault.hint ?? 'correct it, or drop such rows with --skip-bad-rows, which counts them';
    if (this.options.skipBadRows !== true || this.options.strict === true) throw new InputError({ ...fault, hint });
    this.dropped.add(fault);
  }

  /** A row that is no event but normal in such files, and is left out. @throws InputError where reading is strict. */
  leaveOut(fault: Fault): void {
    this.forgive(fault);
    this.dropped.add(fault);
  }

  /** A deviation that changes nothing. @throws InputError where reading is strict. */
  repair(fault: Fault): void {
    this.forgive(fault);
    this.repaired.add(fault);
  }

  private forgive(fault: Fault): void {
    if (this.options.strict === true) throw new InputError(fault);
  }

  /** What was left out, by kind. */
  badRows(): BadRows[] {
    return this.dropped.list();
  }

  /** What was read all the same, by kind. */
  forgiven(): BadRows[] {
    return this.repaired.list();
  }
}

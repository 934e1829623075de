/** Rows of a log that are not as they should be: counted by kind, or the end of the reading. */

import { describeFault, type Fault, InputError } from '../../errors.js';
import type { BadRows } from '../../log/event-log.js';

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

/** Counts rows that are left out and deviations that are forgiven. */
export class RowCounter {
  private readonly kinds = new Map<
    string,
    { kind: string; count: number; first: string; lost?: 'nothing' | 'stretch' }
  >();

  constructor(private readonly options: { readonly skipBadRows?: boolean; readonly strict?: boolean }) {}

  /** A row that is wrong. @throws InputError unless bad rows are skipped. */
  bad(fault: Fault): void {
    const hint = fault.hint ?? 'correct it, or drop such rows with --skip-bad-rows, which counts them';
    if (!this.skips) throw new InputError({ ...fault, hint });
    this.count(fault);
  }

  /** A file that broke off. @throws InputError unless bad rows are skipped. */
  broken(damage: Fault): void {
    if (!this.skips) throw new InputError(damage);
    this.count(damage, 'stretch');
  }

  /** A row that is no event but normal in such files, and is left out. @throws InputError where reading is strict. */
  leaveOut(fault: Fault): void {
    if (this.options.strict === true) throw new InputError(fault);
    this.count(fault);
  }

  /** A deviation that changes nothing. @throws InputError where reading is strict. */
  repair(fault: Fault): void {
    if (this.options.strict === true) throw new InputError(fault);
    this.count(fault, 'nothing');
  }

  finish(): BadRows[] {
    return [...this.kinds.values()];
  }

  private get skips(): boolean {
    return this.options.skipBadRows === true && this.options.strict !== true;
  }

  private count(fault: Fault, lost?: 'nothing' | 'stretch'): void {
    const kind = fault.problem;
    const entry = this.kinds.get(kind);
    if (entry !== undefined) entry.count++;
    else this.kinds.set(kind, { kind, count: 1, first: describeFault(fault), ...(lost === undefined ? {} : { lost }) });
  }
}

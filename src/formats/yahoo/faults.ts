/** Deviations of a reading: counted by kind where that is asked for, an error at the first where not. */

import { describeFault, type Fault, InputError } from '../../errors.js';
import type { BadRows } from '../../log/event-log.js';
import { plural } from '../../words.js';

/** Where a deviation stands. */
export interface FaultPlace {
  readonly file: string;
  /** 0-based over the file, blank lines left out. */
  readonly row: number;
  /** 1-based. */
  readonly line: number;
}

type Lost = NonNullable<BadRows['lost']>;

const HINT: Readonly<Record<Lost, string>> = {
  row: 'correct the line, or drop such lines with --skip-bad-rows, which counts them',
  candidate: 'leave such articles out of their pools with --skip-bad-rows, which counts them',
  stretch: 'copy or download the file again, or read what comes before the damage with --skip-bad-rows',
  nothing: 'read without --strict, which forgives and counts it',
};

export class Faults {
  private readonly kinds = new Map<string, { count: number; first: string; lost: Lost }>();

  constructor(private readonly options: { readonly skipBadRows?: boolean; readonly strict?: boolean }) {}

  /**
   * Counts a deviation.
   *
   * @param describe what was got and needed; called for the first of its kind
   * @throws InputError where such deviations are not asked to be survived
   */
  add(kind: string, lost: Lost, place: FaultPlace, describe: () => Partial<Fault>): void {
    const { strict, skipBadRows } = this.options;
    if (strict === true || (lost !== 'nothing' && skipBadRows !== true)) {
      throw new InputError({ ...place, problem: kind, hint: HINT[lost], ...describe() });
    }
    const known = this.kinds.get(kind);
    if (known !== undefined) known.count++;
    else this.kinds.set(kind, { count: 1, first: describeFault({ ...place, problem: kind, ...describe() }), lost });
  }

  finish(): BadRows[] {
    return [...this.kinds].map(([kind, { count, first, lost }]) => ({
      kind,
      count,
      first,
      ...(lost === 'row' ? {} : { lost }),
    }));
  }
}

/** Bytes as text for a message: whatever they are, on one line, and not all of a long token. */
export function shown(bytes: Uint8Array, from: number, to: number, most = 80): string {
  const text = JSON.stringify(Buffer.from(bytes.subarray(from, Math.min(to, from + most))).toString('utf8'));
  return to - from > most ? `${text} … (${plural(to - from, 'byte')})` : text;
}

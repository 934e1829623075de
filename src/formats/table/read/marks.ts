/** Bad rows of a batch, and of a whole reading. */

import { describeFault, type Fault } from '../../../errors.js';
import type { BadRows } from '../../../log/event-log.js';

/** A way in which a row can be bad. */
export interface BadKind {
  /** Short and stable: what rows are counted under. */
  readonly kind: string;
  /** Column whose value is at fault; `null` where none is. */
  readonly column: string | null;
  readonly needed: string;
  readonly hint?: string;
  /** The value is missing: which values of the column are. */
  readonly missing?: 'number' | 'identifier';
  /** Names that the value should be one of, or a list of some: those it is likely to mean are hinted at. */
  readonly known?: readonly string[];
  /** What a number that is at fault may be instead, as a next step. */
  readonly guess?: (value: number) => string | undefined;
  /** The log is at fault, not the row: such rows are not dropped on request. */
  readonly fatal?: boolean;
  /** Such rows are no faults: they are left out on request, whether bad ones are dropped or not. */
  readonly isRequested?: boolean;
}

/** The first row of a kind. `fault` holds what is known without reading the row again. */
export interface FirstBad {
  readonly row: number;
  readonly kind: BadKind;
  readonly fault: Partial<Fault>;
}

/** Missing values of a column: how many, and the first row. */
export interface Gaps {
  readonly column: string;
  rows: number;
  readonly first: number;
}

/** The mark of rows that are good, and not wanted. */
const NOT_CHOSEN: BadKind = { kind: 'not chosen', column: null, needed: '' };

/** Marks rows of one batch as bad: the first fault found in a row counts. */
export class Marks {
  /** Number of marked rows. */
  count = 0;
  private readonly kinds: (BadKind | null)[] = [];
  private readonly first = new Map<BadKind, FirstBad>();
  private chosen: ArrayLike<number> | null = null;
  /** Missing values of this batch, by who found them. */
  readonly gaps = new Map<BadKind, Gaps>();

  /** Row over all files of a row of this batch. */
  rowOf: (row: number) => number = (row) => row;

  /** @param chosen 0 for rows whose missing values do not count. */
  reset(rows: number, chosen: ArrayLike<number> | null = null): void {
    this.chosen = chosen;
    this.gaps.clear();
    if (this.count > 0 || this.kinds.length < rows) {
      this.kinds.length = rows;
      this.kinds.fill(null);
    }
    this.count = 0;
    this.first.clear();
  }

  /** @param detail called for the first row of the kind only. */
  mark(row: number, kind: BadKind, detail?: () => Partial<Fault>): void {
    if (this.kinds[row] !== null) return;
    this.kinds[row] = kind;
    this.count++;
    if (!this.first.has(kind)) this.first.set(kind, { row, kind, fault: detail?.() ?? {} });
  }

  /** Takes note of a missing value, and marks its row where nothing takes its place. */
  missing(row: number, kind: BadKind, isFilled: boolean): void {
    if (!isFilled) this.mark(row, kind);
    // What is no record misses no values.
    if (kind.column === null || this.chosen?.[row] === 0 || this.kinds[row]?.column === null) return;
    const gaps = this.gaps.get(kind);
    if (gaps !== undefined) gaps.rows++;
    else this.gaps.set(kind, { column: kind.column, rows: 1, first: row });
  }

  /** Marks a row that is known to be bad. */
  drop(row: number): void {
    if (this.kinds[row] !== null) return;
    this.kinds[row] = NOT_CHOSEN;
    this.count++;
  }

  isBad(row: number): boolean {
    return this.kinds[row] !== null;
  }

  /** Whether a row is good, as far as it was looked at, and wanted. */
  isEvent(row: number): boolean {
    return this.kinds[row] === null && this.chosen?.[row] !== 0;
  }

  /** The topmost row that is bad and chosen, `null` where there is none. */
  topmost(rows: number, chosen: ArrayLike<number> | null): FirstBad | null {
    let best: FirstBad | null = null;
    if (this.count > 0)
      for (const bad of this.byKind(rows, chosen))
        if (bad.kind.isRequested !== true && (best === null || bad.row < best.row)) best = bad;
    return best;
  }

  /** The first chosen row at which the log itself is at fault. */
  fatal(rows: number, chosen: ArrayLike<number> | null): FirstBad | null {
    if (this.count === 0) return null;
    for (const bad of this.byKind(rows, chosen)) if (bad.kind.fatal === true) return bad;
    return null;
  }

  /**
   * Kinds of this batch with their first rows and numbers of rows.
   *
   * @param chosen 0 for rows that are not to be counted; `null`: all are.
   */
  *byKind(rows: number, chosen: ArrayLike<number> | null = null): Generator<FirstBad & { count: number }> {
    for (const bad of this.first.values()) {
      let count = 0;
      let row = -1;
      for (let i = bad.row; i < rows; i++) {
        if (this.kinds[i] !== bad.kind || chosen?.[i] === 0) continue;
        if (count++ === 0) row = i;
      }
      // What is known of the first row of the kind is not known of another.
      if (count > 0) yield { ...(row === bad.row ? bad : { row, kind: bad.kind, fault: {} }), count };
    }
  }

  /** Marks the rows that are not chosen as well, so that they are not kept. */
  exclude(rows: number, chosen: ArrayLike<number>): void {
    for (let i = 0; i < rows; i++) if (chosen[i] === 0) this.drop(i);
  }
}

/** Counts bad rows by kind over all files. */
export class BadRowCounter {
  private readonly counts = new Map<string, { count: number; first: string | null; lost?: BadRows['lost'] }>();

  /** @returns true for the first rows of their kind, whose fault is then to be described. */
  add(kind: string, count: number, lost?: BadRows['lost']): boolean {
    const entry = this.counts.get(kind);
    if (entry !== undefined) {
      entry.count += count;
      return false;
    }
    this.counts.set(kind, { count, first: null, ...(lost === undefined ? {} : { lost }) });
    return true;
  }

  describe(kind: string, fault: Fault): void {
    const entry = this.counts.get(kind);
    if (entry !== undefined && entry.first === null) entry.first = describeFault(fault);
  }

  finish(): BadRows[] {
    return [...this.counts].map(([kind, { first, ...rest }]) => ({ kind, ...rest, first: first ?? '' }));
  }
}

/** Numbers of a column: which rows have none, and what is filled in where they are missing. */

import { type ItemColumn, isValid } from '../../../files/duckdb.js';
import { type Fill, MeanSum, MISSING_HINT } from '../../../log/build/missing.js';
import type { BadKind, Marks } from './marks.js';

/** Marks rows whose number is none, missing or infinite; fills missing ones in where it is said with what. */
export class NumberCheck {
  private readonly none: BadKind;
  private readonly missing: BadKind;
  private readonly infinite: BadKind;
  /** Missing values of the batch just checked, by row; `null`: none. */
  private gaps: Uint8Array | null = null;
  /** Events whose value was filled in. */
  filled = 0;
  /** Of the values that are there, where missing ones are to have their mean. */
  readonly sum: MeanSum | null;

  constructor(
    readonly name: string,
    what: 'payoff' | 'feature' | 'element' | 'affinity',
    readonly fill: Fill | null,
  ) {
    const needed = 'a finite number';
    const hint = {
      payoff: MISSING_HINT.payoff(),
      feature: MISSING_HINT.number(name),
      element: MISSING_HINT.list(),
      affinity: undefined,
    }[what];
    const is = what === 'element' ? 'feature' : what;
    const none = what === 'element' ? hint : undefined;
    this.none = { kind: `${is} is not a number`, column: name, needed, hint: none };
    this.missing = { kind: `${is} is missing`, column: name, needed, hint, missing: 'number' };
    this.infinite = { kind: `${is} is not finite`, column: name, needed };
    this.sum = fill?.isMean === true ? new MeanSum() : null;
  }

  /**
   * @param isTyped NULL is a missing number, not a text that is none.
   * @returns the numbers, missing ones filled in.
   */
  check({ items, valid }: ItemColumn, isTyped: boolean, rows: number, marks: Marks): ItemColumn['items'] {
    const { fill } = this;
    this.gaps = null;
    let numbers = items;
    for (let i = 0; i < rows; i++) {
      const isNull = valid !== null && !isValid(valid, i);
      // NaN and infinities are the numbers whose difference from themselves is not 0.
      if (!isNull && items[i] - items[i] === 0) continue;
      if (isNull ? !isTyped : !Number.isNaN(items[i])) {
        marks.mark(i, isNull ? this.none : this.infinite);
        continue;
      }
      marks.missing(i, this.missing, fill !== null);
      if (fill === null) continue;
      if (this.gaps === null) {
        this.gaps = new Uint8Array(rows);
        numbers = Float64Array.from(items);
      }
      this.gaps[i] = 1;
      numbers[i] = fill.value;
    }
    return numbers;
  }

  /** Takes note of rows that are kept, of the batch just checked. */
  append(numbers: ItemColumn['items'], rows: Uint32Array, count: number): void {
    const { gaps, sum } = this;
    if (gaps !== null) for (let k = 0; k < count; k++) this.filled += gaps[rows[k]];
    if (sum !== null) for (let k = 0; k < count; k++) if (gaps?.[rows[k]] !== 1) sum.add(numbers[rows[k]]);
  }
}

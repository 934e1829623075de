/** The contexts of a batch as regressions take them: as in the log, or a constant 1 where it has none. */

import { InputError } from '../errors.js';
import type { ContextTable, EventLog } from '../log/event-log.js';

export type Regressors = Pick<ContextTable, 'dimension' | 'rows' | 'values' | 'row' | 'columns'>;

const CONSTANT = { dimension: 1, rows: 1, values: Float64Array.of(1), columns: ['(intercept)'] };

export function regressors({ contexts, events }: EventLog): Regressors {
  return contexts.dimension > 0 ? contexts : { ...CONSTANT, row: new Uint32Array(events) };
}

/** The entries of a row that are not 0: adding 0 changes no sum, and contexts of categories are mostly zeros. */
export class NonZeros {
  /** How many there are. */
  count = 0;
  readonly at: Uint32Array;
  readonly value: Float64Array;

  constructor(d: number) {
    this.at = new Uint32Array(d);
    this.value = new Float64Array(d);
  }

  /** Reads `values[from .. from + d)`. */
  read(values: ArrayLike<number>, from: number): void {
    const { at, value } = this;
    const d = at.length;
    let count = 0;
    for (let j = 0; j < d; j++) {
      const x = values[from + j];
      if (x === 0) continue;
      at[count] = j;
      value[count++] = x;
    }
    this.count = count;
  }
}

/** A column that is too large for its squares to be summed. */
export function tooLarge(column: string): InputError {
  return new InputError({
    column,
    problem: 'the context column is too large for a regression on it: its sums of squares overflow',
    needed: 'numbers below about 1e150',
    hint: 'divide the column by its size, leave it out, or take --reward-model mean (in code: rewardModel)',
  });
}

/** The six features of an R6A user or article: `2:0.1 3:0.2 … 1:1`, in any order. */

import { decimal } from '../../files/decimal.js';
import { DROPPED } from './kinds.js';
import { BAR, skipBlanks, tokenEnd, wholeNumber } from './tokens.js';

/** Features of a user, and of an article. */
export const R6A_FEATURES = 6;

const COLON = 58;

/** Place of feature #id in a context: #2 .. #6, then the constant #1. */
const PLACE = [-1, 5, 0, 1, 2, 3, 4];

/** Names of the six columns, in their order. */
export function featureColumns(prefix: string): string[] {
  return [2, 3, 4, 5, 6, 1].map((id) => `${prefix}_${id}`);
}

/** Parses a run of features. */
export class FeatureParser {
  /** The features found, by place; 0 where not given. [6] */
  readonly values = new Float64Array(R6A_FEATURES);
  /** How many were found. */
  count = 0;
  /** What is wrong with the token `faultFrom .. faultTo`; `null`: nothing. */
  fault: string | null = null;
  faultFrom = 0;
  faultTo = 0;

  /** Reads features from `from` on, up to a token that starts with a bar, or `to`. Returns where it stopped. */
  parse(bytes: Uint8Array, from: number, to: number): number {
    const { values } = this;
    values.fill(0);
    this.fault = null;
    this.count = 0;
    let seen = 0;
    let at = skipBlanks(bytes, from, to);
    while (at < to && bytes[at] !== BAR) {
      const end = tokenEnd(bytes, at, to);
      const colon = colonOf(bytes, at, end);
      const id = colon < 0 ? -1 : wholeNumber(bytes, at, colon);
      if (id < 0 && !isLongNumber(bytes, at, colon)) return this.fail(DROPPED.feature, at, end);
      if (!(id >= 1 && id <= R6A_FEATURES)) return this.fail(DROPPED.featureId, at, end);
      if ((seen >> id) & 1) return this.fail(DROPPED.featureTwice, at, end);
      const value = decimal(bytes, colon + 1, end);
      // NaN is none.
      if (!(value - value === 0)) return this.fail(DROPPED.value, at, end);
      values[PLACE[id]] = value;
      seen |= 1 << id;
      this.count++;
      at = skipBlanks(bytes, end, to);
    }
    return at;
  }

  private fail(kind: string, from: number, to: number): number {
    this.fault = kind;
    this.faultFrom = from;
    this.faultTo = to;
    return to;
  }
}

function colonOf(bytes: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) if (bytes[i] === COLON) return i;
  return -1;
}

/** True for a run of digits that is no usable number: it is a feature id all the same, of a feature that is none. */
function isLongNumber(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] < 48 || bytes[i] > 57) return false;
  return to > from;
}

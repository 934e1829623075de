/** One line: timestamp, displayed article, click, user, pool. */

import { DROPPED } from './kinds.js';
import type { PoolCache } from './pool-cache.js';
import type { PoolText } from './pool-text.js';
import { skipBlanks, startsWith, tokenEnd, wholeNumber } from './tokens.js';
import type { Users } from './users.js';

const ZERO = 48;
/** The last second that a date can be of. */
const MOST_SECONDS = 8.64e12;
const USER = new TextEncoder().encode('|user');

export interface LineParserOptions {
  readonly users: Users;
  readonly pools: PoolCache;
  /** What article ids begin with: nothing, or `id-`. */
  readonly prefix: Uint8Array;
  /** Declared range of payoffs. */
  readonly range: readonly [number, number];
}

export class LineParser {
  seconds = 0;
  /** Provisional arm of the displayed article. */
  arm = 0;
  click = 0;
  pool!: PoolText;
  /** Where the pool begins. */
  poolFrom = 0;
  /** The token at fault, after `parse` has named one. */
  faultFrom = 0;
  faultTo = 0;

  constructor(private readonly options: LineParserOptions) {}

  /**
   * Parses the line `bytes[from .. end)`, which neither begins nor ends with a blank. The user is left in `users`.
   * @returns the kind of the first fault that makes it no event; `null` where it is one.
   */
  parse(bytes: Buffer, from: number, end: number): string | null {
    const { prefix, users, range } = this.options;
    const timeEnd = tokenEnd(bytes, from, end);
    this.seconds = wholeNumber(bytes, from, timeEnd);
    if (!(this.seconds >= 0 && this.seconds <= MOST_SECONDS)) return this.fault(DROPPED.timestamp, from, timeEnd);
    const idFrom = skipBlanks(bytes, timeEnd, end);
    if (idFrom === end) return this.fault(DROPPED.tooFew, from, end);
    const idEnd = tokenEnd(bytes, idFrom, end);
    const hasPrefix = startsWith(bytes, idFrom, idEnd, prefix);
    const displayed = hasPrefix ? wholeNumber(bytes, idFrom + prefix.length, idEnd) : -1;
    if (displayed < 0) return this.fault(DROPPED.displayedId, idFrom, idEnd);
    const clickFrom = skipBlanks(bytes, idEnd, end);
    if (clickFrom === end) return this.fault(DROPPED.tooFew, from, end);
    const clickEnd = tokenEnd(bytes, clickFrom, end);
    const click = bytes[clickFrom] - ZERO;
    if (clickEnd - clickFrom !== 1 || (click !== 0 && click !== 1))
      return this.fault(DROPPED.click, clickFrom, clickEnd);
    this.click = click;
    const userFrom = skipBlanks(bytes, clickEnd, end);
    if (userFrom === end) return this.fault(DROPPED.tooFew, from, end);
    const userEnd = tokenEnd(bytes, userFrom, end);
    if (userEnd - userFrom !== USER.length || !startsWith(bytes, userFrom, userEnd, USER))
      return this.fault(DROPPED.noUser, userFrom, userEnd);
    const poolFrom = users.parse(bytes, userEnd, end);
    if (users.fault !== null) return this.fault(users.fault, users.faultFrom, users.faultTo);
    if (poolFrom === end) return this.fault(DROPPED.noPool, userFrom, end);
    this.poolFrom = poolFrom;
    const pool = this.options.pools.get(bytes, poolFrom, end);
    this.pool = pool;
    const { fault } = pool;
    if (fault !== null) return this.fault(fault.kind, poolFrom + fault.from, poolFrom + fault.to);
    const arm = pool.arms.get(displayed);
    if (arm === undefined)
      return this.fault(pool.leftOut.has(displayed) ? DROPPED.displayedShort : DROPPED.notInPool, idFrom, idEnd);
    this.arm = arm;
    if (click < range[0] || click > range[1]) return this.fault(DROPPED.payoffRange, clickFrom, clickEnd);
    return null;
  }

  private fault(kind: string, from: number, to: number): string {
    this.faultFrom = from;
    this.faultTo = to;
    return kind;
  }
}

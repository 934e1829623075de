/** Whether text looks like R6A or R6B. */

import type { Head } from '../files.js';
import { isBlank, skipBlanks, startsWith, tokenEnd, wholeNumber } from './tokens.js';

/** Lines looked at: the first ones may be dirty. */
const LINES = 50;

const USER = Buffer.from('|user');

/** @param prefix what article ids begin with */
export function looksLike({ bytes }: Head, prefix: string): boolean {
  const prefixBytes = Buffer.from(prefix);
  let from = 0;
  for (let i = 0; i < LINES && from < bytes.length; i++) {
    const end = bytes.indexOf(10, from);
    if (isHead(bytes, from, end < 0 ? bytes.length : end, prefixBytes)) return true;
    if (end < 0) return false;
    from = end + 1;
  }
  return false;
}

/** `digits prefix-digits 0|1 |user` */
function isHead(bytes: Buffer, from: number, to: number, prefix: Buffer): boolean {
  const time = skipBlanks(bytes, from, to);
  const timeEnd = tokenEnd(bytes, time, to);
  const id = skipBlanks(bytes, timeEnd, to);
  const idEnd = tokenEnd(bytes, id, to);
  const click = skipBlanks(bytes, idEnd, to);
  const user = skipBlanks(bytes, click + 1, to);
  const userEnd = tokenEnd(bytes, user, to);
  return (
    wholeNumber(bytes, time, timeEnd) >= 0 &&
    startsWith(bytes, id, idEnd, prefix) &&
    wholeNumber(bytes, id + prefix.length, idEnd) >= 0 &&
    (bytes[click] === 48 || bytes[click] === 49) &&
    isBlank(bytes[click + 1]) &&
    userEnd - user === USER.length &&
    startsWith(bytes, user, userEnd, USER)
  );
}

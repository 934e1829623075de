/** Whether text is R6A or R6B. */

import type { Head } from '../../files/files.js';
import type { YahooFormat } from './needed.js';
import { isBlank, skipBlanks, startsWith, tokenEnd, wholeNumber } from './tokens.js';

const USER = Buffer.from('|user');

/** What article ids begin with. */
const PREFIXES: readonly (readonly [YahooFormat, Buffer])[] = [
  ['r6a', Buffer.from('')],
  ['r6b', Buffer.from('id-')],
];

/**
 * What most lines of a beginning are, dirty ones among them; `unclear`: as many are one as the other; `null`: none is
 * either.
 */
export function yahooKind({ bytes, whole }: Head): YahooFormat | 'unclear' | null {
  const counts = { r6a: 0, r6b: 0 };
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    // A line that the head cuts is looked at where there is no other.
    if (end < 0 && !whole && counts.r6a + counts.r6b > 0) break;
    const to = end < 0 ? bytes.length : end;
    for (const [format, prefix] of PREFIXES) if (isHead(bytes, from, to, prefix)) counts[format]++;
    from = to + 1;
  }
  if (counts.r6a === counts.r6b) return counts.r6a === 0 ? null : 'unclear';
  return counts.r6a > counts.r6b ? 'r6a' : 'r6b';
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

/** Tokens of a line: bytes between blanks and tabs. Positions, never strings. */

const BLANK = 32;
const TAB = 9;
export const BAR = 124;

/** Longest article id in digits, so that ids are exact as numbers. */
const MOST_DIGITS = 15;

export function isBlank(byte: number): boolean {
  return byte === BLANK || byte === TAB;
}

/** First position of `from .. to` that is no blank; `to` where all are. */
export function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && isBlank(bytes[i])) i++;
  return i;
}

/** End of the token that begins at `from`. */
export function tokenEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && !isBlank(bytes[i])) i++;
  return i;
}

/** The whole number `bytes[from .. to)` without leading zeros, of at most 15 digits; −1 for all else. */
export function wholeNumber(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from;
  if (length < 1 || length > MOST_DIGITS) return -1;
  if (bytes[from] === 48 && length > 1) return -1;
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = bytes[i] - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** True where `bytes[from .. to)` begins with `prefix`. */
export function startsWith(bytes: Uint8Array, from: number, to: number, prefix: Uint8Array): boolean {
  if (to - from < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[from + i] !== prefix[i]) return false;
  return true;
}

/** Decimal numbers parsed from bytes, without a string. */

/** Powers of ten that are exact as f64. */
const POWERS = Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));

const DOT = 46;
const MINUS = 45;
const PLUS = 43;

/** Digits that certainly make an integer below 2⁵³. */
const EXACT_DIGITS = 15;

/**
 * The f64 that `Number` gives for the text `bytes[from .. to)` where it is a decimal number (`1`, `-0.25`, `.5`, `1e-3`);
 * NaN for all else, numbers too large for f64 included.
 */
export function decimal(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  const negative = bytes[i] === MINUS;
  if (negative) i++;
  let whole = 0;
  let dot = -1;
  const first = i;
  for (; i < to; i++) {
    const digit = bytes[i] - 48;
    if (digit >= 0 && digit <= 9) whole = whole * 10 + digit;
    else if (bytes[i] === DOT && dot < 0) dot = i;
    else return slowDecimal(bytes, from, to);
  }
  const digits = to - first - (dot < 0 ? 0 : 1);
  if (digits < 1 || digits > EXACT_DIGITS) return slowDecimal(bytes, from, to);
  // An integer below 2⁵³ over a power of ten that is exact: one rounding, as if the text were rounded itself.
  const value = dot < 0 ? whole : whole / POWERS[to - dot - 1];
  return negative ? -value : value;
}

function slowDecimal(bytes: Uint8Array, from: number, to: number): number {
  let text = '';
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    const isDigit = byte >= 48 && byte <= 57;
    if (!isDigit && byte !== DOT && byte !== MINUS && byte !== PLUS && byte !== 69 && byte !== 101) return Number.NaN;
    text += String.fromCharCode(byte);
  }
  // The empty text is the number 0 to Number.
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}

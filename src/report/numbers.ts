/** Numbers for people. Files (JSON, CSV) hold full precision; only tables round. */

/** Whole number with thousands separators: `1,234,567`. Other numbers as `significant`. */
export function count(value: number): string {
  if (!Number.isInteger(value)) return significant(value, 6);
  if (Math.abs(value) >= 1e15) return value.toExponential(3);
  return group(String(value));
}

/** Shortest text of at most `digits` significant digits, no padding zeros: 0.25, 1.2e-9, 1,234.5. */
export function significant(value: number, digits: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-5 || size >= 1e15) return trimExponent(value.toExponential(digits - 1));
  const rounded = Number(value.toPrecision(digits));
  if (Number.isInteger(rounded)) return group(String(rounded));
  // toFixed never switches to exponents; `digits` significant ones need this many decimals.
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return group(rounded.toFixed(Math.min(decimals, 100)).replace(/\.?0+$/, ''));
}

/** Fixed decimals with thousands separators, so that a column aligns on its point. */
export function fixed(value: number, decimals: number): string {
  if (Math.abs(value) >= 1e15) return value.toExponential(3);
  const text = value.toFixed(decimals);
  return group(/^-0(\.0*)?$/.test(text) ? text.slice(1) : text);
}

/** Fixed decimals, but never 0 for what is not 0: beside large numbers a small one is shown by its first digits. */
export function nonzero(value: number, decimals: number): string {
  return value !== 0 && Number(value.toFixed(decimals)) === 0 ? significant(value, 3) : fixed(value, decimals);
}

/** Large quantities with a unit prefix: `12.3G`, `4.56M`, `789`. */
export function prefixed(value: number): string {
  for (const [unit, size] of [
    ['T', 1e12],
    ['G', 1e9],
    ['M', 1e6],
    ['k', 1e3],
  ] as const) {
    if (value >= size * 0.9995) return `${Number((value / size).toPrecision(3))}${unit}`;
  }
  return String(Number(value.toPrecision(3)));
}

/** Bytes in binary units: `128 MiB`, `2 GiB − 4`. */
export function bytes(value: number): string {
  for (const [unit, size] of [
    ['TiB', 2 ** 40],
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10],
  ] as const) {
    const near = Math.round(value / size);
    const missing = near * size - value;
    // Limits such as 2^31 − 4 are common and rounding them up would be wrong by what matters.
    if (near >= 1 && missing > 0 && missing <= 64) return `${near} ${unit} − ${missing}`;
    if (value >= size) return `${Number((value / size).toPrecision(4))} ${unit}`;
  }
  return `${value} B`;
}

/** Seconds as people say them: `2.1 ms`, `0.43 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 0.0995) return `${Number((seconds * 1000).toPrecision(2))} ms`;
  if (seconds < 9.95) return `${Number(seconds.toPrecision(2))} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A share as a percentage of sensible length: 0.95 → `95 %`, 0.999 → `99.9 %`. */
export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(6))} %`;
}

/**
 * Decimals at which estimates with these interval half-widths are worth printing: three digits of the narrowest one,
 * so that neighbours in a ranking stay distinguishable without showing noise as knowledge.
 */
export function decimalsFor(halfWidths: readonly number[]): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (const width of halfWidths) if (width > 0 && width < smallest) smallest = width;
  if (!Number.isFinite(smallest)) return 4;
  return Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(smallest))));
}

function trimExponent(text: string): string {
  return text.replace(/\.?0*e/, 'e').replace('e+', 'e');
}

function group(text: string): string {
  const [whole, rest] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/** `+0.0210`, `−0.0034`. */
export function signed(value: number, decimals: number): string {
  return `${value < 0 ? '−' : '+'}${fixed(Math.abs(value), decimals)}`;
}

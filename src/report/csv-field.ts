/** One field of CSV: what results are written with, and what a report's table is copied with. */

/** Quoted where it holds a comma, a quote or a line break, or where blanks at its ends could be lost; a formula gets an apostrophe. */
export function csvField(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && isFormula(value) ? `'${value}` : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What spreadsheets take for a formula, full-width signs included (OWASP, CSV injection); a number is none. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
}

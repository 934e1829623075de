/** Text from files and callers, made safe to show. */

/** Control and format characters (escape sequences, bidi marks, zero-width ones), line separators and lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** What cannot be seen is made visible, so that a name from a file can neither break a table nor steer a terminal. */
export function printable(text: string): string {
  return text.replace(UNSEEN, (seen) => {
    if (seen === '\n') return '\\n';
    if (seen === '\t') return '\\t';
    // One escape per UTF-16 unit, as JSON has it.
    return Array.from({ length: seen.length }, (_, i) => escaped(seen.charCodeAt(i))).join('');
  });
}

/** The same, line by line: line breaks stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

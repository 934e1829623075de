/** Text from files and callers, made safe to show. */

/** Control and format characters (escape sequences, bidi marks, zero-width ones), line separators and lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** What people call files of ours that stand for theirs, by path. */
const called = new Map<string, string>();

/** From now on texts that are shown call a file so. */
export function callIt(path: string, name: string): void {
  called.set(path, name);
}

/** The file is gone. */
export function forgetName(path: string): void {
  called.delete(path);
}

/** A text with files as people call them. */
export function asCalled(text: string): string {
  let named = text;
  for (const [path, name] of called) named = named.replaceAll(path, name);
  return named;
}

/** What cannot be seen is made visible, so that a name from a file can neither break a table nor steer a terminal. */
export function printable(text: string): string {
  return asCalled(text).replace(UNSEEN, (seen) => {
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

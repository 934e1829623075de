/** Words of command lines, as a POSIX shell reads them. */

/** A word that a shell reads as this one, whatever is in it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command line. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

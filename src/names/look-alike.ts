/** Names that look alike: `007` is no 7 and `A` no `a`, but one may be meant by the other. */

const NUMBER = /^[+-]?[0-9]{1,15}(?:\.[0-9]*)?(?:e[+-]?[0-9]{1,2})?$/i;

/** What identifiers that look alike have in common: their letters, without case, forms of Unicode, blanks and what has no width. */
export function look(id: string): string {
  const isPlain = /^[\x21-\x7e]*$/.test(id);
  const text = isPlain ? id.toLowerCase() : ofLetters(id);
  return NUMBER.test(text) ? String(Number(text) + 0) : text;
}

function ofLetters(id: string): string {
  return id
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .normalize('NFC');
}

/** The first of the names that looks like `name` and is another; `null`: none does. */
export function lookAlikeOf(name: string, names: readonly string[]): string | null {
  const own = look(name);
  return names.find((other) => other !== name && look(other) === own) ?? null;
}

/** Names that an object of a JSON text has twice: JSON.parse keeps the last value, DuckDB the first, other readers both. */

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
/** Of what opens; what closes has a code larger by two. */
const BRACE = 123;
const BRACKET = 91;

/** Place of the quote that ends the string which begins at `from`; the end of the text where none does. */
export function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
  }
  return text.length;
}

/** The first name that an object of a valid JSON text has twice, and where its second one begins; `null`: there is none. */
export function repeatedName(text: string): { readonly name: string; readonly at: number } | null {
  // Arrays hold no names, but end as objects do.
  const open: (Set<string> | null)[] = [];
  let from = 0;
  let end = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      from = i;
      i = end = endOfString(text, i);
    } else if (code === BRACE || code === BRACKET) open.push(null);
    else if (code === BRACE + 2 || code === BRACKET + 2) open.pop();
    else if (code === COLON) {
      const name = String(JSON.parse(text.slice(from, end + 1)));
      const names = open.at(-1) ?? new Set();
      if (names.has(name)) return { name, at: from };
      names.add(name);
      open[open.length - 1] = names;
    }
  }
  return null;
}

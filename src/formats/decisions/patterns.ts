/** Names of features with `*` for any text. */

import { InputError } from '../../errors.js';

/** What the first `*` stands for in a name that fits (`''` without one); `null`: the name does not fit. */
export type Pattern = (name: string) => string | null;

/** Compiles a pattern. Everything but `*` stands for itself; a star takes as little as it can. Linear in the name. */
export function pattern(text: string): Pattern {
  const [first, ...rest] = text.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => (name === text ? '' : null);
  return (name) => {
    const end = name.length - last.length;
    if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return null;
    let at = first.length;
    let star: string | null = null;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0 || found + part.length > end) return null;
      star ??= name.slice(at, found);
      at = found + part.length;
    }
    return star ?? name.slice(at, end);
  };
}

/** Compiles the patterns of an option: does a name fit any? `undefined`: every name does. @throws InputError */
export function anyPattern(option: string, texts: readonly string[] | undefined): (name: string) => boolean {
  if (texts === undefined) return () => true;
  for (const text of texts) {
    if (typeof text === 'string' && text !== '') continue;
    throw new InputError({
      problem: `option ${option} is not valid`,
      got: JSON.stringify(text) ?? String(text),
      needed: 'names of features, in which * stands for any text',
    });
  }
  const patterns = texts.map(pattern);
  return (name) => patterns.some((fits) => fits(name) !== null);
}

/** README and the pages of docs/, and what of them can be run. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Paths from the root; what is made by a build is no page. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(`${ROOT}/docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/^(api|\.vitepress)\//.test(name))
    .map((name) => `docs/${name}`),
].sort();

/** A fenced block: language, the file that it shows or is, text. */
export interface Block {
  readonly language: string;
  readonly file: string;
  readonly text: string;
}

export function textOf(page: string): string {
  return readFileSync(`${ROOT}/${page}`, 'utf8');
}

export function blocksOf(page: string): Block[] {
  const fences = textOf(page).matchAll(/^```(\w*) ?(\S*)\n([\s\S]*?)\n?^```$/gm);
  return [...fences].map(([, language, file, text]) => ({ language, file, text }));
}

/** A page without its blocks. */
export function proseOf(page: string): string {
  return textOf(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
}

/** What a page has to run, in its order. */
export interface Step {
  readonly title: string;
  /** Words of a command line, or a script. */
  readonly run: { readonly words: readonly string[] } | { readonly script: string };
  readonly shown: string;
}

/** Sessions (`$ npx hindcast …` and what it prints) and scripts; a script prints the block behind it, else what the last session does. */
export function stepsOf(page: string): Step[] {
  const blocks = blocksOf(page);
  let session = '';
  return blocks.flatMap(({ language, text }, i): Step[] => {
    if (language === 'js')
      return [{ title: `script ${i + 1}`, run: { script: text }, shown: outputOf(blocks, i) ?? session }];
    if (language !== 'text' || !text.startsWith('$ ')) return [];
    const [, command, shown = ''] = /^\$ ((?:.*\\\n)*.*)(?:\n([\s\S]*))?$/.exec(text) ?? [];
    const words = command.replaceAll('\\\n', ' ').split(/ +/);
    session = shown;
    return [{ title: words.slice(0, 4).join(' '), run: { words }, shown }];
  });
}

/** Cells of Python, as in a notebook: each goes on where the last one ended. */
export function cellsOf(page: string): { readonly script: string; readonly shown: string }[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, text }, i) =>
    language === 'python' ? [{ script: text, shown: outputOf(blocks, i) ?? '' }] : [],
  );
}

function outputOf(blocks: readonly Block[], i: number): string | undefined {
  const next = blocks[i + 1];
  return next !== undefined && isOutput(next) ? next.text : undefined;
}

export function isOutput({ language, text }: Block): boolean {
  return language === 'text' && !text.startsWith('$ ');
}

/** Files that pages show: whole, or (of a log) how they begin. A file is the same wherever it is shown. */
export function shownFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const page of PAGES)
    for (const { file, text } of blocksOf(page)) {
      if (file === '') continue;
      const known = files.get(file);
      if (known !== undefined && !known.startsWith(text) && !text.startsWith(known))
        throw new Error(`${page}: ${file} is another one elsewhere`);
      if (known === undefined || text.length > known.length) files.set(file, text);
    }
  return files;
}

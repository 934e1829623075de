/** What of the pages comes from the code: `npm run docs:generate` writes it, a test compares. */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { commandsPage } from './commands.mjs';
import { learnerTable } from './learners.mjs';

const fileOf = (page) => fileURLToPath(new URL(`../reference/${page}`, import.meta.url));

/** Files and what they are to hold. */
export async function generatedPages() {
  const learners = fileOf('learners.md');
  const text = await readFile(learners, 'utf8');
  const marked = /(<!-- LEARNERS: .* -->\n\n)[\s\S]*(\n\n<!-- \/LEARNERS -->)/;
  return [
    [fileOf('cli.md'), await commandsPage()],
    [learners, text.replace(marked, (_, before, after) => before + learnerTable() + after)],
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, text] of await generatedPages()) await writeFile(file, text);

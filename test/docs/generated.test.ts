/** What of the pages comes from the code is up to date, and options that pages name are there. */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '#dist/cli/commands.js';
import { generatedPages } from '../../docs/generate/pages.mjs';
import { captured } from '../cli/in-process.js';
import { PAGES, textOf } from './pages.js';

it.each((await generatedPages()).map(([file, text]) => [basename(file), file, text]))(
  '%s is what npm run docs:generate writes',
  (_name, file, text) => expect(readFileSync(file, 'utf8')).toBe(text),
);

/** Of other programs, or of scripts beside the commands. */
const OTHERS = new Set(['--help', '--debug', '--version', '--csv', '--visits', '--quick', '--omit', '--flag']);

it.each(PAGES)('%s names options that there are', (page) => {
  const known = new Set(COMMANDS.flatMap((define) => define(captured()).options.map(({ long }) => long)));
  const named = [...textOf(page).matchAll(/(?<![\w-])--[a-z][a-z-]*[a-z]/g)].map(([option]) => option);
  expect(named.filter((option) => !known.has(option) && !OTHERS.has(option))).toEqual([]);
});

it('README is what a newcomer reads in ten minutes', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(200);
});

/** Faults have a place in the sources as they are: one that has moved would be put nowhere, and be found by nothing. */

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MUTANTS } from './mutants.mjs';

const pathOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

it.each(MUTANTS)('$name', ({ file, from, to, tests }) => {
  expect(readFileSync(pathOf(file), 'utf8').includes(from), `${file}: ${from}`).toBe(true);
  expect(to).not.toBe(from);
  for (const test of tests) expect(existsSync(pathOf(test)), test).toBe(true);
});

it('names are told apart', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

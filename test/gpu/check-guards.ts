/** Runs around every test file: no kernel of it wrote beyond the end of a buffer. */
import { afterAll } from 'vitest';
import { brokenGuards } from './guards.js';

afterAll(async () => {
  const broken = await brokenGuards();
  if (broken.length > 0) throw new Error(`written beyond the end: ${[...new Set(broken)].join(', ')}`);
});

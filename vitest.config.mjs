import { existsSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';

// test/published compares with reference numbers that lie beside the checkout. Where they are absent everything else is
// still tested, and it is said; in CI (CI=true) their absence is a failure.
const published = ['test/published/**', 'test/**/*published.test.ts'];
const exclude = [...configDefaults.exclude];
if (!process.env.CI && !existsSync(new URL('../shared', import.meta.url))) {
  exclude.push(...published);
  console.warn(
    `\nNOT CHECKED: ${published.join(' and ')} need the folder ../shared (reference data), which is not there.\n`,
  );
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude,
    globalSetup: ['test/temporary-folder.ts'],
    // Dawn wants one process per test file that opens a device, and two cores are what CI has.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

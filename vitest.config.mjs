import { existsSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

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

// Files that put modules in the place of others, change what belongs to the whole process, or measure its memory.
const apart = [
  'test/cli/bad-inputs.test.ts',
  'test/cli/other-hands.test.ts',
  'test/cli/progress.test.ts',
  'test/cli/replay-verify.test.ts',
  'test/engine/scored-family.test.ts',
  'test/files/byte-lines.test.ts',
  'test/files/presence.test.ts',
  'test/files/private-folder.test.ts',
  'test/formats/arrow/packed-sizes.test.ts',
  'test/formats/table/read/leaks.test.ts',
  'test/gpu/quiet.test.ts',
  'test/open/read-stream.test.ts',
];

// What takes minutes begins first, so that no worker is left with it at the end while the other has nothing to do.
const slow = [
  'estimate/selection/coverage',
  'parity/gpu-replay',
  'simulate/unbiased',
  'estimate/selection/learner-coverage',
  'estimate/sequence/coverage',
  'run/levels',
  'published/pick',
  'published/pipeline',
  'parity/gpu',
  'cluster/slurm',
];
class SlowFirst extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId }) => slow.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`)) + 1 || Infinity;
    return (await super.sort(files)).sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    globalSetup: ['test/temporary-folder.ts'],
    setupFiles: ['test/gpu/check-guards.ts'],
    // What it means, and how a test comes by it: test/long.ts.
    tags: [{ name: 'long', description: 'left to npm run test:long', timeout: 600_000 }],
    // Forks, for Dawn; two cores are what CI has.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        // One process after the other's files: what they import is loaded once, and by Node itself.
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...apart],
          // Not on another adapter: a process that has opened SwiftShader finds no other.
          isolate: process.env.HINDCAST_TEST_ADAPTER !== undefined,
          server: { deps: { external: [/\/dist\//] } },
        },
      },
      { extends: true, test: { name: 'apart', include: apart, exclude } },
    ],
  },
});

/** One folder for all that tests leave: workers are stopped without a chance to tidy up, so that it goes after them. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Points the temporary files of the run, and of the programs that it starts, to a folder of its own. */
export default function setup(): () => void {
  // Every project of the configuration comes here; the first folder is for all.
  if (process.env.HINDCAST_TEST_FOLDER !== undefined) return () => {};
  // Short: paths stand in messages and tables that wrap at 80 columns.
  const folder = mkdtempSync(join(tmpdir(), 'h-'));
  process.env.TMPDIR = process.env.HINDCAST_TEST_FOLDER = folder;
  return () => {
    delete process.env.HINDCAST_TEST_FOLDER;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** One folder for all that tests leave: workers are stopped without a chance to tidy up, so that it goes after them. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Points the temporary files of the run, and of the programs that it starts, to a folder of its own. */
export default function setup(): () => void {
  // Short: paths stand in messages and tables that wrap at 80 columns.
  const folder = mkdtempSync(join(tmpdir(), 'h-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

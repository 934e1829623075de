/** Files and folders that go when the process ends, however it ends (other than by SIGKILL, after which the next run sweeps). */

import { rmSync } from 'node:fs';

const temporary = new Set<string>();
let cleaning = false;

/** Has a file or a folder removed if the process exits before `forget(path)`. */
export function removeOnExit(path: string): void {
  temporary.add(path);
  if (cleaning) return;
  cleaning = true;
  process.once('exit', () => {
    for (const path of temporary) {
      try {
        rmSync(path, { recursive: true, force: true });
      } catch {
        // What cannot be removed is left to the next run.
      }
    }
  });
}

/** The file has its final name, or is gone. */
export function forget(path: string): void {
  temporary.delete(path);
}

/** Programs that tests run and that are no part of the packages: `.ci/install-schedulers.sh` installs them. */

import { spawnSync } from 'node:child_process';

/** CI has all of them; elsewhere one that is absent is told of, loudly. @returns whether all are there. */
export function requirePrograms(programs: readonly string[], needed: string): boolean {
  const absent = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  return absent.length === 0 || untested(`${absent.join(', ')} not installed, so that ${needed} (apt-get install)`);
}

/** Says what was not tested; in CI that is a failure. */
export function untested(text: string): false {
  if (process.env.CI !== undefined) throw new Error(text);
  console.warn(`\nNOT TESTED: ${text}\n`);
  return false;
}

/** The command that makes a result again: as it was typed, without the options that results do not depend on. */

import type { Command } from 'commander';
import { commandLine } from './resumable.js';

/** Options that results do not depend on, and those of the file that is written. */
export const INCIDENTAL: readonly string[] = [
  ...['part', 'counts', 'out', 'format', 'pictures', 'device', 'adapter', 'gpus', 'threads', 'memory', 'resume'],
  ...['checkpointEvery', 'quiet', 'debug'],
];

/** @param command that is running. @returns a line for a POSIX shell, to be run in the same folder. */
export function commandAgain({ parent, options }: Command): string {
  // Commander keeps what it was given, but does not declare it.
  const { rawArgs } = parent as Command & { readonly rawArgs: readonly string[] };
  const kept: string[] = [];
  for (let i = 0; i < rawArgs.length; i++) {
    const [flag] = rawArgs[i].split('=', 1);
    if (flag === '--') {
      kept.push(...rawArgs.slice(i));
      break;
    }
    const option = options.find(({ long, short }) => flag === long || flag === short);
    const words = option?.required === true && rawArgs[i] === flag ? 2 : 1;
    if (option === undefined || !INCIDENTAL.includes(option.attributeName())) kept.push(...rawArgs.slice(i, i + words));
    i += words - 1;
  }
  return commandLine(kept);
}

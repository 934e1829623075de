/** Logs that come through a pipe. Readers seek, and read twice, so the input is kept in a private file until the command ends. */

import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { InputError } from '../errors.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { callIt, forgetName } from '../printable.js';
import { reasonOf } from './failure.js';
import type { Io } from './io.js';

const NAMES: readonly string[] = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

/** Whether a log's file is this process's standard input. */
export function isStandardInput(file: string): boolean {
  return NAMES.includes(file);
}

/**
 * Runs `work` with the files of a log, the standard input among them in a file of its own, which goes when `work` is done or the process
 * ends. Messages and results call it as the caller does.
 *
 * @throws InputError where the standard input is named twice, is a terminal, is empty, or nothing says its format.
 */
export async function withLogFiles<T>(
  files: readonly string[],
  format: string | undefined,
  { stdin, signal }: Io,
  work: (files: string[]) => Promise<T>,
): Promise<T> {
  if (format !== undefined) (await import('../formats/named.js')).formatNamed(format);
  const named = files.filter(isStandardInput);
  if (named.length === 0) return work([...files]);
  const [name] = named;
  check(named, format, stdin.isTTY === true);
  const folder = await temporaryFolder();
  const path = join(folder.path, 'standard-input');
  callIt(path, name);
  try {
    try {
      await pipeline(stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
    } catch (cause) {
      signal.throwIfAborted();
      throw new InputError(
        {
          file: name,
          problem: 'standard input cannot be kept in the temporary folder',
          got: cause instanceof Error ? reasonOf(cause) : String(cause),
          needed: 'a log, and room there for all of it',
          hint: 'name a folder with more room in the environment variable TMPDIR',
        },
        { cause },
      );
    }
    if ((await stat(path)).size === 0) {
      throw new InputError({
        file: name,
        problem: 'standard input is empty',
        needed: 'a log',
        hint: 'look at what the program before the pipe writes, and whether it failed',
      });
    }
    return await work(files.map((file) => (isStandardInput(file) ? path : file)));
  } finally {
    forgetName(path);
    await folder.remove();
  }
}

function check(named: readonly string[], format: string | undefined, isTerminal: boolean): void {
  const [file] = named;
  if (named.length > 1) {
    throw new InputError({
      problem: 'standard input is named twice, and comes once',
      got: named.join(' and '),
      needed: 'at most one of the files',
      hint: 'write one of the logs to a file first',
    });
  }
  if (format === undefined) {
    throw new InputError({
      file,
      problem: 'standard input has no name that tells its format',
      needed: '--log-format',
      hint: '--log-format csv, or what it is; any other word lists all',
    });
  }
  if (isTerminal) {
    throw new InputError({
      file,
      problem: 'standard input is a terminal, and not a log',
      needed: 'a pipe or a file',
      hint: 'zcat log.csv.gz | hindcast …, or < log.csv',
    });
  }
}

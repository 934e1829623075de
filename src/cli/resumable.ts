/** A run with `--resume` that is interrupted: what is left of it, and how it goes on. */

import { existsSync } from 'node:fs';
import { type Io, writeAll } from './io.js';

/** An interrupted run whose state is in a file. */
export class Resumable extends Error {
  override readonly name = 'Resumable';

  /** @param file as the caller named it. */
  constructor(
    readonly file: string,
    cause: unknown,
  ) {
    super(`interrupted; the state of the run is in ${file}`, { cause });
  }
}

/**
 * Runs work that keeps its state in `file` and, when the signal is aborted, saves it before it ends.
 *
 * @throws Resumable where it was interrupted and the file is there; else what the work throws.
 */
export async function resumable<T>(
  file: string | undefined,
  { stderr, signal }: Io,
  work: () => Promise<T>,
): Promise<T> {
  if (file === undefined) return work();
  const tell = (): void => {
    void writeAll(stderr, `hindcast: saving the run in ${file}; once more ends it at once\n`);
  };
  signal.addEventListener('abort', tell, { once: true });
  try {
    return await work();
  } catch (error) {
    if (signal.aborted && existsSync(file)) throw new Resumable(file, error);
    throw error;
  } finally {
    signal.removeEventListener('abort', tell);
  }
}

/** A command line that a POSIX shell reads as these arguments. */
export function commandLine(argv: readonly string[]): string {
  const quoted = argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  return ['hindcast', ...quoted].join(' ');
}

/** A run with `--resume` that is interrupted: what is left of it, and how it goes on. */

import { existsSync } from 'node:fs';
import { printable } from '../printable.js';
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
    void writeAll(stderr, `hindcast: saving the run in ${printable(file)}; once more ends it at once\n`);
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

/** A command line that a POSIX shell reads as these arguments, and that can be printed on a terminal. */
export function commandLine(argv: readonly string[]): string {
  return ['hindcast', ...argv.map(quoted)].join(' ');
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (printable(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  // Dollar quotes (POSIX 2024) spell out what cannot be seen, as bytes of UTF-8.
  const bytes = [...Buffer.from(word)].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x27 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return `$'${bytes.join('')}'`;
}

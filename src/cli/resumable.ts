/** A run with `--resume` that is interrupted: what is left of it, and how it goes on. */

import { statSync } from 'node:fs';
import { shellWord } from '../cluster/shell.js';
import { HindcastError } from '../errors.js';
import { printable } from '../printable.js';
import { withPlace } from '../run/checkpoint/checkpoint.js';
import { type Io, tell } from './io.js';

/** An interrupted run that can go on: what is saved of it, in words. */
export class Resumable extends Error {
  override readonly name = 'Resumable';

  /** @param again command line that goes on; absent: the same. */
  constructor(
    message: string,
    options?: ErrorOptions,
    readonly again?: readonly string[],
  ) {
    super(message, options);
  }
}

/**
 * Runs work that keeps its state in `file` and, when the signal is aborted, saves it before it ends.
 *
 * @param file as the caller named it.
 * @throws Resumable where it was interrupted, which says what is in the file; else what the work throws.
 */
export async function resumable<T>(file: string | undefined, io: Io, work: () => Promise<T>): Promise<T> {
  if (file === undefined) return work();
  const { signal } = io;
  const before = savedAt(file);
  const announce = (): void => {
    void tell(
      io,
      `hindcast: ending; the state of the run goes into ${printable(file)}, if there is one yet; once more ends it at once\n`,
    );
  };
  signal.addEventListener('abort', announce, { once: true });
  try {
    const result = await work();
    // The result is written: only now there is nothing to go on from.
    await withPlace(file, false, async () => undefined).catch(() => undefined);
    if (savedAt(file) !== null) {
      const text = `the result is whole, but the state of its run could not be removed from ${printable(file)}`;
      await tell(io, `hindcast: ${text}; delete it before another run takes that name\n`);
    }
    return result;
  } catch (error) {
    if (signal.aborted) throw new Resumable(whatIsLeft(file, before, error), { cause: error });
    throw error;
  } finally {
    signal.removeEventListener('abort', announce);
  }
}

/** When a checkpoint was written; `null`: there is none. */
function savedAt(file: string): number | null {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
  } catch {
    return null;
  }
}

function whatIsLeft(file: string, before: number | null, error: unknown): string {
  const now = savedAt(file);
  if (error instanceof HindcastError) {
    const older = now === null ? 'nothing is saved' : `what is in ${file} is of ${timeOf(now)}`;
    return `interrupted; ${error.message}; ${older}`;
  }
  if (now === null) return 'interrupted before there was a state to save; the run will begin anew';
  if (now === before) return `interrupted before there was more to save; the state of ${timeOf(now)} is in ${file}`;
  return `interrupted; the state of the run is in ${file}`;
}

function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A command line that a POSIX shell reads as these arguments, and that can be printed on a terminal. */
export function commandLine(argv: readonly string[]): string {
  return ['hindcast', ...argv.map(quoted)].join(' ');
}

function quoted(word: string): string {
  if (printable(word) === word) return shellWord(word);
  // Dollar quotes (POSIX 2024) spell out what cannot be seen, as bytes of UTF-8.
  const bytes = [...Buffer.from(word)].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x27 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return `$'${bytes.join('')}'`;
}

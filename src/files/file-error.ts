/** Errors of the system. */

import { InputError } from '../errors.js';

/** A system error as the caller needs to hear it. */
export function fileError(file: string, error: unknown): InputError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const problem =
    {
      ENOENT: 'no such file',
      EACCES: 'no permission to read the file',
      EISDIR: 'is a directory',
      ENOTDIR: 'no such file',
    }[code] ?? 'the file cannot be read';
  const hint =
    code === 'EISDIR'
      ? 'name the files in it, e.g. with a shell pattern; of directories, those of the Open Bandit Dataset are read whole'
      : code === 'EACCES'
        ? 'change its permissions, or run as a user that may read it'
        : code === 'ENOENT'
          ? 'check the path; relative paths are relative to the current directory'
          : undefined;
  const got = code === '' ? String(error) : undefined;
  return new InputError({ file, problem, got, hint }, { cause: error });
}

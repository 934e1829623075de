/** Failures that are neither the caller's input nor a fault of this program: a full disk, memory that is not there. */

/** What the system says, in words. */
const SYSTEM: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the system allows',
  EIO: 'the device reports an error',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open (ulimit -n)',
  ENFILE: 'too many files are open on this system',
  ENOMEM: 'the system gives no more memory',
};

/** Allocations that V8 and WebAssembly refuse. */
const NO_MEMORY = /allocation failed|could not allocate memory|out of memory/i;

/** What to tell of an error that the program did not raise on purpose. */
export interface Failure {
  readonly problem: string;
  readonly hint: string;
}

/** What the system refused, or `null` where that is not what happened: then it is a bug. */
export function systemFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  const place = path === undefined ? '' : `${path}: `;
  if (code !== undefined && code in SYSTEM) {
    return {
      problem: `${place}${SYSTEM[code]}`,
      hint: code === 'ENOMEM' ? LESS_MEMORY : 'make room or name another place, then run it again',
    };
  }
  // DuckDB words the system's errors itself.
  if (/no space left on device/i.test(error.message))
    return { problem: SYSTEM.ENOSPC, hint: 'make room for temporary files (TMPDIR), then run it again' };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || NO_MEMORY.test(error.message))
    return { problem: `there is not enough memory: ${error.message}`, hint: LESS_MEMORY };
  return null;
}

const LESS_MEMORY = '--memory SIZE, fewer --threads, fewer policies or replicas at once, or a machine with more memory';

/** An error of the system in words, or its own message. */
export function reasonOf(error: Error): string {
  return systemFailure(error)?.problem ?? error.message;
}

/**
 * Column storage. Columns live on shared memory where the platform has it, so that worker threads read them without
 * a copy. Allocate for the largest size that may be needed: pages that are never touched cost no memory.
 */

import { InputError } from '../../errors.js';

type Process = {
  availableMemory?(): number;
  getBuiltinModule?(id: 'node:fs'): { readFileSync(path: string, encoding: 'utf8'): string };
};

const node = (globalThis as { process?: Process }).process;

const SHARED = typeof SharedArrayBuffer === 'function';

function buffer(bytes: number): ArrayBufferLike {
  try {
    return SHARED ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  } catch (cause) {
    throw new InputError(
      {
        problem: `the log needs a column of ${(bytes / 2 ** 30).toFixed(1)} GiB, which this machine does not give`,
        hint: 'read fewer context columns, or select fewer rows with --where',
      },
      { cause },
    );
  }
}

/** Zeroed u32 column of `length` entries. */
export function u32Column(length: number): Uint32Array {
  return new Uint32Array(buffer(length * 4), 0, length);
}

/** Zeroed f32 column of `length` entries. */
export function f32Column(length: number): Float32Array {
  return new Float32Array(buffer(length * 4), 0, length);
}

/** Zeroed f64 column of `length` entries. */
export function f64Column(length: number): Float64Array {
  return new Float64Array(buffer(length * 8), 0, length);
}

/** Numbers as a column: themselves where they are one. */
export function onSharedMemory<T extends Uint32Array | Float32Array | Float64Array>(values: T): T {
  if (!SHARED || values.buffer instanceof SharedArrayBuffer) return values;
  const bytes = buffer(values.byteLength);
  const column = new (values.constructor as new (buffer: ArrayBufferLike) => T)(bytes);
  column.set(values);
  return column;
}

/** What the process may take still; infinite where that is not told. */
export function availableBytes(): number {
  const bytes = node?.availableMemory?.();
  return bytes === undefined ? Number.POSITIVE_INFINITY : bytes + cachedFiles();
}

/**
 * Files that a container with a limit keeps in memory and gives up when asked; Node counts them as used there. 0 without a limit,
 * where Node does not.
 */
function cachedFiles(): number {
  const fs = node?.getBuiltinModule?.('node:fs');
  if (fs === undefined) return 0;
  const read = (path: string): string => {
    try {
      return fs.readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  for (const [limit, stat, names] of [
    ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory.stat', /^(?:in)?active_file (\d+)$/gm],
    [
      '/sys/fs/cgroup/memory/memory.limit_in_bytes',
      '/sys/fs/cgroup/memory/memory.stat',
      /^total_(?:in)?active_file (\d+)$/gm,
    ],
  ] as const) {
    // "max", and what no machine has, are no limits.
    const bytes = Number(read(limit));
    if (!(bytes > 0 && bytes < 2 ** 50)) continue;
    return [...read(stat).matchAll(names)].reduce((sum, [, size]) => sum + Number(size), 0);
  }
  return 0;
}

/** A size in words: `2.4 GB`. */
export function gigabytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e5) / 10} MB` : `${Math.round(bytes / 1e8) / 10} GB`;
}

/**
 * @param product where the bytes come from, written out: `60000 policies × 1000000 cells × 2 bytes`.
 * @throws InputError with the sum, where an array that is about to be made and filled needs more memory than there is.
 */
export function checkRoom(what: string, product: string, bytes: number, hint: string, file?: string): void {
  const free = availableBytes();
  if (bytes <= free) return;
  throw new InputError({
    file,
    problem: `${what} do not fit the memory`,
    got: `${product} = ${gigabytes(bytes)}`,
    needed: `at most ${gigabytes(free)}, the memory that is free`,
    hint,
  });
}

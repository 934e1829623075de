/** Files as a stream of events: packed logs as they lie, others read whole. */

import { stat } from 'node:fs/promises';
import { InputError } from '../errors.js';
import { type Head, readHead } from './formats/files.js';
import { eventFormatOf } from './formats/index.js';
import { openPackedFiles } from './packed/read-files.js';
import { readLog } from './read.js';
import type { ReadOptions } from './read-options.js';
import type { LogStream } from './stream.js';
import { streamOf } from './stream-of.js';

/** What a file becomes in memory, times its size, about: at least this. Compressed files say little about it. */
const GROWTH = { text: 0.5, packed: 2, parquet: 2 } as const;

/**
 * @param memory bytes that the log may take; `null`: no bound.
 * @throws InputError as `readLog`; where the log must be read whole and does not fit.
 */
export async function readStream(
  paths: readonly string[],
  options: ReadOptions,
  memory: number | null,
): Promise<LogStream> {
  const heads: Head[] = [];
  for (const path of paths) heads.push(await readHead(path));
  if (heads.length > 0 && eventFormatOf(heads, options)?.name === 'packed') return openPackedFiles(paths, options);
  if (memory === null) return streamOf(await readLog(paths, options));
  const least = await leastBytes(paths, heads);
  if (least > memory) throw tooLarge(paths, least, memory);
  const stream = streamOf(await readLog(paths, options));
  const bytes = stream.events * stream.bytesPerEvent;
  if (bytes > memory) throw tooLarge(paths, bytes, memory);
  return stream;
}

async function leastBytes(paths: readonly string[], heads: readonly Head[]): Promise<number> {
  let bytes = 0;
  for (const [i, path] of paths.entries()) {
    const { packing, tail } = heads[i];
    bytes += (await stat(path)).size * GROWTH[packing !== null ? 'packed' : tail.length > 0 ? 'parquet' : 'text'];
  }
  return bytes;
}

function tooLarge([file, ...more]: readonly string[], bytes: number, memory: number): InputError {
  const size = (n: number): string => `${Math.ceil(n / 1e6)} MB`;
  const files = more.length === 0 ? file : `${file} and ${more.length} more`;
  return new InputError({
    file: files,
    problem: 'the log does not fit the memory that it may take, and its format has to be read whole',
    got: `about ${size(bytes)} in memory`,
    needed: `at most ${size(memory)}, or a packed log, which is read in stretches`,
    hint: `hindcast convert ${file}${more.length === 0 ? '' : ' …'} PACKED.parquet, once; then name PACKED.parquet`,
  });
}

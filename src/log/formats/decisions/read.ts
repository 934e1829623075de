/** Reads files of examples into one log: what the readers of such formats share. */

import { stat } from 'node:fs/promises';
import { InputError } from '../../../errors.js';
import type { EventLog } from '../../event-log.js';
import type { ReadOptions } from '../../read-options.js';
import { DAMAGED } from '../damage.js';
import type { HeadedFile } from '../source.js';
import { unpacked } from '../unpacked.js';
import { DecisionReading, type DecisionRows, type LineParser } from './reading.js';

/**
 * @param format name of the reader.
 * @param parser of the lines of all files, one after the other.
 * @throws InputError; the signal's reason.
 */
export async function readDecisions(
  format: string,
  files: readonly HeadedFile[],
  options: ReadOptions,
  parser: (rows: DecisionRows) => LineParser,
): Promise<EventLog> {
  const reading = new DecisionReading(format, options, parser);
  const sizes: number[] = [];
  for (const { file } of files) sizes.push((await stat(file)).size);
  const total = Math.max(
    1,
    sizes.reduce((a, b) => a + b, 0),
  );
  let before = 0;
  for (const [number, { file, head }] of files.entries()) {
    reading.open(file);
    let read = 0;
    let damage: InputError | null = null;
    try {
      for await (const part of unpacked(file, head.packing, (bytes) => {
        read = Math.min(bytes, sizes[number]);
      })) {
        options.signal?.throwIfAborted();
        reading.push(part);
        options.onProgress?.(Math.min(1, (before + read) / total), reading.rows);
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage = error;
    }
    options.signal?.throwIfAborted();
    reading.close(damage);
    before += sizes[number];
    options.onProgress?.(Math.min(1, before / total), reading.rows);
  }
  return reading.finish();
}

/** True where the compressed data of a file end early or are damaged. */
function isDamage(error: unknown): error is InputError {
  return error instanceof InputError && Object.values<string>(DAMAGED).includes(error.fault.problem);
}

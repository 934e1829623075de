/** Types of the options that `evaluate` and `replay` share. Ranges are checked where an option is read. */

import { z } from 'zod';
import { option } from './check-options.js';

const wholeBlocks = option.whole(1, 1_000_000);

const blocks = z.union(
  [
    wholeBlocks,
    z.strictObject({ events: option.whole(1, 2 ** 21) }),
    z.strictObject({ period: z.number().positive() }),
    z.strictObject({ users: wholeBlocks }),
  ],
  {
    error:
      'a whole number of blocks, { events }, so many in each, { period } in milliseconds, or { users }, a number of groups',
  },
);

/** `true`: all; a number: so many; `false`: none. @param what is verified, in the plural */
export function verifyShape(what: string) {
  return z.custom((value) => typeof value === 'boolean' || (Number.isSafeInteger(value) && Number(value) >= 1), {
    error: `a whole number of ${what}, at least 1; true: every one; false: none`,
  });
}

export const RUN_OPTIONS = {
  device: option.oneOf('auto', 'cpu', 'gpu'),
  adapter: option.text,
  gpuDevice: option.object('a GPUDevice'),
  threads: option.whole(1, 1024),
  validEvents: option.number,
  confidence: option.number,
  blocks,
  blockStatistics: option.flag,
  assumeUniform: option.flag,
  thin: option.flag,
  leastPropensity: option.number,
  thinSeed: option.whole(0, 2 ** 32 - 1),
  memory: z.union([z.number(), z.string()], { error: 'a size of at least 1 MiB, such as 2GB or 512MB' }),
  stretchEvents: option.number,
  resume: option.text,
  checkpointEvery: option.number,
  keepCheckpoint: option.flag,
  onProgress: option.call,
  signal: option.signal,
} as const;

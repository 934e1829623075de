/** Logs that may not fit the memory are gone through by way of a packed log, which nobody has to know of. */

import { mkdirSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { batchOf } from '#dist/log/stream-of.js';
import { readStream } from '#dist/open/read-stream.js';
import { plainLog } from '../formats/yahoo/yahoo-world.js';
import { fault, pathOf, write } from '../log/files.js';
import { difference } from '../log/synthetic-log.js';

/** The least with which a log is converted on the way. */
const MEMORY = 300e6;
const temporary = pathOf('temporary');
const { TMPDIR } = process.env;

beforeAll(() => {
  mkdirSync(temporary, { recursive: true });
  process.env.TMPDIR = temporary;
});
afterAll(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

/** A packed file says little about the size of its log: 8 MB of it may be anything. */
const large = (): string => write('large.gz', gzipSync(plainLog('r6a', 16_000).text, { level: 0 }));

describe('a log that may be larger than its memory', () => {
  it('is read in batches, which are those of the log, and leaves nothing behind', async () => {
    const path = large();
    const whole = await readLog([path], {});
    const stream = await readStream([path], {}, MEMORY);
    // A folder, and the socket that says that this process lives.
    expect(readdirSync(temporary)).toHaveLength(2);
    expect(stream.events).toBe(16_000);
    for (const [from, to] of [
      [0, 16_000],
      [8_190, 12_289],
      [15_999, 16_000],
    ])
      expect(difference(await stream.read(from, to), batchOf(whole, from, to))).toBeNull();
    await stream.close();
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('gives the results of the log in memory', async () => {
    const log = { files: [large()] };
    const policies = [{ family: 'uniform', replicas: 5 } as const, { family: 'constant' } as const];
    const options = { log, policies, device: 'cpu', threads: 1 } as const;
    const [whole, bounded] = [await evaluate(options), await evaluate({ ...options, memory: MEMORY })];
    expect(bounded.policies).toEqual(whole.policies);
    expect(bounded.log).toEqual(whole.log);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('leaves nothing behind where a line is bad, or where it is stopped', async () => {
    const path = write(
      'bad.gz',
      gzipSync(Buffer.concat([plainLog('r6a', 16_000).text, Buffer.from('1 2\n')]), { level: 0 }),
    );
    expect((await fault(readStream([path], {}, MEMORY))).message).toMatch(/bad\.gz, row 16000 \(line 16001\)/);
    expect(readdirSync(temporary)).toEqual([]);
    const control = new AbortController();
    const onProgress = () => control.abort(new Error('enough'));
    await expect(readStream([large()], { signal: control.signal, onProgress }, MEMORY)).rejects.toThrow('enough');
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('is refused with the command to convert it where so little memory cannot convert it', async () => {
    const { message } = await fault(readStream([large()], {}, 5e6));
    expect(message).toMatch(/does not fit the memory[\s\S]*less than 300 MB is too little[\s\S]*hindcast convert/);
  });
});

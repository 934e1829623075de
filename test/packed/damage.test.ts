import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { fault, pack, pathOf, withPacked } from '../log/files.js';
import { difference, PLAIN, syntheticLog } from '../log/synthetic-log.js';
import { inTwoSizes } from '../long.js';

describe('a damaged packed log', () => {
  /** A log with every kind of part, in few bytes. */
  const log = syntheticLog({
    ...PLAIN,
    events: 60,
    arms: 3,
    pools: 2,
    contextRows: 4,
    features: 'versions',
    user: false,
  });

  inTwoSizes('is an error wherever a bit has changed, or the log that was written', [7, 1], async (step) => {
    const bytes = await readFile(await pack('whole.parquet', log, 32));
    let errors = 0;
    let places = 0;
    for (let at = 0; at < bytes.length; at += step + (at % 2)) {
      places++;
      const changed = Buffer.from(bytes);
      changed[at] ^= 1 << (at % 8);
      const path = pathOf('changed.parquet');
      await writeFile(path, changed);
      const [result] = await Promise.allSettled([readLog([path], { format: 'packed' })]);
      if (result.status === 'fulfilled') expect([at, difference(result.value, log)]).toEqual([at, null]);
      else {
        errors++;
        const { reason } = result;
        if (!(reason instanceof InputError)) throw new Error(`byte ${at}: ${String(reason)}`, { cause: reason });
        expect(reason.fault.file).toBe(path);
        expect(reason.fault.hint).toBeDefined();
      }
    }
    // What may change unnoticed: the magic at the beginning and the name of the writer.
    expect(errors).toBeGreaterThan(0.97 * places);
  });

  it('is an error wherever the file is cut', async () => {
    const bytes = await readFile(await pack('whole.parquet', log, 32));
    for (let length = 0; length < bytes.length; length += 13) {
      const path = pathOf('cut.parquet');
      await writeFile(path, bytes.subarray(0, length));
      const error = await fault(readLog([path], { format: 'packed' }));
      expect(error.message).toMatch(/cut\.parquet: (the Parquet file ends too early|the packed log is damaged)/);
      // Without a name the beginning of the file tells what it is.
      if (length >= 4) expect((await fault(readLog([path], {}))).message).toMatch(/ends too early/);
    }
  });

  it('is an error where the file changes while it is read', async () => {
    const path = await pack('changes.parquet', log, 32);
    const error = await withPacked(path, async (stream) => {
      await stream.read(0, 10);
      await writeFile(path, 'short');
      return fault(stream.read(40, 50));
    });
    expect(error.message).toMatch(/changes\.parquet: the packed log is damaged\n {2}got: {4}it has become shorter/);
  });

  it('of a newer version asks for a newer program', async () => {
    const bytes = await readFile(await pack('old.parquet', log));
    const at = bytes.indexOf('"version":2');
    bytes.write('"version":9', at, 'latin1');
    const path = pathOf('newer.parquet');
    await writeFile(path, bytes);
    const { message } = await fault(readLog([path], {}));
    expect(message).toMatch(/written by a newer hindcast\n {2}got: {4}version 9[\s\S]*update hindcast/);
  });

  it('names what is no packed log', async () => {
    const path = pathOf('foreign.parquet');
    await writeFile(path, 'arm,payoff\n'.repeat(3));
    expect((await fault(readLog([path], { format: 'packed' }))).message).toMatch(/foreign\.parquet: /);
    expect((await fault(readLog([pathOf('none.parquet')], { format: 'packed' }))).message).toMatch(/no such file/);
  });
});

import { expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { armIds, MAPPING, payoffs } from '../../log/files.js';
import { sharedFile } from '../reference.js';

it('Arrow packed with Zstandard is read as the same packed with LZ4: a 2 of 2, b 1 of 0', async () => {
  for (const name of ['lz4.feather', 'zstd.feather']) {
    const log = await readLog([sharedFile(`cases/arrow-zstd/${name}`)], { mapping: MAPPING });
    expect([name, armIds(log), payoffs(log)]).toEqual([name, ['a', 'b', 'a'], [1, 0, 1]]);
  }
});

import { expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { armIds, MAPPING, payoffs } from '../../log/files.js';
import { sharedFile } from '../reference.js';

it('gzip with a comment, a checksum of its header, or zeros behind it is read', async () => {
  for (const name of ['comment', 'header-crc', 'zero-padded']) {
    const file = sharedFile(`cases/gzip-valid-but-refused/${name}.csv.gz`);
    const log = await readLog([file], { mapping: MAPPING });
    expect([name, armIds(log), payoffs(log)]).toEqual([name, ['a', 'b'], [1, 0]]);
  }
});

import { expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { armIds, MAPPING, payoffs } from '../../log/files.js';
import { sharedFile } from '../reference.js';

it('the header is found behind empty lines', async () => {
  const log = await readLog([sharedFile('cases/csv-leading-blank-lines/log.csv')], { mapping: MAPPING });
  expect([armIds(log), payoffs(log)]).toEqual([
    ['a', 'b'],
    [1, 0],
  ]);
});

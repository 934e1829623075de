import { expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { armIds, payoffs } from '../../log/files.js';
import { sharedFile } from '../reference.js';

it('an event whose list of actions stands in a namespace is an event', async () => {
  const log = await readLog([sharedFile('cases/dsjson-multi-in-namespace/log.dsjson')], {});
  expect([log.events, armIds(log), payoffs(log)]).toEqual([2, ['2', '2'], [1, 1]]);
  expect(log.source.badRows).toEqual([]);
});

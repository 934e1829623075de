/** Streams of policies on the GPU; all else about streams is evaluate-stream.test.ts. */
import { it } from 'vitest';
import { ADAPTER } from '../adapter.js';
import { everyFamily, expectSame, LOGS } from './evaluate-streams.js';

it.each([...LOGS])(`policies of every family on %s, on ${ADAPTER}`, async (_, log) => {
  const options = {
    policies: everyFamily(log),
    blocks: 5,
    blockStatistics: true,
    device: 'gpu',
    adapter: ADAPTER,
  } as const;
  await expectSame(log, options, [64, 101]);
});

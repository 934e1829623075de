/** Streams of policies on the GPU; all else about streams is evaluate-stream.test.ts. */
import { ADAPTER, testGpu } from '../adapter.js';
import { eachCase } from '../long.js';
import { everyFamily, expectSame, LOGS } from './evaluate-streams.js';

const cases = LOGS.map(([name, log], i) => ({
  name: `policies of every family on ${name}, on ${ADAPTER}`,
  log,
  long: i > 0,
}));
const gpu = testGpu();

eachCase(cases, async ({ log }) => {
  const options = {
    policies: everyFamily(log),
    blocks: 5,
    blockStatistics: true,
    ...gpu(),
  } as const;
  await expectSame(log, options, [64, 101]);
});

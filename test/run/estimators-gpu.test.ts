/** Every estimator at once on the GPU: as on the CPU, to the last bit. */
import { expect } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { streamOf } from '#dist/log/stream-of.js';
import { ADAPTER } from '../adapter.js';
import { eachCase } from '../long.js';
import { ALL_ESTIMATORS, SKEWED } from './estimator-logs.js';
import { everyFamily } from './evaluate-streams.js';

const cases = [
  ...SKEWED.map(([name, log], i) => ({ name: `${name}, on ${ADAPTER}`, log, clip: ALL_ESTIMATORS.clip, long: i > 0 })),
  { name: `M chosen for each policy, on ${ADAPTER}`, log: SKEWED[2][1], clip: 'auto' as const },
];
eachCase(cases, async ({ log, clip }) => {
  const options = { policies: everyFamily(log, true), ...ALL_ESTIMATORS, clip, blocks: 10 };
  const gpu = { device: 'gpu', adapter: ADAPTER } as const;
  const needed = await evaluate({ log, ...options, device: 'cpu', threads: 1 });
  for (const found of [
    await evaluate({ log, ...options, ...gpu }),
    await evaluate({ log: streamOf(log), ...options, ...gpu, stretchEvents: 101 }),
  ]) {
    expect(found.engine.device).toBe('gpu');
    expect(found.policies).toEqual(needed.policies);
    expect(found.estimators).toEqual(needed.estimators);
  }
});

/** Every estimator at once on the GPU: as on the CPU, to the last bit. */
import { expect } from 'vitest';
import type { Clip } from '#dist/estimate/weights/clips.js';
import { evaluate } from '#dist/evaluate.js';
import type { EventLog } from '#dist/log/event-log.js';
import { streamOf } from '#dist/log/stream-of.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { ADAPTER, testGpu } from '../adapter.js';
import { eachCase } from '../long.js';
import { ALL_ESTIMATORS, SKEWED, UNLOGGED, UNLOGGED_POLICIES } from './estimator-logs.js';
import { everyFamily } from './evaluate-streams.js';

const cases: { name: string; log: EventLog; clip: Clip; policies?: readonly PolicyInput[]; long?: boolean }[] = [
  ...SKEWED.map(([name, log], i) => ({ name: `${name}, on ${ADAPTER}`, log, clip: ALL_ESTIMATORS.clip, long: i > 0 })),
  { name: `M chosen for each policy, on ${ADAPTER}`, log: SKEWED[2][1], clip: 'auto' },
  { name: `an arm that was never logged, on ${ADAPTER}`, log: UNLOGGED, clip: 3, policies: UNLOGGED_POLICIES },
];
const gpu = testGpu();

eachCase(cases, async ({ log, clip, policies = everyFamily(log, true) }) => {
  const options = { policies, ...ALL_ESTIMATORS, clip, blocks: 10 };
  const needed = await evaluate({ log, ...options, device: 'cpu', threads: 1 });
  for (const found of [
    await evaluate({ log, ...options, ...gpu() }),
    await evaluate({ log: streamOf(log), ...options, ...gpu(), stretchEvents: 101 }),
  ]) {
    expect(found.engine.device).toBe('gpu');
    expect(found.policies).toEqual(needed.policies);
    expect(found.estimators).toEqual(needed.estimators);
  }
});

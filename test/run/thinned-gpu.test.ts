/** Learners and policies on the GPU, on a log that is thinned: as on the CPU. */
import { expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { streamOf } from '#dist/log/stream-of.js';
import { replay } from '#dist/replay.js';
import { ADAPTER } from '../adapter.js';
import { everyFamily } from './evaluate-streams.js';
import { skewedLog, THIN } from './thinned-log.js';

const log = skewedLog({ events: 600 });

it('evaluates the same policies alike', async () => {
  const policies = everyFamily(log);
  const cpu = await evaluate({ log, policies, ...THIN, device: 'cpu', threads: 1 });
  const gpu = await evaluate({ log, policies, ...THIN, device: 'gpu', adapter: ADAPTER });
  expect([gpu.engine.device, gpu.log.thinned]).toEqual(['gpu', cpu.log.thinned]);
  expect(gpu.policies).toEqual(cpu.policies);
});

it('replays learners that count alike, and others as the CPU verifies', async () => {
  const learners = [
    { algorithm: 'ucb1' },
    { algorithm: 'epsilon-greedy', epsilon: 0.1 },
    { algorithm: 'linucb', alpha: 0.5 },
  ] as const;
  const options = { ...THIN, repeats: 3, seed: 5, subsample: 0.8, replicas: true } as const;
  const cpu = await replay(log, learners, { ...options, device: 'cpu', threads: 1 });
  const gpu = await replay(streamOf(log), learners, {
    ...{ ...options, device: 'gpu', adapter: ADAPTER },
    ...{ stretchEvents: 90, verify: true },
  });
  expect([gpu.engine.device, gpu.engine.verified?.passed]).toEqual(['gpu', true]);
  expect(gpu.learners.slice(0, 2)).toEqual(cpu.learners.slice(0, 2));
});

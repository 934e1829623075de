/**
 * Thousands of policies on a simulated news log: the CPU engine against the definition, a slice on the test adapter
 * against the CPU engine. At full size (4,096 × 1,000,000): test/large/million.mjs.
 */
import { expect, it } from 'vitest';
import { runBlocks } from '#dist/estimate/blocks.js';
import { CpuBackend } from '#dist/run/cpu.js';
import { GpuBackend } from '#dist/run/gpu.js';
import { randomLinearPolicies } from '#dist/simulate/linear-policies.js';
import { simulateToday } from '#dist/simulate/today.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { referenceStatistics, statisticsDifference } from '../statistics.js';
import { linearBatch } from './worlds.js';

const POLICIES = 4096;
const EVERY = 64;

it(`4,096 policies × 20,000 events on the CPU; every 64th by definition and on ${ADAPTER}`, async () => {
  const { log, theta } = simulateToday({ events: 20_000, seed: 11 });
  const [arms, dimension] = [log.arms.ids.length, log.contexts.dimension];
  const weights = randomLinearPolicies({ policies: POLICIES, arms, dimension, seed: 12, theta });
  const plan = runBlocks(log.events);
  const cpu = new CpuBackend({ threads: 2 });
  const stats = await cpu.evaluate(log, plan, linearBatch(log, weights, POLICIES));
  await cpu.close();

  const size = arms * dimension;
  const sample = Array.from({ length: POLICIES / EVERY }, (_, i) => i * EVERY);
  const sampled = new Float32Array(sample.length * size);
  sample.forEach((p, i) => {
    sampled.set(weights.subarray(p * size, (p + 1) * size), i * size);
  });
  const batch = linearBatch(log, sampled, sample.length);
  const rows = (column: Float64Array): Float64Array =>
    Float64Array.from(sample.flatMap((p) => [...column.subarray(p * plan.blocks, (p + 1) * plan.blocks)]));
  const got = { ...stats, policies: sample.length, matches: rows(stats.matches), payoff: rows(stats.payoff) };
  expect(statisticsDifference(got, referenceStatistics(log, plan, batch))).toBeNull();

  const { device } = await openTestDevice();
  const gpu = new GpuBackend(device, { threads: 1 });
  const onGpu = await gpu.evaluate(log, plan, batch);
  await gpu.close();
  device.destroy();
  expect(statisticsDifference(onGpu, got)).toBeNull();
});

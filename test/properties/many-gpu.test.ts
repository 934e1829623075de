/** Many policies: the test adapter against the CPU engine, which many.test.ts compares with the definition. */
import { expect, it } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { GpuBackend } from '#dist/engine/gpu/backend.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { LONG } from '../long.js';
import { columnsOf, statisticsDifference } from '../statistics.js';
import { manyPolicies } from './many-policies.js';

it(`64 policies × 20,000 events on ${ADAPTER}`, LONG, async () => {
  const { log, plan, sampled } = manyPolicies();
  const cpu = new CpuBackend({ threads: 1 });
  const needed = await cpu.evaluate(log, plan, sampled, columnsOf(log));
  await cpu.close();
  const { device } = await openTestDevice();
  const gpu = new GpuBackend(device, { threads: 1 });
  const got = await gpu.evaluate(log, plan, sampled, columnsOf(log));
  await gpu.close();
  device.destroy();
  expect(statisticsDifference(got, needed)).toBeNull();
});

/** The GPU engine gives the CPU's totals however it cuts the work. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { CpuBackend } from '#dist/engine/cpu/backend.js';
import { GpuBackend } from '#dist/engine/gpu/backend.js';
import type { OpenDevice } from '#dist/gpu/device.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { inTwoSizes } from '../long.js';
import { columnsOf, statisticsDifference } from '../statistics.js';
import { blockPlans, logOptions, makeWorld } from './worlds.js';

const cpu = new CpuBackend({ threads: 1 });
let opened: OpenDevice;
beforeAll(async () => {
  opened = await openTestDevice();
});
afterAll(async () => {
  opened?.device.destroy();
  await cpu.close();
});

inTwoSizes(`any chunks, tiles and lists on ${ADAPTER}`, [6, 25], async (numRuns) => {
  const sizes = fc.record(
    {
      chunk: fc.integer({ min: 1, max: 500 }),
      tile: fc.integer({ min: 1, max: 9 }),
      segment: fc.integer({ min: 1, max: 300 }),
      doubtful: fc.integer({ min: 1, max: 20 }),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(logOptions(), blockPlans, sizes, async (options, planOf, plan) => {
      const { log, compiledEntries } = await makeWorld(options);
      const backend = new GpuBackend(opened.device, { plan, threads: 1 });
      try {
        const blocks = planOf(log.events);
        for (const compiled of compiledEntries) {
          const needed = await cpu.evaluate(log, blocks, compiled, columnsOf(log));
          expect(
            statisticsDifference(await backend.evaluate(log, blocks, compiled, columnsOf(log)), needed),
          ).toBeNull();
        }
      } finally {
        await backend.close();
      }
    }),
    { numRuns },
  );
});

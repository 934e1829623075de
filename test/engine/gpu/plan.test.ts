import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planGpu } from '#dist/engine/gpu/plan.js';

const DEFAULTS = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxComputeWorkgroupsPerDimension: 65535,
};

describe('sizes of the GPU engine', () => {
  it('fit every binding, for any limits and shape', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 16, max: 31 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.option(fc.integer({ min: 1, max: 5_000_000 }), { nil: null }),
        fc.integer({ min: 4, max: 4096 }),
        fc.integer({ min: 4, max: 1_000_000 }),
        (binding, policies, cellSlots, bytesPerEntry, bytesPerPolicy) => {
          const limits = {
            maxBufferSize: 2 ** 31,
            maxStorageBufferBindingSize: 2 ** binding,
            maxComputeWorkgroupsPerDimension: 65535,
          };
          const plan = planGpu(limits, { policies, cellSlots, bytesPerEntry, bytesPerPolicy });
          if (plan === null) return;
          expect(plan.tile).toBeGreaterThanOrEqual(1);
          expect(plan.tile).toBeLessThanOrEqual(policies);
          expect(plan.chunk).toBeGreaterThanOrEqual(1);
          expect(plan.chunk * bytesPerEntry).toBeLessThanOrEqual(2 ** binding);
          expect(plan.tile * bytesPerPolicy).toBeLessThanOrEqual(2 ** binding);
          expect(plan.tile * (cellSlots ?? 0) * 2).toBeLessThanOrEqual(2 ** binding);
        },
      ),
    );
  });

  it('give up where one policy does not fit, so that the CPU takes over', () => {
    const shape = { policies: 5, cellSlots: null, bytesPerEntry: 32, bytesPerPolicy: 100 };
    expect(planGpu(DEFAULTS, shape)).not.toBeNull();
    expect(planGpu(DEFAULTS, { ...shape, bytesPerPolicy: 2 ** 28 })).toBeNull();
    expect(planGpu(DEFAULTS, { ...shape, cellSlots: 2 ** 28 })).toBeNull();
  });

  it('obey overrides only downwards', () => {
    const shape = { policies: 50, cellSlots: null, bytesPerEntry: 32, bytesPerPolicy: 100 };
    expect(planGpu(DEFAULTS, shape, { chunk: 7, tile: 3, segment: 2, doubtful: 1 })).toEqual({
      chunk: 7,
      tile: 3,
      segment: 2,
      doubtful: 1,
    });
    expect(planGpu(DEFAULTS, shape, { tile: 5000 })?.tile).toBe(50);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planChunk, planGroup, planListLanes, planRoom, type ReplayLimits } from '#dist/run/gpu-replay/plan.js';

const LIMITS: ReplayLimits = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxComputeWorkgroupsPerDimension: 65535,
  maxComputeWorkgroupStorageSize: 16384,
  subgroup: 32,
  sharesLoads: true,
};
const SMALL = { memory: { fixed: 100, perLane: 8, held: 2000, scoresPerLane: 20 }, stateWords: 500, slots: 4 };

describe('replicas on a device', () => {
  it('fit every limit, for any state and device', () => {
    const sizes = fc.record({
      fixed: fc.integer({ min: 0, max: 40_000 }),
      perLane: fc.integer({ min: 0, max: 64 }),
      held: fc.integer({ min: 0, max: 100_000 }),
      scoresPerLane: fc.option(fc.integer({ min: 0, max: 2000 }), { nil: null }),
    });
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.constantFrom(1, 4),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 8, max: 31 }),
        fc.constantFrom(4, 8, 32, 64),
        (memory, stateWords, slots, replicas, candidates, binding, subgroup) => {
          const limits = { ...LIMITS, maxStorageBufferBindingSize: 2 ** binding, subgroup };
          const plan = planGroup(limits, { memory, stateWords, slots }, replicas, candidates);
          if (plan === null) return;
          const { width, held, incremental, batch, capacity } = plan;
          const used =
            memory.fixed +
            memory.perLane * width +
            (held ? memory.held : 0) +
            (incremental ? (memory.scoresPerLane ?? Number.NaN) * width : 0);
          expect(used).toBeLessThanOrEqual(limits.maxComputeWorkgroupStorageSize);
          expect(batch).toBeGreaterThanOrEqual(1);
          expect(batch).toBeLessThanOrEqual(replicas);
          expect(batch * stateWords * 4).toBeLessThanOrEqual(2 ** binding);
          expect(batch * (capacity + 12) * 4).toBeLessThanOrEqual(2 ** binding);
          // A whole window may match.
          expect(capacity).toBeGreaterThanOrEqual(width * slots);
        },
      ),
    );
  });

  it('hold small states in workgroup memory (K = 20, d = 6) and large ones in storage (K = 10, d = 65)', () => {
    expect(planGroup(LIMITS, SMALL, 256, 20)).toMatchObject({ width: 32, held: true, incremental: true, batch: 256 });
    const large = { ...SMALL, memory: { ...SMALL.memory, held: 86_000 }, stateWords: 57_000 };
    expect(planGroup(LIMITS, large, 256, 10)).toMatchObject({ held: false, incremental: true, batch: 256 });
    expect(planGroup(LIMITS, large, 10_000, 10)?.batch).toBe(Math.floor(2 ** 27 / (4 * 57_000)));
  });

  it('keep scores only where updates are frequent', () => {
    expect(planGroup({ ...LIMITS, subgroup: 8 }, SMALL, 1, 20)?.incremental).toBe(true);
    expect(planGroup({ ...LIMITS, subgroup: 8 }, SMALL, 1, 300)?.incremental).toBe(false);
    expect(planGroup(LIMITS, { ...SMALL, memory: { ...SMALL.memory, scoresPerLane: null } }, 1, 20)?.incremental).toBe(
      false,
    );
  });

  it('do not fit where one alone is too large', () => {
    expect(planGroup(LIMITS, { ...SMALL, stateWords: 2 ** 26 }, 1, 20)).toBeNull();
    expect(planGroup(LIMITS, { ...SMALL, memory: { ...SMALL.memory, fixed: 20_000 } }, 1, 20)).toBeNull();
  });
});

describe('room for retained events', () => {
  const plan = planGroup(LIMITS, SMALL, 10, 20);
  if (plan === null) throw new Error('the small replica fits');

  it('holds a window and twice what is expected, and never more than the plan has', () => {
    expect(planRoom(plan, 1, 128)).toBe(256 + 13);
    expect(planRoom(plan, 100, 128)).toBe(256 + 1280);
    expect(planRoom(plan, 2 ** 20, 128)).toBe(plan.capacity);
    expect(planRoom({ ...plan, capacity: 128 }, 1, 128)).toBe(128);
  });
});

describe('chunks', () => {
  it('fit every binding', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e8 }),
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 0, max: 4096 }),
        fc.integer({ min: 17, max: 31 }),
        (events, dimension, lists, bits) => {
          const binding = 2 ** bits;
          const chunk = planChunk(
            { ...LIMITS, maxBufferSize: 2 ** 31, maxStorageBufferBindingSize: binding },
            events,
            dimension,
            lists,
          );
          expect(chunk).toBeGreaterThanOrEqual(1);
          expect(chunk * 16).toBeLessThanOrEqual(binding);
          expect(chunk * 2 * 4 * Math.ceil(dimension / 4) * 4).toBeLessThanOrEqual(binding);
          expect(lists * (chunk + 1) * 4).toBeLessThanOrEqual(binding);
        },
      ),
    );
  });

  it('are the whole log where it is short, and one event where there is none', () => {
    expect(planChunk(LIMITS, 1000, 6, 0)).toBe(1000);
    expect(planChunk(LIMITS, 0, 6, 0)).toBe(1);
    expect(planChunk(LIMITS, 1e9, 0, 0)).toBe(2 ** 18);
  });

  it('list subsamples with few lanes where lanes are emulated', () => {
    expect([1, 4, 8, 16, 32, 64].map((subgroup) => planListLanes({ subgroup }))).toEqual([1, 4, 8, 64, 64, 64]);
  });
});

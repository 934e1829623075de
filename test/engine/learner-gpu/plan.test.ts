import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type GroupPlan,
  planChunk,
  planGroup,
  planKernel,
  planListLanes,
  planRoom,
  type ReplayLimits,
} from '#dist/engine/learner-gpu/plan.js';

const LIMITS: ReplayLimits = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxComputeWorkgroupsPerDimension: 65535,
  maxComputeWorkgroupStorageSize: 16384,
  subgroup: 32,
  sharesLoads: true,
};
/** Arms with 100 bytes of state each, and scores of one byte a lane. */
const SMALL = {
  memory: (arms: number) => ({ fixed: 100, perLane: 8, held: 100 * arms, scoresPerLane: arms }),
  local: true,
  stateWords: 500,
  slots: 4,
};
const K20 = { all: 20, chunk: 20 };

describe('replicas on a device', () => {
  it('fit every limit, for any state and device', () => {
    const sizes = fc.record({
      fixed: fc.integer({ min: 0, max: 40_000 }),
      perLane: fc.integer({ min: 0, max: 64 }),
      held: fc.integer({ min: 0, max: 10_000 }),
      scoresPerLane: fc.option(fc.integer({ min: 0, max: 200 }), { nil: null }),
    });
    const shape = fc.record({
      stateWords: fc.integer({ min: 1, max: 10_000_000 }),
      slots: fc.constantFrom(1, 4),
      local: fc.boolean(),
    });
    const numbers = fc.record({
      replicas: fc.integer({ min: 1, max: 1_000_000 }),
      candidates: fc.integer({ min: 1, max: 300 }),
      chunk: fc.integer({ min: 1, max: 100 }),
      more: fc.integer({ min: 0, max: 1000 }),
    });
    fc.assert(
      fc.property(
        sizes,
        shape,
        numbers,
        fc.integer({ min: 8, max: 31 }),
        fc.constantFrom(4, 8, 32, 64),
        (each, kernel, { replicas, candidates, chunk, more }, binding, subgroup) => {
          const limits = { ...LIMITS, maxStorageBufferBindingSize: 2 ** binding, subgroup };
          const memory = (arms: number) => ({
            ...each,
            held: each.held * arms,
            scoresPerLane: each.scoresPerLane === null ? null : each.scoresPerLane * arms,
          });
          const plan = planGroup(limits, { ...kernel, memory }, replicas, candidates);
          if (plan === null) return;
          const { width, groupSize, capacity } = plan;
          const arms = { all: chunk + more, chunk };
          const fit = planKernel(limits, { ...kernel, memory }, plan, arms);
          const needs = memory(fit.arms);
          const used =
            needs.fixed +
            needs.perLane * width +
            (fit.held ? needs.held : 0) +
            (fit.incremental ? (needs.scoresPerLane ?? Number.NaN) * width : 0);
          expect(used).toBeLessThanOrEqual(limits.maxComputeWorkgroupStorageSize);
          expect(fit.arms).toBeGreaterThanOrEqual(kernel.local ? chunk : arms.all);
          expect(fit.arms).toBeLessThanOrEqual(arms.all);
          expect(groupSize).toBeGreaterThanOrEqual(1);
          expect(groupSize).toBeLessThanOrEqual(replicas);
          expect(groupSize * kernel.stateWords * 4).toBeLessThanOrEqual(2 ** binding);
          expect(groupSize * (capacity + 12) * 4).toBeLessThanOrEqual(2 ** binding);
          // A whole window may match.
          expect(capacity).toBeGreaterThanOrEqual(width * kernel.slots);
        },
      ),
    );
  });

  it('hold small states in workgroup memory (K = 20, d = 6) and large ones in storage (K = 10, d = 65)', () => {
    const plan = planOf(SMALL, 256, 20);
    expect(plan).toMatchObject({ width: 32, groupSize: 256 });
    expect(planKernel(LIMITS, SMALL, plan, K20)).toEqual({ arms: 20, held: true, incremental: true });
    const memory = (arms: number) => ({ ...SMALL.memory(arms), held: Number.POSITIVE_INFINITY });
    const large = { ...SMALL, memory, stateWords: 57_000 };
    const some = planOf(large, 256, 10);
    expect(some.groupSize).toBe(256);
    expect(planKernel(LIMITS, large, some, { all: 10, chunk: 10 })).toMatchObject({ held: false, incremental: true });
    expect(planOf(large, 10_000, 10).groupSize).toBe(Math.floor(2 ** 27 / (4 * 57_000)));
  });

  it('have room for the arms of a chunk where all of them do not fit, in few sizes', () => {
    const plan = planOf(SMALL, 256, 20);
    expect(planKernel(LIMITS, SMALL, plan, { all: 100, chunk: 20 }).arms).toBe(100);
    expect(planKernel(LIMITS, SMALL, plan, { all: 271, chunk: 20 })).toEqual({
      arms: 20,
      held: true,
      incremental: true,
    });
    const sizes = Array.from(
      { length: 64 },
      (_, i) => planKernel(LIMITS, SMALL, plan, { all: 271, chunk: i + 1 }).arms,
    );
    // Every size is another pipeline: few, and none with more than a quarter to spare.
    expect(sizes.filter((size, i) => size < i + 1 || size > 1.25 * (i + 1))).toEqual([]);
    expect(new Set(sizes).size).toBeLessThan(64 / 3);
    expect(planKernel(LIMITS, { ...SMALL, local: false }, plan, { all: 271, chunk: 20 })).toMatchObject({
      arms: 271,
      held: false,
    });
  });

  it('keep scores only where updates are frequent', () => {
    const narrow = { ...LIMITS, subgroup: 8 };
    const keeps = (candidates: number) =>
      planKernel(narrow, SMALL, planOf(SMALL, 1, candidates, narrow), K20).incremental;
    expect(keeps(20)).toBe(true);
    expect(keeps(300)).toBe(false);
    const memory = (arms: number) => ({ ...SMALL.memory(arms), scoresPerLane: null });
    expect(planKernel(LIMITS, { ...SMALL, memory }, planOf(SMALL, 1, 20), K20).incremental).toBe(false);
  });

  it('do not fit where one alone is too large', () => {
    expect(planGroup(LIMITS, { ...SMALL, stateWords: 2 ** 26 }, 1, 20)).toBeNull();
    const memory = (arms: number) => ({ ...SMALL.memory(arms), fixed: 20_000 });
    expect(planGroup(LIMITS, { ...SMALL, memory }, 1, 20)).toBeNull();
  });
});

/** A plan that exists. */
function planOf(
  kernel: Parameters<typeof planGroup>[1],
  replicas: number,
  candidates: number,
  limits: ReplayLimits = LIMITS,
): GroupPlan {
  const plan = planGroup(limits, kernel, replicas, candidates);
  if (plan === null) throw new Error('this fits');
  return plan;
}

describe('room for retained events', () => {
  const plan = planOf(SMALL, 10, 20);

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

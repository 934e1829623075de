/** Sizes of the GPU engine's pieces, from a device's limits. Pure: no device. */

import { weightsStride } from '../../policy/linear/kernel.js';
import type { Screen } from '../../policy/screen.js';
import { LARGEST_TILE } from './layout.js';

/** Limits that matter, a subset of `GPUSupportedLimits`. */
export interface PlanLimits {
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
}

/** Sizes that tests and benchmarks may force; each is an upper bound. */
export interface PlanOverrides {
  /** Entries per chunk. */
  readonly chunk?: number;
  /** Policies per tile. */
  readonly tile?: number;
  /** Entries per segment. */
  readonly segment?: number;
  /** Doubtful (policy, cell) pairs that fit the list. */
  readonly doubtful?: number;
  /** Bytes of a log that may stay on the device. */
  readonly resident?: number;
}

export interface GpuPlan {
  /** Entries per chunk. */
  readonly chunk: number;
  /** Policies per tile. */
  readonly tile: number;
  /** Entries per segment. */
  readonly segment: number;
  /** Capacity of the doubtful list, in pairs. */
  readonly doubtful: number;
}

/** What is to be planned, in bytes per piece. */
export interface PlanShape {
  readonly policies: number;
  /** Slots of the choice matrix where cells are decided once for all chunks; `null`: events are matched as they are decided. */
  readonly cellSlots: number | null;
  /** Bytes of input per entry of a chunk (contexts, entries). */
  readonly bytesPerEntry: number;
  /** Bytes of input per policy of a tile (weights). */
  readonly bytesPerPolicy: number;
}

/** One dispatch makes at most this many decisions, so that no dispatch hogs the device. */
const DISPATCH_DECISIONS = 1 << 26;
const CHUNK_ENTRIES = 1 << 18;
/** Of choices that are looked up; and of events, whose sums in words of 16 bits must stay below 2³². */
const SEGMENT_ENTRIES = 1 << 13;
const SEGMENT_EVENTS = 1 << 14;
const DOUBTFUL_PAIRS = 1 << 18;
const BYTES_PER_CHOICE = 2;

/**
 * Chooses sizes so that every binding fits.
 *
 * @returns `null` where even one policy or a smallest chunk does not fit, so that the CPU must do the work.
 */
export function planGpu(limits: PlanLimits, shape: PlanShape, overrides: PlanOverrides = {}): GpuPlan | null {
  const binding = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const groups = limits.maxComputeWorkgroupsPerDimension;
  const { cellSlots } = shape;
  const most = cellSlots === null ? SEGMENT_EVENTS : SEGMENT_ENTRIES;
  const segment = Math.max(1, Math.min(overrides.segment ?? most, most));
  // Half a binding for input leaves room for padding of tiles and blocks.
  const chunk = Math.max(
    1,
    Math.min(
      overrides.chunk ?? CHUNK_ENTRIES,
      CHUNK_ENTRIES,
      Math.floor(binding / 2 / shape.bytesPerEntry),
      groups * 64,
    ),
  );
  const byPolicy = Math.floor(binding / Math.max(1, shape.bytesPerPolicy));
  let policies = Math.min(overrides.tile ?? shape.policies, shape.policies, byPolicy, groups);
  if (cellSlots !== null) {
    const slots = Math.max(1, cellSlots);
    policies = Math.min(policies, Math.floor(binding / 2 / (BYTES_PER_CHOICE * slots)));
    if (policies >= 1) policies = Math.min(policies, Math.max(1, Math.floor(DISPATCH_DECISIONS / slots)));
  }
  if (policies < 1 || shape.bytesPerEntry * LARGEST_TILE > binding) return null;
  const tile = policies;
  return { chunk, tile, segment, doubtful: Math.max(1, overrides.doubtful ?? DOUBTFUL_PAIRS) };
}

/** Bytes of input per slot and per policy. @param columns C: match columns. */
export function inputBytes(screen: Screen | null, columns: number): { perSlot: number; perPolicy: number } {
  const entry = 4 + 8 * columns;
  if (screen === null) return { perSlot: entry + 16, perPolicy: 4 };
  // At worst every cell brings a pool of its own: its number and its bit set.
  const pools = screen.pools.count === 1 ? 0 : 4 + Math.ceil(screen.rows / 32) * 4;
  return { perSlot: (screen.dimension + 1) * 4 + entry + pools, perPolicy: weightsStride(screen) * 4 };
}

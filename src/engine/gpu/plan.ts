/** Sizes of the GPU engine's pieces, from a device's limits. Pure: no device. */

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
  /** Entries per segment of the match kernel. */
  readonly segment?: number;
  /** Doubtful (policy, cell) pairs that fit the list. */
  readonly doubtful?: number;
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
  readonly entries: number;
  /** Slots of the choice matrix where cells are decided once for all chunks; `null`: a slot per entry. */
  readonly cellSlots: number | null;
  /** Bytes of input per entry of a chunk (contexts, entries). */
  readonly bytesPerEntry: number;
  /** Bytes of input per policy of a tile (weights). */
  readonly bytesPerPolicy: number;
}

/** One dispatch makes at most this many decisions, so that no dispatch hogs the device. */
const DISPATCH_DECISIONS = 1 << 26;
const CHUNK_ENTRIES = 1 << 18;
const SEGMENT_ENTRIES = 1 << 13;
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
  const segment = Math.max(1, Math.min(overrides.segment ?? SEGMENT_ENTRIES, SEGMENT_ENTRIES));
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
  const slots = shape.cellSlots ?? Math.min(chunk, Math.max(1, shape.entries));
  const byChoices = Math.floor(binding / 2 / (BYTES_PER_CHOICE * Math.max(1, slots)));
  const byWork = Math.floor(DISPATCH_DECISIONS / Math.max(1, slots));
  const byPolicy = Math.floor(binding / Math.max(1, shape.bytesPerPolicy));
  if (byChoices < 1 || byPolicy < 1 || shape.bytesPerEntry * 64 > binding) return null;
  const tile = Math.max(
    1,
    Math.min(overrides.tile ?? shape.policies, shape.policies, byChoices, Math.max(1, byWork), byPolicy, groups),
  );
  return { chunk, tile, segment, doubtful: Math.max(1, overrides.doubtful ?? DOUBTFUL_PAIRS) };
}

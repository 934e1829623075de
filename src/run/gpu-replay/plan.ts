/** Sizes of a replay on the GPU, from a device's limits and a log's shape. Pure: no device. */

import { EVENT_WORDS, featureStride } from './chunk.js';
import { PROGRESS_WORDS } from './kernels.js';
import type { LearnerTwin } from './twin.js';

/** Limits that matter, a subset of `GPUSupportedLimits`, and the lanes that run in step. */
export interface ReplayLimits {
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxComputeWorkgroupStorageSize: number;
  /** Lanes of a subgroup. */
  readonly subgroup: number;
  /** True where subgroups have that size for sure, and kernels may hand values from lane to lane. */
  readonly sharesLoads: boolean;
}

/** Sizes that tests and benchmarks may force. */
export interface ReplayOverrides {
  /** Lanes of a replica. */
  readonly width?: number;
  /** False: state stays in storage. */
  readonly held?: boolean;
  /** False: the window starts again after every update. True: lanes keep their scores, where they fit. */
  readonly incremental?: boolean;
  /** False: every lane loads the state for itself. */
  readonly sharedLoads?: boolean;
  /** At most this many events in a chunk, replicas in a batch, retained events and windows in a dispatch. */
  readonly chunk?: number;
  /** Shortest run of events with one pool that is a chunk of its own. */
  readonly ownChunk?: number;
  readonly batch?: number;
  readonly capacity?: number;
  readonly windows?: number;
}

/** How replicas of one kernel run. */
export interface GroupPlan {
  readonly width: number;
  /** State in workgroup memory. */
  readonly held: boolean;
  readonly incremental: boolean;
  /** Lanes that share loads of the state; 0: each loads all. */
  readonly sharedLoads: number;
  /** Replicas side by side. */
  readonly batch: number;
  /** Most retained events of a replica in one dispatch. */
  readonly capacity: number;
  /** About so many events pass between two retained ones. */
  readonly candidates: number;
}

/**
 * Subgroups up to this size belong to processors that emulate a GPU: they pay a load per lane where a GPU broadcasts, so
 * that their lanes had better share loads.
 */
const EMULATED = 8;

/** Lanes that list a subsample on a GPU. */
const LIST_LANES = 64;

/** Workgroup memory that the replay loop itself takes, with room for padding. */
const LOOP_BYTES = 128;
/** State and results of a batch may take this much of a device. */
const BATCH_BYTES = 2 ** 29;
/** More replicas side by side fill no device any better, and their lists and results take memory. */
const MOST_BATCH = 4096;
/** Results of one dispatch that are copied back. */
const RESULT_BYTES = 2 ** 23;
const MOST_RETAINED = 2 ** 14;
const CHUNK_EVENTS = 2 ** 18;
/** So many events keep a GPU busy for some milliseconds; the end of a chunk leaves it idle for one or less. */
export const OWN_CHUNK = 2 ** 14;
/** Lists of subsamples may take this much. */
const LIST_BYTES = 2 ** 28;

/**
 * @param candidates mean size of a pool: about so many events pass between two updates.
 * @returns `null` where not even one replica fits.
 */
export function planGroup(
  limits: ReplayLimits,
  { memory, stateWords, slots }: Pick<LearnerTwin, 'memory' | 'stateWords' | 'slots'>,
  replicas: number,
  candidates: number,
  overrides: ReplayOverrides = {},
): GroupPlan | null {
  const width = overrides.width ?? limits.subgroup;
  const base = LOOP_BYTES + memory.fixed + memory.perLane * width;
  if (base > limits.maxComputeWorkgroupStorageSize) return null;
  const held = (overrides.held ?? true) && base + memory.held <= limits.maxComputeWorkgroupStorageSize;
  const before = base + (held ? memory.held : 0);
  const scores = memory.scoresPerLane === null ? Number.POSITIVE_INFINITY : memory.scoresPerLane * width;
  // Fewer than one update in two windows: starting again costs less than keeping scores, unless that costs nothing.
  const incremental =
    (overrides.incremental ?? (scores === 0 || 2 * width * slots > candidates)) &&
    before + scores <= limits.maxComputeWorkgroupStorageSize;
  const binding = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const batch = Math.min(
    replicas,
    overrides.batch ?? MOST_BATCH,
    MOST_BATCH,
    limits.maxComputeWorkgroupsPerDimension,
    Math.floor(Math.min(binding, BATCH_BYTES) / (4 * Math.max(1, stateWords))),
    Math.floor(binding / (4 * (PROGRESS_WORDS + width * slots))),
  );
  if (batch < 1) return null;
  const fits = Math.floor(Math.min(binding, RESULT_BYTES) / (4 * batch)) - PROGRESS_WORDS;
  const capacity = Math.max(width * slots, Math.min(overrides.capacity ?? MOST_RETAINED, MOST_RETAINED, fits));
  const { subgroup } = limits;
  const shares =
    (overrides.sharedLoads ?? true) && limits.sharesLoads && subgroup <= EMULATED && width % subgroup === 0;
  return { width, held, incremental, sharedLoads: shares ? subgroup : 0, batch, capacity, candidates };
}

/** Lanes that list one replica's subsample. Each reads what all others have counted: emulated lanes pay for every read. */
export function planListLanes({ subgroup }: Pick<ReplayLimits, 'subgroup'>): number {
  return subgroup <= EMULATED ? subgroup : LIST_LANES;
}

/**
 * Room for a replica's retained events in a dispatch of so many windows of `window` events: twice what is expected, since
 * room costs copying, and a replica that runs out of it goes on in the next dispatch.
 */
export function planRoom({ capacity, candidates }: GroupPlan, windows: number, window: number): number {
  return Math.min(capacity, 2 * window + Math.ceil((2 * windows * window) / Math.max(1, candidates)));
}

/**
 * Events of a chunk.
 *
 * @param dimension d, 0 where no learner reads contexts.
 * @param lists different subsamples; 0 where there are none.
 */
export function planChunk(
  limits: Pick<ReplayLimits, 'maxBufferSize' | 'maxStorageBufferBindingSize'>,
  events: number,
  dimension: number,
  lists: number,
  overrides: ReplayOverrides = {},
): number {
  const binding = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const perEvent = 4 * Math.max(EVENT_WORDS, 2 * featureStride(dimension));
  return Math.max(
    1,
    Math.min(
      Math.max(1, events),
      overrides.chunk ?? CHUNK_EVENTS,
      CHUNK_EVENTS,
      Math.floor(binding / perEvent),
      lists === 0 ? CHUNK_EVENTS : Math.floor(Math.min(binding, LIST_BYTES) / (4 * lists)) - 1,
    ),
  );
}

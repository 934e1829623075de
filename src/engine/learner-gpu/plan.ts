/** Sizes of a replay on the GPU, from a device's limits and a log's shape. Pure: no device. */

import { EVENT_WORDS, featureStride } from './chunk.js';
import { PROGRESS_WORDS } from './kernels.js';
import type { LearnerKernel, WorkgroupMemory } from './learner-kernel.js';

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
  /** At most this many events in a chunk, replicas in a group, retained events and windows in a dispatch. */
  readonly chunk?: number;
  /** Shortest run of events with one pool that is a chunk of its own. */
  readonly ownChunk?: number;
  readonly groupSize?: number;
  readonly capacity?: number;
  readonly windows?: number;
  /** Learners with wider tie tolerances are the CPU's. */
  readonly widestTies?: number;
}

/** How replicas of one kernel run. */
export interface GroupPlan {
  readonly width: number;
  /** Lanes that share loads of the state; 0: each loads all. */
  readonly sharedLoads: number;
  /** Replicas side by side. */
  readonly groupSize: number;
  /** Most retained events of a replica in one dispatch. */
  readonly capacity: number;
  /** About so many events pass between two retained ones. */
  readonly candidates: number;
}

/** What a kernel keeps in workgroup memory beside what it must. */
export interface KernelPlan {
  /** Arms that it has room for there: all of the log, or those of a chunk. */
  readonly arms: number;
  /** State in workgroup memory. */
  readonly held: boolean;
  /** Lanes keep their scores through an update. */
  readonly incremental: boolean;
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
/** State and results of a group may take this much of a device. */
const BATCH_BYTES = 2 ** 29;
/** More replicas side by side fill no device any better, and their lists and results take memory. */
const MOST_REPLICAS = 4096;
/** Results of one dispatch that are copied back. */
const RESULT_BYTES = 2 ** 23;
const MOST_RETAINED = 2 ** 14;
const CHUNK_EVENTS = 2 ** 18;
/**
 * From so many events on, kernels that need no candidate sets save more than the end of a chunk costs, which leaves a device
 * idle for a millisecond or some: on llvmpipe with 40 replicas and runs of 6,000 events a third, with 200 half of the time.
 */
export const OWN_CHUNK = 2 ** 12;
/** Lists of subsamples may take this much. */
const LIST_BYTES = 2 ** 28;

/**
 * @param candidates mean size of a pool: about so many events pass between two updates.
 * @returns `null` where not even one replica fits.
 */
export function planGroup(
  limits: ReplayLimits,
  { memory, stateWords, slots }: Pick<LearnerKernel, 'memory' | 'stateWords' | 'slots'>,
  replicas: number,
  candidates: number,
  overrides: ReplayOverrides = {},
): GroupPlan | null {
  const width = overrides.width ?? limits.subgroup;
  if (leastBytes(memory(1), width) > limits.maxComputeWorkgroupStorageSize) return null;
  const binding = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const groupSize = Math.min(
    replicas,
    overrides.groupSize ?? MOST_REPLICAS,
    MOST_REPLICAS,
    limits.maxComputeWorkgroupsPerDimension,
    Math.floor(Math.min(binding, BATCH_BYTES) / (4 * Math.max(1, stateWords))),
    Math.floor(binding / (4 * (PROGRESS_WORDS + width * slots))),
  );
  if (groupSize < 1) return null;
  const fits = Math.floor(Math.min(binding, RESULT_BYTES) / (4 * groupSize)) - PROGRESS_WORDS;
  const capacity = Math.max(width * slots, Math.min(overrides.capacity ?? MOST_RETAINED, MOST_RETAINED, fits));
  const { subgroup } = limits;
  const shares =
    (overrides.sharedLoads ?? true) && limits.sharesLoads && subgroup <= EMULATED && width % subgroup === 0;
  return { width, sharedLoads: shares ? subgroup : 0, groupSize, capacity, candidates };
}

function leastBytes({ fixed, perLane }: WorkgroupMemory, width: number): number {
  return LOOP_BYTES + fixed + perLane * width;
}

/**
 * What fits of a kernel's state and scores: with room for all arms, or else, where the learner can do with it, for the arms
 * of a chunk. Of those there are few in a log whose arms come and go.
 */
export function planKernel(
  limits: Pick<ReplayLimits, 'maxComputeWorkgroupStorageSize'>,
  { memory, local, slots }: Pick<LearnerKernel, 'memory' | 'local' | 'slots'>,
  { width, candidates }: Pick<GroupPlan, 'width' | 'candidates'>,
  arms: { readonly all: number; readonly chunk: number },
  overrides: Pick<ReplayOverrides, 'held' | 'incremental'> = {},
): KernelPlan {
  const most = limits.maxComputeWorkgroupStorageSize;
  const withRoomFor = (room: number): KernelPlan => {
    const needs = memory(room);
    const base = leastBytes(needs, width);
    const held = (overrides.held ?? true) && base + needs.held <= most;
    const before = base + (held ? needs.held : 0);
    const scores = needs.scoresPerLane === null ? Number.POSITIVE_INFINITY : needs.scoresPerLane * width;
    // Fewer than one update in two windows: starting again costs less than keeping scores, unless that costs nothing.
    const wanted = overrides.incremental ?? (scores === 0 || 2 * width * slots > candidates);
    return { arms: room, held, incremental: wanted && before + scores <= most };
  };
  const whole = withRoomFor(arms.all);
  if (!local || (whole.held && whole.incremental)) return whole;
  return withRoomFor(Math.min(arms.all, roundUp(arms.chunk)));
}

/** The next number of three binary digits at most: every size is another pipeline, so there should be few. */
function roundUp(n: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, n))) - 2);
  return Math.ceil(n / step) * step;
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

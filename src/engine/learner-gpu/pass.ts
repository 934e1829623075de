/** A pass over the log: groups of replicas side by side, chunk after chunk, dispatch after dispatch. */

import type { GpuContext } from '../../gpu/context.js';
import { threshold } from '../../learner/draws.js';
import { STREAM } from '../../random/threefry.js';
import type { ReplayTrack } from '../learner-contract.js';
import { type Chunk, chunkEnd, packChunk, packFeatures } from './chunk.js';
import {
  type Dispatched,
  featuresKey,
  type LoadedChunk,
  type ReplayGroup,
  type ReplayPipeline,
  type Step,
} from './group.js';
import { subsampleKernel } from './kernels.js';

/** Dispatches queued on the device while the host reads the one before. */
const IN_FLIGHT = 2;
/** A dispatch is to take about so long; none may take half a second. */
const DISPATCH_MS = 60;
const FIRST_WINDOWS = 64;
const MOST_WINDOWS = 2 ** 20;

export interface PassOptions {
  /** Events to be played, of the track's log or batch. */
  readonly range: readonly [number, number];
  /** Events of a chunk. */
  readonly chunk: number;
  /** See `chunkEnd`. */
  readonly ownChunk: number;
  /** Number of the first chunk: no replica has met it yet. */
  readonly firstChunk: number;
  /** See `contextsAreSingle`. */
  readonly single: boolean;
  /** Most windows of a dispatch. */
  readonly windows?: number;
  /** Numbers of the replicas whose subsamples are listed; empty: every event is in every subsample. */
  readonly numbers: Uint32Array;
  /** Lanes that make one list. */
  readonly listLanes: number;
  readonly signal?: AbortSignal;
  /** Called with each dispatch's results, chunk by chunk; `firstEvent` is the chunk's, in the track's log or batch. */
  readonly onStep: (step: Step, firstEvent: number) => void;
  /** Called when events have been gone through by all replicas of the pass, or partly (in decisions). */
  readonly onProgress: (decisions: number) => void;
}

interface InFlight {
  readonly group: ReplayGroup;
  readonly dispatched: Dispatched;
}

/** @returns how many chunks were played. */
export async function runPass(
  context: GpuContext,
  track: ReplayTrack,
  groups: readonly ReplayGroup[],
  options: PassOptions,
): Promise<number> {
  const [begin, end] = options.range;
  let played = 0;
  const pace = new Pace(options.windows ?? MOST_WINDOWS);
  const numbers = context.upload('replay numbers', options.numbers);
  // The next chunk is packed and uploaded while the device plays this one.
  let ahead: Promise<LoadedChunk> | null = null;
  let from = begin;
  const start = (number: number): Promise<LoadedChunk> | null => {
    if (from >= end) return null;
    const to = chunkEnd(track.log, from, end, options.chunk, options.ownChunk);
    const chunk = packChunk(track, options.firstChunk + number, from, to);
    from = to;
    const loading = load(context, track, groups, options, chunk, numbers);
    loading.catch(() => {});
    return loading;
  };
  const release = ({ events: packed, tables, lists, features }: LoadedChunk): void =>
    context.free(packed, tables, lists, ...features.values());
  try {
    ahead = start(0);
    for (let number = 1; ahead !== null; number++) {
      const loaded: LoadedChunk = await ahead;
      ahead = null;
      try {
        await playChunk(context, loaded, groups, pace, options, () => {
          ahead = start(number);
        });
      } finally {
        release(loaded);
      }
      played = number;
    }
    return played;
  } finally {
    if (ahead !== null) await ahead.then(release, () => {});
    context.free(numbers);
  }
}

async function load(
  context: GpuContext,
  track: ReplayTrack,
  groups: readonly ReplayGroup[],
  { single, listLanes, numbers: { length: rows } }: PassOptions,
  chunk: Chunk,
  numbers: GPUBuffer,
): Promise<LoadedChunk> {
  const { log, rules } = track;
  // Kernels are compiled side by side, and while features are packed.
  const compiling = Promise.all(groups.map((group) => group.pipeline(chunk)));
  compiling.catch(() => {});
  const lister = rows === 0 ? null : await context.pipeline(subsampleKernel, { LANES: listLanes });
  const packed = new Map<string, Uint32Array>();
  for (const { kernel } of groups) {
    const key = featuresKey(kernel);
    if (kernel.features === 'none' || packed.has(key)) continue;
    packed.set(key, packFeatures(log, chunk, kernel.features, single));
  }
  await compiling;
  const features = new Map([...packed].map(([key, words]) => [key, context.upload(`replay ${key}`, words)]));
  const events = context.upload('replay events', chunk.events);
  const tables = context.upload('replay tables', chunk.tables);
  const listStride = rows === 0 ? 0 : 1 + chunk.count;
  const lists = context.storage('replay lists', rows * listStride * 4);
  if (lister !== null) {
    const uniform = context.uniform(lister, {
      seed: rules.seed,
      stream: STREAM.subsample,
      threshold: threshold(rules.subsample),
      firstEvent: chunk.firstEvent,
      chunkEvents: chunk.count,
      rows,
      listStride,
    });
    const encoder = context.device.createCommandEncoder();
    context.dispatch(encoder, lister, uniform, { numbers, lists }, rows, 1);
    context.device.queue.submit([encoder.finish()]);
    context.free(uniform);
  }
  return { chunk, events, tables, lists, listStride, features };
}

async function playChunk(
  context: GpuContext,
  loaded: LoadedChunk,
  groups: readonly ReplayGroup[],
  pace: Pace,
  { signal, onStep, onProgress }: PassOptions,
  prepareNext: () => void,
): Promise<void> {
  const { from, count } = loaded.chunk;
  const total = count * groups.reduce((sum, group) => sum + group.members.length, 0);
  const open = new Set(groups);
  const flying: InFlight[][] = [];
  let told = 0;
  try {
    for (let round = 0; open.size > 0 || flying.length > 0; round++) {
      while (open.size > 0 && flying.length < IN_FLIGHT) flying.push(await submit(context, loaded, open, pace.windows));
      if (round === 0) prepareNext();
      const [oldest] = flying;
      for (const { group, dispatched } of oldest) {
        let consumed = 0;
        let allEnded = true;
        await group.collect(dispatched, (step) => {
          onStep(step, from);
          consumed += step.consumed;
          allEnded &&= step.ended;
        });
        if (allEnded) open.delete(group);
        // An estimate where subsamples skip events; the rest follows at the end of the chunk.
        const decisions = Math.min(consumed, total - told);
        told += decisions;
        onProgress(decisions);
      }
      flying.shift();
      pace.tick();
      signal?.throwIfAborted();
    }
    onProgress(total - told);
  } finally {
    // What is still in flight after an error or Ctrl-C must land before its buffers go.
    for (const { group, dispatched } of flying.flat()) await group.collect(dispatched, () => {}).catch(() => {});
  }
}

async function submit(
  context: GpuContext,
  loaded: LoadedChunk,
  groups: Iterable<ReplayGroup>,
  windows: number,
): Promise<InFlight[]> {
  const encoder = context.device.createCommandEncoder();
  const ready: { group: ReplayGroup; pipeline: ReplayPipeline }[] = [];
  for (const group of groups) ready.push({ group, pipeline: await group.pipeline(loaded.chunk) });
  const pass = encoder.beginComputePass({ label: 'replay' });
  const started = ready.map(({ group, pipeline }) => ({
    group,
    dispatched: group.record(pass, pipeline, loaded, windows),
  }));
  pass.end();
  for (const { group, dispatched } of started) group.copyResults(encoder, dispatched);
  context.device.queue.submit([encoder.finish()]);
  return started;
}

/** How many windows a dispatch may take, so that it is neither tiny nor long. */
class Pace {
  windows: number;
  private last = performance.now();

  constructor(private readonly most: number) {
    this.windows = Math.min(FIRST_WINDOWS, most);
  }

  /** To be called when a dispatch has ended. */
  tick(): void {
    const now = performance.now();
    const factor = Math.min(2, Math.max(0.25, DISPATCH_MS / Math.max(1, now - this.last)));
    this.last = now;
    this.windows = Math.max(1, Math.min(this.most, Math.round(this.windows * factor)));
  }
}

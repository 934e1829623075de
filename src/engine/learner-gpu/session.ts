/** A replay on a GPU under way: state stays on the device from batch to batch; learners without a kernel run on the CPU at the same time. */

import type { Archive } from '../../archive.js';
import type { GpuContext } from '../../gpu/context.js';
import type { KernelConstants } from '../../gpu/kernel.js';
import type { EngineReport, LaneUse, RunOptions } from '../contract.js';
import type { ReplayTrack } from '../learner-contract.js';
import {
  keepsRetained,
  type ReplayBackend,
  type ReplayBatch,
  type ReplayOutcome,
  type ReplaySession,
  type ReplayWork,
} from '../learner-contract.js';
import { type Chunk, contextsAreSingle } from './chunk.js';
import { type Member, ReplayGroup, type ReplicaWords, type Step } from './group.js';
import type { LearnerKernel } from './learner-kernel.js';
import { runPass } from './pass.js';
import {
  type GroupPlan,
  OWN_CHUNK,
  planChunk,
  planKernel,
  planListLanes,
  type ReplayLimits,
  type ReplayOverrides,
} from './plan.js';
import { isFrozen, type PlannedGroup, type Shares, shareOut } from './share-out.js';
import { Tally } from './tally.js';

/** What a session has of its engine. */
export interface SessionEngine {
  readonly context: GpuContext;
  readonly limits: ReplayLimits;
  readonly report: EngineReport & { lanes: LaneUse };
  readonly sizes: ReplayOverrides | undefined;
  /** For learners without a kernel. */
  readonly cpu: ReplayBackend;
}

/** Groups that play at the same time. */
interface GroupSet {
  readonly planned: readonly PlannedGroup[];
  /** Numbers of the replicas, once each: those of one number share a subsample. */
  readonly numbers: readonly number[];
  /** On the device from the first batch on. */
  groups: ReplayGroup[] | null;
  /** State of the replicas when they were last fetched, or before an interruption. */
  savedState: ReplicaWords[][] | null;
}

export class GpuReplaySession implements ReplaySession {
  private readonly results: Tally;
  private readonly sets: GroupSet[];
  /** Chunks are numbered through, so that a replica sees that one is new. */
  private chunks = 0;

  private constructor(
    private readonly engine: SessionEngine,
    private readonly work: ReplayWork,
    private readonly cpuReplicas: readonly number[],
    private readonly cpuSession: ReplaySession | null,
    sets: Shares['sets'],
  ) {
    this.results = new Tally(work);
    this.sets = sets.map((planned) => ({
      planned,
      numbers: [...new Set(planned.flatMap(({ rows }) => rows.map(({ row }) => work.replicas[row].number)))],
      groups: null,
      savedState: null,
    }));
  }

  static async open(engine: SessionEngine, work: ReplayWork): Promise<GpuReplaySession> {
    const { sets, cpuReplicas, names } = shareOut(work, engine.limits, engine.sizes);
    const { report } = engine;
    if (cpuReplicas.length > 0 && work.events > 0) report.onCpu = [...new Set([...(report.onCpu ?? []), ...names])];
    const cpuSession = cpuReplicas.length === 0 ? null : await engine.cpu.open(part(work, cpuReplicas));
    return new GpuReplaySession(engine, work, cpuReplicas, cpuSession, sets);
  }

  /** The GPU keeps both states of frozen learners; others are the CPU's. */
  get catchesUp(): boolean {
    return this.cpuSession?.catchesUp ?? false;
  }

  async play(batch: ReplayBatch, range: readonly [number, number], options: RunOptions = {}): Promise<void> {
    const started = performance.now();
    const { report } = this.engine;
    this.engine.context.check();
    this.results.turnTo(batch.track);
    // Side by side: the device waits for nothing that worker threads do.
    await together(options, (each) => [
      this.playHere(batch.track, range, each),
      ...(this.cpuSession === null ? [] : [this.cpuSession.play(batch, range, each)]),
    ]);
    report.decisions += this.work.replicas.length * (range[1] - range[0]);
    report.seconds += (performance.now() - started) / 1000;
  }

  async learn(batch: ReplayBatch, options?: RunOptions): Promise<void> {
    await this.cpuSession?.learn(batch, options);
  }

  private async playHere(track: ReplayTrack, range: readonly [number, number], options: RunOptions): Promise<void> {
    for (const set of this.sets) {
      set.groups ??= this.makeGroups(set);
      await this.playSet(set, set.groups, track, range, options);
      if (!this.work.whole) continue;
      // The log is over for these, and the device is free for the next ones.
      await this.fetchStates(set.groups);
      this.freeGroups(set);
    }
  }

  private makeGroups({ planned, numbers, savedState }: GroupSet): ReplayGroup[] {
    const { work, engine } = this;
    const { replicas, rules, head } = work;
    const lists = new Map(numbers.map((number, list) => [number, list]));
    return planned.map(({ rows, plan, kernel }, i) => {
      const members = rows.map((one): Member => {
        const { number } = replicas[one.row];
        return { ...one, number, list: lists.get(number) ?? 0 };
      });
      const constants = (chunk: Chunk): KernelConstants => constantsOf(kernel, plan, work, engine, chunk);
      const { dimension } = head.contexts;
      return new ReplayGroup(engine.context, plan, members, rules, constants, dimension, savedState?.[i] ?? null);
    });
  }

  private async playSet(
    { planned, numbers }: GroupSet,
    groups: readonly ReplayGroup[],
    track: ReplayTrack,
    range: readonly [number, number],
    { signal, onProgress }: RunOptions,
  ): Promise<void> {
    const { context, limits, sizes } = this.engine;
    const { head, rules } = this.work;
    const reads = planned.some(({ kernel }) => kernel.features === 'contexts');
    const lists = rules.subsample < 1 ? Uint32Array.from(numbers) : new Uint32Array(0);
    this.chunks += await runPass(context, track, groups, {
      range,
      chunk: planChunk(limits, range[1] - range[0], reads ? head.contexts.dimension : 0, lists.length, sizes),
      ownChunk: sizes?.ownChunk ?? OWN_CHUNK,
      firstChunk: this.chunks,
      single: contextsAreSingle(head),
      windows: sizes?.windows,
      numbers: lists,
      listLanes: planListLanes(limits),
      signal,
      onStep: (step, firstEvent) => {
        this.results.add(step, firstEvent);
        this.count(step);
      },
      onProgress: (decisions) => onProgress?.(decisions),
    });
    if (rules.learnFrom === 'all')
      await this.results.learnAll(
        planned.flatMap(({ rows }) => rows),
        range,
      );
  }

  private count({ consumed, windows, looks, settled, window }: Step): void {
    const { lanes } = this.engine.report;
    lanes.events += consumed;
    lanes.slots += windows * window;
    lanes.looks += looks;
    lanes.settled += settled;
  }

  /** Final states, of replicas that have something to say of them. */
  private async fetchStates(groups: readonly ReplayGroup[]): Promise<void> {
    for (const group of groups) {
      if (this.work.keep.state || group.kernel.numerics !== undefined)
        await group.states((words) => this.results.addStates(group.members, words));
    }
  }

  async flush(): Promise<void> {
    for (const set of this.sets) {
      if (set.groups === null) continue;
      set.savedState = [];
      for (const group of set.groups) set.savedState.push(await group.words());
    }
    await this.cpuSession?.flush();
  }

  async finish(): Promise<ReplayOutcome> {
    const { work, results, sets, cpuReplicas, cpuSession } = this;
    if (!work.whole) {
      for (const set of sets) {
        set.groups ??= this.makeGroups(set);
        await this.fetchStates(set.groups);
      }
    }
    if (cpuSession !== null) results.addAll(cpuReplicas, await cpuSession.finish());
    return results.outcome();
  }

  carry(archive: Archive): void {
    this.chunks = archive.number(this.chunks);
    this.results.carry(archive);
    for (const set of this.sets) {
      const { planned } = set;
      const begun = archive.flag(set.savedState !== null);
      if (!begun) continue;
      set.savedState = planned.map(({ rows }, i) =>
        rows.map((_, member) => {
          const { state, progress } = set.savedState?.[i][member] ?? { state: NOTHING, progress: NOTHING };
          return { state: archive.list(state), progress: archive.list(progress) };
        }),
      );
    }
    this.cpuSession?.carry(archive);
  }

  close(): void {
    for (const set of this.sets) this.freeGroups(set);
    this.cpuSession?.close();
  }

  private freeGroups(set: GroupSet): void {
    for (const group of set.groups ?? []) group.free();
    set.groups = null;
  }
}

const NOTHING = new Uint32Array(0);

/** The work of some replicas. */
function part(work: ReplayWork, rows: readonly number[]): ReplayWork {
  const { retainedOf } = work.keep;
  const kept = new Set(rows.flatMap((row, i) => (keepsRetained(work.keep, row) ? [i] : [])));
  return {
    ...work,
    replicas: rows.map((row) => work.replicas[row]),
    keep: { ...work.keep, retainedOf: typeof retainedOf === 'string' ? retainedOf : kept },
  };
}

/** Waits for all parts; where one fails the others are stopped first. @throws what the first to fail threw. */
async function together(options: RunOptions, start: (options: RunOptions) => readonly Promise<void>[]): Promise<void> {
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    failures.push(error);
    stop.abort(error);
  };
  await Promise.all(start({ ...options, signal }).map((part) => part.catch(fail)));
  if (failures.length > 0) throw failures[0];
}

function constantsOf(
  kernel: LearnerKernel,
  plan: GroupPlan,
  work: ReplayWork,
  { limits, sizes }: Pick<SessionEngine, 'limits' | 'sizes'>,
  chunk: Pick<Chunk, 'arms' | 'pools'>,
): KernelConstants {
  const all = work.head.arms.ids.length;
  const fit = planKernel(limits, kernel, plan, { all, chunk: chunk.arms }, sizes);
  const frozen = isFrozen(work);
  const learnsAll = work.rules.learnFrom === 'all' && !kernel.stateless;
  return {
    ...kernel.constants,
    ARMS: all,
    LOCAL_ARMS: fit.arms,
    RENAMED: chunk.arms < all,
    MIXED: chunk.pools > 1,
    WIDTH: plan.width,
    SLOTS: kernel.slots,
    FROZEN: frozen,
    LEARN_ALL: learnsAll,
    BULK: kernel.bulk && frozen && learnsAll,
    INCREMENTAL: fit.incremental,
    STATELESS: kernel.stateless,
    DOUBTS: kernel.doubts,
    HELD: fit.held,
    SHARED_LOADS: plan.sharedLoads,
  };
}

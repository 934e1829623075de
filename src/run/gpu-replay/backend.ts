/**
 * The GPU engine for learners: replicas speculate along the log (shaders/learner/replay.wgsl), and the host adds up what
 * they retained. Learners without a kernel are replayed by the CPU engine beside it.
 */

import { EngineError } from '../../errors.js';

import { GpuContext } from '../../gpu/context.js';
import { pairsHold } from '../../gpu/pair-check.js';
import type { PreparedLearner } from '../../learner/learner-set.js';
import { effectiveArms } from '../../log/effective-arms.js';
import type { EventLog } from '../../log/event-log.js';
import type { EngineReport, LaneUse, RunOptions } from '../backend.js';
import { keepsRetained, type ReplayBackend, type ReplayJob, type ReplayOutcome } from '../replay-backend.js';
import { CpuReplayBackend } from '../replay-cpu.js';
import { makeTrack, type ReplayTrack } from '../replay-replica.js';
import { MOST_CANDIDATES } from './chunk.js';
import { type Member, ReplayGroup, type Step } from './group.js';
import { runPass } from './pass.js';
import { type GroupPlan, planChunk, planGroup, type ReplayLimits, type ReplayOverrides } from './plan.js';
import { Tally } from './tally.js';
import type { LearnerTwin } from './twin.js';
import { twinOf } from './twins.js';

export interface GpuReplayOptions {
  /** Adapter description for the result. */
  description?: string;
  /** Threads of the CPU engine, for learners without a kernel. */
  threads?: number;
  /** Lanes that run in step; default: what the device says, or 32. */
  subgroup?: number;
  /** Sizes for tests and benchmarks. */
  sizes?: ReplayOverrides;
}

const UNTRUSTED =
  'this device rounds f32 sums in ways that learners on the GPU cannot rely on (the check of src/gpu/pair-check.ts failed)\n  try:    --device cpu, and report this with the output of hindcast devices';

/** Replicas that run side by side with one kernel. */
interface Batch {
  readonly twin: LearnerTwin;
  readonly plan: GroupPlan;
  readonly rows: readonly { readonly row: number; readonly twin: LearnerTwin }[];
}

export class GpuReplayBackend implements ReplayBackend {
  readonly report: EngineReport & { lanes: LaneUse };
  private readonly context: GpuContext;
  private readonly cpu: CpuReplayBackend;
  private readonly limits: ReplayLimits;
  /** Whether the device keeps to the arithmetic that pairs of f32 need. */
  private readonly trusted: Promise<boolean>;

  constructor(
    device: GPUDevice,
    private readonly options: GpuReplayOptions = {},
  ) {
    this.context = new GpuContext(device);
    this.cpu = new CpuReplayBackend({ threads: options.threads });
    this.report = {
      device: 'gpu',
      adapter: options.description ?? 'GPU',
      threads: this.cpu.report.threads,
      settledOnCpu: 0,
      decisions: 0,
      seconds: 0,
      lanes: { events: 0, slots: 0, looks: 0, settled: 0 },
    };
    this.trusted = pairsHold(this.context);
    this.trusted.catch(() => {});
    const { adapterInfo } = device as GPUDevice & {
      adapterInfo?: { subgroupMinSize?: number; subgroupMaxSize?: number };
    };
    const { maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension } = device.limits;
    this.limits = {
      maxBufferSize,
      maxStorageBufferBindingSize,
      maxComputeWorkgroupsPerDimension,
      maxComputeWorkgroupStorageSize: device.limits.maxComputeWorkgroupStorageSize,
      subgroup: options.subgroup ?? (adapterInfo?.subgroupMinSize || 32),
      // Lanes hand loads on within the device's own subgroups, whatever size was asked for.
      sharesLoads:
        (options.subgroup === undefined || options.subgroup === adapterInfo?.subgroupMinSize) &&
        device.features.has('subgroups' as GPUFeatureName) &&
        adapterInfo?.subgroupMinSize !== undefined &&
        adapterInfo.subgroupMinSize === adapterInfo.subgroupMaxSize,
    };
  }

  async replay(job: ReplayJob, options: RunOptions = {}): Promise<ReplayOutcome> {
    const started = performance.now();
    this.context.check();
    if (!(await this.trusted)) throw new EngineError(UNTRUSTED);
    const track = makeTrack(job.log, job.plan, job.rules);
    const here: { row: number; twin: LearnerTwin }[] = [];
    const elsewhere: number[] = [];
    const twins = job.settings.map((setting) => this.twin(setting, track));
    job.replicas.forEach(({ setting }, row) => {
      const twin = twins[setting];
      if (twin === null) elsewhere.push(row);
      else here.push({ row, twin });
    });
    if (elsewhere.length > 0 && job.log.events > 0) {
      const names = job.settings.filter((_, i) => twins[i] === null).map(({ name }) => name);
      this.report.onCpu = [...new Set([...(this.report.onCpu ?? []), ...names])];
    }
    const results = new Tally(job, track);
    const batches = this.batches(job, here);
    // Side by side: the device waits for nothing that worker threads do.
    await together(options, (each) => [
      this.replayHere(job, track, batches, results, each),
      this.replayElsewhere(job, elsewhere, results, each),
    ]);
    this.report.decisions += job.replicas.length * job.log.events;
    this.report.seconds += (performance.now() - started) / 1000;
    return results.outcome();
  }

  /** `null`: there is no kernel for it, or nothing to play. */
  private twin({ algorithm, parameters }: PreparedLearner, { log, epochs }: ReplayTrack): LearnerTwin | null {
    const make = log.events === 0 || largestPool(log) > MOST_CANDIDATES ? null : twinOf(algorithm);
    return make === null ? null : make(parameters, log, epochs !== null);
  }

  /** Replicas by kernel, cut into batches that fit the device. */
  private batches({ log }: ReplayJob, rows: Batch['rows']): Batch[] {
    const groups = new Map<string, { row: number; twin: LearnerTwin }[]>();
    for (const one of rows) {
      const group = groups.get(one.twin.key);
      if (group === undefined) groups.set(one.twin.key, [one]);
      else group.push(one);
    }
    const candidates = effectiveArms(log);
    return [...groups.values()].flatMap((group) => {
      const [{ twin }] = group;
      const plan = planGroup(this.limits, twin, group.length, candidates, this.options.sizes);
      if (plan === null) throw tooLarge(twin, this.limits);
      return Array.from({ length: Math.ceil(group.length / plan.batch) }, (_, i) => ({
        twin,
        plan,
        rows: group.slice(i * plan.batch, (i + 1) * plan.batch),
      }));
    });
  }

  /** One batch of each kernel at a time. */
  private async replayHere(
    job: ReplayJob,
    track: ReplayTrack,
    batches: readonly Batch[],
    results: Tally,
    options: RunOptions,
  ): Promise<void> {
    const waiting = [...batches];
    while (waiting.length > 0) {
      const taken = new Map<string, Batch>();
      for (const batch of [...waiting]) {
        if (taken.has(batch.twin.key)) continue;
        taken.set(batch.twin.key, batch);
        waiting.splice(waiting.indexOf(batch), 1);
      }
      await this.runBatches(job, track, [...taken.values()], results, options);
    }
  }

  private async runBatches(
    job: ReplayJob,
    track: ReplayTrack,
    batches: readonly Batch[],
    results: Tally,
    { signal, onProgress }: RunOptions,
  ): Promise<void> {
    const { replicas, rules, log, keep } = job;
    const lists = listsOf(batches.flatMap(({ rows }) => rows.map(({ row }) => replicas[row].number)));
    const groups: ReplayGroup[] = [];
    try {
      for (const { rows, plan, twin } of batches) {
        const members = rows.map((one): Member => {
          const { number } = replicas[one.row];
          return { ...one, number, list: lists.get(number) ?? 0 };
        });
        const constants = constantsOf(twin, plan, job, track);
        groups.push(new ReplayGroup(this.context, plan, members, rules, constants, log.contexts.dimension));
      }
      const reads = batches.some(({ twin }) => twin.features === 'contexts');
      const numbers = rules.subsample < 1 ? Uint32Array.from(lists.keys()) : new Uint32Array(0);
      await runPass(this.context, track, groups, {
        chunk: planChunk(
          this.limits,
          log.events,
          reads ? log.contexts.dimension : 0,
          numbers.length,
          this.options.sizes,
        ),
        windows: this.options.sizes?.windows,
        numbers,
        signal,
        onStep: (step, firstEvent) => {
          results.add(step, firstEvent);
          this.count(step);
        },
        onProgress: (decisions) => onProgress?.(decisions),
      });
      if (keep.state) for (const group of groups) results.addStates(group.members, await group.states());
    } finally {
      for (const group of groups) group.free();
    }
  }

  private count({ consumed, windows, looks, settled, window }: Step): void {
    this.report.lanes.events += consumed;
    this.report.lanes.slots += windows * window;
    this.report.lanes.looks += looks;
    this.report.lanes.settled += settled;
  }

  private async replayElsewhere(
    job: ReplayJob,
    rows: readonly number[],
    results: Tally,
    options: RunOptions,
  ): Promise<void> {
    if (rows.length === 0) return;
    const { retainedOf } = job.keep;
    const kept = new Set(rows.flatMap((row, i) => (keepsRetained(job.keep, row) ? [i] : [])));
    const part: ReplayJob = {
      ...job,
      replicas: rows.map((row) => job.replicas[row]),
      keep: { ...job.keep, retainedOf: typeof retainedOf === 'string' ? retainedOf : kept },
    };
    results.addAll(rows, await this.cpu.replay(part, options));
  }

  async close(): Promise<void> {
    this.context.close();
    await this.cpu.close();
  }
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

/** Row of each replica number's list, in order of first appearance. */
function listsOf(numbers: readonly number[]): Map<number, number> {
  const lists = new Map<number, number>();
  for (const number of numbers) if (!lists.has(number)) lists.set(number, lists.size);
  return lists;
}

function constantsOf(twin: LearnerTwin, plan: GroupPlan, { rules, log }: ReplayJob, { epochs }: ReplayTrack) {
  const frozen = epochs !== null;
  const all = rules.learnFrom === 'all' && !twin.stateless;
  return {
    ...twin.constants,
    ARMS: log.arms.ids.length,
    WIDTH: plan.width,
    SLOTS: twin.slots,
    FROZEN: frozen,
    LEARN_ALL: all,
    BULK: twin.bulk && frozen && all,
    INCREMENTAL: plan.incremental,
    STATELESS: twin.stateless,
    DOUBTS: twin.doubts,
    HELD: plan.held,
    SHARED_LOADS: plan.sharedLoads,
  };
}

function largestPool({ pools: { offsets, count } }: EventLog): number {
  let largest = 0;
  for (let s = 0; s < count; s++) largest = Math.max(largest, offsets[s + 1] - offsets[s]);
  return largest;
}

function tooLarge({ key, stateWords, memory }: LearnerTwin, limits: ReplayLimits): EngineError {
  const [name] = key.split(' ');
  const bytes = (n: number): string => n.toLocaleString('en-US');
  const binding = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
  return new EngineError(
    `the state of ${name} does not fit this device\n  got:    ${bytes(stateWords * 4)} bytes of state and ${bytes(memory.fixed)} bytes of workgroup memory for one replica\n  needed: at most ${bytes(binding)} and ${bytes(limits.maxComputeWorkgroupStorageSize)} bytes\n  try:    --device cpu`,
  );
}

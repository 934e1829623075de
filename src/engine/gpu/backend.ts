/**
 * The GPU engine: events are matched as they are decided, or cells decided and events matched with them; the sums are integers, and what
 * f32 cannot prove is settled by the CPU. Results equal the CPU engine's to the last bit.
 */

import { type BlockPlan, blockEvents } from '../../estimate/blocks/blocks.js';
import type { DrawMaxima, DrawProblem } from '../../estimate/selection/draws.js';
import { addBlockStatistics, type BlockStatistics, slicePolicies } from '../../estimate/sums/block-statistics.js';
import type { Summand } from '../../estimate/sums/summands.js';
import { GpuContext } from '../../gpu/context.js';
import type { EventLog } from '../../log/event-log.js';
import { checkOptions, type OptionShape, option } from '../../options/check-options.js';
import { RUN_OPTIONS } from '../../options/option-shapes.js';
import type { CompiledPolicies, ScoredPolicies, UniformPolicies } from '../../policy/compiled.js';
import { screenOf } from '../../policy/scored-families.js';
import { isWorthScreening, type Screen } from '../../policy/screen.js';
import { type Backend, type EngineReport, newReport, type RunOptions } from '../contract.js';
import { CpuBackend } from '../cpu/backend.js';
import { makeWorklist, type Worklist } from '../worklist.js';
import { CellStage } from './cell-stage.js';
import { gpuMaxima } from './draws.js';
import { ScoredEventPolicies, UniformEventPolicies } from './event-policies.js';
import { EventStage } from './event-stage.js';
import { LARGEST_TILE } from './layout.js';
import { type GpuPlan, inputBytes, type PlanOverrides, planGpu } from './plan.js';
import { Resident } from './resident.js';
import { GpuRun } from './run.js';
import type { Stage } from './stage.js';
import { ScreenWeights } from './weights.js';

/** Options of the GPU engine. */
export interface GpuOptions {
  /** Adapter description for the result. */
  description?: string;
  /** Threads of the CPU engine that stands in where the GPU cannot prove an answer. */
  threads?: number;
  /** Upper bounds on sizes, for tests and benchmarks. */
  plan?: PlanOverrides;
}

const GPU_OPTIONS: OptionShape<GpuOptions> = {
  description: option.text,
  threads: RUN_OPTIONS.threads,
  plan: option.elsewhere,
};

const size = option.whole(1);
const PLAN: OptionShape<PlanOverrides> = {
  ...{ chunk: size, tile: size, segment: size },
  ...{ doubtful: option.whole(0), resident: option.whole(0) },
};

/** Policies that choices are computed for. */
type KernelPolicies = Exclude<CompiledPolicies, { kind: 'matrix' }>;

/** A log with its blocks, policies and what is to be added up. */
type EngineWork = [log: EventLog, plan: BlockPlan, compiled: KernelPolicies, summands: readonly Summand[]];

/** Widest arm index (or feature row) in 16 bits, sentinels excluded. */
const MAX_ARMS = 0xfffe;

/** Columns whose sums have room in a workgroup's memory. */
const MOST_COLUMNS = 400;
/** Cells that fewer events share are decided event by event. */
const EVENTS_PER_CELL = 2;

/**
 * The GPU engine for fixed policies: results are those of the CPU engine, to the last bit. A log under a block plan stays on the device until
 * another comes or the engine is closed, so that its arrays must not change from one call to the next.
 *
 * @throws InputError for bad options.
 */
export class GpuBackend implements Backend {
  /** What it did so far. */
  readonly report: EngineReport;
  private readonly context: GpuContext;
  private readonly cpu: CpuBackend;
  private readonly resident: Resident;

  constructor(
    device: GPUDevice,
    private readonly options: GpuOptions = {},
  ) {
    checkOptions(options, GPU_OPTIONS, 'options');
    checkOptions(options.plan ?? {}, PLAN, 'options.plan');
    this.context = new GpuContext(device);
    this.cpu = new CpuBackend({ threads: options.threads });
    this.resident = new Resident(options.plan?.resident);
    this.report = newReport('gpu', options.description ?? 'GPU', this.cpu.report.threads);
  }

  /** As `Backend` says. */
  async evaluate(
    log: EventLog,
    plan: BlockPlan,
    compiled: CompiledPolicies,
    summands: readonly Summand[],
    options: RunOptions = {},
  ): Promise<BlockStatistics> {
    const started = performance.now();
    this.context.check();
    // Known choices need no arithmetic: looking them up takes no longer than packing them for the GPU.
    const stats =
      compiled.kind === 'matrix'
        ? await this.cpu.evaluate(log, plan, compiled, summands, options)
        : await this.run([log, plan, compiled, summands], options);
    this.report.decisions += compiled.policies * log.events;
    this.report.seconds += (performance.now() - started) / 1000;
    return stats;
  }

  /** As `Backend` says. */
  maxima(problem: DrawProblem, options?: Pick<RunOptions, 'signal'>): Promise<DrawMaxima> {
    this.context.check();
    return gpuMaxima(this.context, problem, options);
  }

  private async run(work: EngineWork, options: RunOptions): Promise<BlockStatistics> {
    const [log, plan, compiled] = work;
    const worklist = byEvents(makeWorklist(...work, true), log, plan, compiled);
    const screen = compiled.kind === 'scored' ? screenOf(compiled, log) : null;
    const sizes = this.plan(compiled, screen, worklist);
    const onCpu = (left: RunOptions): Promise<BlockStatistics> => {
      this.report.settledOnCpu += compiled.policies * worklist.cells;
      return this.cpu.evaluate(...work, left);
    };
    if (sizes === null || log.events === 0 || isForCpu(log, screen, worklist)) return onCpu(options);
    this.resident.open(log, plan);
    const weights = screen === null ? null : new ScreenWeights(this.context, screen);
    const stage = this.stage(work, worklist, weights, sizes);
    if (stage.onCpu.size === compiled.policies) return onCpu(options);
    const run = new GpuRun(this.context, stage, compiled.policies, blockEvents(plan), screen, worklist, sizes);
    try {
      const stats = await run.execute(options);
      // Contexts may have turned up that no policy can be screened on.
      if (stage.onCpu.size === compiled.policies) return await onCpu({ signal: options.signal });
      this.report.settledOnCpu += run.settled;
      await this.runOnCpu(work, stage.onCpu, worklist, stats, options);
      return stats;
    } finally {
      run.close();
      if (options.bounded === true) this.resident.close();
    }
  }

  private stage(
    [log, plan, compiled]: EngineWork,
    worklist: Worklist,
    weights: ScreenWeights | null,
    sizes: GpuPlan,
  ): Stage {
    const { context } = this;
    if (weights !== null && worklist.entries.cell !== null)
      return new CellStage(context, weights, worklist, log.events, sizes);
    const policies =
      weights !== null
        ? new ScoredEventPolicies(context, weights, worklist)
        : new UniformEventPolicies(context, log, compiled as UniformPolicies, worklist);
    const { maxStorageBufferBindingSize, maxBufferSize } = context.device.limits;
    const binding = Math.min(maxStorageBufferBindingSize, maxBufferSize);
    const slots = Math.floor(binding / inputBytes(weights?.screen ?? null, worklist.kinds.length).perSlot);
    return new EventStage(context, policies, worklist, plan.blocks, sizes, slots, this.resident);
  }

  private plan(compiled: CompiledPolicies, screen: Screen | null, worklist: Worklist): GpuPlan | null {
    const { entries, kinds } = worklist;
    const bytes = inputBytes(screen, kinds.length);
    const direct = entries.cell === null;
    // Tiles of one group of cells are full but for the last.
    const cellSlots = direct ? null : worklist.cells + LARGEST_TILE;
    const { limits } = this.context.device;
    if (!direct && worklist.cells * bytes.perSlot * 2 > limits.maxStorageBufferBindingSize) return null;
    return planGpu(
      limits,
      {
        policies: compiled.policies,
        cellSlots,
        bytesPerEntry: direct ? bytes.perSlot : 12 + 8 * kinds.length,
        bytesPerPolicy: bytes.perPolicy,
      },
      this.options.plan,
    );
  }

  /** Policies that f32 cannot separate are the CPU's altogether. */
  private async runOnCpu(
    [log, plan, compiled, summands]: EngineWork,
    onCpu: ReadonlySet<number>,
    worklist: Worklist,
    stats: BlockStatistics,
    options: RunOptions,
  ): Promise<void> {
    if (onCpu.size === 0 || compiled.kind !== 'scored') return;
    const policies = [...onCpu].sort((a, b) => a - b);
    const picked = pickPolicies(compiled, policies);
    const part = await this.cpu.evaluate(log, plan, picked, summands, { signal: options.signal });
    policies.forEach((p, i) => {
      // A tile may have been counted before its policy turned out to be the CPU's.
      const own = slicePolicies(stats, p, p + 1);
      for (const column of [own.matches, ...own.columns]) column.fill(0);
      addBlockStatistics(stats, slicePolicies(part, i, i + 1), p);
    });
    this.report.settledOnCpu += policies.length * worklist.cells;
  }

  /** Releases buffers and threads; the device is the caller's. */
  async close(): Promise<void> {
    this.resident.close();
    this.context.close();
    await this.cpu.close();
  }
}

/** The work event by event, where cells are shared by so few that deciding them first would not pay. */
function byEvents(worklist: Worklist, { events }: EventLog, { order }: BlockPlan, { kind }: KernelPolicies): Worklist {
  const { entries, gathered, cells } = worklist;
  const isWorth = kind === 'uniform' || cells * EVENTS_PER_CELL > events;
  if (entries.cell === null || entries.folded !== null || gathered !== null || !isWorth) return worklist;
  return { ...worklist, cells: events, cellEvent: order, entries: { ...entries, cell: null } };
}

/** Work that no kernel does, or that does not pay. */
function isForCpu({ arms }: EventLog, screen: Screen | null, { entries, gathered, kinds }: Worklist): boolean {
  if (gathered !== null || (entries.cell === null && kinds.length > MOST_COLUMNS)) return true;
  if (screen === null) return entries.cell !== null;
  return !isWorthScreening(screen) || Math.max(screen.rows, arms.ids.length) > MAX_ARMS;
}

/** Only some of the policies. */
function pickPolicies(compiled: ScoredPolicies, policies: readonly number[]): ScoredPolicies {
  const size = compiled.weights.length / compiled.policies;
  const make = compiled.weights.constructor as new (length: number) => Float64Array;
  const weights = new make(policies.length * size);
  policies.forEach((p, i) => {
    weights.set(compiled.weights.subarray(p * size, (p + 1) * size), i * size);
  });
  return { ...compiled, policies: policies.length, names: policies.map((p) => compiled.names[p]), weights };
}

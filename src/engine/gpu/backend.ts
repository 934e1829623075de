/**
 * The GPU engine: choices of a policy tile at a chunk's cells, then matches, then integer sums; what f32 cannot prove
 * is settled by the CPU. Results equal the CPU engine's to the last bit.
 */

import type { BlockPlan } from '../../estimate/blocks/blocks.js';
import type { DrawMaxima, DrawProblem } from '../../estimate/selection/draws.js';
import { addBlockStatistics, type BlockStatistics, slicePolicies } from '../../estimate/sums/block-statistics.js';
import type { Summand } from '../../estimate/sums/summands.js';
import { GpuContext } from '../../gpu/context.js';
import type { EventLog } from '../../log/event-log.js';
import { checkOptions, type OptionShape, option } from '../../options/check-options.js';
import { RUN_OPTIONS } from '../../options/option-shapes.js';
import type { CompiledPolicies, ScoredPolicies } from '../../policy/compiled.js';
import { screenOf } from '../../policy/scored-families.js';
import { isWorthScreening, type Screen } from '../../policy/screen.js';
import { type Backend, type EngineReport, newReport, type RunOptions } from '../contract.js';
import { CpuBackend } from '../cpu/backend.js';
import { makeWorklist, type Worklist } from '../worklist.js';
import { gpuMaxima } from './draws.js';
import { HALF_TILE } from './kernels.js';
import { type GpuPlan, type PlanOverrides, planGpu } from './plan.js';
import { GpuRun } from './run.js';
import { sourceBytes } from './sources.js';

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
const PLAN: OptionShape<PlanOverrides> = { chunk: size, tile: size, segment: size, doubtful: option.whole(0) };

/** Policies that choices are computed for. */
type KernelPolicies = Exclude<CompiledPolicies, { kind: 'matrix' }>;

/** A log with its blocks, policies and what is to be added up. */
type EngineWork = [log: EventLog, plan: BlockPlan, compiled: KernelPolicies, summands: readonly Summand[]];

/** Widest arm index (or feature row) of the u16 choice matrix, sentinels excluded. */
const MAX_ARMS = 0xfffe;

/** The GPU engine for fixed policies: results are those of the CPU engine, to the last bit. @throws InputError for bad options. */
export class GpuBackend implements Backend {
  /** What it did so far. */
  readonly report: EngineReport;
  private readonly context: GpuContext;
  private readonly cpu: CpuBackend;

  constructor(
    device: GPUDevice,
    private readonly options: GpuOptions = {},
  ) {
    checkOptions(options, GPU_OPTIONS, 'options');
    checkOptions(options.plan ?? {}, PLAN, 'options.plan');
    this.context = new GpuContext(device);
    this.cpu = new CpuBackend({ threads: options.threads });
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
    const worklist = makeWorklist(...work);
    const screen = compiled.kind === 'scored' ? screenOf(compiled, log) : null;
    const sizes = this.plan(compiled, screen, worklist);
    const rows = screen?.rows ?? log.arms.ids.length;
    const isForCpu = (screen !== null && !isWorthScreening(screen)) || rows > MAX_ARMS || worklist.gathered !== null;
    if (sizes === null || log.events === 0 || isForCpu) {
      this.report.settledOnCpu += compiled.policies * worklist.cells;
      return this.cpu.evaluate(...work, options);
    }
    const run = new GpuRun(this.context, log, plan, compiled, screen, worklist, sizes);
    try {
      if (run.onCpu.size === compiled.policies) {
        this.report.settledOnCpu += compiled.policies * worklist.cells;
        return await this.cpu.evaluate(...work, options);
      }
      const stats = await run.execute(options);
      this.report.settledOnCpu += run.settled;
      await this.runOnCpu(work, run.onCpu, worklist, stats, options);
      return stats;
    } finally {
      run.close();
    }
  }

  private plan(compiled: CompiledPolicies, screen: Screen | null, worklist: Worklist): GpuPlan | null {
    const { entries, kinds } = worklist;
    const bytes = sourceBytes(screen, kinds.length);
    const direct = entries.cell === null;
    // Tiles of one group of cells are full but for the last.
    const cellSlots = direct ? null : worklist.cells + 2 * HALF_TILE;
    const { limits } = this.context.device;
    if (!direct && worklist.cells * bytes.perEntry * 2 > limits.maxStorageBufferBindingSize) return null;
    return planGpu(
      limits,
      {
        policies: compiled.policies,
        entries: entries.count,
        cellSlots,
        bytesPerEntry: direct ? bytes.perEntry : 12 + 8 * kinds.length,
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
    this.context.close();
    await this.cpu.close();
  }
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

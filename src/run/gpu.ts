/**
 * The GPU engine: choices of a policy tile at a chunk's cells, then matches, then integer sums; what f32 cannot prove
 * is settled by the CPU. Results equal the CPU engine's to the last bit.
 */

import type { BlockStatistics } from '../estimate/block-statistics.js';
import type { BlockPlan } from '../estimate/blocks.js';
import { GpuContext } from '../gpu/context.js';
import type { EventLog } from '../log/event-log.js';
import type { PolicyBatch, ScoredBatch } from '../policy/batch.js';
import { isWorthScreening, type Screen } from '../policy/screen.js';
import { screenOf } from '../policy/screens.js';
import type { Backend, EngineReport, RunOptions } from './backend.js';
import { CpuBackend } from './cpu.js';
import { HALF_TILE } from './gpu-kernels.js';
import { type GpuPlan, type PlanOverrides, planGpu } from './gpu-plan.js';
import { GpuRun } from './gpu-run.js';
import { sourceBytes } from './gpu-sources.js';
import { makeWorklist, type Worklist } from './worklist.js';

export interface GpuOptions {
  /** Adapter description for the result. */
  description?: string;
  /** Threads of the CPU engine that stands in where the GPU cannot prove an answer. */
  threads?: number;
  /** Upper bounds on sizes, for tests and benchmarks. */
  plan?: PlanOverrides;
}

/** Widest arm index (or feature row) of the u16 choice matrix, sentinels excluded. */
const MAX_ARMS = 0xfffe;

export class GpuBackend implements Backend {
  readonly report: EngineReport;
  private readonly context: GpuContext;
  private readonly cpu: CpuBackend;

  constructor(
    device: GPUDevice,
    private readonly options: GpuOptions = {},
  ) {
    this.context = new GpuContext(device);
    this.cpu = new CpuBackend({ threads: options.threads });
    this.report = {
      device: 'gpu',
      adapter: options.description ?? 'GPU',
      threads: this.cpu.report.threads,
      settledOnCpu: 0,
      decisions: 0,
      seconds: 0,
    };
  }

  async evaluate(
    log: EventLog,
    plan: BlockPlan,
    batch: PolicyBatch,
    options: RunOptions = {},
  ): Promise<BlockStatistics> {
    const started = performance.now();
    this.context.check();
    const stats = await this.run(log, plan, batch, options);
    this.report.decisions += batch.policies * log.events;
    this.report.seconds += (performance.now() - started) / 1000;
    return stats;
  }

  private async run(log: EventLog, plan: BlockPlan, batch: PolicyBatch, options: RunOptions): Promise<BlockStatistics> {
    const worklist = makeWorklist(log, plan, batch);
    const screen = batch.kind === 'linear' || batch.kind === 'joint' ? screenOf(batch, log) : null;
    const sizes = this.plan(batch, screen, worklist);
    const rows = screen?.rows ?? log.arms.ids.length;
    const direct = batch.kind === 'joint' && screen !== null && !isWorthScreening(screen);
    if (sizes === null || log.events === 0 || rows > MAX_ARMS || direct) {
      this.report.settledOnCpu += batch.policies * worklist.cells;
      return this.cpu.evaluate(log, plan, batch, options);
    }
    const run = new GpuRun(this.context, log, plan, batch, screen, worklist, sizes);
    try {
      if (run.muted.size === batch.policies) {
        this.report.settledOnCpu += batch.policies * worklist.cells;
        return await this.cpu.evaluate(log, plan, batch, options);
      }
      const stats = await run.execute(options);
      this.report.settledOnCpu += run.settled;
      await this.runMuted(log, plan, batch, run.muted, worklist, stats, options);
      return stats;
    } finally {
      run.close();
    }
  }

  private plan(batch: PolicyBatch, screen: Screen | null, worklist: Worklist): GpuPlan | null {
    const bytes = sourceBytes(screen);
    const direct = worklist.entries.cell === null;
    // Tiles of one group of cells are full but for the last.
    const cellSlots = direct ? null : worklist.cells + 2 * HALF_TILE;
    const { limits } = this.context.device;
    if (!direct && worklist.cells * bytes.perEntry * 2 > limits.maxStorageBufferBindingSize) return null;
    return planGpu(
      limits,
      {
        policies: batch.policies,
        entries: worklist.entries.count,
        cellSlots,
        bytesPerEntry: direct ? bytes.perEntry : 32,
        bytesPerPolicy: bytes.perPolicy,
      },
      this.options.plan,
    );
  }

  /** Policies that f32 cannot separate are the CPU's altogether. */
  private async runMuted(
    log: EventLog,
    plan: BlockPlan,
    batch: PolicyBatch,
    muted: ReadonlySet<number>,
    worklist: Worklist,
    stats: BlockStatistics,
    options: RunOptions,
  ): Promise<void> {
    if (muted.size === 0 || (batch.kind !== 'linear' && batch.kind !== 'joint')) return;
    const policies = [...muted].sort((a, b) => a - b);
    const part = await this.cpu.evaluate(log, plan, pickPolicies(batch, policies), { signal: options.signal });
    policies.forEach((p, i) => {
      for (let b = 0; b < stats.blocks; b++) {
        const [from, to] = [i * stats.blocks + b, p * stats.blocks + b];
        stats.matches[to] = part.matches[from];
        stats.payoff[to] = part.payoff[from];
        if (
          stats.squareLow === null ||
          stats.squareHigh === null ||
          part.squareLow === null ||
          part.squareHigh === null
        )
          continue;
        stats.squareLow[to] = part.squareLow[from];
        stats.squareHigh[to] = part.squareHigh[from];
      }
    });
    this.report.settledOnCpu += policies.length * worklist.cells;
  }

  async close(): Promise<void> {
    this.context.close();
    await this.cpu.close();
  }
}

/** The batch with only some of its policies. */
function pickPolicies<Batch extends ScoredBatch>(batch: Batch, policies: readonly number[]): Batch {
  const size = batch.weights.length / batch.policies;
  const make = batch.weights.constructor as new (length: number) => Float64Array;
  const weights = new make(policies.length * size);
  policies.forEach((p, i) => {
    weights.set(batch.weights.subarray(p * size, (p + 1) * size), i * size);
  });
  return { ...batch, policies: policies.length, names: policies.map((p) => batch.names[p]), weights };
}

/**
 * The GPU engine for learners: replicas speculate along the log (shaders/learner/replay.wgsl), and the host adds up what
 * they retained. Learners without a kernel are replayed by the CPU engine beside it.
 */

import { EngineError } from '../../errors.js';
import { GpuContext } from '../../gpu/context.js';
import { pairsHold } from '../../gpu/pair-check.js';
import { type EngineReport, type LaneUse, newReport, type RunOptions } from '../contract.js';
import type { ReplayBackend, ReplayJob, ReplayOutcome, ReplaySession, ReplayWork } from '../learner-contract.js';
import { CpuReplayBackend } from '../learner-cpu/backend.js';
import { replayWhole } from '../learner-cpu/whole.js';
import type { ReplayLimits, ReplayOverrides } from './plan.js';
import { GpuReplaySession } from './session.js';

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
      ...newReport('gpu', options.description ?? 'GPU', this.cpu.report.threads),
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

  async open(work: ReplayWork): Promise<ReplaySession> {
    this.context.check();
    if (!(await this.trusted)) throw new EngineError(UNTRUSTED);
    const { context, limits, report, options } = this;
    return await GpuReplaySession.open({ context, limits, report, sizes: options.sizes, cpu: this.cpu }, work);
  }

  replay(job: ReplayJob, options: RunOptions = {}): Promise<ReplayOutcome> {
    return replayWhole(this, job, options);
  }

  async close(): Promise<void> {
    this.context.close();
    await this.cpu.close();
  }
}

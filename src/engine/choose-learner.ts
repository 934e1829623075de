/** Which engine replays learners: `auto` takes a GPU where there is one, and the CPU stands in whenever it fails. */

import { EngineError } from '../errors.js';
import type { PreparedLearner } from '../learner/set/learner-set.js';
import { type BackendChoice, checkDevice, noGpu } from './choose.js';
import type { RunOptions } from './contract.js';
import { processor } from './cpu/worker-pool.js';
import type { ReplayBackend, ReplayJob, ReplayOutcome, ReplaySession, ReplayWork } from './learner-contract.js';
import { CpuReplayBackend } from './learner-cpu/backend.js';

/** An engine that may change its mind: `fallback` says why it is not the one first chosen. */
export interface ChosenReplayBackend extends ReplayBackend {
  readonly fallback: string | null;
  /** Settings that are replayed by the CPU engine whatever the device. */
  readonly onCpu: ReadonlySet<PreparedLearner>;
  /** Whether the engine failed in a way that another one stands in for; from then on it does, and the work begins anew. */
  giveUp(error: unknown): Promise<boolean>;
}

/**
 * @param settings what is to be replayed: no GPU is opened where none of it has a kernel.
 * @throws InputError for contradicting choices; EngineError where a GPU is insisted on that cannot do it.
 */
export async function chooseReplayBackend(
  choice: BackendChoice,
  settings: readonly PreparedLearner[],
): Promise<ChosenReplayBackend> {
  const { device = 'auto' } = choice;
  checkDevice(choice);
  if (device === 'cpu') return new Replayer(cpu(choice), choice, null);
  const { GPU_LEARNERS } = await import('./learner-gpu/twins.js');
  const onCpu = new Set(settings.filter(({ algorithm }) => algorithm === null || !GPU_LEARNERS.includes(algorithm)));
  if (onCpu.size === settings.length) {
    if (device === 'auto') return new Replayer(cpu(choice), choice, null);
    throw new EngineError(
      `none of these learners has a GPU kernel: ${settings.map(({ name }) => name).join(', ')}\n  needed: one of ${GPU_LEARNERS.join(', ')}\n  try:    --device cpu`,
    );
  }
  try {
    const gpu = await openGpu(choice);
    if (gpu !== null) return new Replayer(gpu, choice, null, onCpu);
    if (device === 'gpu') throw noGpu();
    return new Replayer(cpu(choice), choice, null);
  } catch (error) {
    // A wrong adapter name is the caller's mistake, whatever the device.
    if (device === 'gpu' || !(error instanceof EngineError)) throw error;
    return new Replayer(cpu(choice), choice, error.message);
  }
}

function cpu({ threads }: BackendChoice): ReplayBackend {
  return new CpuReplayBackend({ threads, description: processor() });
}

async function openGpu({ device, adapter, gpuDevice, threads }: BackendChoice): Promise<ReplayBackend | null> {
  const { GpuReplayBackend } = await import('./learner-gpu/backend.js');
  if (gpuDevice !== undefined) {
    const info = (gpuDevice as GPUDevice & { adapterInfo?: GPUAdapterInfo }).adapterInfo;
    return new GpuReplayBackend(gpuDevice, { threads, description: info?.description || 'a GPUDevice of the caller' });
  }
  const { openDevice } = await import('../gpu/device.js');
  const opened = await openDevice(adapter, device === 'gpu' || adapter !== undefined);
  if (opened === null) return null;
  const backend = new GpuReplayBackend(opened.device, { threads, description: opened.description.name });
  return {
    report: backend.report,
    open: (work) => backend.open(work),
    replay: (...args) => backend.replay(...args),
    close: async () => {
      await backend.close();
      opened.device.destroy();
    },
  };
}

class Replayer implements ChosenReplayBackend {
  constructor(
    private backend: ReplayBackend,
    private readonly choice: BackendChoice,
    public fallback: string | null,
    public readonly onCpu: ReadonlySet<PreparedLearner> = new Set(),
  ) {}

  get report() {
    return this.backend.report;
  }

  open(work: ReplayWork): Promise<ReplaySession> {
    return this.backend.open(work);
  }

  async giveUp(error: unknown): Promise<boolean> {
    if (this.backend.report.device === 'cpu' || this.choice.device === 'gpu' || !(error instanceof EngineError))
      return false;
    await this.backend.close().catch(() => {});
    this.fallback = error.message;
    this.backend = cpu(this.choice);
    return true;
  }

  async replay(job: ReplayJob, options?: RunOptions): Promise<ReplayOutcome> {
    try {
      return await this.backend.replay(job, options);
    } catch (error) {
      if (!(await this.giveUp(error))) throw error;
      return this.backend.replay(job, options);
    }
  }

  close(): Promise<void> {
    return this.backend.close();
  }
}

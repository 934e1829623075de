/** Which engine runs: `auto` takes a GPU where there is one, and the CPU stands in whenever it fails. */

import { EngineError, InputError } from '../errors.js';
import type { Drawer, DrawMaxima, DrawSums } from '../estimate/selection/draws.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import type { Backend, EngineReport } from './contract.js';
import { CpuBackend } from './cpu/backend.js';
import { drawSums } from './cpu/draws.js';
import { processor } from './cpu/worker-pool.js';

/** `auto`: a GPU where there is one that is not software, else the CPU. */
export type DeviceChoice = 'auto' | 'gpu' | 'cpu';

export interface BackendChoice {
  device?: DeviceChoice;
  /** Part of an adapter's name. Without it `auto` and `gpu` never pick a software adapter. */
  adapter?: string;
  /** A device of the caller's, who keeps owning it. */
  gpuDevice?: GPUDevice;
  threads?: number;
}

/** What engines of policies and of learners have in common. */
interface Engine {
  readonly report: EngineReport;
  close(): Promise<void>;
}

interface MakeOptions {
  readonly threads?: number;
  readonly description: string;
}

/** How engines of one kind are made. */
export interface EngineKind<E extends Engine> {
  cpu(options: MakeOptions): E;
  gpu(device: GPUDevice, options: MakeOptions): Promise<E>;
}

/** @throws InputError where a GPU is named and the CPU is asked for. */
function checkDevice({ device, adapter, gpuDevice }: BackendChoice): void {
  if (device !== 'cpu' || (adapter === undefined && gpuDevice === undefined)) return;
  throw new InputError({
    problem: 'an adapter was named, but the device is the CPU',
    got: adapter ?? 'a GPUDevice',
    hint: '--device gpu, or leave out --adapter',
  });
}

function noGpu(): EngineError {
  return new EngineError(
    'there is no GPU here that WebGPU can use\n  try:    hindcast devices; --adapter NAME for a software adapter; --device cpu',
  );
}

/** The engine of a choice: the CPU engine until a GPU is opened, and again when that fails. */
export class ChosenEngine<E extends Engine> {
  protected engine: E;
  /** Why it is not the one first chosen; `null`: it is. */
  fallback: string | null = null;
  /** Opened here, and to be destroyed with the engine. */
  private device: GPUDevice | null = null;

  /** @throws InputError for contradicting choices. */
  constructor(
    private readonly choice: BackendChoice,
    private readonly kind: EngineKind<E>,
  ) {
    checkDevice(choice);
    this.engine = this.cpu();
  }

  get report(): EngineReport {
    return this.engine.report;
  }

  /** Takes a GPU where there is one and the choice is not the CPU. @throws EngineError where `gpu` is asked for and there is none. */
  async preferGpu(): Promise<this> {
    const { device = 'auto' } = this.choice;
    if (device === 'cpu') return this;
    try {
      const gpu = await this.openGpu();
      if (gpu === null && device === 'gpu') throw noGpu();
      if (gpu !== null) this.engine = gpu;
    } catch (error) {
      // A wrong adapter name is the caller's mistake, whatever the device.
      if (device === 'gpu' || !(error instanceof EngineError)) throw error;
      this.fallback = error.message;
    }
    return this;
  }

  /** Whether the engine failed in a way that the CPU stands in for; from then on it does, and the work begins anew. */
  async giveUp(error: unknown): Promise<boolean> {
    if (this.report.device === 'cpu' || this.choice.device === 'gpu' || !(error instanceof EngineError)) return false;
    await this.close().catch(() => {});
    this.fallback = error.message;
    this.engine = this.cpu();
    return true;
  }

  /** Runs work, once more where the CPU stands in. */
  protected async run<T>(work: (engine: E) => Promise<T>): Promise<T> {
    try {
      return await work(this.engine);
    } catch (error) {
      if (!(await this.giveUp(error))) throw error;
      return work(this.engine);
    }
  }

  async close(): Promise<void> {
    const { device } = this;
    this.device = null;
    await this.engine.close();
    device?.destroy();
  }

  private cpu(): E {
    return this.kind.cpu({ threads: this.choice.threads, description: processor() });
  }

  private async openGpu(): Promise<E | null> {
    const { device, adapter, gpuDevice, threads } = this.choice;
    if (gpuDevice !== undefined) {
      const info = (gpuDevice as GPUDevice & { adapterInfo?: GPUAdapterInfo }).adapterInfo;
      return this.kind.gpu(gpuDevice, { threads, description: info?.description || 'a GPUDevice of the caller' });
    }
    const { openDevice } = await import('../gpu/device.js');
    const opened = await openDevice(adapter, device === 'gpu' || adapter !== undefined);
    if (opened === null) return null;
    this.device = opened.device;
    return this.kind.gpu(opened.device, { threads, description: opened.description.name });
  }
}

const POLICIES: EngineKind<Backend> = {
  cpu: (options) => new CpuBackend(options),
  gpu: async (device, options) => new (await import('./gpu/backend.js')).GpuBackend(device, options),
};

/** An engine for policies that may change: `fallback` says why it did. */
export class ChosenBackend extends ChosenEngine<Backend> implements Backend, Drawer {
  evaluate(...work: Parameters<Backend['evaluate']>): Promise<BlockStatistics> {
    return this.run((engine) => engine.evaluate(...work));
  }

  maxima(...work: Parameters<Backend['maxima']>): Promise<DrawMaxima> {
    return this.run((engine) => engine.maxima(...work));
  }

  sums(...work: Parameters<Drawer['sums']>): DrawSums {
    return drawSums(...work);
  }
}

/** @throws InputError for contradicting choices; EngineError where `gpu` is asked for and there is none. */
export async function chooseBackend(choice: BackendChoice): Promise<ChosenBackend> {
  return new ChosenBackend(choice, POLICIES).preferGpu();
}

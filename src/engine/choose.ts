/** Which engine runs: `auto` takes a GPU where there is one, and the CPU stands in whenever it fails. */

import { EngineError, InputError } from '../errors.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import type { Backend, EngineReport } from './contract.js';
import { CpuBackend } from './cpu/backend.js';
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

/** A backend that may change its mind: `fallback` says why it did. */
export interface ChosenBackend extends Backend {
  readonly fallback: string | null;
}

/** @throws InputError where a GPU is named and the CPU is asked for. */
export function checkDevice({ device, adapter, gpuDevice }: BackendChoice): void {
  if (device !== 'cpu' || (adapter === undefined && gpuDevice === undefined)) return;
  throw new InputError({
    problem: 'an adapter was named, but the device is the CPU',
    got: adapter ?? 'a GPUDevice',
    hint: '--device gpu, or leave out --adapter',
  });
}

export function noGpu(): EngineError {
  return new EngineError(
    'there is no GPU here that WebGPU can use\n  try:    hindcast devices; --adapter NAME for a software adapter; --device cpu',
  );
}

/** @throws InputError for contradicting choices; EngineError where `gpu` is asked for and there is none. */
export async function chooseBackend(choice: BackendChoice): Promise<ChosenBackend> {
  const { device = 'auto', threads } = choice;
  checkDevice(choice);
  if (device === 'cpu') return new FallbackBackend(new CpuBackend({ threads, description: processor() }), choice, null);
  try {
    const gpu = await openGpu(choice);
    if (gpu !== null) return new FallbackBackend(gpu, choice, null);
    if (device === 'gpu') throw noGpu();
    return new FallbackBackend(new CpuBackend({ threads, description: processor() }), choice, null);
  } catch (error) {
    // A wrong adapter name is the caller's mistake, whatever the device.
    if (device === 'gpu' || !(error instanceof EngineError)) throw error;
    return new FallbackBackend(new CpuBackend({ threads, description: processor() }), choice, error.message);
  }
}

async function openGpu({ device, adapter, gpuDevice, threads }: BackendChoice): Promise<Backend | null> {
  const { GpuBackend } = await import('./gpu/backend.js');
  if (gpuDevice !== undefined) {
    const info = (gpuDevice as GPUDevice & { adapterInfo?: GPUAdapterInfo }).adapterInfo;
    return new GpuBackend(gpuDevice, { threads, description: info?.description || 'a GPUDevice of the caller' });
  }
  const { openDevice } = await import('../gpu/device.js');
  const opened = await openDevice(adapter, device === 'gpu' || adapter !== undefined);
  if (opened === null) return null;
  const backend = new GpuBackend(opened.device, { threads, description: opened.description.name });
  return {
    report: backend.report,
    evaluate: (...args) => backend.evaluate(...args),
    close: async () => {
      await backend.close();
      opened.device.destroy();
    },
  };
}

class FallbackBackend implements ChosenBackend {
  constructor(
    private backend: Backend,
    private readonly choice: BackendChoice,
    public fallback: string | null,
  ) {}

  get report(): EngineReport {
    return this.backend.report;
  }

  async evaluate(...work: Parameters<Backend['evaluate']>): Promise<BlockStatistics> {
    try {
      return await this.backend.evaluate(...work);
    } catch (error) {
      if (this.backend.report.device === 'cpu' || this.choice.device === 'gpu' || !(error instanceof EngineError))
        throw error;
      await this.backend.close().catch(() => {});
      this.fallback = error.message;
      this.backend = new CpuBackend({ threads: this.choice.threads, description: processor() });
      return this.backend.evaluate(...work);
    }
  }

  close(): Promise<void> {
    return this.backend.close();
  }
}

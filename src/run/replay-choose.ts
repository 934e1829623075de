/** Which engine replays learners. */

import { EngineError, InputError } from '../errors.js';
import type { BackendChoice } from './choose-backend.js';
import type { ReplayBackend } from './replay-backend.js';
import { CpuReplayBackend } from './replay-cpu.js';
import { processor } from './worker-pool.js';

/** An engine, and why it is not the one first chosen. */
export interface ChosenReplayBackend {
  readonly backend: ReplayBackend;
  readonly fallback: string | null;
}

/** @throws InputError for contradicting choices; EngineError where a GPU is insisted on that cannot do it. */
export async function chooseReplayBackend(choice: BackendChoice): Promise<ChosenReplayBackend> {
  const { device = 'auto', adapter, gpuDevice, threads } = choice;
  if (device === 'cpu' && (adapter !== undefined || gpuDevice !== undefined)) {
    throw new InputError({
      problem: 'an adapter was named, but the device is the CPU',
      got: adapter ?? 'a GPUDevice',
      hint: '--device gpu, or leave out --adapter',
    });
  }
  if (device === 'gpu') throw new EngineError('learners are replayed on the CPU only\n  try:    --device cpu');
  return { backend: new CpuReplayBackend({ threads, description: processor() }), fallback: null };
}

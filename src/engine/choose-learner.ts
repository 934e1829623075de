/** Which engine replays learners: as for policies (`choose.ts`), but a GPU is opened only where some learner has a kernel. */

import { EngineError } from '../errors.js';
import type { PreparedLearner } from '../learner/set/learner-set.js';
import { type BackendChoice, ChosenEngine, type EngineKind } from './choose.js';
import type { RunOptions } from './contract.js';
import type { ReplayBackend, ReplayJob, ReplayOutcome, ReplaySession, ReplayWork } from './learner-contract.js';
import { CpuReplayBackend } from './learner-cpu/backend.js';

const LEARNERS: EngineKind<ReplayBackend> = {
  cpu: (options) => new CpuReplayBackend(options),
  gpu: async (device, options) => new (await import('./learner-gpu/backend.js')).GpuReplayBackend(device, options),
};

/** An engine for learners that may change: `fallback` says why it did. */
export class ChosenReplayBackend extends ChosenEngine<ReplayBackend> implements ReplayBackend {
  /** Settings that are replayed by the CPU engine whatever the device. */
  onCpu: ReadonlySet<PreparedLearner> = new Set();

  open(work: ReplayWork): Promise<ReplaySession> {
    return this.engine.open(work);
  }

  replay(job: ReplayJob, options?: RunOptions): Promise<ReplayOutcome> {
    return this.run((engine) => engine.replay(job, options));
  }
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
  const chosen = new ChosenReplayBackend(choice, LEARNERS);
  if (device === 'cpu') return chosen;
  const { GPU_LEARNERS } = await import('./learner-gpu/learner-kernels.js');
  const onCpu = new Set(settings.filter(({ algorithm }) => algorithm === null || !GPU_LEARNERS.includes(algorithm)));
  if (onCpu.size === settings.length) {
    if (device === 'auto') return chosen;
    throw new EngineError(
      `none of these learners has a GPU kernel: ${settings.map(({ name }) => name).join(', ')}\n  needed: one of ${GPU_LEARNERS.join(', ')}\n  try:    --device cpu`,
    );
  }
  await chosen.preferGpu();
  if (chosen.report.device === 'gpu') chosen.onCpu = onCpu;
  return chosen;
}

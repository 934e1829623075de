/** A replay of a log in memory as a session of one batch. */

import { effectiveArms } from '../../log/build/effective-arms.js';
import type { RunOptions } from '../contract.js';
import type { ReplayBackend, ReplayJob, ReplayOutcome, ReplayWork } from '../learner-contract.js';
import { makeTrack } from './replica.js';

export function wholeWork({ log, plan, settings, replicas, rules, keep }: ReplayJob): ReplayWork {
  const { events } = log;
  return {
    ...{ settings, replicas, rules, keep, events },
    head: log,
    effectiveArms: effectiveArms(log),
    blocks: plan,
    whole: true,
  };
}

/** @throws what the engine throws. */
export async function replayWhole(
  backend: Pick<ReplayBackend, 'open'>,
  job: ReplayJob,
  options: RunOptions = {},
): Promise<ReplayOutcome> {
  const { log, plan, rules, settings } = job;
  const track = makeTrack(log, plan, rules);
  const session = await backend.open(wholeWork(job));
  try {
    await session.play({ track, settings }, [0, log.events], options);
    return await session.finish();
  } finally {
    session.close();
  }
}

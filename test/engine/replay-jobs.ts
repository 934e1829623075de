/** Jobs on tiny logs, and a learner that follows a script and remembers what it was told. */

import type { ReplayJob, ReplayRules } from '#dist/engine/learner-contract.js';
import { DEFAULT_BLOCKS, runBlocks } from '#dist/estimate/blocks/blocks.js';
import {
  type CustomLearner,
  type LearnerInput,
  parseLearnerSet,
  prepareLearners,
} from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';

export const RULES: ReplayRules = {
  seed: 7,
  subsample: 1,
  validEvents: null,
  updateEvery: null,
  learnFrom: 'retained',
};

/** Every setting `repeats` times, retained events kept. */
export async function jobOf(
  log: EventLog,
  learners: readonly LearnerInput[],
  part: Partial<ReplayRules> & { repeats?: number; plan?: ReplayJob['plan']; state?: boolean } = {},
): Promise<ReplayJob> {
  const { repeats = 1, plan = runBlocks(log.events, DEFAULT_BLOCKS), state = false, ...rules } = part;
  const settings = await prepareLearners(parseLearnerSet(learners), log);
  return {
    log,
    plan,
    settings,
    replicas: settings.flatMap((_, setting) => Array.from({ length: repeats }, (_, number) => ({ setting, number }))),
    rules: { ...RULES, ...rules },
    keep: { retainedOf: 'all', state },
  };
}

/** What a scripted learner was asked and told, in order: `?3` choose at event 3, `3:a1+5` update with arm 1 and 5 steps. */
export interface Script {
  readonly learner: CustomLearner;
  readonly calls: string[];
}

/** Chooses `choices[t]` at event t. */
export function scripted(choices: readonly number[]): Script {
  const calls: string[] = [];
  const learner: CustomLearner = {
    name: 'scripted',
    create: () => ({
      choose(event) {
        calls.push(`?${event}`);
        return choices[event];
      },
      update(event, arm, payoff, steps) {
        calls.push(`${event}:a${arm}+${payoff === steps ? payoff : `${payoff}/${steps}`}`);
      },
    }),
  };
  return { learner, calls };
}

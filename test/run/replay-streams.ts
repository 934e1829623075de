/** What the tests of replays in batches share: every algorithm, a log, and the comparison with the log as a whole. */

import { expect } from 'vitest';
import { ALGORITHMS } from '#dist/learner/set/algorithms.js';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { streamOf } from '#dist/log/stream-of.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import type { ReplayResult } from '#dist/report/replay-result.js';
import { streamLog, watched } from './stream-log.js';

const MORE: Readonly<Record<string, object>> = {
  'epsilon-greedy': { epsilon: 0.2 },
  'epoch-greedy': { segment: 'segment', exploit: 3 },
  semp: { segment: 'segment' },
  exp4: {
    experts: [
      { family: 'constant' },
      { family: 'uniform' },
      { family: 'table', keys: ['device'], tables: [{ choices: { phone: 2 }, default: 1 }] },
    ],
  },
  'gamma-poisson': { discount: 0.9, periodEvents: 20 },
};

/** Every algorithm of the table. */
export const EVERY: readonly LearnerInput[] = ALGORITHMS.map(
  ({ name }) => ({ algorithm: name, ...MORE[name] }) as LearnerInput,
);
/** Those that may learn from events that they did not choose. */
export const FED = EVERY.filter((_, i) => ALGORITHMS[i].weighsByOwnChoice !== true);

export const everything: ReplayOptions = {
  repeats: 2,
  seed: 11,
  replicas: true,
  retained: true,
  state: true,
  blockStatistics: true,
};

/** A result without what a run takes and is called. */
export function bare(result: ReplayResult) {
  const { device, decisions, verified, onCpu } = result.engine;
  return { ...result, engine: { device, decisions, verified, onCpu } };
}

export async function expectSame(
  log: EventLog,
  learners: readonly LearnerInput[],
  options: ReplayOptions,
  sizes: readonly number[],
) {
  const whole = bare(await replay(log, learners, options));
  for (const stretchEvents of sizes) {
    const streamed = bare(await replay(streamOf(log), learners, { ...options, stretchEvents }));
    expect(streamed, `stretches of ${stretchEvents}`).toEqual(whole);
  }
  return whole;
}

export const L = 260;
export const log = streamLog({ events: L });

/** Rules of the runs that are interrupted. */
export const resumable = { ...everything, threads: 1, updateEvery: 40, subsample: 0.9, verify: 4 } as const;

/** Runs until `reads` batches were read, as if the process had ended there. */
export async function interrupted(
  more: ReplayOptions,
  learners: readonly LearnerInput[],
  reads: number,
): Promise<void> {
  const stream = watched(log, (begun) => {
    if (begun === reads) throw new Error('the power is out');
  });
  const run = replay(stream, learners, { ...resumable, ...more, stretchEvents: 32, checkpointEvery: 0 });
  await expect(run).rejects.toThrow('the power is out');
}

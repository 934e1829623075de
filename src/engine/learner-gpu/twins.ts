/** Algorithms that have a kernel. */

import { linucbHybridTwin } from './hybrid-twin.js';
import { cempTwin, linThompsonTwin, linucbTwin } from './linear-twin.js';
import { empTwin, epsilonGreedyTwin, randomTwin, sempTwin, ucb1Twin, ucbTwin } from './means-twin.js';
import { thompsonTwin } from './thompson-twin.js';
import type { MakeTwin } from './twin.js';

const TWINS: Readonly<Record<string, MakeTwin>> = {
  random: randomTwin,
  'epsilon-greedy': epsilonGreedyTwin,
  emp: empTwin,
  semp: sempTwin,
  ucb: ucbTwin,
  ucb1: ucb1Twin,
  linucb: linucbTwin,
  'lin-thompson': linThompsonTwin,
  cemp: cempTwin,
  thompson: thompsonTwin,
  'linucb-hybrid': linucbHybridTwin,
};

/** Names of the algorithms that the GPU engine replays itself. */
export const GPU_LEARNERS: readonly string[] = Object.keys(TWINS);

/** `null`: the CPU engine replays it. */
export function twinOf(algorithm: string | null): MakeTwin | null {
  return algorithm === null ? null : (TWINS[algorithm] ?? null);
}

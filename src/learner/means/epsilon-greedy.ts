/**
 * `epsilon-greedy`: a uniformly random candidate with probability ε, else the candidate with the largest sample mean.
 *
 * Sutton & Barto, *Reinforcement Learning* (1998), §2.2; with ε_t = min(1, c/t) after Auer, Cesa-Bianchi & Fischer,
 * "Finite-time analysis of the multiarmed bandit problem" (Machine Learning 47, 2002), Figure 3, whose cK/d² is our c.
 * t = 1 + number of updates so far. Candidates that were never tried count as the largest, in index order.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import { LastChoice } from '../candidates.js';
import { type Draws, threshold } from '../draws.js';
import type { Algorithm, Candidates, Learner } from '../learner.js';
import { Means } from './means.js';

const schema = strict({
  epsilon: z.number().min(0).max(1).optional().describe('ε, the same at every event'),
  c: z.number().min(0).max(1e6).optional().describe('ε_t = min(1, c/t), t = 1 + number of updates so far'),
}).superRefine(({ epsilon, c }, context) => {
  if ((epsilon === undefined) !== (c === undefined)) return;
  const message = 'epsilon-greedy needs either epsilon or c';
  context.addIssue({ code: 'custom', message, params: { got: epsilon === undefined ? 'neither' : 'both' } });
});

export type EpsilonGreedyParameters = z.output<typeof schema>;

/** ε at the event after `updates` updates. */
export function epsilonAt({ epsilon, c = 0 }: EpsilonGreedyParameters, updates: number): number {
  return epsilon ?? Math.min(1, c / (1 + updates));
}

/** c in units of 2⁻³², a whole number below 2⁵³: every engine divides it by t exactly. */
export function decaySteps(c: number): number {
  return Math.floor(c * 4294967296);
}

/** u32 words below this explore, after `updates` updates; 2³²: all. */
function exploreBelow({ epsilon, c = 0 }: EpsilonGreedyParameters, updates: number): number {
  if (epsilon !== undefined) return threshold(epsilon);
  return Math.min(4294967296, Math.floor(decaySteps(c) / (1 + updates)));
}

class EpsilonGreedy implements Learner {
  private readonly means: Means;
  private readonly greedy = new LastChoice();
  private updates = 0;
  /** u32 words below this explore. */
  private explore: number;

  constructor(
    private readonly parameters: EpsilonGreedyParameters,
    private readonly log: EventLog,
    private readonly draws: Draws,
  ) {
    this.means = new Means(log.arms.ids.length);
    this.explore = exploreBelow(parameters, 0);
  }

  choose(event: number, candidates: Candidates): number {
    const { arms, from, to } = candidates;
    if (this.draws.word(event, 0) < this.explore) return arms[from + this.draws.index(event, to - from, 1)];
    return this.greedy.get(candidates, (set) => this.means.largest(set));
  }

  update(_event: number, arm: number, _payoff: number, steps: number): void {
    this.means.add(arm, steps);
    this.greedy.forget();
    this.updates++;
    this.explore = exploreBelow(this.parameters, this.updates);
  }

  carry(archive: Archive): void {
    this.means.carry(archive);
    this.updates = archive.number(this.updates);
    this.explore = exploreBelow(this.parameters, this.updates);
    this.greedy.forget();
  }

  state() {
    const { updates, means, log } = this;
    return { updates, epsilon: epsilonAt(this.parameters, updates), ...means.describe(log.payoff.scale) };
  }
}

export const epsilonGreedy: Algorithm<EpsilonGreedyParameters> = {
  name: 'epsilon-greedy',
  summary: 'random with probability ε (or min(1, c/t)), else the largest sample mean',
  source: 'Sutton & Barto 1998, §2.2; Auer, Cesa-Bianchi & Fischer 2002, Figure 3',
  schema,
  kind: 'integer',
  create: (parameters, log, draws) => new EpsilonGreedy(parameters, log, draws),
};

/**
 * `epoch-greedy`: epochs of one step of exploration and s_ℓ steps of exploitation.
 *
 * Langford & Zhang, "The epoch-greedy algorithm for multi-armed bandits with side information" (NIPS 2007), algorithm
 * Epoch-Greedy: in epoch ℓ choose one arm uniformly at random and add the outcome to the sample W_ℓ; take the best
 * hypothesis h_ℓ on W_ℓ; follow it for s_ℓ steps, from which nothing is learnt. A step is an update (in replay: a retained
 * event).
 *
 * The class of hypotheses is all tables from the values of the key column `segment` to arms (without one: all constant
 * arms). Its best member is found value by value: the arm with the largest mean payoff in W_ℓ among events of that
 * value, lowest index on ties, arms that were not explored there last. The paper's Σ r 1{h(x) = a} would favour arms
 * that were drawn more often, or that were candidates for longer; the mean is its self-normalized form.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog, KeyColumn } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import type { Draws } from '../draws.js';
import type { Algorithm, Candidates, Learner } from '../learner.js';
import { Means } from '../means/means.js';
import { segmentColumn } from '../means/segments.js';

const schema = strict({
  segment: z.string().min(1).optional().describe('Key column whose values the hypotheses tell apart; default: none'),
  exploit: z.int().min(0).max(1e9).optional().describe('s: the same number of exploitation steps in every epoch'),
  c: z
    .number()
    .min(0)
    .max(1e9)
    .optional()
    .describe('s_ℓ = ⌊c √ℓ⌋, which grows as the schedule for finite classes does; default c = 1'),
}).superRefine(({ exploit, c }, context) => {
  if (exploit === undefined || c === undefined) return;
  context.addIssue({ code: 'custom', path: ['c'], message: 'epoch-greedy takes exploit or c, not both' });
});

export type EpochGreedyParameters = z.output<typeof schema>;

class EpochGreedy implements Learner {
  private readonly segments: KeyColumn | null;
  private readonly arms: number;
  /** Means over W_ℓ; row of arm a at value s: s · K + a. */
  private readonly explored: Means;
  /** ℓ: epochs begun. */
  private epoch = 0;
  /** Exploitation steps left in the epoch. */
  private left = 0;
  /** Whether the last decision was exploration; updates follow the decision, also where several do. */
  private exploring = true;

  constructor(
    private readonly parameters: EpochGreedyParameters,
    private readonly log: EventLog,
    private readonly draws: Draws,
  ) {
    const { segment } = parameters;
    this.segments = segment === undefined ? null : segmentColumn(log, segment, 'epoch-greedy', 'segment');
    this.arms = log.arms.ids.length;
    this.explored = new Means(this.arms * (this.segments?.levels.length ?? 1));
  }

  private firstRow(event: number): number {
    return this.segments === null ? 0 : this.segments.code[event] * this.arms;
  }

  choose(event: number, candidates: Candidates): number {
    const { arms, from, to } = candidates;
    this.exploring = this.left === 0;
    if (this.exploring) return arms[from + this.draws.index(event, to - from, 1)];
    return this.explored.largest(candidates, this.firstRow(event), 'last');
  }

  update(event: number, arm: number, _payoff: number, steps: number): void {
    if (this.exploring) {
      this.explored.add(this.firstRow(event) + arm, steps);
      this.epoch++;
      const { exploit, c = 1 } = this.parameters;
      this.left = exploit ?? Math.floor(c * Math.sqrt(this.epoch));
    } else this.left = Math.max(0, this.left - 1);
  }

  carry(archive: Archive): void {
    this.explored.carry(archive);
    this.epoch = archive.number(this.epoch);
    this.left = archive.number(this.left);
    this.exploring = archive.flag(this.exploring);
  }

  state() {
    const { epoch, left, arms, explored, log } = this;
    const values = this.segments?.levels ?? [null];
    const table = values.map((segment, s) => ({
      segment,
      ...explored.describe(log.payoff.scale, s * arms, (s + 1) * arms),
    }));
    return { epochs: epoch, exploitationLeft: left, table };
  }
}

export const epochGreedy: Algorithm<EpochGreedyParameters> = {
  name: 'epoch-greedy',
  summary: 'one random step per epoch, then the best table over a key column for s steps',
  source: 'Langford & Zhang, NIPS 2007: Epoch-Greedy',
  schema,
  kind: 'integer',
  keyColumns: ({ segment }) => (segment === undefined ? [] : [segment]),
  check({ segment }, log) {
    if (segment !== undefined) segmentColumn(log, segment, 'epoch-greedy', 'segment');
  },
  create: (parameters, log, draws) => new EpochGreedy(parameters, log, draws),
};

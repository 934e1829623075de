/**
 * One replica by definition, event after event: replay of a learner (Li, Chu, Langford & Wang, WSDM 2011, Algorithm 2;
 * Algorithm 1 with `validEvents`). Every engine returns what this does.
 *
 * Event t is in the replica's subsample where word(seed, stream `subsample`; t, replica) < ⌊p · 2³²⌋. The learner chooses
 * with what it has learnt; where it chooses the logged arm the event is retained: its payoff counts, and the learner
 * learns from it. Other events leave no trace, unless it learns from all.
 */

import type { BlockStatistics } from '../estimate/block-statistics.js';
import type { BlockPlan } from '../estimate/blocks.js';
import { totalPayoff } from '../estimate/payoff-scale.js';
import { Draws, threshold } from '../learner/draws.js';
import type { Candidates, Learner } from '../learner/learner.js';
import type { PreparedLearner } from '../learner/learner-set.js';
import type { EventLog } from '../log/event-log.js';
import { STREAM } from '../random/threefry.js';
import { addMatch } from './match-sums.js';
import type { ReplayRules } from './replay-backend.js';
import { epochStarts } from './replay-epochs.js';

/** What all replicas of a job share. Structured-cloneable, so that worker threads get it as it is. */
export interface ReplayTrack {
  readonly log: EventLog;
  readonly rules: ReplayRules;
  /** See `epochStarts`. */
  readonly epochs: Uint32Array | null;
  /** Where blocks are runs: block b holds events `starts[b] .. starts[b+1])`. */
  readonly starts: Float64Array;
  /** Block of each event where blocks are not runs. */
  readonly blockOf: Uint32Array | null;
}

/** @throws InputError where the rules need a column that the log lacks. */
export function makeTrack(log: EventLog, plan: BlockPlan, rules: ReplayRules): ReplayTrack {
  const { order, starts } = plan;
  const blockOf = order === null ? null : new Uint32Array(log.events);
  if (order !== null && blockOf !== null) {
    for (let b = 0; b < plan.blocks; b++) for (let i = starts[b]; i < starts[b + 1]; i++) blockOf[order[i]] = b;
  }
  return { log, rules, epochs: epochStarts(log, rules.updateEvery), starts, blockOf };
}

/** A learner that has seen nothing, with the draws of a replica. */
export function freshLearner(
  { log, rules }: Pick<ReplayTrack, 'log' | 'rules'>,
  create: PreparedLearner['create'],
  number: number,
): Learner {
  return create(log, new Draws(rules.seed, number, STREAM.exploration));
}

/** One run of one learner. */
export class ReplicaRun {
  /** Events of the subsample seen so far. */
  consumed = 0;
  matches = 0;
  /** Next event of the log. */
  event = 0;
  private block = 0;
  private epoch = 0;
  private readonly subsample: Draws;
  private readonly below: number;
  private retained: Uint32Array | null;
  /** Events whose update waits for the next epoch. */
  private readonly waiting: number[] = [];
  private readonly candidates: { arms: Uint32Array; from: number; to: number };

  /**
   * @param learner a fresh one.
   * @param number of the replica.
   * @param stats receives the matches in row `row`.
   */
  constructor(
    protected readonly track: ReplayTrack,
    protected readonly learner: Learner,
    number: number,
    private readonly stats: BlockStatistics,
    private readonly row: number,
    keepRetained: boolean,
  ) {
    this.subsample = new Draws(track.rules.seed, number, STREAM.subsample);
    this.below = threshold(track.rules.subsample);
    this.retained = keepRetained ? new Uint32Array(16) : null;
    this.candidates = { arms: track.log.pools.arms, from: 0, to: 0 };
  }

  /** The log is over, or T matches were found. */
  get done(): boolean {
    return this.event >= this.track.log.events || this.matches === this.track.rules.validEvents;
  }

  /** True unless the log ended before T matches. */
  get complete(): boolean {
    const { validEvents } = this.track.rules;
    return validEvents === null || this.matches === validEvents;
  }

  /** Goes on to event `until` (exclusive), or to the T-th match. */
  advance(until: number): void {
    const { log, rules, epochs } = this.track;
    const { offsets, pool } = log.pools;
    const { candidates } = this;
    const end = Math.min(until, log.events);
    const all = rules.learnFrom === 'all';
    const sampled = rules.subsample < 1;
    for (let t = this.event; t < end; t++) {
      if (epochs !== null && epochs[this.epoch] === t) {
        this.epoch++;
        this.learnWaiting();
      }
      if (sampled && this.subsample.word(t) >= this.below) continue;
      this.consumed++;
      const s = pool === null ? 0 : pool[t];
      candidates.from = offsets[s];
      candidates.to = offsets[s + 1];
      const match = this.decide(t, candidates, log.arm[t]);
      if (match) this.retain(t);
      if (!match && !all) continue;
      if (epochs === null) this.learn(t);
      else this.waiting.push(t);
      if (match && this.matches === rules.validEvents) {
        this.event = t + 1;
        return;
      }
    }
    this.event = Math.max(this.event, end);
  }

  /** Whether event t is retained: whether the learner chooses the logged arm there. */
  protected decide(t: number, candidates: Candidates, arm: number): boolean {
    const { learner } = this;
    return learner.matches === undefined ? learner.choose(t, candidates) === arm : learner.matches(t, candidates, arm);
  }

  /** Learns what waits, so that the final state has seen every event that was to be learnt from. */
  finish(): void {
    this.learnWaiting();
  }

  /** Log indices of the retained events; `null` where not kept. */
  retainedEvents(): Uint32Array | null {
    return this.retained === null ? null : this.retained.slice(0, this.matches);
  }

  state(): Record<string, unknown> {
    return this.learner.state();
  }

  private retain(t: number): void {
    const { log, starts, blockOf } = this.track;
    if (blockOf !== null) this.block = blockOf[t];
    else while (t >= starts[this.block + 1]) this.block++;
    addMatch(this.stats, this.row * this.stats.blocks + this.block, log.payoff.steps[t]);
    if (this.retained !== null) {
      if (this.matches === this.retained.length) {
        const longer = new Uint32Array(this.retained.length * 2);
        longer.set(this.retained);
        this.retained = longer;
      }
      this.retained[this.matches] = t;
    }
    this.matches++;
  }

  private learn(t: number): void {
    const { log } = this.track;
    const steps = log.payoff.steps[t];
    this.learner.update(t, log.arm[t], totalPayoff(log.payoff.scale, 1, steps), steps);
  }

  private learnWaiting(): void {
    for (const t of this.waiting) this.learn(t);
    this.waiting.length = 0;
  }
}

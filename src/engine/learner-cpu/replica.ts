/**
 * One replica by definition, event after event: replay of a learner (Li, Chu, Langford & Wang, WSDM 2011, Algorithm 2;
 * Algorithm 1 with `validEvents`). Every engine returns what this does.
 *
 * Event t is in the replica's subsample where word(seed, stream `subsample`; t, replica) < ⌊p · 2³²⌋. The learner chooses
 * with what it has learnt; where it chooses the logged arm the event is retained: its payoff counts, and the learner
 * learns from it. Other events leave no trace, unless it learns from all.
 */

import type { Archive, Carried } from '../../archive.js';
import { EngineError } from '../../errors.js';
import type { BatchBlocks } from '../../estimate/blocks/block-makers.js';
import type { BlockPlan } from '../../estimate/blocks/blocks.js';
import { addMatch } from '../../estimate/estimators/replay-totals.js';
import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import { totalPayoff } from '../../estimate/sums/payoff-scale.js';
import { brokenAt } from '../../learner/broken.js';
import { Draws, threshold } from '../../learner/draws.js';
import type { Candidates, Learner, Numerics } from '../../learner/learner.js';
import type { PreparedLearner } from '../../learner/set/learner-set.js';
import type { EventLog } from '../../log/event-log.js';
import { STREAM } from '../../random/threefry.js';
import type { ReplayRules, ReplayTrack } from '../learner-contract.js';
import { epochStarts } from './epochs.js';
import { RetainedEvents } from './retained-events.js';

/** @throws InputError where the rules need a column that the log lacks. */
export function makeTrack(log: EventLog, plan: BlockPlan, rules: ReplayRules): ReplayTrack {
  return trackOf(log, rules, epochStarts(log, rules.updateEvery), plan, null);
}

/** The track of a batch of a log. @param epochs see `epochStarts`. */
export function batchTrack(
  log: EventLog,
  rules: ReplayRules,
  epochs: Uint32Array | null,
  { plan, of }: BatchBlocks,
): ReplayTrack {
  return trackOf(log, rules, epochs, plan, of);
}

function trackOf(
  log: EventLog,
  rules: ReplayRules,
  epochs: Uint32Array | null,
  { order, starts, blocks }: BlockPlan,
  of: Uint32Array | null,
): ReplayTrack {
  const blockOf = order === null ? null : new Uint32Array(log.events);
  if (order !== null && blockOf !== null) {
    for (let b = 0; b < blocks; b++)
      for (let i = starts[b]; i < starts[b + 1]; i++) blockOf[order[i]] = of === null ? b : of[b];
  }
  return { log, rules, epochs, starts, of, blockOf };
}

/** A learner that has seen nothing, with the draws of a replica, for the events of a log or of a batch. */
export function freshLearner(
  { log, rules }: Pick<ReplayTrack, 'log' | 'rules'>,
  create: PreparedLearner['create'],
  number: number,
): Learner {
  return create(log, new Draws(rules.seed, number, STREAM.exploration, log.firstEvent));
}

/** Whose run it is: errors say so. */
export type RunSetting = Pick<PreparedLearner, 'name' | 'place'>;

/** One run of one learner, on a whole log or on one batch after the other: what it has come to is carried along. */
export class ReplicaRun implements Carried {
  /** Events of the subsample seen so far. */
  consumed = 0;
  matches = 0;
  /** Next event. */
  event = 0;
  /** Index in the whole log of event 0. */
  protected readonly firstEvent: number;
  private block = 0;
  private epoch = 0;
  /** The event that is decided or learnt. */
  private inHand = 0;
  private readonly subsample: Draws;
  private readonly below: number;
  private readonly retained: RetainedEvents | null;
  /** Events, of the whole log, whose update waits for the next epoch; ascending. */
  private readonly waiting: number[] = [];
  private readonly candidates: { arms: Uint32Array; from: number; to: number };

  /**
   * @param learner a fresh one.
   * @param setting the learner's.
   * @param number of the replica.
   * @param stats receives the matches in row `row`.
   * @param from first event to be gone through.
   */
  constructor(
    protected readonly track: ReplayTrack,
    protected readonly learner: Learner,
    private readonly setting: RunSetting,
    private readonly number: number,
    private readonly stats: BlockStatistics,
    private readonly row: number,
    keepRetained: boolean,
    from = 0,
  ) {
    const { log, rules, epochs } = track;
    this.firstEvent = log.firstEvent ?? 0;
    this.subsample = new Draws(rules.seed, number, STREAM.subsample, this.firstEvent);
    this.below = threshold(rules.subsample);
    this.retained = keepRetained ? new RetainedEvents() : null;
    this.candidates = { arms: log.pools.arms, from: 0, to: 0 };
    this.event = from;
    if (epochs !== null) while (this.epoch < epochs.length && epochs[this.epoch] < from) this.epoch++;
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

  /** Goes on to event `until` (exclusive), or to the T-th match. @throws InputError that names learner and event. */
  advance(until: number): void {
    this.telling(() => this.play(until));
  }

  /** Numbers that break tell whose they are, and at which event: the one in hand. */
  private telling(work: () => void): void {
    try {
      work();
    } catch (error) {
      const { setting, number, track, inHand } = this;
      throw brokenAt(error, { ...setting, replica: number, log: track.log, event: inHand });
    }
  }

  private play(until: number): void {
    const { log, rules, epochs } = this.track;
    const { offsets, pool } = log.pools;
    const { arm } = log;
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
      this.inHand = t;
      const match = this.decide(t, candidates, arm[t]);
      if (match) this.retain(t);
      if (!match && !all) continue;
      if (epochs === null) this.learn(t);
      else this.waiting.push(this.firstEvent + t);
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

  /** Learns what waits of this log or batch and leaves what lies behind it. Earlier events must have been learnt. */
  learnWaiting(): void {
    this.telling(() => this.learnThose());
  }

  private learnThose(): void {
    const { waiting, firstEvent } = this;
    const { events } = this.track.log;
    let learnt = 0;
    for (; learnt < waiting.length && waiting[learnt] < firstEvent + events; learnt++) {
      const t = waiting[learnt] - firstEvent;
      if (t < 0) throw new RangeError(`event ${waiting[learnt]} of an earlier batch has not been learnt`);
      this.learn(t);
    }
    waiting.splice(0, learnt);
  }

  /**
   * To be called when a batch is over: a run that has its T matches decides no more, so what waits is learnt as soon as no
   * event of an earlier batch is among it.
   */
  endBatch(): void {
    if (this.matches === this.track.rules.validEvents && this.waiting[0] >= this.firstEvent) this.learnWaiting();
  }

  /** Events retained by this run, indices into the whole log; `null` where not kept. */
  retainedEvents(): Uint32Array | null {
    return this.retained === null ? null : this.retained.events();
  }

  /**
   * What the run has come to, for the next batch.
   *
   * @throws EngineError for a learner whose state cannot be taken out.
   */
  carry(archive: Archive): void {
    this.consumed = archive.number(this.consumed);
    this.matches = archive.number(this.matches);
    const waiting = archive.list(Float64Array.from(this.waiting));
    if (archive.reading) {
      this.waiting.length = 0;
      for (const event of waiting) this.waiting.push(event);
    }
    if (this.learner.carry === undefined) throw new EngineError('a learner without `carry` was to be carried');
    this.learner.carry(archive);
  }

  state(): Record<string, unknown> {
    return this.learner.state();
  }

  numerics(): Numerics | null {
    return this.learner.numerics?.() ?? null;
  }

  private retain(t: number): void {
    const { log, starts, of, blockOf } = this.track;
    if (blockOf === null) while (t >= starts[this.block + 1]) this.block++;
    const block = blockOf !== null ? blockOf[t] : of === null ? this.block : of[this.block];
    addMatch(this.stats, this.row * this.stats.blocks + block, log.payoff.steps[t]);
    this.retained?.add(this.firstEvent + t);
    this.matches++;
  }

  private learn(t: number): void {
    this.inHand = t;
    const { log } = this.track;
    const steps = log.payoff.steps[t];
    this.learner.update(t, log.arm[t], totalPayoff(log.payoff.scale, 1, steps), steps);
  }
}

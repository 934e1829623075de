/**
 * A replica walked once more, on the CPU, along the events that an engine says it retained. These are taken as the truth, so the
 * state is the one that the engine had to decide with, and every decision can be judged by itself: one that rounding turned
 * does not make the next ones look wrong.
 */

import type { Archive } from '../../archive.js';
import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { Candidates, Learner } from '../../learner/learner.js';
import { plural } from '../../words.js';
import type { ReplayTrack } from '../learner-contract.js';
import { ReplicaRun, type RunSetting } from '../learner-cpu/replica.js';

export interface WalkRules {
  /** Ask at every event of the subsample; else at retained ones, which cannot show a match that was missed. */
  readonly every: boolean;
  /** Largest |margin| at which a decision may differ. */
  readonly tolerance: number;
}

/** A decision that the engine took the other way. */
export interface Disagreement {
  readonly event: number;
  /** By the engine. */
  readonly retained: boolean;
  /** Of the learner that is walked; `null` where it has none. */
  readonly margin: number | null;
}

export class Walk extends ReplicaRun {
  /** Decisions that were asked for. */
  decisions = 0;
  /** Those that the engine took the other way … */
  differing = 0;
  /** … and those of them that no difference within the tolerance explains. */
  beyond = 0;
  /** Largest finite |margin| of a differing decision. */
  largest = 0;
  /** The first decision beyond the tolerance. */
  first: Disagreement | null = null;
  /** The next event of the list was passed by: it can never be reached. */
  lost = false;
  /** Events of the list that were met. */
  private met = 0;

  /**
   * @param learner a fresh one.
   * @param stats of one replica; receives what the list amounts to.
   * @param list the engine's retained events, indices into the whole log.
   */
  constructor(
    track: ReplayTrack,
    learner: Learner,
    setting: RunSetting,
    number: number,
    stats: BlockStatistics,
    private readonly list: Uint32Array,
    private readonly walk: WalkRules,
    from = 0,
  ) {
    super(track, learner, setting, number, stats, 0, false, from);
  }

  protected override decide(t: number, candidates: Candidates, arm: number): boolean {
    const due = this.list[this.met];
    const event = this.firstEvent + t;
    if (due < event) this.lost = true;
    if (this.lost) return false;
    const retained = due === event;
    if (retained) this.met++;
    if ((retained || this.walk.every) && super.decide(t, candidates, arm) !== retained)
      this.disagree({ event, retained, margin: this.learner.margin?.(t, candidates, arm) ?? null });
    if (retained || this.walk.every) this.decisions++;
    return retained;
  }

  override carry(archive: Archive): void {
    super.carry(archive);
    this.decisions = archive.number(this.decisions);
    this.differing = archive.number(this.differing);
    this.beyond = archive.number(this.beyond);
    this.largest = archive.number(this.largest);
    this.lost = archive.flag(this.lost);
    this.met = archive.number(this.met);
  }

  private disagree(one: Disagreement): void {
    this.differing++;
    const size = one.margin === null ? Number.POSITIVE_INFINITY : Math.abs(one.margin);
    if (Number.isFinite(size)) this.largest = Math.max(this.largest, size);
    // A margin that is no number excuses nothing.
    if (size <= this.walk.tolerance) return;
    this.beyond++;
    this.first ??= one;
  }

  /** After the walk, of `events` events: why the list cannot be what a replica retains; `null` where it can. */
  listFault(events = this.track.log.events): string | null {
    const { list, met, track } = this;
    if (met === list.length) return null;
    const event = list[met];
    const { validEvents } = track.rules;
    if (this.matches === validEvents)
      return `${plural(list.length, 'event')} ${list.length === 1 ? 'is' : 'are'} retained, and the first ${validEvents} end it`;
    if (met > 0 && event <= list[met - 1])
      return `retained events are not ascending: ${list[met - 1]} and then ${event}`;
    if (event >= events) return `retained event ${event} is beyond the log`;
    return `retained event ${event} is not in the subsample`;
  }
}

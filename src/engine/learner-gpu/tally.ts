/** The outcome of a replay on the GPU, put together from what dispatches tell. */

import type { Archive, Carried } from '../../archive.js';
import { blockEvents } from '../../estimate/blocks/blocks.js';
import { addMatch, replayKinds } from '../../estimate/estimators/replay-totals.js';
import {
  addBlockStatistics,
  type BlockStatistics,
  carryStatistics,
  emptyBlockStatistics,
  slicePolicies,
} from '../../estimate/sums/block-statistics.js';
import { totalPayoff } from '../../estimate/sums/payoff-scale.js';
import { Draws, threshold } from '../../learner/draws.js';
import type { Numerics } from '../../learner/learner.js';
import type { EventLog } from '../../log/event-log.js';
import { STREAM } from '../../random/threefry.js';
import type { ReplayTrack } from '../learner-contract.js';
import { keepsRetained, type ReplayOutcome, type ReplayWork } from '../learner-contract.js';
import { RetainedEvents, rowLists, sourceRowsOf } from '../learner-cpu/retained-events.js';
import type { Member, Step } from './group.js';

export class Tally implements Carried {
  private readonly stats: BlockStatistics;
  private readonly consumed: Float64Array;
  private readonly complete: Uint8Array;
  private readonly retained: (RetainedEvents | null)[];
  private readonly rows: RetainedEvents[] | null;
  private readonly lists: (Uint32Array | null)[];
  private readonly rowsOfOthers: (Uint32Array | null)[];
  private readonly states: Record<string, unknown>[] = [];
  private readonly numerics: (Numerics | null)[];
  /** Of learners that say how well they solved their equations: Σ payoff times context of each arm, [K, d]. */
  private readonly rightSides: (RightSides | null)[];
  /** Block that a replica's events have come to. */
  private readonly block: Uint32Array;

  /** Where replicas met their T-th match since `learnAll`: the event behind it. */
  private readonly ends = new Map<number, number>();

  private track!: ReplayTrack;

  constructor(private readonly work: ReplayWork) {
    const { replicas, head, blocks, keep, rules } = work;
    this.stats = emptyBlockStatistics(replicas.length, blockEvents(blocks), replayKinds(head.payoff));
    this.consumed = new Float64Array(replicas.length);
    this.complete = new Uint8Array(replicas.length).fill(rules.validEvents === null ? 1 : 0);
    this.retained = replicas.map((_, row) => (keepsRetained(keep, row) ? new RetainedEvents() : null));
    this.rows = rowLists(work);
    this.lists = replicas.map(() => null);
    this.numerics = replicas.map(() => null);
    this.rightSides = replicas.map(() => null);
    this.rowsOfOthers = replicas.map(() => null);
    this.block = new Uint32Array(replicas.length);
  }

  /** Turns to a batch, or to events of it that follow those added last. */
  turnTo(track: ReplayTrack): void {
    if (track === this.track) return;
    this.track = track;
    this.block.fill(0);
  }

  /** What one replica did in one dispatch; dispatches come in the order of the batch. */
  add({ member: { row, kernel }, retained, consumed, finished }: Step, firstEvent: number): void {
    this.consumed[row] += consumed;
    if (kernel.numerics !== undefined && this.work.rules.learnFrom === 'retained') {
      this.rightSides[row] ??= new RightSides(this.work.head);
      this.rightSides[row].add(this.track.log, retained, firstEvent);
    }
    // It says so in every dispatch to come.
    if (finished && this.complete[row] === 0) {
      this.complete[row] = 1;
      this.ends.set(row, firstEvent + retained[retained.length - 1] + 1);
    }
    const kept = this.retained[row];
    if (kept !== null) {
      const origin = (this.track.log.firstEvent ?? 0) + firstEvent;
      const events = retained.map((local) => origin + local);
      kept.addAll(events);
      this.rows?.[row].addAll(sourceRowsOf(this.track.log, events));
    }
    if (this.track.blockOf === null && this.stats.columns.length === 1) this.addRuns(row, retained, firstEvent);
    else this.addEach(row, retained, firstEvent);
  }

  /**
   * Learners that learn from every event they are shown have learnt from events [from, to), up to a T-th match. Replicas of one
   * subsample have learnt the same, so they are gone through together.
   */
  async learnAll(
    members: readonly Pick<Member, 'row' | 'kernel'>[],
    [from, to]: readonly [number, number],
  ): Promise<void> {
    const { rules, replicas, head } = this.work;
    const { log } = this.track;
    const groups = new Map<number, { row: number; end: number }[]>();
    for (const { row, kernel } of members) {
      const end = this.ends.get(row) ?? to;
      const over = rules.validEvents !== null && this.complete[row] === 1 && !this.ends.has(row);
      if (kernel.numerics === undefined || over) continue;
      const subsample = rules.subsample < 1 ? replicas[row].number : 0;
      const group = groups.get(subsample) ?? [];
      groups.set(subsample, group);
      group.push({ row, end });
    }
    for (const [number, rows] of groups) {
      const draws = new Draws(rules.seed, number, STREAM.subsample, log.firstEvent);
      const below = threshold(rules.subsample);
      const sides = new RightSides(head, this.rightSides[rows[0].row]);
      let t = from;
      for (const { row, end } of rows.sort((a, b) => a.end - b.end)) {
        for (; t < end; t++) if (rules.subsample === 1 || draws.word(t) < below) sides.addEvent(log, t);
        this.rightSides[row] = new RightSides(head, sides);
      }
      // A subsample of millions of events takes a while.
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.ends.clear();
  }

  private addEach(row: number, retained: Uint32Array, firstEvent: number): void {
    const { stats, track, block } = this;
    const { starts, of, blockOf, log } = track;
    let b = block[row];
    for (const local of retained) {
      const t = firstEvent + local;
      if (blockOf === null) while (t >= starts[b + 1]) b++;
      const at = blockOf !== null ? blockOf[t] : of === null ? b : of[b];
      addMatch(stats, row * stats.blocks + at, log.payoff.steps[t]);
    }
    block[row] = b;
  }

  /** Blocks are runs of events and payoffs are 0 or 1: tens of millions of events a second pass through here. */
  private addRuns(row: number, retained: Uint32Array, firstEvent: number): void {
    const { stats, block } = this;
    const { starts, of, log } = this.track;
    const { steps } = log.payoff;
    const { length } = retained;
    for (let i = 0, b = block[row]; i < length; ) {
      while (firstEvent + retained[i] >= starts[b + 1]) b++;
      const end = starts[b + 1] - firstEvent;
      const from = i;
      let payoff = 0;
      for (; i < length && retained[i] < end; i++) payoff += steps[firstEvent + retained[i]];
      const at = row * stats.blocks + (of === null ? b : of[b]);
      stats.matches[at] += i - from;
      stats.columns[0][at] += payoff;
      block[row] = b;
    }
  }

  /** States of replicas at the end, [members, stateWords]. */
  addStates(members: readonly Member[], words: Uint32Array): void {
    members.forEach(({ row, kernel }, i) => {
      const state = words.subarray(i * kernel.stateWords, (i + 1) * kernel.stateWords);
      if (this.work.keep.state) this.states[row] = kernel.describe(state);
      this.numerics[row] = kernel.numerics?.(state, this.rightSides[row]?.sums ?? null) ?? null;
    });
  }

  /** Outcome of another engine for replicas `rows`. */
  addAll(rows: readonly number[], part: ReplayOutcome): void {
    rows.forEach((row, i) => {
      addBlockStatistics(this.stats, slicePolicies(part.stats, i, i + 1), row);
      this.consumed[row] = part.consumed[i];
      this.complete[row] = part.complete[i];
      this.lists[row] = part.retained?.[i] ?? null;
      this.rowsOfOthers[row] = part.sourceRows?.[i] ?? null;
      if (part.states !== null) this.states[row] = part.states[i];
      this.numerics[row] = part.numerics?.[i] ?? null;
    });
  }

  carry(archive: Archive): void {
    carryStatistics(archive, this.stats);
    archive.array(this.consumed);
    archive.array(this.complete);
    for (const list of [...this.retained, ...(this.rows ?? [])]) list?.carry(archive);
    this.rightSides.forEach((sides, row) => {
      if (!archive.flag(sides !== null)) return;
      this.rightSides[row] ??= new RightSides(this.work.head);
      archive.array(this.rightSides[row].sums);
    });
  }

  outcome(): ReplayOutcome {
    const { keep } = this.work;
    return {
      stats: this.stats,
      consumed: this.consumed,
      complete: this.complete,
      sourceRows: this.rows?.map((list, row) => this.rowsOfOthers[row] ?? list.events()) ?? null,
      retained:
        keep.retainedOf === 'none' ? null : this.lists.map((list, row) => list ?? this.retained[row]?.events() ?? null),
      states: keep.state ? this.states : null,
      numerics: this.numerics,
    };
  }
}

/** Σ r x of each arm, over what a replica learnt from. */
class RightSides {
  /** [K, d] */
  readonly sums: Float64Array;

  /** @param before what they have come to. */
  constructor({ arms, contexts }: EventLog, before: RightSides | null = null) {
    this.sums = before?.sums.slice() ?? new Float64Array(arms.ids.length * contexts.dimension);
  }

  /** @param retained indices behind `firstEvent`. */
  add(log: EventLog, retained: Uint32Array, firstEvent: number): void {
    for (const local of retained) this.addEvent(log, firstEvent + local);
  }

  addEvent({ arm, contexts, payoff }: EventLog, t: number): void {
    const { values, row, dimension } = contexts;
    const r = totalPayoff(payoff.scale, 1, payoff.steps[t]);
    if (r === 0) return;
    const x = (row === null ? t : row[t]) * dimension;
    const at = arm[t] * dimension;
    for (let j = 0; j < dimension; j++) this.sums[at + j] += r * values[x + j];
  }
}

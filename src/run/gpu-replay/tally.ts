/** The outcome of a replay on the GPU, put together from what dispatches tell. */

import type { Archive, Carried } from '../../archive.js';
import {
  addBlockStatistics,
  type BlockStatistics,
  carryStatistics,
  emptyBlockStatistics,
} from '../../estimate/block-statistics.js';
import { blockEvents } from '../../estimate/blocks.js';
import type { Numerics } from '../../learner/learner.js';
import { addMatch } from '../match-sums.js';
import type { ReplayTrack } from '../replay-backend.js';
import { keepsRetained, type ReplayOutcome, type ReplayWork } from '../replay-backend.js';
import { RetainedEvents, rowLists, sourceRowsOf } from '../retained-events.js';
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
  /** Block that a replica's events have come to. */
  private readonly block: Uint32Array;

  private track!: ReplayTrack;

  constructor(private readonly work: ReplayWork) {
    const { replicas, head, blocks, keep, rules } = work;
    this.stats = emptyBlockStatistics(replicas.length, blockEvents(blocks), head.payoff.maxSteps <= 1);
    this.consumed = new Float64Array(replicas.length);
    this.complete = new Uint8Array(replicas.length).fill(rules.validEvents === null ? 1 : 0);
    this.retained = replicas.map((_, row) => (keepsRetained(keep, row) ? new RetainedEvents() : null));
    this.rows = rowLists(work);
    this.lists = replicas.map(() => null);
    this.numerics = replicas.map(() => null);
    this.rowsOfOthers = replicas.map(() => null);
    this.block = new Uint32Array(replicas.length);
  }

  /** Turns to a stretch, or to events of it that follow those added last. */
  turnTo(track: ReplayTrack): void {
    if (track === this.track) return;
    this.track = track;
    this.block.fill(0);
  }

  /** What one replica did in one dispatch; dispatches come in the order of the stretch. */
  add({ member: { row }, retained, consumed, finished }: Step, firstEvent: number): void {
    this.consumed[row] += consumed;
    if (finished) this.complete[row] = 1;
    const kept = this.retained[row];
    if (kept !== null) {
      const origin = (this.track.log.firstEvent ?? 0) + firstEvent;
      const events = retained.map((local) => origin + local);
      kept.addAll(events);
      this.rows?.[row].addAll(sourceRowsOf(this.track.log, events));
    }
    if (this.track.blockOf === null && this.stats.squareLow === null) this.addRuns(row, retained, firstEvent);
    else this.addEach(row, retained, firstEvent);
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
      stats.payoff[at] += payoff;
      block[row] = b;
    }
  }

  /** States of replicas, [members, stateWords]. */
  addStates(members: readonly Member[], words: Uint32Array): void {
    members.forEach(({ row, twin }, i) => {
      this.states[row] = twin.describe(words.subarray(i * twin.stateWords, (i + 1) * twin.stateWords));
    });
  }

  /** Outcome of another engine for replicas `rows`. */
  addAll(rows: readonly number[], part: ReplayOutcome): void {
    rows.forEach((row, i) => {
      addBlockStatistics(this.stats, oneRow(part.stats, i), row);
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

/** Row `i` of statistics as statistics of their own. */
function oneRow(stats: BlockStatistics, i: number): BlockStatistics {
  const cut = (column: Float64Array): Float64Array => column.subarray(i * stats.blocks, (i + 1) * stats.blocks);
  const { squareHigh, squareLow } = stats;
  return {
    ...stats,
    policies: 1,
    matches: cut(stats.matches),
    payoff: cut(stats.payoff),
    squareHigh: squareHigh === null ? null : cut(squareHigh),
    squareLow: squareLow === null ? null : cut(squareLow),
  };
}

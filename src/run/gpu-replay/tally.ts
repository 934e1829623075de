/** The outcome of a replay on the GPU, put together from what dispatches tell. */

import { addBlockStatistics, type BlockStatistics, emptyBlockStatistics } from '../../estimate/block-statistics.js';
import { blockEvents } from '../../estimate/blocks.js';
import { addMatch } from '../match-sums.js';
import { keepsRetained, type ReplayJob, type ReplayOutcome } from '../replay-backend.js';
import type { ReplayTrack } from '../replay-replica.js';
import { RetainedEvents } from '../retained-events.js';
import type { Member, Step } from './group.js';

export class Tally {
  private readonly stats: BlockStatistics;
  private readonly consumed: Float64Array;
  private readonly complete: Uint8Array;
  private readonly retained: (RetainedEvents | null)[];
  private readonly lists: (Uint32Array | null)[];
  private readonly states: Record<string, unknown>[] = [];
  /** Block that a replica's events have come to. */
  private readonly block: Uint32Array;

  constructor(
    private readonly job: ReplayJob,
    private readonly track: ReplayTrack,
  ) {
    const { replicas, log, plan, keep, rules } = job;
    this.stats = emptyBlockStatistics(replicas.length, blockEvents(plan), log.payoff.maxSteps <= 1);
    this.consumed = new Float64Array(replicas.length);
    this.complete = new Uint8Array(replicas.length).fill(rules.validEvents === null ? 1 : 0);
    this.retained = replicas.map((_, row) => (keepsRetained(keep, row) ? new RetainedEvents() : null));
    this.lists = replicas.map(() => null);
    this.block = new Uint32Array(replicas.length);
  }

  /** What one replica did in one dispatch; dispatches come in the order of the log. */
  add({ member: { row }, retained, consumed, finished }: Step, firstEvent: number): void {
    this.consumed[row] += consumed;
    if (finished) this.complete[row] = 1;
    const kept = this.retained[row];
    if (kept !== null) for (const local of retained) kept.add(firstEvent + local);
    if (this.track.blockOf === null && this.stats.squareLow === null) this.addRuns(row, retained, firstEvent);
    else this.addEach(row, retained, firstEvent);
  }

  private addEach(row: number, retained: Uint32Array, firstEvent: number): void {
    const { stats, track, block } = this;
    const { starts, blockOf, log } = track;
    let b = block[row];
    for (const local of retained) {
      const t = firstEvent + local;
      if (blockOf !== null) b = blockOf[t];
      else while (t >= starts[b + 1]) b++;
      addMatch(stats, row * stats.blocks + b, log.payoff.steps[t]);
    }
    block[row] = b;
  }

  /** Blocks are runs of events and payoffs are 0 or 1: tens of millions of events a second pass through here. */
  private addRuns(row: number, retained: Uint32Array, firstEvent: number): void {
    const { stats, block } = this;
    const { starts, log } = this.track;
    const { steps } = log.payoff;
    const { length } = retained;
    for (let i = 0, b = block[row]; i < length; ) {
      while (firstEvent + retained[i] >= starts[b + 1]) b++;
      const end = starts[b + 1] - firstEvent;
      const from = i;
      let payoff = 0;
      for (; i < length && retained[i] < end; i++) payoff += steps[firstEvent + retained[i]];
      stats.matches[row * stats.blocks + b] += i - from;
      stats.payoff[row * stats.blocks + b] += payoff;
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
      if (part.states !== null) this.states[row] = part.states[i];
    });
  }

  outcome(): ReplayOutcome {
    const { keep } = this.job;
    return {
      stats: this.stats,
      consumed: this.consumed,
      complete: this.complete,
      retained:
        keep.retainedOf === 'none' ? null : this.lists.map((list, row) => list ?? this.retained[row]?.events() ?? null),
      states: keep.state ? this.states : null,
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

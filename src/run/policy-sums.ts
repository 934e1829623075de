/** Statistics of the policies of one entry, added up batch by batch. */

import type { Archive, Carried } from '../archive.js';
import type { BatchBlocks } from '../estimate/blocks/block-makers.js';
import { addBlocks } from '../estimate/estimators/replay-totals.js';
import { addFirst, type Match } from '../estimate/estimators/valid-events.js';
import {
  addBatchStatistics,
  addPartStatistics,
  type BlockStatistics,
  carryStatistics,
  emptyBlockStatistics,
} from '../estimate/sums/block-statistics.js';
import { ExactSums, type Totals } from '../estimate/sums/exact-sums.js';
import type { ColumnKind } from '../estimate/sums/summands.js';
import type { EventLog } from '../log/event-log.js';
import type { CompiledPolicies } from '../policy/compiled.js';
import type { AnyPolicies } from '../policy/drawn/drawn.js';
import { referenceChoice } from '../policy/reference.js';

/** Policies of one entry with their results. */
export interface EvaluatedPolicies extends Pick<AnyPolicies, 'policies' | 'names' | 'family' | 'kind'> {
  readonly stats: BlockStatistics;
  /** Totals of the first T matches, `null` for a policy that has not so many; absent under Algorithm 2. */
  readonly first: readonly (Totals | null)[] | null;
}

export class PolicySums implements Carried {
  readonly stats: BlockStatistics;
  readonly first: (Totals | null)[] | null;
  /** Matches so far, while T of them are sought. */
  private readonly matches: Float64Array;

  /**
   * @param policies P
   * @param events n[b] of the whole log.
   * @param validEvents T of Algorithm 1, `null`: Algorithm 2.
   */
  constructor(
    private readonly policies: number,
    events: Float64Array,
    kinds: readonly ColumnKind[],
    private readonly validEvents: number | null,
  ) {
    this.stats = emptyBlockStatistics(policies, events, kinds);
    this.first = validEvents === null ? null : new Array<null>(policies).fill(null);
    this.matches = new Float64Array(validEvents === null ? 0 : policies);
  }

  /** Adds what an engine returned for a batch; batches come in the order of the log. */
  add(batch: EventLog, compiled: AnyPolicies, { plan, of }: BatchBlocks, part: BlockStatistics): void {
    // The batch that holds the T-th match is at hand now: it is not read again.
    if (this.first !== null && compiled.kind !== 'drawn') this.findFirst(batch, compiled, plan, part, this.first);
    addBatchStatistics(this.stats, part, of);
  }

  /** Adds what was evaluated elsewhere. @param blocks of the log, of each block of `part`. @param policy the first of them. */
  addStored(part: BlockStatistics, blocks: Uint32Array, policy: number): void {
    addPartStatistics(this.stats, part, blocks, policy);
  }

  private findFirst(
    log: EventLog,
    compiled: CompiledPolicies,
    plan: BatchBlocks['plan'],
    part: BlockStatistics,
    first: (Totals | null)[],
  ): void {
    const { firstEvent = 0, arm, payoff } = log;
    const choose = referenceChoice(compiled, log);
    function* rescan(policy: number, from: number, to: number): Generator<Match> {
      for (let t = from; t < to; t++)
        if (choose(policy, t) === arm[t]) yield { event: firstEvent + t, steps: payoff.steps[t] };
    }
    for (let p = 0; p < this.policies; p++) {
      if (first[p] !== null || this.validEvents === null) continue;
      let found = 0;
      for (let b = 0; b < part.blocks; b++) found += part.matches[p * part.blocks + b];
      const missing = this.validEvents - this.matches[p];
      this.matches[p] += found;
      if (found < missing) continue;
      const sums = new ExactSums();
      addBlocks(sums, this.stats, p, 0, this.stats.blocks);
      addFirst(sums, part, plan, p, missing, rescan);
      first[p] = sums.totals();
    }
  }

  carry(archive: Archive): void {
    carryStatistics(archive, this.stats);
    archive.array(this.matches);
    this.first?.forEach((known, p, all) => {
      if (!archive.flag(known !== null)) return;
      const { events, matches, payoff, square, centred } = known ?? EMPTY;
      all[p] = {
        events: archive.number(events),
        matches: archive.number(matches),
        payoff: archive.number(payoff),
        square: archive.number(square),
        centred: archive.number(centred),
      };
    });
  }
}

const EMPTY: Totals = { events: 0, matches: 0, payoff: 0, square: 0, centred: 0 };

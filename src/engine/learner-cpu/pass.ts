/** A pass of learners over a log, batch by batch, with what goes on from one batch to the next. */

import type { Archive, Carried } from '../../archive.js';
import type { BatchBlocks, BlockMaker } from '../../estimate/blocks/block-makers.js';
import type { LearnersOf } from '../../learner/set/learner-set.js';
import type { EventLog } from '../../log/event-log.js';
import type { LogStream } from '../../log/stream.js';
import { batches } from '../batches.js';
import type { ReplayBatch, ReplayRules } from '../learner-contract.js';
import { epochStarts } from './epochs.js';
import { batchTrack } from './replica.js';

/** What is played along a log: an engine's session, or a verification. */
export interface Player {
  /** Events of earlier batches that wait for an update must be shown once more. */
  readonly catchesUp: boolean;
  play(batch: ReplayBatch, range: readonly [number, number]): Promise<void>;
  learn(batch: ReplayBatch): Promise<void>;
}

export interface PassLog {
  readonly stream: LogStream;
  /** Events of a batch. */
  readonly size: number;
  readonly blocks: BlockMaker;
  readonly learnersOf: LearnersOf;
  readonly rules: ReplayRules;
  /** Memory is bounded. */
  readonly bounded: boolean;
  readonly signal?: AbortSignal;
  /** Told each batch once, when it has been played. */
  readonly seen?: (batch: EventLog, blocks: BatchBlocks) => void;
}

export class ReplayPass implements Carried {
  /** Next event. */
  position = 0;
  /** First event of the epoch under way: updates of events from there on may wait. */
  private epochBegan = 0;
  private previousTime: number | null = null;

  /** @param after called when a batch has been played: all state is that of its end. */
  async run(log: PassLog, player: Player, after: () => Promise<void>): Promise<void> {
    const { stream, size, blocks, learnersOf, rules, bounded, signal, seen } = log;
    for await (const batch of batches(stream, size, { from: this.position, bounded, signal })) {
      const epochs = epochStarts(batch, rules.updateEvery, this.previousTime);
      const cut = blocks.cut(batch);
      const piece: ReplayBatch = {
        track: batchTrack(batch, rules, epochs, cut),
        settings: await learnersOf(batch),
      };
      const { events } = batch;
      const first = this.position;
      const next = epochs === null || epochs.length === 0 ? null : epochs[0];
      if (next !== null && player.catchesUp && this.epochBegan < first) {
        // The epoch under way ends here: what it left in earlier batches is learnt first.
        if (next > 0) await player.play(piece, [0, next]);
        await this.catchUp(log, player, this.epochBegan, first);
        // Replicas that are at their end meet no epoch any more.
        await player.learn(piece);
        await player.play(piece, [next, events]);
      } else await player.play(piece, [0, events]);
      if (epochs !== null && epochs.length > 0) this.epochBegan = first + epochs[epochs.length - 1];
      if (batch.time !== null && events > 0) this.previousTime = batch.time[events - 1];
      seen?.(batch, cut);
      this.position += events;
      await after();
    }
  }

  /** Learns what still waits, for final states. */
  async learnRest(log: PassLog, player: Player): Promise<void> {
    if (player.catchesUp) await this.catchUp(log, player, this.epochBegan, this.position);
  }

  private async catchUp(
    { stream, size, learnersOf, rules, bounded, signal }: PassLog,
    player: Player,
    from: number,
    to: number,
  ): Promise<void> {
    if (from === to) return;
    for await (const batch of batches(stream, size, { from, to, bounded, signal })) {
      const track = batchTrack(batch, rules, NO_EPOCHS, oneBlock(batch));
      await player.learn({ track, settings: await learnersOf(batch) });
    }
  }

  carry(archive: Archive): void {
    this.position = archive.number(this.position);
    this.epochBegan = archive.number(this.epochBegan);
    const known = archive.flag(this.previousTime !== null);
    this.previousTime = known ? archive.number(this.previousTime ?? 0) : null;
  }
}

const NO_EPOCHS = new Uint32Array(0);

/** Events that are learnt from are in no block: nothing is counted. */
function oneBlock({ events }: EventLog): BatchBlocks {
  const plan = {
    blocks: 1,
    starts: Float64Array.of(0, events),
    order: null,
    description: { kind: 'run' },
    labels: null,
  } as const;
  return { plan, of: Uint32Array.of(0) };
}

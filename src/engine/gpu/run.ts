/** One evaluation on the GPU: policies pass pieces of the log, their results are added up, doubtful decisions settled. */

import { EngineError } from '../../errors.js';
import { type BlockStatistics, emptyBlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { GpuContext } from '../../gpu/context.js';
import type { Screen } from '../../policy/screen.js';
import type { RunOptions } from '../contract.js';
import { MatchSums } from '../match-sums.js';
import type { Worklist } from '../worklist.js';
import { CellEntries, entryBlock } from './cell-entries.js';
import type { GpuPlan } from './plan.js';
import type { Piece, Stage } from './stage.js';
import { GpuStep } from './step.js';

/** Submissions in flight: the GPU works on one while the host adds up the results of another and packs the next chunk. */
const IN_FLIGHT = 3;
/** Decisions of the first submissions; more where they take less than the time, so that none hogs a device and few trips are made. */
const FIRST_DECISIONS = 2 ** 26;
const MOST_DECISIONS = 2 ** 31;
const SUBMISSION_MS = 40;
/** Bytes of sums that one submission returns. */
const SUMS_BYTES = 2 ** 25;

/** Policies from..to−1 that pass a piece. */
interface Work {
  readonly piece: PassedPiece;
  readonly from: number;
  readonly to: number;
}

interface PassedPiece extends Piece {
  /** Policies that have yet to pass; at 0 its buffers are freed. */
  pending: number;
}

export class GpuRun {
  /** Decisions settled on the CPU so far. */
  settled = 0;
  private readonly stats: BlockStatistics;
  private readonly steps: GpuStep[] = [];
  private readonly sums: MatchSums;
  private readonly live = new Set<PassedPiece>();
  private cellEntries: CellEntries | null = null;
  private decisions = FIRST_DECISIONS;
  private finished = performance.now();

  /** @param blockEvents n[b] of the log. */
  constructor(
    private readonly context: GpuContext,
    private readonly stage: Stage,
    private readonly policies: number,
    blockEvents: Float64Array,
    private readonly screen: Screen | null,
    private readonly worklist: Worklist,
    private readonly sizes: GpuPlan,
  ) {
    this.sums = new MatchSums(worklist);
    this.stats = emptyBlockStatistics(policies, blockEvents, worklist.kinds);
  }

  /** Statistics of all policies that are not left to the CPU. @throws EngineError where the device fails. */
  async execute(options: RunOptions): Promise<BlockStatistics> {
    await this.runAll(this.work(), options);
    this.context.check();
    return this.stats;
  }

  /** Piece by piece, all policies while one is on the device. */
  private async *work(): AsyncGenerator<Work> {
    for await (const one of this.stage.pieces()) {
      const piece = { ...one, pending: this.policies };
      this.live.add(piece);
      if (this.stage.onCpu.size === this.policies) return;
      const most = Math.floor(SUMS_BYTES / (piece.blocks.length * this.rowWords * 4));
      for (let from = 0; from < this.policies; ) {
        const now = Math.min(this.sizes.tile, most, Math.floor(this.decisions / piece.decisions));
        const to = Math.min(this.policies, from + Math.max(1, now));
        yield { piece, from, to };
        from = to;
      }
    }
  }

  /**
   * Runs work in several lanes. Policies whose doubtful list overflowed have not been counted: their halves are run instead,
   * and a single policy is left to the CPU.
   */
  private async runAll(work: AsyncGenerator<Work>, { onProgress, signal }: RunOptions): Promise<void> {
    const again: Work[] = [];
    let stopped = false;
    const next = async (): Promise<Work | undefined> => {
      if (stopped) return undefined;
      const first = again.shift();
      if (first !== undefined) return first;
      const { done, value } = await work.next();
      return done === true ? undefined : value;
    };
    const lane = async (step: GpuStep): Promise<void> => {
      for (let one = await next(); one !== undefined; one = await next()) {
        signal?.throwIfAborted();
        const { piece, from, to } = one;
        const counted = await this.pass(one, step);
        if (!counted && to - from > 1) {
          const middle = (from + to) >> 1;
          again.unshift({ piece, from, to: middle }, { piece, from: middle, to });
          continue;
        }
        if (!counted) this.stage.leaveToCpu(from);
        onProgress?.((to - from) * piece.events);
        piece.pending -= to - from;
        if (piece.pending === 0) this.release(piece);
      }
    };
    const running = Array.from({ length: IN_FLIGHT }, (_, i) =>
      lane(this.step(i)).catch((error: unknown) => {
        // The other lanes stop at their next piece of work.
        stopped = true;
        throw error;
      }),
    );
    // All lanes must have come to rest before the buffers go away, whichever failed.
    const failed = (await Promise.allSettled(running)).find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Adds the results of policies on a piece; false where the doubtful list overflowed and nothing was added. */
  private async pass({ piece, from, to }: Work, step: GpuStep): Promise<boolean> {
    const { sums, doubtful } = await step.run(piece.blocks.length * (to - from) * this.rowWords, (encoder, buffers) =>
      piece.encode(encoder, { from, to, ...buffers, doubtfulCapacity: this.sizes.doubtful }),
    );
    const now = performance.now();
    const wasFull = ((to - from) * 2 + 2) * piece.decisions > this.decisions;
    if (wasFull && now - this.finished < SUBMISSION_MS) this.decisions = Math.min(MOST_DECISIONS, this.decisions * 2);
    this.finished = now;
    if (doubtful === null) this.decisions = FIRST_DECISIONS;
    if (doubtful === null) return false;
    this.addSums(piece, from, to, sums);
    for (let d = 0; d < doubtful.length; d += 2) this.decideExactly(from + doubtful[d], piece.cellOf[doubtful[d + 1]]);
    return true;
  }

  private step(lane: number): GpuStep {
    this.steps[lane] ??= new GpuStep(this.context, this.sizes.doubtful);
    return this.steps[lane];
  }

  /** T, and the stage's words. */
  private get rowWords(): number {
    return 1 + this.stage.words.length;
  }

  private addSums({ blocks }: Piece, from: number, to: number, sums: Uint32Array): void {
    const { stats } = this;
    const { words } = this.stage;
    const columns = words.map(({ column }) => stats.columns[column]);
    let at = 0;
    for (const block of blocks) {
      for (let place = from * stats.blocks + block; place < to * stats.blocks; place += stats.blocks) {
        stats.matches[place] += sums[at++];
        for (let w = 0; w < words.length; w++) {
          const value = sums[at++] * words[w].scale;
          const column = columns[w];
          if (stats.kinds[words[w].column].reduce === 'sum') column[place] += value;
          else if (value > column[place]) column[place] = value;
        }
      }
    }
  }

  /** Decides one doubtful (policy, cell) in f64 and adds the entries it matches. */
  private decideExactly(policy: number, cell: number): void {
    if (this.screen === null) throw new EngineError('a policy that has no scores was reported as doubtful');
    const { entries, cellEvent } = this.worklist;
    const choice = this.screen.choice(policy, cellEvent === null ? cell : cellEvent[cell]);
    this.settled++;
    this.cellEntries ??= new CellEntries(entries, this.worklist.cells);
    for (const entry of this.cellEntries.of(cell)) {
      if (entries.arm[entry] !== choice) continue;
      this.sums.add(entry);
      this.sums.store(this.stats, policy * this.stats.blocks + entryBlock(entries, entry));
    }
  }

  private release(piece: PassedPiece): void {
    this.live.delete(piece);
    piece.free();
  }

  /** Frees everything. */
  close(): void {
    for (const piece of this.live) this.release(piece);
    this.stage.close();
    for (const step of this.steps) step.close();
  }
}

/** One evaluation on the GPU: chunks and tiles in flight, their results added up, doubtful decisions settled. */

import { EngineError } from '../../errors.js';
import { type BlockPlan, blockEvents } from '../../estimate/blocks/blocks.js';
import { type BlockStatistics, emptyBlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { GpuContext, Pipeline } from '../../gpu/context.js';
import type { EventLog } from '../../log/event-log.js';
import type { CompiledPolicies } from '../../policy/compiled.js';
import type { Screen } from '../../policy/screen.js';
import type { RunOptions } from '../contract.js';
import { MatchSums } from '../match-sums.js';
import type { Worklist } from '../worklist.js';
import { CellEntries, entryBlock } from './cell-entries.js';
import { cutSegments, type EntryChunk, packCellEntries, packDirectEntries } from './entries.js';
import { columnConstants, MATCH_POLICIES, matchKernel } from './kernels.js';
import type { GpuPlan } from './plan.js';
import { type ChoiceSource, type LoadedCells, makeSource } from './sources.js';
import { GpuStep, type StepWork } from './step.js';

/** Tiles in flight: enough work queued on the GPU while the host packs the next chunk. */
const IN_FLIGHT = 8;
const WORD = 2 ** 32;

/** Policies from..to−1. */
interface PolicyTile {
  readonly from: number;
  readonly to: number;
}

/** Entries on the device, and the cells they point at. */
interface LoadedEntries {
  readonly cells: LoadedCells;
  readonly chunk: EntryChunk;
  readonly entries: GPUBuffer;
  readonly segments: GPUBuffer;
  /** Events that the entries stand for. */
  readonly events: number;
  /** Policies that have yet to pass; at 0 the buffers are freed. */
  pending: number;
}

/** A tile to be run on a chunk. */
interface Work {
  readonly tile: PolicyTile;
  readonly chunks: readonly LoadedEntries[];
}

export class GpuRun {
  /** Decisions settled on the CPU so far. */
  settled = 0;
  private readonly source: ChoiceSource;
  private readonly stats: BlockStatistics;
  private readonly direct: boolean;
  private pipeline!: Pipeline<typeof matchKernel.params, keyof typeof matchKernel.bindings>;
  private choices: GPUBuffer | null = null;
  private readonly outgrown: GPUBuffer[] = [];
  private readonly steps: GpuStep[] = [];
  private cellEntries: CellEntries | null = null;
  private readonly sums: MatchSums;

  constructor(
    private readonly context: GpuContext,
    private readonly log: EventLog,
    plan: BlockPlan,
    private readonly compiled: CompiledPolicies,
    private readonly screen: Screen | null,
    private readonly worklist: Worklist,
    private readonly sizes: GpuPlan,
  ) {
    this.source = makeSource(context, log, compiled, screen, worklist.cells);
    this.direct = worklist.entries.cell === null;
    this.sums = new MatchSums(worklist);
    this.stats = emptyBlockStatistics(compiled.policies, blockEvents(plan), worklist.kinds);
  }

  /** Policies whose statistics are not filled in, because f32 cannot separate their arms. */
  get onCpu(): ReadonlySet<number> {
    return this.source.onCpu;
  }

  /** Statistics of all policies that are not left to the CPU. @throws EngineError where the device fails. */
  async execute(options: RunOptions): Promise<BlockStatistics> {
    const { entries, kinds } = this.worklist;
    await this.source.prepare();
    const constants = { DIRECT: this.direct, FOLDED: entries.folded !== null, ...columnConstants(kinds) };
    this.pipeline = await this.context.pipeline(matchKernel, constants);
    // Cells that many entries share keep their choices in place until every chunk has passed: one tile at a time.
    if (this.direct) await this.runAll(this.directWork(), IN_FLIGHT, options);
    else await this.runAll(this.cellWork(), 1, options);
    this.context.check();
    return this.stats;
  }

  private readonly eventOf = (cell: number): number => {
    const { cellEvent } = this.worklist;
    return cellEvent === null ? cell : cellEvent[cell];
  };

  /** Every entry is a cell: chunk by chunk, all policy tiles while a chunk is on the device. */
  private *directWork(): Generator<Work> {
    const { entries } = this.worklist;
    for (let from = 0; from < entries.count; from += this.sizes.chunk) {
      const to = Math.min(entries.count, from + this.sizes.chunk);
      const segments = cutSegments(entries, from, to, this.sizes.segment);
      const groups = segments.map((segment) => [segment.from, segment.to] as const);
      const cells = this.source.load(groups, this.eventOf);
      const packed = packDirectEntries(entries, segments, cells.cellOf, cells.groupSlots);
      const chunk = this.upload(cells, packed, to - from);
      for (const tile of this.tiles()) yield { tile, chunks: [chunk] };
    }
  }

  /** Cells are decided once per tile; the entries then pass by, chunk by chunk. */
  private *cellWork(): Generator<Work> {
    const { entries } = this.worklist;
    const cells = this.source.load([[0, this.worklist.cells]], this.eventOf);
    const slotOf = new Uint32Array(this.worklist.cells);
    cells.cellOf.forEach((cell, slot) => {
      if (cell >= 0) slotOf[cell] = slot;
    });
    const chunks: LoadedEntries[] = [];
    for (let from = 0; from < entries.count; from += this.sizes.chunk) {
      const to = Math.min(entries.count, from + this.sizes.chunk);
      const segments = cutSegments(entries, from, to, this.sizes.segment);
      const packed = packCellEntries(entries, segments, from, to, (cell) => slotOf[cell]);
      chunks.push(this.upload(cells, packed, (this.log.events * (to - from)) / entries.count));
    }
    for (const tile of this.tiles()) yield { tile, chunks };
  }

  private tiles(): PolicyTile[] {
    const { tile } = this.sizes;
    const { policies } = this.compiled;
    const count = Math.ceil(policies / tile);
    return Array.from({ length: count }, (_, i) => ({ from: i * tile, to: Math.min(policies, (i + 1) * tile) }));
  }

  private upload(cells: LoadedCells, chunk: EntryChunk, events: number): LoadedEntries {
    const entries = this.context.upload('entries', chunk.data);
    const segments = this.context.upload('segments', chunk.segments);
    return { cells, chunk, entries, segments, events, pending: this.compiled.policies };
  }

  /**
   * Runs work in several lanes. A tile whose doubtful list overflowed has not been counted: its halves are run instead,
   * and a single policy is left to the CPU.
   */
  private async runAll(work: Iterator<Work>, lanes: number, { onProgress, signal }: RunOptions): Promise<void> {
    const again: Work[] = [];
    let stopped = false;
    const next = (): Work | undefined => {
      if (stopped) return undefined;
      const first = again.shift();
      if (first !== undefined) return first;
      const { done, value } = work.next();
      return done ? undefined : value;
    };
    const lane = async (step: GpuStep): Promise<void> => {
      for (let one = next(); one !== undefined; one = next()) {
        signal?.throwIfAborted();
        const { tile, chunks } = one;
        const policies = tile.to - tile.from;
        const counted = await this.runTile(one, step);
        if (!counted && policies > 1) {
          const middle = (tile.from + tile.to) >> 1;
          again.unshift({ chunks, tile: { ...tile, to: middle } }, { chunks, tile: { ...tile, from: middle } });
          continue;
        }
        if (!counted) this.source.leaveToCpu(tile.from);
        for (const chunk of chunks) {
          onProgress?.(Math.round(policies * chunk.events));
          chunk.pending -= policies;
          if (chunk.pending === 0) this.release(chunk);
        }
      }
    };
    const running = Array.from({ length: lanes }, (_, i) =>
      lane(this.step(i)).catch((error: unknown) => {
        // The other lanes stop at their next tile.
        stopped = true;
        throw error;
      }),
    );
    // All lanes must have come to rest before the buffers go away, whichever failed.
    const failed = (await Promise.allSettled(running)).find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Results of one tile on its chunks; false where the doubtful list overflowed and nothing was added. */
  private async runTile({ tile, chunks }: Work, step: GpuStep): Promise<boolean> {
    for (const [i, loaded] of chunks.entries()) {
      // Choices are made with the first chunk and stay for the others.
      const results = await step.run(this.encode(tile, loaded, step, i === 0));
      if (i === 0 && results.doubtful === null) return false;
      this.addSums(tile, loaded.chunk, results.sums);
      const pairs = results.doubtful ?? [];
      for (let d = 0; d < pairs.length; d += 2)
        this.decideExactly(tile.from + pairs[d], loaded.cells.cellOf[pairs[d + 1]]);
    }
    return true;
  }

  /** Records choosing (for a tile's first chunk) and matching. */
  private encode(tile: PolicyTile, loaded: LoadedEntries, step: GpuStep, choose: boolean): StepWork {
    const choices = this.choiceBuffer(loaded.cells);
    const choiceStride = loaded.cells.cellOf.length / 2;
    const policies = tile.to - tile.from;
    const segments = loaded.chunk.block.length;
    return {
      sumWords: segments * policies * this.sumWords,
      doubts: choose,
      encode: (encoder) => {
        const target = { ...tile, choices, doubtful: step.doubtful, doubtfulCapacity: this.sizes.doubtful };
        const scratch = choose ? loaded.cells.encode(encoder, target) : [];
        const params = this.context.uniform(this.pipeline, { policies, choiceStride, segments });
        const { entries } = loaded;
        const bindings = { choices, entries, segments: loaded.segments, sums: step.sums };
        const groups = Math.ceil(policies / MATCH_POLICIES);
        this.context.dispatch(encoder, this.pipeline, params, bindings, segments, groups);
        return [params, ...scratch];
      },
    };
  }

  /** The one choice matrix: steps run one after the other on the device, so they can share it. */
  private choiceBuffer({ cellOf }: LoadedCells): GPUBuffer {
    const bytes = cellOf.length * 2 * this.sizes.tile;
    if (this.choices === null || this.choices.size < bytes) {
      // Freed only when the run ends: steps in flight may still use the smaller one.
      if (this.choices !== null) this.outgrown.push(this.choices);
      this.choices = this.context.storage('choices', bytes);
    }
    return this.choices;
  }

  private step(lane: number): GpuStep {
    // A chunk is cut at block borders as well.
    const segments = Math.ceil(this.sizes.chunk / this.sizes.segment) + this.stats.blocks + 1;
    this.steps[lane] ??= new GpuStep(this.context, segments * this.sizes.tile * this.sumWords, this.sizes.doubtful);
    return this.steps[lane];
  }

  /** T, and two words for each column. */
  private get sumWords(): number {
    return 1 + 2 * this.worklist.kinds.length;
  }

  private addSums(tile: PolicyTile, { block }: EntryChunk, words: Uint32Array): void {
    const { stats, sumWords } = this;
    const policies = tile.to - tile.from;
    for (let s = 0, at = 0; s < block.length; s++) {
      for (let p = 0; p < policies; p++, at += sumWords) {
        const to = (tile.from + p) * stats.blocks + block[s];
        stats.matches[to] += words[at];
        stats.kinds.forEach(({ reduce }, c) => {
          const value = words[at + 1 + 2 * c] + words[at + 2 + 2 * c] * WORD;
          const column = stats.columns[c];
          column[to] = reduce === 'sum' ? column[to] + value : Math.max(column[to], value);
        });
      }
    }
  }

  /** Decides one doubtful (policy, cell) in f64 and adds the entries it matches. */
  private decideExactly(policy: number, cell: number): void {
    if (this.screen === null) throw new EngineError(`a ${this.compiled.kind} policy was reported as doubtful`);
    const { entries } = this.worklist;
    const choice = this.screen.choice(policy, this.eventOf(cell));
    this.settled++;
    this.cellEntries ??= new CellEntries(entries, this.worklist.cells);
    for (const entry of this.cellEntries.of(cell)) {
      if (entries.arm[entry] !== choice) continue;
      this.sums.add(entry);
      this.sums.store(this.stats, policy * this.stats.blocks + entryBlock(entries, entry));
    }
  }

  private release(chunk: LoadedEntries): void {
    this.context.free(chunk.entries, chunk.segments);
    if (this.direct) chunk.cells.free();
  }

  /** Frees everything; chunks of a run that failed are freed with the context. */
  close(): void {
    this.source.close();
    this.context.free(this.choices, ...this.outgrown);
    for (const step of this.steps) step.close();
  }
}

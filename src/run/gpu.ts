/**
 * The GPU engine: choices of a policy tile at a chunk's cells, then matches, then integer sums; what f32 cannot prove
 * is settled by the CPU. Results equal the CPU engine's to the last bit.
 */

import { EngineError } from '../errors.js';
import { type BlockStatistics, emptyBlockStatistics, LIMB } from '../estimate/block-statistics.js';
import { type BlockPlan, blockEvents } from '../estimate/blocks.js';
import { GpuContext, type Pipeline } from '../gpu/context.js';
import type { EventLog } from '../log/event-log.js';
import type { LinearBatch, PolicyBatch } from '../policy/batch.js';
import { linearChoiceAt } from '../policy/linear/cpu.js';
import type { Backend, EngineReport, RunOptions } from './backend.js';
import { CpuBackend } from './cpu.js';
import { MATCH_POLICIES, matchKernel, TILE } from './gpu-kernels.js';
import { cutSegments, type EntryChunk, packCellEntries, packDirectEntries } from './gpu-pack.js';
import { type GpuPlan, type PlanOverrides, planGpu } from './gpu-plan.js';
import { type ChoiceSource, makeSource, type Slots, sourceBytes } from './gpu-sources.js';
import { MatchSums } from './match-sums.js';
import { makeWorklist, type Worklist } from './worklist.js';

export interface GpuOptions {
  /** Adapter description for the result. */
  description?: string;
  /** Threads of the CPU engine that stands in where the GPU cannot prove an answer. */
  threads?: number;
  /** Upper bounds on sizes, for tests and benchmarks. */
  plan?: PlanOverrides;
}

/** Widest arm index of the u16 choice matrix, sentinels excluded. */
const MAX_ARMS = 0xfffe;
/** Steps in flight: the CPU packs and settles one while the GPU runs the others. */
const IN_FLIGHT = 3;
/** Pairs of the doubtful list that are read back without asking how many there are. */
const EAGER_PAIRS = 4096;

export class GpuBackend implements Backend {
  readonly report: EngineReport;
  private readonly context: GpuContext;
  private readonly cpu: CpuBackend;

  constructor(
    device: GPUDevice,
    private readonly options: GpuOptions = {},
  ) {
    this.context = new GpuContext(device);
    this.cpu = new CpuBackend({ threads: options.threads });
    this.report = {
      device: 'gpu',
      adapter: options.description ?? 'GPU',
      threads: this.cpu.report.threads,
      settledOnCpu: 0,
      decisions: 0,
      seconds: 0,
    };
  }

  async evaluate(
    log: EventLog,
    plan: BlockPlan,
    batch: PolicyBatch,
    options: RunOptions = {},
  ): Promise<BlockStatistics> {
    const started = performance.now();
    this.context.check();
    const stats = await this.run(log, plan, batch, options);
    this.report.decisions += batch.policies * log.events;
    this.report.seconds += (performance.now() - started) / 1000;
    return stats;
  }

  private async run(log: EventLog, plan: BlockPlan, batch: PolicyBatch, options: RunOptions): Promise<BlockStatistics> {
    const worklist = makeWorklist(log, plan, batch);
    const sizes = this.plan(batch, worklist);
    if (sizes === null || log.events === 0 || log.arms.ids.length > MAX_ARMS) {
      this.report.settledOnCpu += batch.policies * worklist.cells;
      return this.cpu.evaluate(log, plan, batch, options);
    }
    const run = new GpuRun(this.context, log, plan, batch, worklist, sizes);
    try {
      if (run.muted.size === batch.policies) {
        this.report.settledOnCpu += batch.policies * worklist.cells;
        return await this.cpu.evaluate(log, plan, batch, options);
      }
      const stats = await run.execute(options);
      this.report.settledOnCpu += run.settled;
      await this.runMuted(log, plan, batch, run.muted, worklist, stats, options);
      return stats;
    } finally {
      run.close();
    }
  }

  private plan(batch: PolicyBatch, worklist: Worklist): GpuPlan | null {
    const bytes = sourceBytes(batch);
    const direct = worklist.entries.cell === null;
    // Tiles of one group of cells are full but for the last.
    const cellSlots = direct ? null : worklist.cells + TILE;
    const { limits } = this.context.device;
    if (!direct && worklist.cells * bytes.perEntry * 2 > limits.maxStorageBufferBindingSize) return null;
    return planGpu(
      limits,
      {
        policies: batch.policies,
        entries: worklist.entries.count,
        cellSlots,
        bytesPerEntry: direct ? bytes.perEntry : 32,
        bytesPerPolicy: bytes.perPolicy,
      },
      this.options.plan,
    );
  }

  /** Policies that f32 cannot separate are the CPU's altogether. */
  private async runMuted(
    log: EventLog,
    plan: BlockPlan,
    batch: PolicyBatch,
    muted: ReadonlySet<number>,
    worklist: Worklist,
    stats: BlockStatistics,
    options: RunOptions,
  ): Promise<void> {
    if (muted.size === 0 || batch.kind !== 'linear') return;
    const policies = [...muted].sort((a, b) => a - b);
    const part = await this.cpu.evaluate(log, plan, pickPolicies(batch, policies), { signal: options.signal });
    policies.forEach((p, i) => {
      for (let b = 0; b < stats.blocks; b++) {
        const [from, to] = [i * stats.blocks + b, p * stats.blocks + b];
        stats.matches[to] = part.matches[from];
        stats.payoff[to] = part.payoff[from];
        if (
          stats.squareLow === null ||
          stats.squareHigh === null ||
          part.squareLow === null ||
          part.squareHigh === null
        )
          continue;
        stats.squareLow[to] = part.squareLow[from];
        stats.squareHigh[to] = part.squareHigh[from];
      }
    });
    this.report.settledOnCpu += policies.length * worklist.cells;
  }

  async close(): Promise<void> {
    this.context.close();
    await this.cpu.close();
  }
}

/** The batch with only some of its policies. */
function pickPolicies(batch: LinearBatch, policies: readonly number[]): LinearBatch {
  const size = batch.arms * batch.dimension;
  const make = batch.weights.constructor as new (length: number) => Float64Array;
  const weights = new make(policies.length * size);
  policies.forEach((p, i) => weights.set(batch.weights.subarray(p * size, (p + 1) * size), i * size));
  return { ...batch, policies: policies.length, names: policies.map((p) => batch.names[p]), weights };
}

/** Buffers of one step in flight. */
interface Step {
  readonly sums: GPUBuffer;
  readonly doubtful: GPUBuffer;
  readonly staging: GPUBuffer;
  readonly rest: GPUBuffer;
}

/** Entries of a chunk on the device. */
interface LoadedChunk {
  readonly chunk: EntryChunk;
  readonly entries: GPUBuffer;
  readonly segments: GPUBuffer;
}

/** A policy tile: policies from..to−1. */
interface PolicyTile {
  readonly from: number;
  readonly to: number;
}

/** One evaluation: owns the buffers that live as long as it does. */
class GpuRun {
  settled = 0;
  private readonly source: ChoiceSource;
  private readonly stats: BlockStatistics;
  private readonly direct: boolean;
  private pipeline!: Pipeline<typeof matchKernel.params, keyof typeof matchKernel.bindings>;
  private choices: GPUBuffer | null = null;
  private steps: Step[] = [];
  private slots: Slots = { cellOf: new Int32Array(0), groupSlots: [0] };
  private entriesOfCell: { readonly starts: Uint32Array; readonly entries: Uint32Array } | null = null;

  constructor(
    private readonly context: GpuContext,
    private readonly log: EventLog,
    plan: BlockPlan,
    private readonly batch: PolicyBatch,
    private readonly worklist: Worklist,
    private readonly sizes: GpuPlan,
  ) {
    this.source = makeSource(context, log, batch);
    this.direct = worklist.entries.cell === null;
    this.stats = emptyBlockStatistics(batch.policies, blockEvents(plan), worklist.binary);
  }

  get muted(): ReadonlySet<number> {
    return this.source.muted;
  }

  async execute(options: RunOptions): Promise<BlockStatistics> {
    const { entries, binary } = this.worklist;
    await this.source.prepare();
    this.pipeline = await this.context.pipeline(matchKernel, {
      DIRECT: this.direct,
      FOLDED: entries.folded !== null,
      BINARY: binary,
    });
    if (this.direct) await this.runDirect(options);
    else await this.runCells(options);
    this.context.check();
    return this.stats;
  }

  private readonly eventOf = (cell: number): number => {
    const { cellEvent } = this.worklist;
    return cellEvent === null ? cell : cellEvent[cell];
  };

  /** Every entry is a cell: chunk by chunk, all policy tiles on a chunk while it is on the device. */
  private async runDirect(options: RunOptions): Promise<void> {
    const { entries } = this.worklist;
    for (let from = 0; from < entries.count; from += this.sizes.chunk) {
      const to = Math.min(entries.count, from + this.sizes.chunk);
      const segments = cutSegments(entries, from, to, this.sizes.segment);
      this.slots = this.source.load(
        segments.map((segment) => [segment.from, segment.to]),
        this.eventOf,
      );
      const loaded = this.loadChunk(packDirectEntries(entries, segments, this.slots.cellOf, this.slots.groupSlots));
      await this.runTiles(
        this.tiles(),
        async (tile, step) => {
          this.submit(tile, loaded, step, true);
          if (!(await this.collect(tile, loaded, step, true))) return false;
          options.onProgress?.((tile.to - tile.from) * (to - from));
          return true;
        },
        options,
      );
      this.context.free(loaded.entries, loaded.segments);
    }
  }

  /** Cells are decided once per tile; the entries then pass by, chunk by chunk. */
  private async runCells(options: RunOptions): Promise<void> {
    const { entries } = this.worklist;
    this.slots = this.source.load([[0, this.worklist.cells]], this.eventOf);
    const slotOf = new Uint32Array(this.worklist.cells);
    this.slots.cellOf.forEach((cell, slot) => {
      if (cell >= 0) slotOf[cell] = slot;
    });
    const chunks: LoadedChunk[] = [];
    for (let from = 0; from < entries.count; from += this.sizes.chunk) {
      const to = Math.min(entries.count, from + this.sizes.chunk);
      const segments = cutSegments(entries, from, to, this.sizes.segment);
      chunks.push(this.loadChunk(packCellEntries(entries, segments, from, to, (cell) => slotOf[cell])));
    }
    // One tile at a time: a tile's choices stay in place until every chunk has passed.
    await this.runTiles(
      this.tiles(),
      async (tile, step) => {
        for (const [i, loaded] of chunks.entries()) {
          this.submit(tile, loaded, step, i === 0);
          if (!(await this.collect(tile, loaded, step, i === 0))) return false;
        }
        options.onProgress?.((tile.to - tile.from) * this.log.events);
        return true;
      },
      options,
      1,
    );
    for (const loaded of chunks) this.context.free(loaded.entries, loaded.segments);
  }

  private tiles(): PolicyTile[] {
    const { tile } = this.sizes;
    return Array.from({ length: Math.ceil(this.batch.policies / tile) }, (_, i) => ({
      from: i * tile,
      to: Math.min(this.batch.policies, (i + 1) * tile),
    }));
  }

  /**
   * Runs tiles with several in flight. A tile whose doubtful list overflowed has not been counted: its halves are run
   * instead, and a single policy is left to the CPU.
   */
  private async runTiles(
    queue: PolicyTile[],
    run: (tile: PolicyTile, step: Step) => Promise<boolean>,
    { signal }: RunOptions,
    inFlight = IN_FLIGHT,
  ): Promise<void> {
    const worker = async (lane: number): Promise<void> => {
      for (let tile = queue.shift(); tile !== undefined; tile = queue.shift()) {
        signal?.throwIfAborted();
        if (await run(tile, this.step(lane))) continue;
        if (tile.to - tile.from === 1) {
          this.source.mute(tile.from);
          continue;
        }
        const middle = (tile.from + tile.to) >> 1;
        queue.unshift({ from: tile.from, to: middle }, { from: middle, to: tile.to });
      }
    };
    const lanes = Array.from({ length: inFlight }, (_, lane) =>
      worker(lane).catch((error: unknown) => {
        // The other lanes stop at their next tile.
        queue.length = 0;
        throw error;
      }),
    );
    // All lanes must have come to rest before the buffers go away, whichever failed.
    const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private loadChunk(chunk: EntryChunk): LoadedChunk {
    return {
      chunk,
      entries: this.context.upload('entries', chunk.data),
      segments: this.context.upload('segments', chunk.segments),
    };
  }

  private get sumWords(): number {
    return this.worklist.binary ? 3 : 6;
  }

  private step(lane: number): Step {
    const segments = this.maxSegments;
    const sums = segments * this.sizes.tile * this.sumWords * 4;
    const pairs = Math.min(EAGER_PAIRS, this.sizes.doubtful);
    this.steps[lane] ??= {
      sums: this.context.storage('sums', sums),
      doubtful: this.context.storage('doubtful', 8 + this.sizes.doubtful * 8),
      staging: this.context.staging('results', sums + 8 + pairs * 8),
      rest: this.context.staging('doubtful', this.sizes.doubtful * 8),
    };
    return this.steps[lane];
  }

  private get maxSegments(): number {
    // A chunk is cut at block borders as well.
    return Math.ceil(this.sizes.chunk / this.sizes.segment) + this.stats.blocks + 1;
  }

  private submit(tile: PolicyTile, loaded: LoadedChunk, step: Step, choose: boolean): void {
    const { device } = this.context;
    const slots = this.slots.cellOf.length;
    const bytes = (slots / 2) * 4 * this.sizes.tile;
    if (this.choices === null || this.choices.size < bytes) {
      this.context.free(this.choices);
      this.choices = this.context.storage('choices', bytes);
    }
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(step.doubtful, 0, 8);
    const target = { ...tile, choices: this.choices, doubtful: step.doubtful, doubtfulCapacity: this.sizes.doubtful };
    const scratch = choose ? this.source.encode(encoder, target) : [];
    const policies = tile.to - tile.from;
    const segments = loaded.chunk.block.length;
    const params = this.context.uniform(this.pipeline, { policies, choiceStride: slots / 2, segments });
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.pipeline.pipeline);
    pass.setBindGroup(
      0,
      this.context.bind(this.pipeline, params, {
        choices: this.choices,
        entries: loaded.entries,
        segments: loaded.segments,
        sums: step.sums,
      }),
    );
    pass.dispatchWorkgroups(segments, Math.ceil(policies / MATCH_POLICIES));
    pass.end();
    const sumBytes = segments * policies * this.sumWords * 4;
    encoder.copyBufferToBuffer(step.sums, 0, step.staging, 0, sumBytes);
    encoder.copyBufferToBuffer(
      step.doubtful,
      0,
      step.staging,
      sumBytes,
      8 + Math.min(EAGER_PAIRS, this.sizes.doubtful) * 8,
    );
    device.queue.submit([encoder.finish()]);
    // Destroying after submission is safe: the queue keeps what it still needs.
    this.context.free(params, ...scratch);
  }

  /** Adds a step's results to the statistics; false where the doubtful list overflowed and nothing was added. */
  private async collect(tile: PolicyTile, loaded: LoadedChunk, step: Step, chose: boolean): Promise<boolean> {
    const { slots } = this;
    const policies = tile.to - tile.from;
    const segments = loaded.chunk.block.length;
    const sumWords = segments * policies * this.sumWords;
    const eager = Math.min(EAGER_PAIRS, this.sizes.doubtful);
    const words = await this.context.read(step.staging, (sumWords + 2 + eager * 2) * 4);
    const count = chose ? words[sumWords] : 0;
    if (count > this.sizes.doubtful) return false;
    let pairs = words.subarray(sumWords + 2);
    if (count > eager) {
      const encoder = this.context.device.createCommandEncoder();
      encoder.copyBufferToBuffer(step.doubtful, 8, step.rest, 0, count * 8);
      this.context.device.queue.submit([encoder.finish()]);
      pairs = await this.context.read(step.rest, count * 8);
    }
    this.addSums(tile, loaded.chunk, words);
    for (let i = 0; i < count; i++) this.settle(tile.from + pairs[i * 2], slots.cellOf[pairs[i * 2 + 1]]);
    return true;
  }

  private addSums(tile: PolicyTile, { block }: EntryChunk, words: Uint32Array): void {
    const { stats, sumWords } = this;
    const policies = tile.to - tile.from;
    for (let s = 0, at = 0; s < block.length; s++) {
      for (let p = 0; p < policies; p++, at += sumWords) {
        const to = (tile.from + p) * stats.blocks + block[s];
        stats.matches[to] += words[at];
        stats.payoff[to] += words[at + 1] + words[at + 2] * LIMB;
        if (stats.squareLow === null || stats.squareHigh === null) continue;
        const low = stats.squareLow[to] + words[at + 3];
        const carry = low >= LIMB ? 1 : 0;
        stats.squareLow[to] = low - carry * LIMB;
        stats.squareHigh[to] += words[at + 4] + words[at + 5] * LIMB + carry;
      }
    }
  }

  /** Decides one doubtful (policy, cell) in f64 and adds the entries it matches. */
  private settle(policy: number, cell: number): void {
    if (this.batch.kind !== 'linear') throw new EngineError(`a ${this.batch.kind} policy was reported as doubtful`);
    const { entries } = this.worklist;
    const choice = linearChoiceAt(this.batch, this.log, policy, this.eventOf(cell));
    this.settled++;
    if (entries.cell === null) {
      if (entries.arm[cell] === choice) this.addEntry(policy, cell);
      return;
    }
    this.entriesOfCell ??= groupEntries(entries.cell, this.worklist.cells);
    const { starts, entries: list } = this.entriesOfCell;
    for (let i = starts[cell]; i < starts[cell + 1]; i++) {
      if (entries.arm[list[i]] === choice) this.addEntry(policy, list[i]);
    }
  }

  private addEntry(policy: number, entry: number): void {
    const { entries } = this.worklist;
    const sums = new MatchSums(entries);
    sums.add(entry);
    sums.store(this.stats, policy * this.stats.blocks + blockOf(entries.starts, entry));
  }

  close(): void {
    this.source.close();
    this.context.free(this.choices);
    for (const step of this.steps) this.context.free(step.sums, step.doubtful, step.staging, step.rest);
  }
}

/** Block that holds an entry: the last that starts at or before it and is not empty there. */
function blockOf(starts: Float64Array, entry: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= entry) low = middle;
    else high = middle;
  }
  return low;
}

/** Entries of each cell, cell by cell. */
function groupEntries(cell: Uint32Array, cells: number): { starts: Uint32Array; entries: Uint32Array } {
  const starts = new Uint32Array(cells + 1);
  for (let i = 0; i < cell.length; i++) starts[cell[i] + 1]++;
  for (let c = 0; c < cells; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  const entries = new Uint32Array(cell.length);
  for (let i = 0; i < cell.length; i++) entries[next[cell[i]]++] = i;
  return { starts, entries };
}

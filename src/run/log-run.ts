/**
 * What a run of policies and one of learners have in common: a log that is gone through batch by batch, once to count and
 * then to work; how much of it is held at a time; and checkpoints, from which an interrupted run goes on.
 */

import type { Archive } from '../archive.js';
import { type BatchOptions, batches } from '../engine/batches.js';
import type { BackendChoice } from '../engine/choose.js';
import type { EngineReport } from '../engine/contract.js';
import { availableThreads } from '../engine/cpu/worker-pool.js';
import { EngineError } from '../errors.js';
import type { BlockOutline } from '../estimate/blocks/block-makers.js';
import { requireUniform } from '../log/checks/uniformity.js';
import type { EventLog } from '../log/event-log.js';
import type { LogStream } from '../log/stream.js';
import type { BlockChoice } from './block-choice.js';
import { type Checkpoints, resume, save } from './checkpoint/checkpoint.js';
import { headBytes } from './checkpoint/identity.js';
import type { CheckpointPlace } from './checkpoint/place.js';
import { EngineWork, type ReportingEngine } from './engine-work.js';
import { batchOfMade, NOTHING_MADE } from './memory/made.js';
import { boundedThreads, type MemoryNeeds, planBatch } from './memory/plan.js';
import { peakResidentBytes } from './memory/resident.js';
import type { SharedCounts } from './parts/counts.js';
import type { Survey } from './survey.js';

export interface LogRunOptions extends BackendChoice {
  readonly blocks?: BlockChoice;
  /** Where blocks are to lie one behind the other in the log: the error if they do not. */
  readonly inOrder?: (outline: BlockOutline) => Error;
  readonly assumeUniform?: boolean;
  /** Bytes that the process's resident set stays below; `null`: no bound. */
  readonly memory: number | null;
  /** Events of a batch; default: by memory. */
  readonly stretchEvents?: number;
  /** Where checkpoints are; `null`: nowhere. */
  readonly place: CheckpointPlace | null;
  /** Seconds. */
  readonly checkpointEvery?: number;
  /** Version of the program, which checkpoints must share. */
  readonly version: string;
  /** Aborted: the run ends with the reason; with checkpoints at the end of the batch, which is saved before. */
  readonly signal?: AbortSignal;
}

/** Work of a batch, where checkpoints ask for batches: some seconds. */
export interface CheckpointWork {
  /** Policies or replicas. */
  readonly rows: number;
  /** Rows × events. */
  readonly decisions: number;
  /** Fewer events are not worth their overhead. */
  readonly fewest: number;
}

type ReadNeeds = Pick<MemoryNeeds, 'choicesPerEvent' | 'held'> &
  Partial<Pick<MemoryNeeds, 'made'>> & { readonly stream?: LogStream };

export class LogRun {
  readonly work = new EngineWork();
  readonly threads: number;
  /** Columns of a batch are collected as soon as they are done with: memory is bounded, or much is made for each. */
  bounded: boolean;
  /** Stops work that is under way; with checkpoints it goes on to the end of its batch. */
  readonly signal: AbortSignal | undefined;
  /** Known when every event is counted. */
  outline!: BlockOutline;
  uniformity!: ReturnType<typeof requireUniform>;
  counted = false;
  /** Next event to be counted. */
  private next = 0;
  /** The least memory that the resident set stays below. */
  private least = 0;

  /** @param shared what is counted, for other parts. @param program bytes of the process before the log is read. */
  constructor(
    readonly stream: LogStream,
    readonly survey: Survey,
    private readonly options: LogRunOptions & { readonly anyLogging: (survey: Survey) => boolean },
    readonly checkpoints: Checkpoints | null,
    private readonly shared: SharedCounts | null,
    private readonly program: number,
  ) {
    const { memory, threads, signal } = options;
    const room = memory === null ? null : memory - program;
    this.threads = threads ?? boundedThreads(room, availableThreads());
    this.bounded = memory !== null;
    this.signal = checkpoints === null ? signal : undefined;
  }

  /**
   * Goes through the log once, for what must be known of all its events, unless an interrupted run has.
   *
   * @param size events of a batch.
   * @param carry state of the whole run.
   * @param begin called when all is counted.
   */
  async count(
    size: () => number,
    carry: (archive: Archive) => void,
    onProgress: ((progress: { phase: 'load'; done: number; total: number }) => void) | undefined,
    begin: () => void = () => {},
  ): Promise<void> {
    const { survey, options, checkpoints, shared } = this;
    resume(checkpoints, carry);
    if (!this.counted) {
      const there = this.next === 0 && resume(shared, (archive) => this.carry(archive));
      if (!there) await this.countAll(size(), carry, onProgress);
      this.outline = survey.blocks.outline();
      if (options.inOrder !== undefined && !this.outline.inOrder) throw options.inOrder(this.outline);
      begin();
    }
    // The logged arm depends on what comes after it, such as a copy of the payoff: no fault of the log.
    const remarks = survey.copied.warnings();
    const { assumeUniform: assume, anyLogging } = options;
    this.uniformity = requireUniform(
      this.stream.head,
      { assume, anyLogging: anyLogging(survey), remarks },
      survey.uniformity,
    );
  }

  private async countAll(
    size: number,
    carry: (archive: Archive) => void,
    onProgress: ((progress: { phase: 'load'; done: number; total: number }) => void) | undefined,
  ): Promise<void> {
    const { stream, survey, shared } = this;
    do {
      for await (const batch of this.batches(size, this.next, { need: () => survey.need })) {
        survey.add(batch);
        this.next += batch.events;
        if (size < stream.events) onProgress?.({ phase: 'load', done: this.next, total: stream.events });
        await this.border(carry);
      }
      this.next = 0;
    } while (survey.again());
    this.counted = true;
    await shared?.save((archive) => this.carry(archive));
  }

  batches(size: number, from: number, more: Pick<BatchOptions, 'to' | 'need'> = {}): AsyncGenerator<EventLog> {
    return batches(this.stream, size, { from, ...more, bounded: this.bounded, signal: this.signal });
  }

  /**
   * Between two batches: saves where it is time, or where the run is to end.
   *
   * @param flush awaited before state is taken out.
   * @throws the signal's reason where it is aborted.
   */
  async border(carry: (archive: Archive) => void, flush: () => Promise<void> = async () => {}): Promise<void> {
    const { checkpoints, options } = this;
    if (checkpoints !== null && (checkpoints.due() || options.signal?.aborted === true)) {
      await flush();
      await save(checkpoints, carry);
      if (checkpoints.failure !== null && options.signal?.aborted === true)
        throw new EngineError(`the state of the run could not be saved: ${checkpoints.failure}`);
    }
    options.signal?.throwIfAborted();
  }

  /** What was counted, and whether that is done. */
  carry(archive: Archive): void {
    this.counted = archive.flag(this.counted);
    this.next = archive.number(this.next);
    this.survey.carry(archive);
    if (archive.reading && this.counted) this.outline = this.survey.blocks.outline();
  }

  /**
   * Events of a batch.
   *
   * @param needs `stream`: the one that is worked on, where it is not the log as it is; `made`: default nothing.
   * @throws InputError where the memory does not hold what is needed.
   */
  batchEvents(work: CheckpointWork, { stream = this.stream, made = NOTHING_MADE, ...needs }: ReadNeeds): number {
    const { options, checkpoints, program, threads } = this;
    const { head, events } = this.stream;
    const { bytesPerEvent } = stream;
    const whole = Math.max(1, events);
    if (options.stretchEvents !== undefined) return Math.min(whole, options.stretchEvents);
    const most =
      checkpoints === null ? whole : Math.max(work.fewest, Math.floor(work.decisions / Math.max(1, work.rows)));
    const contexts = head.contexts.row === null ? 0 : head.contexts.rows;
    const enough = Math.min(most, batchOfMade(events, made, contexts));
    // To count makes nothing that would have to be collected by hand.
    this.bounded = options.memory !== null || (this.counted && enough < Math.min(whole, most));
    if (options.memory === null) return Math.min(whole, enough);
    const held = { 'tables of the log': headBytes(head), ...needs.held };
    const { size, least } = planBatch(options.memory, {
      ...needs,
      made,
      held,
      program,
      events,
      bytesPerEvent,
      threads,
    });
    this.least = least;
    return Math.min(enough, size);
  }

  /** What the engine did, and what memory the process took. */
  report(engine: ReportingEngine): EngineReport & { fallback: string | null } {
    const { memory } = this.options;
    const report = this.work.report(engine);
    if (memory === null) return report;
    return { ...report, memory: { limit: memory, least: this.least, peak: peakResidentBytes() } };
  }
}

/** A run of fixed policies: what it has counted and added up, of the whole log or of a part of the work. */

import type { Archive } from '../archive.js';
import type { ChosenBackend } from '../engine/choose.js';
import type { RunOptions } from '../engine/contract.js';
import { drawnStatistics } from '../engine/drawn-statistics.js';
import { shareSummand } from '../engine/shared.js';
import { type Evaluated, verify } from '../engine/verify/policies.js';
import type { Estimates } from '../estimate/estimates.js';
import { allEvents } from '../estimate/sums/all-events.js';
import {
  addBatchStatistics,
  type BlockStatistics,
  carryStatistics,
  emptyBlockStatistics,
} from '../estimate/sums/block-statistics.js';
import type { ColumnKind } from '../estimate/sums/summands.js';
import type { EventLog } from '../log/event-log.js';
import { setSize } from '../log/pools.js';
import type { AnyPolicies } from '../policy/drawn/drawn.js';
import type { PolicyCompiler } from '../policy/family.js';
import { compileAll } from '../policy/policy-set.js';
import { LevelRun } from './levels/level-run.js';
import type { LogRun } from './log-run.js';
import { madeOf } from './memory/made.js';
import { checkStatistics, statisticsBytes } from './memory/statistics-room.js';
import { OwnPolicies } from './parts/own-policies.js';
import { type MadePart, type PartNumber, spanOf } from './parts/plan.js';
import type { StoredParts } from './parts/stored.js';
import { type PreparedBatch, takeParts } from './parts/take.js';
import { touchedSums } from './parts/touched.js';
import { evaluationOf } from './policy-evaluation.js';
import { PolicySums } from './policy-sums.js';
import type { EvaluateStreamOptions, StreamEvaluation } from './stream-evaluation.js';

/** Decisions of a batch in a run with checkpoints, and its fewest events. */
const CHECKPOINT_DECISIONS = 2 ** 31;
const CHECKPOINT_EVENTS = 2 ** 20;

export class PolicyRun {
  /** Next event to be evaluated. */
  private position = 0;
  /** Made when every event is counted. */
  private sums: readonly PolicySums[] = [];
  private verified: number | null;
  /** Each entry's policies without events: their names. */
  private compiledEntries: readonly AnyPolicies[] = [];
  private readonly policies: number;
  /** Made with them. */
  private levels!: LevelRun;
  /** Columns over all events: payoffs, and where mixtures are made of them the others too. */
  private all!: BlockStatistics;
  /** What of the work is done here. */
  private readonly own: OwnPolicies;
  /** 1: blocks of events that were evaluated. */
  private touched = new Uint8Array(0);

  /** @param part of the work; `null`: all of it. */
  constructor(
    readonly run: LogRun,
    private readonly compilers: readonly PolicyCompiler[],
    private readonly chosen: () => Estimates,
    private readonly options: EvaluateStreamOptions,
    private readonly part: PartNumber | null,
  ) {
    this.verified = options.verify === undefined ? null : 0;
    const rows = compilers.reduce((sum, one) => sum + one.policies, 0);
    const { events, head } = run.stream;
    const work = { rows, events, shared: head.contexts.row !== null, ordered: options.validEvents !== null };
    this.own = new OwnPolicies(compilers, spanOf(part ?? { number: 1, of: 1 }, work));
    this.policies = this.own.policies;
    [this.position] = this.own.span.events;
  }

  /** Goes through the log once, for what must be known of all its events. */
  async count(): Promise<void> {
    const { run, options } = this;
    await run.count(
      () => this.batchEvents(1),
      this.carry,
      options.onProgress,
      () => this.begin(),
    );
  }

  /** Everything is counted. */
  private begin(): void {
    const { run, compilers, options } = this;
    const estimates = this.chosen();
    this.levels = new LevelRun(run.survey.levels, run.outline, run.stream.head);
    const { events } = this.levels;
    checkStatistics('policies', this.policies, events.length, this.kinds(), this.levels.levels);
    this.touched = new Uint8Array(events.length);
    // Mixtures may have the sums of what they mix.
    const drawn = (draws?: string): boolean => draws !== undefined && !(draws === 'mixture' && this.mixes);
    // The T-th match of a policy is looked for where the sums of all parts are.
    const validEvents = this.part === null ? options.validEvents : null;
    this.sums = compilers.map(({ draws }, entry) => {
      const kinds = estimates.kinds(drawn(draws), draws !== 'logged');
      return new PolicySums(this.own.count(entry), events, kinds, validEvents);
    });
    this.all = emptyBlockStatistics(1, events, estimates.kinds(false).slice(0, this.loggedColumns));
  }

  /** Evaluates the policies on each batch. */
  async play(backend: ChosenBackend): Promise<void> {
    const { run, options, policies, own } = this;
    await this.beginPlay(backend);
    const [from, to] = own.span.events;
    const total = policies * (to - from);
    let done = policies * (this.position - from);
    const onProgress = (decisions: number): void => {
      done = Math.min(total, done + decisions);
      options.onProgress?.({ phase: 'evaluate', done, total });
    };
    const size = this.batchEvents(this.levels.events.length);
    await this.passBy(size);
    // A log without events is a batch without events; so is no part of another one.
    if (from === to && run.stream.events > 0) return;
    for await (const batch of run.batches(size, this.position, { to })) {
      await this.playBatch(backend, batch, { onProgress, bounded: run.bounded, signal: run.signal });
      this.position += batch.events;
      await run.border(this.carry);
    }
  }

  /** Goes through the log without deciding, and takes the sums of parts that were evaluated elsewhere. */
  async playStored(backend: ChosenBackend, stored: StoredParts): Promise<void> {
    const { run, options, compilers, sums, carry } = this;
    await this.beginPlay(backend);
    const size = this.batchEvents(this.levels.events.length);
    const prepare = (batch: EventLog) => this.prepare(batch);
    await takeParts(stored, { run, compilers, sums, validEvents: options.validEvents, size, prepare, carry });
    this.verified = stored.verified;
  }

  /** Names are known from here on. */
  private async beginPlay(backend: ChosenBackend): Promise<void> {
    const { run, compilers, options } = this;
    run.work.engine = backend;
    this.compiledEntries = await compileAll(compilers, run.stream.head);
    options.checkNames?.(this.compiledEntries.flatMap(({ names }) => names));
  }

  /** Goes through the events before those of a part, where their number says in which block the next one is. */
  private async passBy(size: number): Promise<void> {
    const { run, own } = this;
    const [from] = own.span.events;
    const { blocks } = run.survey;
    if (from === 0 || this.position > from || blocks.foreknown) return;
    for await (const batch of run.batches(size, 0, { to: from, need: () => 'count' })) {
      blocks.cut(batch);
      await run.border(this.carry);
    }
  }

  /** What is made of a batch for all policies. */
  private async prepare(batch: EventLog): Promise<PreparedBatch> {
    const { run, compilers, options } = this;
    const estimates = this.chosen();
    const cut = this.levels.cut(run.survey.blocks.cut(batch), batch);
    const predictions = options.model?.predict(batch) ?? null;
    const columns = estimates.columns(batch, predictions).map(shareSummand);
    const logged = this.mixes ? estimates.overAll(columns, batch) : columns.slice(0, this.loggedColumns);
    addBatchStatistics(this.all, allEvents(cut.plan, logged), cut.of);
    const packed = await compileAll(compilers, batch);
    const entries = packed.map((one) => (this.mixes && one.kind === 'drawn' && one.mixture?.base) || one);
    return { batch, cut, predictions, columns, entries };
  }

  /** A call of its own: nothing refers to what was made for a batch when the next one is begun. */
  private async playBatch(backend: ChosenBackend, batch: EventLog, running: RunOptions): Promise<void> {
    const { options, own } = this;
    const estimates = this.chosen();
    const { cut, predictions, columns, entries } = await this.prepare(batch);
    for (const block of cut.of) this.touched[block] = 1;
    const evaluated: Evaluated[] = [];
    /** Of entries whose policies choose, or mix what others choose. */
    const chosen: (BlockStatistics | undefined)[] = [];
    for (const entry of own.entries) {
      const compiled = own.of(entry, entries[entry]);
      let stats = chosen[own.like(entry)];
      if (stats !== undefined && compiled.kind !== 'drawn') running.onProgress?.(compiled.policies * batch.events);
      else if (compiled.kind === 'drawn') {
        stats = await drawnStatistics(
          batch,
          cut.plan,
          compiled,
          estimates.drawn,
          predictions,
          estimates.unlogged,
          running,
        );
        backend.report.decisions += compiled.policies * batch.events;
      } else {
        stats = await backend.evaluate(batch, cut.plan, compiled, columns, running);
        evaluated.push({ compiled, stats });
      }
      if (compiled.kind !== 'drawn') chosen[entry] = stats;
      this.sums[entry].add(batch, compiled, cut, stats);
    }
    const { signal } = running;
    const { verify: most } = options;
    if (most !== undefined)
      this.verified = await verify(batch, cut.plan, columns, evaluated, most, signal, (block) => cut.of[block]);
  }

  /** What was evaluated of a part. */
  finishPart(backend: ChosenBackend): MadePart {
    const { own, sums, touched, run, verified } = this;
    return {
      span: own.span,
      sums: touchedSums(
        own.entries.map((entry) => sums[entry].stats),
        touched,
      ),
      work: run.work.told(backend),
      verified,
    };
  }

  finish(backend: ChosenBackend): StreamEvaluation {
    const { run, compilers, compiledEntries: entries, verified, levels, options, sums, all, mixes } = this;
    return {
      ...evaluationOf({ run, levels, entries, sums, all, mixes, estimates: this.chosen() }),
      engine: { ...run.report(backend), verified },
      seeds: entries.flatMap(({ seed }) => seed ?? []),
      warnings: [
        // What holds for many entries is said once.
        ...new Set(compilers.flatMap((compiler) => compiler.warnings())),
        ...this.chosen().warnings(),
        ...(options.model?.warnings() ?? []),
        ...(run.checkpoints?.warnings() ?? []),
      ],
    };
  }

  /** Events of a batch, with so many blocks of statistics. */
  private batchEvents(blocks: number): number {
    const { run, compilers, policies, options } = this;
    const kinds = this.kinds();
    return run.batchEvents(
      { rows: policies, decisions: CHECKPOINT_DECISIONS, fewest: CHECKPOINT_EVENTS },
      {
        choicesPerEvent: compilers.reduce((sum, one) => sum + one.perEvent, 0),
        made: madeOf(run.stream.head, {
          columns: this.chosen().columnBytes,
          inOrder: run.counted && run.outline.inOrder && run.survey.levels === null && this.levels.rates === 1,
          model: options.model,
        }),
        held: {
          policies: compilers.reduce((sum, one) => sum + one.held, 0),
          ...(options.model === null ? {} : { 'the reward model': options.model.held }),
          // Those of the whole log, and those of a batch.
          statistics: 2 * statisticsBytes(policies, blocks, kinds),
        },
      },
    );
  }

  /** Mixtures are made of sums: some entry is one, and all sets of candidates are of one size. */
  private get mixes(): boolean {
    const { compilers, run } = this;
    return (
      this.chosen().mixes &&
      setSize(run.stream.head.pools) !== null &&
      compilers.some(({ draws }) => draws === 'mixture')
    );
  }

  /** Payoffs come first; mixtures need all. */
  private get loggedColumns(): number {
    return this.mixes ? Number.POSITIVE_INFINITY : this.chosen().payoffColumns;
  }

  /** Of the widest statistics. */
  private kinds(): readonly ColumnKind[] {
    const estimates = this.chosen();
    const own = estimates.kinds(false);
    const drawn = this.compilers.some(({ draws }) => draws !== undefined) ? estimates.kinds(true) : [];
    return drawn.length > own.length ? drawn : own;
  }

  private readonly carry = (archive: Archive): void => {
    const { run } = this;
    run.carry(archive);
    if (!run.counted) return;
    if (archive.reading) this.begin();
    this.position = archive.number(this.position);
    for (const compiler of this.compilers) compiler.carry(archive);
    for (const sums of this.sums) sums.carry(archive);
    carryStatistics(archive, this.all);
    if (this.part !== null) archive.array(this.touched);
    this.levels.carry(archive);
    run.work.carry(archive);
    const verified = archive.number(this.verified ?? -1);
    this.verified = verified < 0 ? null : verified;
  };
}

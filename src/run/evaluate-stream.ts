/**
 * Fixed policies on a log that is gone through batch by batch, once to count and once to evaluate (`log-run.ts`). Block
 * statistics add up, so results do not depend on the batches; a log in memory is a single one.
 */

import type { Archive } from '../archive.js';
import { type ChosenBackend, chooseBackend } from '../engine/choose.js';
import type { RunOptions } from '../engine/contract.js';
import { drawnStatistics } from '../engine/drawn-statistics.js';
import { shareSummand } from '../engine/shared.js';
import { type Evaluated, verify } from '../engine/verify/policies.js';
import type { Estimates } from '../estimate/estimates.js';
import type { Drawer } from '../estimate/selection/draws.js';
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
import type { LogStream } from '../log/stream.js';
import type { AnyPolicies } from '../policy/drawn/drawn.js';
import type { PolicyCompiler, SpecFiles } from '../policy/family.js';
import { compileAll, openPolicySet, type PolicySet } from '../policy/policy-set.js';
import { LevelRun } from './levels/level-run.js';
import { type LogRun, openLogRun } from './log-run.js';
import { madeOf } from './memory/made.js';
import { checkStatistics, statisticsBytes } from './memory/statistics-room.js';
import { PolicySums } from './policy-sums.js';
import type { EvaluateStreamOptions, Evaluation, StreamEvaluation } from './stream-evaluation.js';
import type { Survey } from './survey.js';

/** Decisions of a batch in a run with checkpoints, and its fewest events. */
const CHECKPOINT_DECISIONS = 2 ** 31;
const CHECKPOINT_EVENTS = 2 ** 20;

/** @param conclude what is made of it while the engine is there. @throws what `evaluate` throws. */
export async function evaluateStream<Conclusion>(
  stream: LogStream,
  { set, files }: { readonly set: PolicySet; readonly files?: SpecFiles },
  options: EvaluateStreamOptions,
  conclude: (evaluation: StreamEvaluation, drawer: Drawer) => Promise<Conclusion>,
): Promise<StreamEvaluation & Conclusion> {
  const { validEvents, estimates, uniform, model } = options;
  let replay: Estimates | null = null;
  const chosen = (survey: Survey): Estimates => {
    if (uniform === undefined || survey.uniformity.saysUneven) return estimates;
    replay ??= uniform();
    return replay;
  };
  const { run, opened: compilers } = await openLogRun(stream, options, {
    command: 'evaluate',
    content: ['policies', set.map(({ spec }) => spec)],
    choices: { ...options.estimated, validEvents, verify: options.verify ?? null },
    levels: options.levels,
    estimates,
    unlessUniform: uniform !== undefined,
    model,
    anyLogging: (survey) => !chosen(survey).needsUniform,
    files,
    open: (span, files) => openPolicySet(set, span, files),
  });
  const policies = new PolicyRun(run, compilers, () => chosen(run.survey), options);
  await policies.count();
  const backend = await chooseBackend({ ...options, threads: run.threads });
  try {
    await policies.play(backend);
    const evaluation = policies.finish(backend);
    return { ...evaluation, ...(await conclude(evaluation, backend)) };
  } finally {
    await backend.close();
  }
}

class PolicyRun {
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

  constructor(
    private readonly run: LogRun,
    private readonly compilers: readonly PolicyCompiler[],
    private readonly chosen: () => Estimates,
    private readonly options: EvaluateStreamOptions,
  ) {
    this.verified = options.verify === undefined ? null : 0;
    this.policies = compilers.reduce((sum, one) => sum + one.policies, 0);
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
    // Mixtures may have the sums of what they mix.
    const drawn = (draws?: string): boolean => draws !== undefined && !(draws === 'mixture' && this.mixes);
    this.sums = compilers.map(({ policies, draws }) => {
      const kinds = estimates.kinds(drawn(draws), draws !== 'logged');
      return new PolicySums(policies, events, kinds, options.validEvents);
    });
    this.all = emptyBlockStatistics(1, events, estimates.kinds(false).slice(0, this.loggedColumns));
  }

  /** Evaluates the policies on each batch. */
  async play(backend: ChosenBackend): Promise<void> {
    const { run, compilers, options, policies } = this;
    run.work.engine = backend;
    this.compiledEntries = await compileAll(compilers, run.stream.head);
    options.checkNames?.(this.compiledEntries.flatMap(({ names }) => names));
    const total = policies * run.stream.events;
    let done = policies * this.position;
    const onProgress = (decisions: number): void => {
      done = Math.min(total, done + decisions);
      options.onProgress?.({ phase: 'evaluate', done, total });
    };
    const size = this.batchEvents(this.levels.events.length);
    for await (const batch of run.batches(size, this.position)) {
      await this.playBatch(backend, batch, { onProgress, bounded: run.bounded, signal: run.signal });
      this.position += batch.events;
      await run.border(this.carry);
    }
  }

  /** A call of its own: nothing refers to what was made for a batch when the next one is begun. */
  private async playBatch(backend: ChosenBackend, batch: EventLog, running: RunOptions): Promise<void> {
    const { run, compilers, options } = this;
    const [estimates, { model, verify: most }] = [this.chosen(), options];
    const cut = this.levels.cut(run.survey.blocks.cut(batch), batch);
    const predictions = model?.predict(batch) ?? null;
    const columns = estimates.columns(batch, predictions).map(shareSummand);
    const evaluated: Evaluated[] = [];
    /** Of entries whose policies choose, or mix what others choose. */
    const chosen: (BlockStatistics | undefined)[] = [];
    const logged = this.mixes ? estimates.overAll(columns, batch) : columns.slice(0, this.loggedColumns);
    addBatchStatistics(this.all, allEvents(cut.plan, logged), cut.of);
    for (const [entry, packed] of (await compileAll(compilers, batch)).entries()) {
      const compiled = (this.mixes && packed.kind === 'drawn' && packed.mixture?.base) || packed;
      let stats = chosen[compilers[entry].like ?? -1];
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
      chosen.push(compiled.kind === 'drawn' ? undefined : stats);
      this.sums[entry].add(batch, compiled, cut, stats);
    }
    const { signal } = running;
    if (most !== undefined)
      this.verified = await verify(batch, cut.plan, columns, evaluated, most, signal, (block) => cut.of[block]);
  }

  finish(backend: ChosenBackend): StreamEvaluation {
    const { run, compilers, compiledEntries, verified, levels, options } = this;
    const { survey, outline, uniformity, stream } = run;
    const estimates = this.chosen();
    return {
      ...{ survey, outline, uniformity, estimates, levels: levels.levels },
      ...this.evaluation((stats) => levels.whole(stats), survey.arms.value(stream.head)),
      ofLevel: (level) => this.evaluation(levels.of(level), levels.effectiveArms(stream.head, level)),
      engine: { ...run.report(backend), verified },
      seeds: compiledEntries.flatMap(({ seed }) => seed ?? []),
      warnings: [
        // What holds for many entries is said once.
        ...new Set(compilers.flatMap((compiler) => compiler.warnings())),
        ...estimates.warnings(),
        ...(options.model?.warnings() ?? []),
        ...(run.checkpoints?.warnings() ?? []),
      ],
    };
  }

  /** @param part takes statistics of some events out. */
  private evaluation(part: (stats: BlockStatistics) => BlockStatistics, effectiveArms: number): Evaluation {
    const all = part(this.all);
    const { levels } = this;
    const evaluated = this.compiledEntries.map((packed, i) => {
      const { policies, names, family, kind } = packed;
      const { stats, first } = this.sums[i];
      const mixture = packed.kind === 'drawn' ? packed.mixture : undefined;
      if (!this.mixes || mixture === undefined)
        return { policies, names, family, kind, stats: levels.byRate(part(stats)), first };
      const candidates = setSize(this.run.stream.head.pools) ?? 0;
      const mixed = this.chosen().mixtures(part(stats), all, mixture.epsilon, candidates);
      return { policies, names, family, kind, stats: levels.byRate(mixed), first };
    });
    return { evaluated, logged: levels.byRate(all), effectiveArms };
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
    this.levels.carry(archive);
    run.work.carry(archive);
    const verified = archive.number(this.verified ?? -1);
    this.verified = verified < 0 ? null : verified;
  };
}

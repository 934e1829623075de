/** A run of learners: what it has counted and played, of all replicas or of a part of them. */

import { type Archive, ArchiveReader, ArchiveWriter } from '../archive.js';
import type { ChosenReplayBackend } from '../engine/choose-learner.js';
import { newReport } from '../engine/contract.js';
import type { ReplayOutcome, ReplaySession, ReplayWork, Replica } from '../engine/learner-contract.js';
import { checkKept, checkListed, keeping, keptBytes, stateBytes } from '../engine/learner-cpu/keep.js';
import { type PassLog, ReplayPass } from '../engine/learner-cpu/pass.js';
import { checkStates } from '../engine/learner-cpu/states.js';
import { ReplayVerifier, type Verification } from '../engine/verify/learners.js';
import { planVerification } from '../engine/verify/replicas.js';
import { EngineError, InputError } from '../errors.js';
import { replayKinds } from '../estimate/estimators/replay-totals.js';
import type { LearnersOf, PreparedLearner } from '../learner/set/learner-set.js';
import { availableBytes } from '../log/build/memory.js';
import type { LogStream } from '../log/stream.js';
import { type LearnersLog, learnersLog } from './learners-log.js';
import type { LogRun } from './log-run.js';
import { LoggedPayoffs } from './logged-payoffs.js';
import { checkStatistics, statisticsBytes } from './memory/statistics-room.js';
import { type PartNumber, type PartSpan, replicasOf } from './parts/plan.js';
import { storedReplicas } from './parts/replica-state.js';
import type { StoredParts } from './parts/stored.js';
import { checkFeed } from './replay-rules.js';
import type { ReplayStreamOptions, StreamReplay } from './stream-replay.js';

/** Decisions of a batch in a run with checkpoints, and its fewest events. */
const CHECKPOINT_DECISIONS = 2 ** 27;
const CHECKPOINT_EVENTS = 2 ** 14;

export class LearnerRun {
  private pass = new ReplayPass();
  /** Made when the log is counted. */
  private logged!: LoggedPayoffs;
  /** When the log is counted. */
  private sized: LearnersLog | null = null;
  private session: ReplaySession | null = null;
  /** Of an interrupted run: the kind of its engine, and the state of its session. */
  private interrupted: { device: string; state: Uint8Array } | null = null;

  constructor(
    readonly run: LogRun,
    private readonly learnersOf: LearnersOf,
    /** Learners for the head of the log, which has no events. */
    readonly settings: readonly PreparedLearner[],
    private readonly options: ReplayStreamOptions,
    /** Of the replicas; `null`: all of them. */
    private readonly part: PartNumber | null,
  ) {
    checkFeed(settings, options.rules.learnFrom);
  }

  /** Goes through the log once, for what must be known of all its events. */
  async count(): Promise<void> {
    const { run, options } = this;
    await run.count(
      () => this.batchEvents(null),
      this.carry,
      options.onProgress,
      () => this.begin(),
    );
  }

  /** Everything is counted, and nothing is played. */
  private begin(): void {
    this.pass = new ReplayPass();
    this.logged = new LoggedPayoffs(this.run.outline, this.run.stream.head.payoff);
  }

  /** @param running replicas at a time. @throws InputError where their states do not fit the memory. */
  checkStates(running: number): void {
    const { settings, options, run } = this;
    const { memory, stretchEvents = Number.POSITIVE_INFINITY, repeats } = options;
    const { head, events } = this.stream;
    const carried = run.checkpoints !== null || stretchEvents < events;
    const free = availableBytes();
    const room =
      memory !== null && memory < free
        ? { bytes: memory, which: 'that --memory (in code: memory) gives' }
        : { bytes: free, which: 'that is free' };
    const least = options.scale !== null && !run.counted;
    const together = Math.min(running, settings.length * repeats);
    checkStates(head, settings, { ...room, repeats, carried, least, running: together });
  }

  async replay(backend: ChosenReplayBackend): Promise<StreamReplay> {
    const { options, run } = this;
    run.work.engine = backend;
    if (backend.report.device === 'cpu') this.checkStates(run.threads);
    const asked = await this.work();
    if (options.retained) checkListed({ ...asked, replicas: this.allReplicas() });
    if (options.verify !== undefined) checkKept(asked, options.verify);
    const verification = planVerification(asked, options.verify, backend);
    const work = keeping(asked, verification?.replicas ?? []);
    const log = this.passLog(work);
    const outcome = await this.play(backend, work, log);
    let verified: Verification | null = null;
    if (verification !== null) {
      const onProgress = this.progress('verify', verification.replicas.length, 0);
      const { signal, verifyTolerance: tolerance } = options;
      const verifier = new ReplayVerifier(work, outcome, { ...verification, tolerance, onProgress, signal });
      await new ReplayPass().run({ ...log, signal, seen: undefined }, verifier, async () => {});
      verified = verifier.finish();
    }
    const { survey, outline, uniformity } = run;
    const warnings = run.checkpoints?.warnings() ?? [];
    const engine = { ...run.report(backend), verified };
    const logged = this.logged.stats;
    const scaling = this.sized?.scaling ?? null;
    return { warnings, survey, outline, uniformity, work, outcome, logged, scaling, engine };
  }

  /** Takes what parts have played elsewhere, and goes through the log for what it earned itself. */
  async stored(stored: StoredParts): Promise<StreamReplay> {
    const { run } = this;
    const work = await this.work(true);
    if (this.options.retained) checkListed(work);
    for await (const batch of run.batches(this.batchEvents(null), 0)) {
      this.logged.add(batch, run.survey.blocks.cut(batch));
      await run.border(() => {});
    }
    const { outcome, verified } = await storedReplicas(stored.files, work.replicas.length, this.logged.stats);
    for (const { header } of stored.files) run.work.addElsewhere(header.work);
    const { survey, outline, uniformity } = run;
    const engine = { ...run.report({ report: newReport('cpu', '', 0), fallback: null }), verified };
    const scaling = this.sized?.scaling ?? null;
    return { warnings: [], survey, outline, uniformity, work, outcome, logged: this.logged.stats, scaling, engine };
  }

  /** Of what this run plays: row i of a part is row `span.rows[0]` + i · `span.step` of all. */
  get span(): PartSpan {
    const { number, of } = this.part ?? { number: 1, of: 1 };
    return {
      rows: [number - 1, this.settings.length * this.options.repeats],
      step: of,
      events: [0, this.stream.events],
    };
  }

  private allReplicas(): Replica[] {
    const { settings, options } = this;
    return settings.flatMap((_, setting) =>
      Array.from({ length: options.repeats }, (_, number) => ({ setting, number })),
    );
  }

  private ownReplicas(): Replica[] {
    return this.part === null ? this.allReplicas() : replicasOf(this.part, this.allReplicas());
  }

  /** Replays; where an engine gives up, another one begins anew. */
  private async play(backend: ChosenReplayBackend, work: ReplayWork, log: PassLog): Promise<ReplayOutcome> {
    for (;;) {
      try {
        return await this.playOn(backend, work, log);
      } catch (error) {
        if (!(await backend.giveUp(error))) throw error;
        this.begin();
        this.interrupted = null;
        this.run.work.restart();
      }
    }
  }

  private async playOn(backend: ChosenReplayBackend, work: ReplayWork, log: PassLog): Promise<ReplayOutcome> {
    const { interrupted, pass, run } = this;
    const { bounded, signal } = run;
    const session = await backend.open(work);
    this.session = session;
    try {
      if (interrupted !== null) this.resumeSession(session, backend, interrupted);
      const onProgress = this.progress('replay', work.replicas.length, pass.position);
      const player = {
        catchesUp: session.catchesUp,
        play: (...[batch, range]: Parameters<ReplaySession['play']>) =>
          session.play(batch, range, { onProgress, bounded, signal }),
        learn: (...[batch]: Parameters<ReplaySession['learn']>) => session.learn(batch, { bounded, signal }),
      };
      await pass.run(log, player, () => run.border(this.carry, () => session.flush()));
      if (work.keep.state && !work.whole) await pass.learnRest(log, player);
      return await session.finish();
    } finally {
      this.session = null;
      session.close();
    }
  }

  /** @throws InputError where the checkpoint is one of another kind of engine. */
  private resumeSession(
    session: ReplaySession,
    backend: ChosenReplayBackend,
    { device, state }: { device: string; state: Uint8Array },
  ): void {
    if (device !== backend.report.device) {
      throw new InputError({
        file: this.options.place?.file,
        problem: 'the checkpoint holds states of another kind of engine',
        got: `states of the ${device.toUpperCase()} engine, to go on with the ${backend.report.device.toUpperCase()} engine`,
        hint: `--device ${device}, or delete it to start afresh`,
      });
    }
    const archive = new ArchiveReader(state);
    session.carry(archive);
    archive.end();
  }

  /** The log; when it is counted it is scaled, where that is asked for, and its batches say how large all contexts are. */
  private get stream(): LogStream {
    if (!this.run.counted) return this.run.stream;
    this.sized ??= learnersLog(this.run);
    return this.sized.stream;
  }

  /** @param parted the log comes in batches, however large, as it does where replicas tell source rows by themselves. */
  private async work(parted = this.part !== null): Promise<ReplayWork> {
    const { run, options, settings } = this;
    const { survey, outline } = run;
    const { stream } = this;
    const { rules, retained, state } = options;
    const { head, events } = stream;
    const replicas = this.ownReplicas();
    checkStatistics('replicas', replicas.length, outline.blocks, replayKinds(head.payoff));
    const effectiveArms = survey.arms.value(head);
    const keep = { retainedOf: retained ? ('all' as const) : ('none' as const), state };
    const work = { head, events, effectiveArms, blocks: outline, settings, replicas, rules, keep };
    // In one batch there is nothing to carry, and learners from code need not know how.
    const whole = run.checkpoints === null && !parted && this.batchEvents({ ...work, whole: false }) >= events;
    if (!whole) return { ...work, whole };
    const log = await stream.read(0, events, options.signal);
    return { ...work, whole, head: log };
  }

  private passLog(work: ReplayWork): PassLog {
    const { run, learnersOf, options } = this;
    const { survey, bounded, signal } = run;
    const { stream } = this;
    const size = work.whole ? Math.max(1, stream.events) : this.batchEvents(work);
    const seen: PassLog['seen'] = (batch, cut) => this.logged.add(batch, cut);
    return { stream, size, blocks: survey.blocks, learnersOf, rules: options.rules, bounded, signal, seen };
  }

  private progress(phase: 'replay' | 'verify', replicas: number, position: number): (decisions: number) => void {
    const total = replicas * this.run.stream.events;
    let done = replicas * position;
    return (decisions) => {
      done = Math.min(total, done + decisions);
      this.options.onProgress?.({ phase, done, total });
    };
  }

  /** Events of a batch; while the log is counted there is no work yet. */
  private batchEvents(work: ReplayWork | null): number {
    const { run, settings, options } = this;
    const { stream } = this;
    const { head } = stream;
    const rows = this.ownReplicas().length;
    const held = (work: ReplayWork) => ({
      statistics: statisticsBytes(rows, work.blocks.blocks, replayKinds(head.payoff)),
      'scaled contexts': options.scale === null || head.contexts.row === null ? 0 : head.contexts.values.byteLength,
      'states of learners': stateBytes(head, settings) * options.repeats,
      'lists of retained events': keptBytes(work, work.keep),
    });
    return run.batchEvents(
      { rows, decisions: CHECKPOINT_DECISIONS, fewest: CHECKPOINT_EVENTS },
      { stream, choicesPerEvent: 0, held: work === null ? {} : held(work) },
    );
  }

  private readonly carry = (archive: Archive): void => {
    const { run, session } = this;
    run.carry(archive);
    if (!run.counted) return;
    if (archive.reading) this.begin();
    this.pass.carry(archive);
    this.logged.carry(archive);
    if (archive.reading) {
      const device = archive.text('');
      const state = archive.list(new Uint8Array(0));
      this.interrupted = { device, state };
    } else {
      if (session === null || run.work.engine === null)
        throw new EngineError('a replay was to be saved that has not begun');
      archive.text(run.work.engine.report.device);
      const inner = new ArchiveWriter();
      session.carry(inner);
      archive.list(inner.bytes());
    }
    run.work.carry(archive);
  };
}

/**
 * Learners on a log that is gone through stretch by stretch: once to count, once to replay, and once to verify a few of them.
 * What replicas have come to goes from one stretch to the next, so results do not depend on the stretches; a log in memory is
 * a single one.
 */

import { type Archive, ArchiveReader, ArchiveWriter } from '../archive.js';
import { EngineError, InputError } from '../errors.js';
import type { BlockOutline } from '../estimate/block-stretches.js';
import { DEFAULT_BLOCKS } from '../estimate/blocks.js';
import { Draws } from '../learner/draws.js';
import { type LearnerSet, type LearnersOf, openLearners, type PreparedLearner } from '../learner/learner-set.js';
import type { EventLog } from '../log/event-log.js';
import type { LogStream } from '../log/stream.js';
import { requireUniform } from '../log/uniformity.js';
import type { SpecFiles } from '../policy/family.js';
import { STREAM } from '../random/threefry.js';
import type { EngineReport, LaneUse } from './backend.js';
import { type BlockChoice, blockMaker } from './block-choice.js';
import { type Checkpoints, resume, saveIfDue } from './checkpoint.js';
import type { BackendChoice } from './choose-backend.js';
import { boundedThreads, planStretch } from './memory-plan.js';
import type { ReplayOutcome, ReplayRules, ReplaySession, ReplayWork } from './replay-backend.js';
import { type ChosenReplayBackend, chooseReplayBackend } from './replay-choose.js';
import { checkKept, checkListed, keeping, keptBytes } from './replay-keep.js';
import { type PassLog, ReplayPass } from './replay-pass.js';
import { checkFeed } from './replay-rules.js';
import { ReplayVerifier, type Verification } from './replay-verify.js';
import { planVerification } from './replay-verify-choice.js';
import { addLog, headBytes } from './run-identity.js';
import { stretches } from './stretches.js';
import { Survey } from './survey.js';
import { availableThreads } from './worker-pool.js';

export interface ReplayStreamOptions extends BackendChoice {
  readonly rules: ReplayRules;
  readonly repeats: number;
  /** Bring back retained events and final states. */
  readonly retained: boolean;
  readonly state: boolean;
  readonly blocks?: BlockChoice;
  readonly assumeUniform?: boolean;
  readonly verify?: boolean | number;
  readonly verifyTolerance: number;
  /** Bytes; `null`: no bound. */
  readonly memory: number | null;
  /** Events of a stretch; default: by memory. */
  readonly stretchEvents?: number;
  /** File of checkpoints. */
  readonly resume?: string;
  /** Seconds. */
  readonly checkpointEvery?: number;
  /** Version of the program, which checkpoints must share. */
  readonly version: string;
  readonly onProgress?: (progress: ReplayStreamProgress) => void;
  readonly signal?: AbortSignal;
}

export interface ReplayStreamProgress {
  phase: 'load' | 'replay' | 'verify';
  done: number;
  total: number | null;
}

export interface StreamReplay {
  readonly survey: Survey;
  readonly outline: BlockOutline;
  readonly uniformity: ReturnType<typeof requireUniform>;
  readonly work: ReplayWork;
  readonly outcome: ReplayOutcome;
  readonly engine: EngineReport & { fallback: string | null; verified: Verification | null };
}

/** Events × replicas of a stretch where nothing but checkpoints asks for stretches: some seconds of work. */
const CHECKPOINT_DECISIONS = 2 ** 27;
const CHECKPOINT_EVENTS = 2 ** 14;
const CHECKPOINT_EVERY = 30;

/** @throws what `replay` throws. */
export async function replayStream(
  stream: LogStream,
  learners: { readonly set: LearnerSet; readonly files?: SpecFiles },
  given: ReplayStreamOptions,
): Promise<StreamReplay> {
  const { memory, threads = boundedThreads(memory, availableThreads()) } = given;
  const options = { ...given, threads };
  const run = await openRun(stream, learners, options);
  await run.count();
  const backend = await chooseReplayBackend(options, run.settings);
  try {
    return await run.replay(backend);
  } finally {
    await backend.close();
  }
}

async function openRun(
  stream: LogStream,
  { set, files }: { readonly set: LearnerSet; readonly files?: SpecFiles },
  options: ReplayStreamOptions,
): Promise<ReplayRun> {
  const { head, events } = stream;
  const { blocks = DEFAULT_BLOCKS, rules } = options;
  const survey = new Survey(head, blockMaker(head, events, blocks));
  const span = { head, events, time: survey.time };
  if (options.resume === undefined) {
    const learnersOf = await openLearners(set, span, files);
    return new ReplayRun(stream, survey, learnersOf, await learnersOf(head), options, null);
  }
  const { CheckpointFile, Fingerprint, fingerprinted } = await import('./checkpoint-file.js');
  const print = new Fingerprint().add(set.map(({ algorithm, parameters }) => [algorithm.name, parameters]));
  for (const { algorithm, custom } of set) if (custom) print.add(algorithm.create);
  const learnersOf = await openLearners(set, span, files && fingerprinted(files, print));
  const { repeats, retained, state, assumeUniform = false, verify = null, verifyTolerance } = options;
  const choices = { blocks, rules, repeats, retained, state, assumeUniform, verify, verifyTolerance };
  const identity = {
    command: 'replay',
    version: options.version,
    log: (await addLog(new Fingerprint(), stream)).digest(),
    learners: print.digest(),
    options: new Fingerprint().add(choices).digest(),
  };
  const checkpoints = await CheckpointFile.open(options.resume, identity, options.checkpointEvery ?? CHECKPOINT_EVERY);
  return new ReplayRun(stream, survey, learnersOf, await learnersOf(head), options, checkpoints);
}

/** What engines did. */
interface Done {
  settledOnCpu: number;
  decisions: number;
  seconds: number;
  lanes: LaneUse | null;
  fallback: string | null;
}

const NOTHING_DONE: Done = { settledOnCpu: 0, decisions: 0, seconds: 0, lanes: null, fallback: null };

class ReplayRun {
  /** Next event to be counted. */
  private position = 0;
  private counted = false;
  private outline!: BlockOutline;
  private uniformity!: ReturnType<typeof requireUniform>;
  private pass = new ReplayPass();
  private session: ReplaySession | null = null;
  private backend: ChosenReplayBackend | null = null;
  /** Of an interrupted run: which engine it had, and what its session had come to. */
  private interrupted: { device: string; state: Uint8Array } | null = null;
  private before: Done = NOTHING_DONE;

  constructor(
    private readonly stream: LogStream,
    private readonly survey: Survey,
    private readonly learnersOf: LearnersOf,
    /** For the head. */
    readonly settings: readonly PreparedLearner[],
    private readonly options: ReplayStreamOptions,
    private readonly checkpoints: Checkpoints | null,
  ) {
    checkFeed(settings, options.rules.learnFrom);
  }

  /** Goes through the log once, for what must be known of all its events. */
  async count(): Promise<void> {
    const { stream, survey, options, checkpoints } = this;
    resume(checkpoints, this.carry);
    if (!this.counted) {
      const size = this.stretchEvents(null);
      for await (const stretch of stretches(stream, size, {
        from: this.position,
        bounded: options.memory !== null,
        signal: options.signal,
      })) {
        survey.add(stretch);
        this.position += stretch.events;
        if (size < stream.events) options.onProgress?.({ phase: 'load', done: this.position, total: stream.events });
        await saveIfDue(checkpoints, this.carry);
      }
      this.counted = true;
    }
    this.outline = survey.blocks.outline();
    this.uniformity = requireUniform(stream.head, { assume: options.assumeUniform }, survey.uniformity);
  }

  async replay(backend: ChosenReplayBackend): Promise<StreamReplay> {
    const { options, survey, outline, uniformity } = this;
    this.backend = backend;
    const asked = await this.work();
    if (options.retained) checkListed(asked);
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
      await new ReplayPass().run(log, verifier, async () => {});
      verified = verifier.finish();
    }
    await this.checkpoints?.finish();
    const { lanes, fallback, ...done } = this.done();
    const engine = { ...backend.report, ...done, ...(lanes === null ? {} : { lanes }), fallback, verified };
    return { survey, outline, uniformity, work, outcome, engine };
  }

  /** Replays; where an engine gives up, another one begins anew. */
  private async play(backend: ChosenReplayBackend, work: ReplayWork, log: PassLog): Promise<ReplayOutcome> {
    for (;;) {
      try {
        return await this.playOn(backend, work, log);
      } catch (error) {
        if (!(await backend.giveUp(error))) throw error;
        this.pass = new ReplayPass();
        this.interrupted = null;
        this.before = NOTHING_DONE;
      }
    }
  }

  private async playOn(backend: ChosenReplayBackend, work: ReplayWork, log: PassLog): Promise<ReplayOutcome> {
    const { interrupted, pass, options, checkpoints } = this;
    const session = await backend.open(work);
    this.session = session;
    try {
      if (interrupted !== null) this.resumeSession(session, backend, interrupted);
      const onProgress = this.progress('replay', work.replicas.length, pass.position);
      const { signal } = options;
      const bounded = options.memory !== null;
      const player = {
        catchesUp: session.catchesUp,
        play: (...[stretch, range]: Parameters<ReplaySession['play']>) =>
          session.play(stretch, range, { onProgress, bounded, signal }),
        learn: (...[stretch]: Parameters<ReplaySession['learn']>) => session.learn(stretch, { bounded, signal }),
      };
      await pass.run(log, player, async () => {
        if (checkpoints === null || !checkpoints.due()) return;
        await session.settle();
        await saveIfDue(checkpoints, this.carry);
      });
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
        file: this.options.resume,
        problem: 'the checkpoint holds states of another kind of engine',
        got: `states of the ${device.toUpperCase()} engine, to go on with the ${backend.report.device.toUpperCase()} engine`,
        hint: `--device ${device}, or delete it to start afresh`,
      });
    }
    const archive = new ArchiveReader(state);
    session.carry(archive);
    archive.end();
  }

  private async work(): Promise<ReplayWork> {
    const { stream, options, settings, survey, outline } = this;
    const { rules, repeats, retained, state } = options;
    const { head, events } = stream;
    const replicas = settings.flatMap((_, setting) =>
      Array.from({ length: repeats }, (_, number) => ({ setting, number })),
    );
    const effectiveArms = survey.arms.value(head);
    const keep = { retainedOf: retained ? ('all' as const) : ('none' as const), state };
    const work = { head, events, effectiveArms, blocks: outline, settings, replicas, rules, keep };
    // In one stretch there is nothing to carry, and learners from code need not know how.
    const whole = this.checkpoints === null && this.stretchEvents({ ...work, whole: false }) >= events;
    if (!whole) return { ...work, whole };
    const log = await stream.read(0, events, options.signal);
    return { ...work, whole, head: log };
  }

  private passLog(work: ReplayWork): PassLog {
    const { stream, survey, learnersOf, options } = this;
    const { rules, signal } = options;
    const size = work.whole ? Math.max(1, stream.events) : this.stretchEvents(work);
    return { stream, size, blocks: survey.blocks, learnersOf, rules, bounded: options.memory !== null, signal };
  }

  private progress(phase: 'replay' | 'verify', replicas: number, position: number): (decisions: number) => void {
    const total = replicas * this.stream.events;
    let done = replicas * position;
    return (decisions) => {
      done = Math.min(total, done + decisions);
      this.options.onProgress?.({ phase, done, total });
    };
  }

  /** Events of a stretch; while the log is counted there is no work yet. */
  private stretchEvents(work: ReplayWork | null): number {
    const { stream, options, checkpoints } = this;
    const { head, events, bytesPerEvent } = stream;
    const whole = Math.max(1, events);
    if (options.stretchEvents !== undefined) return Math.min(whole, options.stretchEvents);
    const replicas = this.settings.length * options.repeats;
    if (options.memory === null) {
      if (checkpoints === null) return whole;
      return Math.min(whole, Math.max(CHECKPOINT_EVENTS, Math.floor(CHECKPOINT_DECISIONS / replicas)));
    }
    const columns = head.payoff.maxSteps <= 1 ? 2 : 4;
    return planStretch(options.memory, {
      events,
      bytesPerEvent,
      choicesPerEvent: 0,
      held: {
        'tables of the log': headBytes(head),
        ...(work === null
          ? {}
          : {
              statistics: columns * 8 * replicas * work.blocks.blocks,
              'states of learners': stateBytes(head, this.settings) * options.repeats,
              'lists of retained events': keptBytes(work, work.keep),
            }),
      },
      threads: options.threads ?? availableThreads(),
    });
  }

  private done(): Done {
    const { before, backend } = this;
    if (backend === null) return before;
    const { report } = backend;
    const { lanes } = report;
    return {
      settledOnCpu: before.settledOnCpu + report.settledOnCpu,
      decisions: before.decisions + report.decisions,
      seconds: before.seconds + report.seconds,
      lanes: lanes === undefined ? null : addLanes(lanes, before.lanes),
      fallback: backend.fallback ?? before.fallback,
    };
  }

  private readonly carry = (archive: Archive): void => {
    this.counted = archive.flag(this.counted);
    this.position = archive.number(this.position);
    this.survey.carry(archive);
    if (!this.counted) return;
    this.pass.carry(archive);
    if (archive.reading) {
      const device = archive.text('');
      const state = archive.list(new Uint8Array(0));
      this.interrupted = { device, state };
    } else {
      const { session, backend } = this;
      if (session === null || backend === null) throw new EngineError('a replay was to be saved that has not begun');
      archive.text(backend.report.device);
      const inner = new ArchiveWriter();
      session.carry(inner);
      archive.list(inner.bytes());
    }
    const done = JSON.parse(archive.text(JSON.stringify(this.done()))) as Done;
    if (archive.reading) this.before = done;
  };
}

function addLanes(a: LaneUse, b: LaneUse | null): LaneUse {
  if (b === null) return a;
  return {
    events: a.events + b.events,
    slots: a.slots + b.slots,
    looks: a.looks + b.looks,
    settled: a.settled + b.settled,
  };
}

/** Bytes of the states of one replica of each setting, as far as they can be told beforehand. */
function stateBytes(head: EventLog, settings: readonly PreparedLearner[]): number {
  return settings.reduce((sum, { create }) => {
    const learner = create(head, new Draws(0, 0, STREAM.exploration));
    const writer = new ArchiveWriter();
    learner.carry?.(writer);
    // Room that is written to may be twice as large.
    return sum + 2 * writer.bytes().length;
  }, 0);
}

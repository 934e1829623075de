/**
 * Fixed policies on a log that is gone through stretch by stretch, once to count and once to evaluate. Block statistics
 * add up, so results do not depend on the stretches; a log in memory is a single one.
 */

import type { Archive } from '../archive.js';
import type { BlockOutline } from '../estimate/block-stretches.js';
import { blockEvents, DEFAULT_BLOCKS } from '../estimate/blocks.js';
import { reordered } from '../estimate/valid-events.js';
import type { EventLog } from '../log/event-log.js';
import type { LogStream } from '../log/stream.js';
import { requireUniform } from '../log/uniformity.js';
import type { PolicyBatch } from '../policy/batch.js';
import type { SpecFiles, StretchCompiler } from '../policy/family.js';
import { openPolicySet, type PolicySet } from '../policy/policy-set.js';
import type { EngineReport } from './backend.js';
import { type BlockChoice, blockMaker } from './block-choice.js';
import { type Checkpoints, resume, saveIfDue } from './checkpoint.js';
import { type BackendChoice, type ChosenBackend, chooseBackend } from './choose-backend.js';
import { boundedThreads, planStretch } from './memory-plan.js';
import { type EvaluatedPolicies, PolicySums } from './policy-sums.js';
import { addLog, headBytes } from './run-identity.js';
import { stretches } from './stretches.js';
import { Survey } from './survey.js';
import { type Evaluated, verify } from './verify.js';
import { availableThreads } from './worker-pool.js';

export interface EvaluateStreamOptions extends BackendChoice {
  /** T of Algorithm 1; `null`: Algorithm 2. */
  readonly validEvents: number | null;
  readonly blocks?: BlockChoice;
  readonly assumeUniform?: boolean;
  /** Compare this many policies with the CPU reference. */
  readonly verify?: number;
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
  readonly onProgress?: (progress: { phase: 'load' | 'evaluate'; done: number; total: number | null }) => void;
  readonly signal?: AbortSignal;
}

export interface StreamEvaluation {
  readonly survey: Survey;
  readonly outline: BlockOutline;
  readonly uniformity: ReturnType<typeof requireUniform>;
  readonly evaluated: readonly EvaluatedPolicies[];
  readonly engine: EngineReport & { fallback: string | null; verified: number | null };
  /** Of random policies. */
  readonly seeds: readonly number[];
  /** About policies. */
  readonly warnings: readonly string[];
}

/** Decisions of a stretch where nothing but checkpoints asks for stretches: some seconds of work. */
const CHECKPOINT_DECISIONS = 2 ** 31;
const CHECKPOINT_EVENTS = 2 ** 20;
const CHECKPOINT_EVERY = 30;

/** @throws what `evaluate` throws. */
export async function evaluateStream(
  stream: LogStream,
  policies: { readonly set: PolicySet; readonly files?: SpecFiles },
  given: EvaluateStreamOptions,
): Promise<StreamEvaluation> {
  const { memory, threads = boundedThreads(memory, availableThreads()) } = given;
  const options = { ...given, threads };
  const run = await openRun(stream, policies, options);
  await run.count();
  const backend = await chooseBackend(options);
  try {
    await run.play(backend);
    return run.finish(backend);
  } finally {
    await backend.close();
  }
}

async function openRun(
  stream: LogStream,
  { set, files }: { readonly set: PolicySet; readonly files?: SpecFiles },
  options: EvaluateStreamOptions,
): Promise<PolicyRun> {
  const { head, events } = stream;
  const { blocks = DEFAULT_BLOCKS } = options;
  // Where a log has no column for the blocks, that is told before policies are read.
  const survey = new Survey(head, blockMaker(head, events, blocks));
  const span = { head, events, time: survey.time };
  if (options.resume === undefined)
    return new PolicyRun(stream, survey, await openPolicySet(set, span, files), options, null);
  const { CheckpointFile, Fingerprint, fingerprinted } = await import('./checkpoint-file.js');
  const print = new Fingerprint().add(set.map(({ spec }) => spec));
  const compilers = await openPolicySet(set, span, files && fingerprinted(files, print));
  const { validEvents, assumeUniform = false, version } = options;
  const identity = {
    command: 'evaluate',
    version,
    log: (await addLog(new Fingerprint(), stream)).digest(),
    policies: print.digest(),
    options: new Fingerprint().add({ validEvents, blocks, assumeUniform, verify: options.verify ?? null }).digest(),
  };
  const every = options.checkpointEvery ?? CHECKPOINT_EVERY;
  return new PolicyRun(stream, survey, compilers, options, await CheckpointFile.open(options.resume, identity, every));
}

class PolicyRun {
  /** Next event to be counted, or (with sums) to be evaluated. */
  private position = 0;
  /** Made when every event is counted. */
  private sums: readonly PolicySums[] | null = null;
  private outline!: BlockOutline;
  private uniformity!: ReturnType<typeof requireUniform>;
  private verified: number | null;
  /** What engines did before the run was interrupted. */
  private readonly before = { settledOnCpu: 0, decisions: 0, seconds: 0, fallback: '' };
  private backend: ChosenBackend | null = null;
  /** Each entry's policies without events: their names. */
  private batches: readonly PolicyBatch[] = [];

  constructor(
    private readonly stream: LogStream,
    private readonly survey: Survey,
    private readonly compilers: readonly StretchCompiler[],
    private readonly options: EvaluateStreamOptions,
    private readonly checkpoints: Checkpoints | null,
  ) {
    this.verified = options.verify === undefined ? null : 0;
  }

  /** Goes through the log once, for what must be known of all its events. */
  async count(): Promise<void> {
    const { stream, survey, options, checkpoints } = this;
    resume(checkpoints, this.carry);
    if (this.sums === null) {
      const size = this.stretchEvents(1);
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
      this.begin();
    }
    this.uniformity = requireUniform(stream.head, { assume: options.assumeUniform }, survey.uniformity);
    if (options.validEvents !== null && !this.outline.inOrder) throw reordered(this.outline);
  }

  /** Everything is counted: evaluation begins with event 0. */
  private begin(): void {
    const { survey, compilers, options, stream } = this;
    this.outline = survey.blocks.outline();
    const binary = stream.head.payoff.maxSteps <= 1;
    const events = blockEvents(this.outline);
    this.sums = compilers.map(({ policies }) => new PolicySums(policies, events, binary, options.validEvents));
    this.position = 0;
  }

  /** Evaluates the policies on each stretch. */
  async play(backend: ChosenBackend): Promise<void> {
    const { stream, survey, compilers, options, checkpoints, outline } = this;
    const { signal } = options;
    const bounded = options.memory !== null;
    this.backend = backend;
    this.batches = await compileAll(compilers, stream.head);
    const policies = this.batches.reduce((sum, batch) => sum + batch.policies, 0);
    const total = policies * stream.events;
    let done = policies * this.position;
    const onProgress = (decisions: number): void => {
      done = Math.min(total, done + decisions);
      options.onProgress?.({ phase: 'evaluate', done, total });
    };
    const size = this.stretchEvents(outline.blocks);
    for await (const stretch of stretches(stream, size, { from: this.position, bounded, signal })) {
      const cut = survey.blocks.cut(stretch);
      const evaluated: Evaluated[] = [];
      for (const batch of await compileAll(compilers, stretch)) {
        const stats = await backend.evaluate(stretch, cut.plan, batch, { onProgress, bounded, signal });
        this.sums?.[evaluated.length].add(stretch, batch, cut, stats);
        evaluated.push({ batch, stats });
      }
      if (options.verify !== undefined)
        this.verified = await verify(stretch, cut.plan, evaluated, options.verify, signal, (block) => cut.of[block]);
      this.position += stretch.events;
      await saveIfDue(checkpoints, this.carry);
    }
  }

  async finish(backend: ChosenBackend): Promise<StreamEvaluation> {
    const { survey, outline, uniformity, compilers, batches, verified, sums } = this;
    await this.checkpoints?.finish();
    return {
      survey,
      outline,
      uniformity,
      evaluated: batches.map(({ policies, names, family }, i) => {
        const { stats, first } = (sums as readonly PolicySums[])[i];
        return { policies, names, family, stats, first };
      }),
      engine: { ...backend.report, ...this.work(), fallback: this.fallback(), verified },
      seeds: batches.flatMap((batch) => (batch.kind === 'uniform' ? [batch.seed] : [])),
      warnings: compilers.flatMap((compiler) => compiler.warnings()),
    };
  }

  /** What engines did, before an interruption and now. */
  private work() {
    const { before } = this;
    const { settledOnCpu = 0, decisions = 0, seconds = 0 } = this.backend?.report ?? {};
    return {
      settledOnCpu: before.settledOnCpu + settledOnCpu,
      decisions: before.decisions + decisions,
      seconds: before.seconds + seconds,
    };
  }

  private fallback(): string | null {
    return this.backend?.fallback ?? (this.before.fallback === '' ? null : this.before.fallback);
  }

  /** Events of a stretch, with so many blocks of statistics. */
  private stretchEvents(blocks: number): number {
    const { stream, compilers, options } = this;
    const { head, events, bytesPerEvent } = stream;
    const policies = compilers.reduce((sum, one) => sum + one.policies, 0);
    const whole = Math.max(1, events);
    if (options.stretchEvents !== undefined) return Math.min(whole, options.stretchEvents);
    if (options.memory === null) {
      if (this.checkpoints === null) return whole;
      return Math.min(whole, Math.max(CHECKPOINT_EVENTS, Math.floor(CHECKPOINT_DECISIONS / policies)));
    }
    const columns = head.payoff.maxSteps <= 1 ? 2 : 4;
    return planStretch(options.memory, {
      events,
      bytesPerEvent,
      choicesPerEvent: compilers.reduce((sum, one) => sum + one.perEvent, 0),
      held: {
        'tables of the log': headBytes(head),
        policies: compilers.reduce((sum, one) => sum + one.held, 0),
        // Those of the whole log, and those of a stretch.
        statistics: 2 * columns * 8 * policies * blocks,
      },
      threads: options.threads ?? availableThreads(),
    });
  }

  private readonly carry = (archive: Archive): void => {
    const counted = archive.flag(this.sums !== null);
    const position = archive.number(this.position);
    this.survey.carry(archive);
    if (counted) {
      if (archive.reading) this.begin();
      for (const compiler of this.compilers) compiler.carry(archive);
      for (const sums of this.sums ?? []) sums.carry(archive);
      this.carryWork(archive);
    }
    this.position = position;
  };

  private carryWork(archive: Archive): void {
    const work = this.work();
    const carried = {
      settledOnCpu: archive.number(work.settledOnCpu),
      decisions: archive.number(work.decisions),
      seconds: archive.number(work.seconds),
      fallback: archive.text(this.fallback() ?? ''),
    };
    if (archive.reading) Object.assign(this.before, carried);
    const verified = archive.number(this.verified ?? -1);
    this.verified = verified < 0 ? null : verified;
  }
}

/** One after the other: entries may be large, and the first fault in the order of the set is the one to report. */
async function compileAll(compilers: readonly StretchCompiler[], stretch: EventLog): Promise<PolicyBatch[]> {
  const batches: PolicyBatch[] = [];
  for (const compiler of compilers) batches.push(await compiler.compile(stretch));
  return batches;
}

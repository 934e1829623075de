/** A run of policies or learners on a log, opened: what they name is read, and what tells the run from others is known. */

import type { BlockMaker } from '../estimate/blocks/block-makers.js';
import { DEFAULT_BLOCKS } from '../estimate/blocks/blocks.js';
import type { EventLevels } from '../estimate/blocks/levels.js';
import type { Estimates } from '../estimate/estimates.js';
import type { ScaleMethod } from '../learner/scaling.js';
import type { LogStream } from '../log/stream.js';
import type { LogSpan, SpecFiles } from '../policy/family.js';
import type { RewardModel } from '../reward-model/contract.js';
import { blockMaker } from './block-choice.js';
import type { Checkpoints } from './checkpoint/checkpoint.js';
import type { Identity } from './checkpoint/file.js';
import { addLog, headBytes } from './checkpoint/identity.js';
import { LogRun, type LogRunOptions } from './log-run.js';
import { residentBytes } from './memory/resident.js';
import type { SharedCounts } from './parts/counts.js';
import { type PartNumber, partText } from './parts/plan.js';
import { Survey } from './survey.js';

/** What a run works with, and what makes it another run than others. */
export interface RunContent<Opened> {
  readonly command: 'evaluate' | 'replay';
  /** What is run, by the name that messages give it. */
  readonly content: readonly ['policies' | 'learners', readonly unknown[]];
  /** Options that results depend on. */
  readonly choices: object;
  readonly files?: SpecFiles;
  /** The sizes of contexts are to be counted. */
  readonly contexts?: boolean;
  /** How contexts are to be scaled. */
  readonly scale?: ScaleMethod | null;
  /** Levels that blocks are told apart by. */
  readonly levels?: (blocks: BlockMaker) => EventLevels | null;
  /** What policies are estimated by. */
  readonly estimates?: Estimates;
  /** Estimates are only for logs whose propensities turn out not to be uniform. */
  readonly unlessUniform?: boolean;
  /** What payoffs are predicted by. */
  readonly model?: RewardModel | null;
  /** The log need not be uniform; asked when it is counted. */
  readonly anyLogging?: (survey: Survey) => boolean;
  /** The part of the work that is done; `null` and default: all of it. */
  readonly part?: PartNumber | null;
  /** Of parts: the file that they share of what is counted. */
  readonly counts?: string;
  /** What tells the run from others is asked for, checkpoints or not; else it is empty without them. */
  readonly identify?: boolean;
  /** Reads the files that policies or learners name. */
  readonly open: (span: LogSpan, files: SpecFiles | undefined) => Promise<Opened>;
}

const CHECKPOINT_EVERY = 30;

/** @throws InputError for a log without columns for the blocks, for content that is not usable, for checkpoints of other runs. */
export async function openLogRun<Opened>(
  stream: LogStream,
  options: LogRunOptions,
  {
    command,
    content,
    choices,
    files,
    contexts,
    scale,
    levels,
    estimates,
    unlessUniform,
    model,
    anyLogging = () => false,
    part = null,
    counts,
    identify = false,
    open,
  }: RunContent<Opened>,
): Promise<{ readonly run: LogRun; readonly opened: Opened; readonly identity: Identity }> {
  const { head, events } = stream;
  // The tables of the log are in memory already, and are counted by themselves.
  const program = Math.max(0, residentBytes() - headBytes(head));
  const { blocks = DEFAULT_BLOCKS, version } = options;
  // Where a log has no column for the blocks, that is told before policies are read.
  const maker = blockMaker(head, events, blocks);
  const survey = new Survey(head, events, maker, {
    contexts,
    scale,
    levels: levels?.(maker),
    estimates,
    unlessUniform,
    model,
  });
  const span = { head, events, time: survey.time };
  const made = (checkpoints: Checkpoints | null, shared: SharedCounts | null = null) =>
    new LogRun(stream, survey, { ...options, anyLogging }, checkpoints, shared, program);
  if (options.place === null && !identify) {
    const opened = await open(span, files);
    return { run: made(null), opened, identity: {} };
  }
  const { CheckpointFile, Fingerprint, fingerprinted } = await import('./checkpoint/file.js');
  const [name, values] = content;
  const print = new Fingerprint().add(values);
  const opened = await open(span, files && fingerprinted(files, print));
  const identity = {
    version,
    log: (
      await addLog(new Fingerprint(), stream, { bounded: options.memory !== null, signal: options.signal })
    ).digest(),
    [name]: print.digest(),
    options: new Fingerprint().add({ ...choices, blocks, assumeUniform: options.assumeUniform ?? false }).digest(),
  };
  let shared: SharedCounts | null = null;
  if (counts !== undefined) {
    const { SharedCounts } = await import('./parts/counts.js');
    shared = await SharedCounts.open(counts, { command, ...identity });
  }
  if (options.place === null) return { run: made(null, shared), opened, identity };
  const every = options.checkpointEvery ?? CHECKPOINT_EVERY;
  const own = { command, ...identity, ...(part === null ? {} : { part: partText(part) }) };
  return { run: made(await CheckpointFile.open(options.place, own, every), shared), opened, identity };
}

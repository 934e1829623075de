/** `hindcast replay`: a log and learners in, statistics over replicas out. */

import { Command, Option } from 'commander';
import { EngineError } from '../../errors.js';
import { SCALE_METHODS, type ScaleMethod } from '../../learner/scaling.js';
import type { Listing, ReplayOptions } from '../../replay.js';
import { RENDERER_NAMES, RENDERERS } from '../../report/renderers.js';
import type { ReplayResult } from '../../report/replay-result.js';
import type { StoredParts } from '../../run/parts/stored.js';
import type { SelectionOptions } from '../../run/selection.js';
import { commandAgain } from '../again.js';
import {
  addBlockOptions,
  addDeviceOptions,
  addOutputOptions,
  addStreamingOptions,
  addThinningOptions,
  checkAdapter,
  confidenceOption,
  type EngineOptions,
  validEventsOption,
} from '../engine-options.js';
import { chooseFormat } from '../format.js';
import { onEachGpu } from '../gpus.js';
import { type Io, tell } from '../io.js';
import { addLogOptions, type LogOptions } from '../log-options.js';
import { addPartOption, askedPart, askedRun, checkPartOptions, type PartOptions } from '../part-options.js';
import { writePartFile } from '../parts.js';
import { type CommonOptions, type ResultCommand, withRun, writeResult } from '../result.js';
import { addSelectionOptions, selectionOptions } from '../selection-options.js';
import { eventsOrPeriod, numberFrom, probability, required, wholeNumber } from '../values.js';

interface Options extends LogOptions, EngineOptions, SelectionOptions, PartOptions {
  learners?: string;
  repeats?: number;
  subsample?: number;
  seed?: number;
  updateEvery?: number | { period: number };
  learnFrom?: 'retained' | 'all';
  scale?: ScaleMethod;
  replicas?: boolean;
  /** False for `--no-retained`; else true. */
  retained: boolean;
  state?: boolean;
  verifyTolerance?: number;
}

/** The command, ready to be parsed. */
export function replayCommand(io: Io): Command {
  const command = new Command('replay')
    .summary('replay learning algorithms, many runs each')
    .description(
      'Replays learning algorithms on a log of uniformly random decisions, many replicas each, and reports the mean, spread and range of what they earned per valid event.',
    )
    .option('--learners <file.json>', 'list of learners; a list of values is a grid (required)');
  addLogOptions(command)
    .optionsGroup('Replicas:')
    .option('--repeats <R>', 'replicas of each learner (default: 1)', wholeNumber('--repeats', 1, 1_000_000))
    .option('--subsample <p>', 'each replica sees each event with probability p', probability('--subsample'))
    .option('--seed <s>', 'seed of every draw (default: 0)', wholeNumber('--seed', 0, 4294967295))
    .addOption(validEventsOption('replica'))
    .option(
      '--update-every <N|time>',
      'freeze decisions for N events, or for a period such as 5m',
      eventsOrPeriod('--update-every'),
    )
    .addOption(
      new Option('--learn-from <which>', 'events that learners are fed (default: retained)').choices([
        'retained',
        'all',
      ]),
    )
    .addOption(
      new Option('--scale <method>', 'scale context columns by the whole log (default: as they are)').choices(
        SCALE_METHODS,
      ),
    )
    .addOption(confidenceOption());
  addSelectionOptions(command, ['learner', 'learners']);
  addBlockOptions(command);
  addThinningOptions(command);
  addDeviceOptions(command)
    .option(
      '--verify [N]',
      'check every decision of N replicas, computed anew (all without N; default: a spot check of what a GPU replayed)',
      (text) => wholeNumber('--verify', 1)(text),
    )
    .option('--no-verify', 'no spot check')
    .option(
      '--verify-tolerance <x>',
      'relative score difference at which a decision may differ (default: 1e-6)',
      numberFrom('--verify-tolerance', 0),
    );
  addStreamingOptions(command);
  addPartOption(command);
  addOutputOptions(command)
    .option('--replicas', 'include every replica, with the rows it retained (JSON, CSV)')
    .option('--no-retained', 'leave the retained rows out of the replicas')
    .option('--state', 'include final states (JSON)')
    .option('--quiet', 'no progress bar');
  return command.action((files: string[], options: Options, own: Command) =>
    options.gpus === undefined
      ? replayAction(files, own, io)
      : onEachGpu({ command: own, files, options, io }, (parts) =>
          replayParts(files, { ...options, device: 'cpu', adapter: undefined }, io, parts),
        ),
  );
}

async function replayAction(files: string[], command: Command, io: Io): Promise<void> {
  const options = command.opts<Options>();
  const part = askedPart(options);
  if (part === null) return replayTo(files, options, io, { parts: null, again: commandAgain(command) });
  const file = checkPartOptions(files, options);
  const learners = requiredLearners(options);
  checkAdapter(options);
  const { replayPart } = await import('../../replay.js');
  const asked = askedRun(files, command);
  const said = await withRun(
    { files, options, io },
    (log, common) =>
      writePartFile({ command: 'replay', part, asked, file, io }, (isThere) =>
        replayPart(
          log,
          learners,
          replayOptions(options, common, all(options)),
          { part, asked, counts: options.counts },
          isThere,
        ),
      ),
    (work) => work(),
  );
  await tell(io, said);
}

/** The result of a run whose parts are there. @param options of the run, and those of whoever puts it together. */
export function replayParts(files: string[], options: object, io: Io, parts: StoredParts): Promise<void> {
  return replayTo(files, options as Options, io, { parts, again: parts.asked.command });
}

async function replayTo(
  files: string[],
  options: Options,
  io: Io,
  { parts, again }: Pick<ResultCommand, 'parts' | 'again'>,
): Promise<void> {
  const format = chooseFormat(options, RENDERER_NAMES, io);
  const learners = requiredLearners(options);
  checkAdapter(options);
  // Other formats have no room for these.
  const listing =
    RENDERERS[format].reader === 'programs' ? all(options) : { retained: false, state: false, blockStatistics: false };
  let failure = '';
  await writeResult<ReplayResult>(
    { files, set: learners, options, format, io, parts, again },
    {
      async run(log, common) {
        const { replay, replayStored } = await import('../../replay.js');
        const result =
          parts === null
            ? await replay(log, learners, replayOptions(options, common, listing))
            : await replayStored(log, learners, replayOptions(options, common, all(options)), {
                ...{ stored: parts, listing },
              });
        failure = failureOf(result);
        return result;
      },
      render: (renderer, result, style) => renderer.replay(result, style),
      pictures: async (result) => (await import('../../report/html/page.js')).replayPictures(result),
    },
  );
  // The result is there to be looked at; the exit status is for scripts, which must not take it for good.
  if (failure !== '') throw new EngineError(failure);
}

function requiredLearners({ learners }: Options): string {
  return required(learners, '--learners FILE.json', 'hindcast replay LOG --learners LEARNERS.json');
}

/** All of the replicas that is asked for. */
function all({ replicas, retained, state, blockStatistics }: Options): Listing {
  return {
    ...{ retained: replicas === true && retained, state: state === true, blockStatistics: blockStatistics === true },
  };
}

/** What the library is asked for. */
function replayOptions(options: Options, common: CommonOptions, listing: Listing): ReplayOptions {
  const { repeats, subsample, seed, updateEvery, learnFrom, scale, replicas, verifyTolerance } = options;
  return {
    ...selectionOptions(options),
    ...{ ...common, repeats, subsample, seed, updateEvery, learnFrom, scale, replicas, verifyTolerance },
    ...listing,
  };
}

/** What a failed verification tells, as errors do; empty where there is none. */
function failureOf({ engine: { device, verified } }: ReplayResult): string {
  if (verified === null || verified.passed) return '';
  const report = 'report this with the output of hindcast devices';
  return [
    'verification failed; the result was written all the same',
    `  got:    ${verified.first}`,
    '  needed: the decisions of the CPU when it computes anew, and statistics that agree with them',
    `  try:    ${device === 'cpu' ? report : `--device cpu, and ${report}`}`,
  ].join('\n');
}

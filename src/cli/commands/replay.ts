/** `hindcast replay`: a log and learners in, statistics over replicas out. */

import { Command, Option } from 'commander';
import { EngineError } from '../../errors.js';
import { SCALE_METHODS, type ScaleMethod } from '../../learner/scaling.js';
import type { ReplayResult } from '../../report/replay-result.js';
import {
  addBlockOptions,
  addDeviceOptions,
  addOutputOptions,
  addStreamingOptions,
  blocksOf,
  checkAdapter,
  confidenceOption,
  type EngineOptions,
  FORMATS,
  type Format,
  validEventsOption,
} from '../engine-options.js';
import { warnedInFlags } from '../flags.js';
import { chooseFormat, outputStyle, shown } from '../format.js';
import { type Io, tell } from '../io.js';
import { addLogOptions, type LogOptions, logInput } from '../log-options.js';
import { notesOf } from '../notes.js';
import { withOutput } from '../output.js';
import { progressDisplay } from '../progress.js';
import { resumable } from '../resumable.js';
import { withLogFiles } from '../standard-input.js';
import { eventsOrPeriod, numberFrom, probability, required, wholeNumber } from '../values.js';

interface Options extends LogOptions, EngineOptions {
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
  /** `true`: every replica; false for `--no-verify`. */
  verify?: number | boolean;
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
  addBlockOptions(command);
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
  addOutputOptions(command)
    .option('--replicas', 'include every replica, with the rows it retained (JSON, CSV)')
    .option('--no-retained', 'leave the retained rows out of the replicas')
    .option('--state', 'include final states (JSON)')
    .option('--quiet', 'no progress bar');
  return command.action((files: string[], options: Options) => replayAction(files, options, io));
}

async function replayAction(files: string[], options: Options, io: Io): Promise<void> {
  const format = chooseFormat(options, FORMATS, io);
  const learners = required(options.learners, '--learners FILE.json', 'hindcast replay LOG --learners LEARNERS.json');
  checkAdapter(options);
  const json = format === 'json';
  let notes = '';
  let failure = '';
  const produce = async (paths: string[]) => {
    const progress = await progressDisplay(io, options.quiet === true);
    try {
      const { replay } = await import('../../replay.js');
      const result = warnedInFlags(
        await replay({ files: paths, ...(await logInput(paths, options)) }, learners, {
          repeats: options.repeats,
          subsample: options.subsample,
          seed: options.seed,
          validEvents: options.validEvents,
          updateEvery: options.updateEvery,
          learnFrom: options.learnFrom,
          scale: options.scale,
          confidence: options.confidence,
          replicas: options.replicas,
          // Other formats have no room for these.
          retained: json && options.replicas === true && options.retained,
          state: json && options.state === true,
          blocks: blocksOf(options),
          blockStatistics: json && options.blockStatistics === true,
          device: options.device,
          adapter: options.adapter,
          threads: options.threads,
          memory: options.memory,
          resume: options.resume,
          checkpointEvery: options.checkpointEvery,
          keepCheckpoint: true,
          assumeUniform: options.assumeUniform,
          verify: options.verify,
          verifyTolerance: options.verifyTolerance,
          onProgress: (state) => progress.report(state),
          signal: io.signal,
        }),
      );
      failure = failureOf(result);
      // A table and JSON say it themselves.
      if (format === 'csv' || format === 'parquet') notes = notesOf(result);
      return await render(result, format, options, io);
    } finally {
      progress.stop();
    }
  };
  await resumable(options.resume, io, () =>
    withOutput(options.out, [...files, learners], io, () => withLogFiles(files, options.logFormat, io, produce)),
  );
  await tell(io, notes);
  // The result is there to be looked at; the exit status is for scripts, which must not take it for good.
  if (failure !== '') throw new EngineError(failure);
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

async function render(result: ReplayResult, format: Format, options: Options, io: Io): Promise<string | Uint8Array> {
  switch (format) {
    case 'json':
      return shown((await import('../../report/replay-json.js')).toReplayJson(result), options.out, io);
    case 'csv':
      return shown((await import('../../report/csv.js')).toReplayCsv(result), options.out, io);
    case 'parquet':
      return (await import('../../report/parquet.js')).toParquet(result);
    case 'table':
      return (await import('../../report/replay-table.js')).toReplayTable(result, outputStyle(options.out, io));
  }
}

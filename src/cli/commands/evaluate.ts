/** `hindcast evaluate`: a log and a policy set in, a ranking out. */

import { Command, Option } from 'commander';
import type { EstimatorName } from '../../estimate/estimators/index.js';
import type { IntervalName } from '../../estimate/interval/index.js';
import type { EvaluationResult } from '../../report/result.js';
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
import { required, wholeNumber } from '../values.js';

interface Options extends LogOptions, EngineOptions {
  policies?: string;
  estimator?: EstimatorName;
  interval?: IntervalName;
  /** `true`: every policy; false for `--no-verify`. */
  verify?: number | boolean;
  top?: number | 'all';
}

/** Rows of a table without `--top`; files hold every policy. */
const TABLE_ROWS = 20;

/** The command, ready to be parsed. */
export function evaluateCommand(io: Io): Command {
  const command = new Command('evaluate')
    .summary('rank policies by what they would have earned')
    .description(
      'Replays every policy of a set on a log of uniformly random decisions and ranks them by value, with intervals.',
    )
    .option('--policies <set.json>', 'policy set (JSON Schema: hindcast/schema; required)');
  addLogOptions(command)
    .optionsGroup('Estimate:')
    .addOption(
      new Option('--estimator <name>', 'what values are: replay (default), or ips, for logs with propensities'),
    )
    .addOption(validEventsOption('policy'))
    .option(
      '--interval <name>',
      'wilson, clopper-pearson, empirical-bernstein, normal or theorem-2 (default: by payoff)',
    )
    .addOption(confidenceOption());
  addBlockOptions(command);
  addDeviceOptions(command)
    .option('--verify [N]', 'decide N policies once more by the CPU reference (all without N)', (text) =>
      wholeNumber('--verify', 1)(text),
    )
    .option('--no-verify', 'none (default)');
  addStreamingOptions(command);
  addOutputOptions(command)
    .option('--top <N>', `only the best N, or all (default: ${TABLE_ROWS} in a table, all in a file)`, (text) =>
      text === 'all' ? ('all' as const) : wholeNumber('--top', 1)(text),
    )
    .option('--quiet', 'no progress bar');
  return command.action((files: string[], options: Options) => evaluateAction(files, options, io));
}

async function evaluateAction(files: string[], options: Options, io: Io): Promise<void> {
  const format = chooseFormat(options, FORMATS, io);
  const policies = required(options.policies, '--policies SET.json', 'hindcast evaluate LOG --policies SET.json');
  checkAdapter(options);
  let notes = '';
  const produce = async (paths: string[]) => {
    const progress = await progressDisplay(io, options.quiet === true);
    try {
      const { evaluate } = await import('../../evaluate.js');
      const result = warnedInFlags(
        await evaluate({
          log: { files: paths, ...(await logInput(paths, options)) },
          policies,
          device: options.device,
          adapter: options.adapter,
          threads: options.threads,
          memory: options.memory,
          resume: options.resume,
          checkpointEvery: options.checkpointEvery,
          keepCheckpoint: true,
          estimator: options.estimator,
          validEvents: options.validEvents,
          interval: options.interval,
          confidence: options.confidence,
          blocks: blocksOf(options),
          blockStatistics: options.blockStatistics,
          assumeUniform: options.assumeUniform,
          verify: options.verify,
          onProgress: (state) => progress.report(state),
          signal: io.signal,
        }),
      );
      // A table and JSON say it themselves.
      if (format === 'csv' || format === 'parquet') notes = notesOf(result);
      return await render(best(result, options.top ?? (format === 'table' ? TABLE_ROWS : 'all')), format, options, io);
    } finally {
      progress.stop();
    }
  };
  await resumable(options.resume, io, () =>
    withOutput(options.out, [...files, policies], io, () => withLogFiles(files, options.logFormat, io, produce)),
  );
  await tell(io, notes);
}

/** The result with the best policies only, and the count of the others. */
function best(result: EvaluationResult, top: number | 'all'): EvaluationResult {
  if (top === 'all' || result.policies.length <= top) return result;
  return { ...result, omitted: result.policies.length - top, policies: result.policies.slice(0, top) };
}

async function render(
  result: EvaluationResult,
  format: Format,
  options: Options,
  io: Io,
): Promise<string | Uint8Array> {
  switch (format) {
    case 'json':
      return shown((await import('../../report/json.js')).toJson(result), options.out, io);
    case 'csv':
      return shown((await import('../../report/csv.js')).toCsv(result), options.out, io);
    case 'parquet':
      return (await import('../../report/parquet.js')).toParquet(result);
    case 'table':
      return (await import('../../report/table.js')).toTable(result, outputStyle(options.out, io));
  }
}

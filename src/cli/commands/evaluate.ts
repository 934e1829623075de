/** `hindcast evaluate`: a log and a policy set in, a ranking out. */

import { Command, Option } from 'commander';
import type { EstimatorName } from '../../estimate/estimators/index.js';
import type { IntervalName } from '../../estimate/interval/index.js';
import { RENDERER_NAMES, RENDERERS } from '../../report/renderers.js';
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
  validEventsOption,
} from '../engine-options.js';
import { chooseFormat, rendered } from '../format.js';
import { type Io, tell } from '../io.js';
import { addLogOptions, type LogOptions, logInput } from '../log-options.js';
import { namesIn } from '../names.js';
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
    .addOption(new Option('--estimator <name>', `what values are: ${namesIn('estimators')} (default: replay)`))
    .addOption(validEventsOption('policy'))
    .option('--interval <name>', `${namesIn('intervals')} (default: by payoff)`)
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
  const format = chooseFormat(options, RENDERER_NAMES, io);
  const { reader } = RENDERERS[format];
  const policies = required(options.policies, '--policies SET.json', 'hindcast evaluate LOG --policies SET.json');
  checkAdapter(options);
  let notes = '';
  const produce = async (paths: string[]) => {
    const progress = await progressDisplay(io, options.quiet === true);
    try {
      const { evaluate } = await import('../../evaluate.js');
      const result = await evaluate({
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
      });
      // Others say it themselves.
      if (reader === 'tools') notes = notesOf(result);
      const part = best(result, options.top ?? (reader === 'people' ? TABLE_ROWS : 'all'));
      return await rendered(format, (renderer, style) => renderer.evaluation(part, style), options.out, io);
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

/** `hindcast evaluate`: a log and a policy set in, a ranking out. */

import { Command, Option } from 'commander';
import type { EstimatorName } from '../../estimate/estimators/index.js';
import type { AnyInterval } from '../../estimate/interval/choose-interval.js';
import type { Clip } from '../../estimate/weights/clips.js';
import type { EvaluateOptions } from '../../evaluate.js';
import type { LogFiles } from '../../open/open.js';
import { RENDERER_NAMES, RENDERERS } from '../../report/renderers.js';
import type { EvaluationResult } from '../../report/result.js';
import { type RewardModelOptions, rewardModelOptions } from '../../reward-model/options.js';
import type { StoredParts } from '../../run/parts/stored.js';
import type { SelectionOptions } from '../../run/selection.js';
import type { SequenceOptions } from '../../run/sequence-options.js';
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
import { addLevelOptions, type LevelFlags, levelOptions } from '../level-options.js';
import { addLogOptions, type LogOptions } from '../log-options.js';
import { namesIn } from '../names.js';
import { addPartOption, askedPart, askedRun, checkPartOptions, type PartOptions } from '../part-options.js';
import { writePartFile } from '../parts.js';
import { type CommonOptions, type ResultCommand, withRun, writeResult } from '../result.js';
import { addRewardModelOptions } from '../reward-model-options.js';
import { addSelectionOptions, selectionOptions } from '../selection-options.js';
import { addSequenceOptions, sequenceOptions } from '../sequence-options.js';
import { clips, names, numberBetween, required, wholeNumber } from '../values.js';

interface Options
  extends LogOptions,
    EngineOptions,
    RewardModelOptions,
    SelectionOptions,
    LevelFlags,
    SequenceOptions,
    PartOptions {
  policies?: string;
  estimator?: EstimatorName[];
  clip?: Clip;
  switch?: number;
  shrinkage?: number;
  estimatePropensities?: string[];
  interval?: AnyInterval;
  top?: number | 'all';
}

const above0 = (option: string): ((text: string) => number) => numberBetween(option, 0, Number.POSITIVE_INFINITY);

/** Rows of a table without `--top`; files hold every policy. */
const TABLE_ROWS = 20;

/** The command, ready to be parsed. */
export function evaluateCommand(io: Io): Command {
  const command = new Command('evaluate')
    .summary('rank policies by what they would have earned')
    .description(
      'Tells of every policy of a set what it would have earned on a log of decisions made partly at random, and ranks them by value, with intervals.',
    )
    .option('--policies <set.json>', 'policy set (JSON Schema: hindcast/schema; required)');
  addLogOptions(command)
    .optionsGroup('Estimate:')
    .addOption(
      new Option(
        '--estimator <names>',
        `what values are, by comma: ${namesIn('estimators')} (the first ranks; default: replay where logging is uniform, else snips)`,
      ).argParser(names('--estimator')),
    )
    .option(
      '--clip <M>',
      'of ips-clip, snips-clip, dr-clip: larger weights 1/p count as M; several by comma, or auto: one for each policy',
      clips('--clip'),
    )
    .addOption(
      new Option(
        '--estimate-propensities <columns>',
        'of a log without propensities: key columns the logging policy went by; shares of arms in their place',
      ).argParser(names('--estimate-propensities')),
    )
    .option('--switch <τ>', 'of switch-dr: larger weights are left to the model', above0('--switch'))
    .option('--shrinkage <λ>', 'of dros: weights w count as λw/(w² + λ)', above0('--shrinkage'))
    .addOption(validEventsOption('policy'))
    .option('--interval <name>', `${namesIn('intervals')} (default: by payoff)`)
    .addOption(confidenceOption());
  addLevelOptions(addSelectionOptions(command, ['policy', 'policies']));
  addSequenceOptions(command);
  addRewardModelOptions(command);
  addBlockOptions(command);
  addThinningOptions(command);
  addDeviceOptions(command)
    .option('--verify [N]', 'decide N policies once more by the CPU reference (all without N)', (text) =>
      wholeNumber('--verify', 1)(text),
    )
    .option('--no-verify', 'none (default)');
  addStreamingOptions(command);
  addPartOption(command);
  addOutputOptions(command)
    .option('--top <N>', `only the best N, or all (default: ${TABLE_ROWS} in a table, all in a file)`, (text) =>
      text === 'all' ? ('all' as const) : wholeNumber('--top', 1)(text),
    )
    .option('--quiet', 'no progress bar');
  return command.action((files: string[], options: Options, own: Command) =>
    options.gpus === undefined
      ? evaluateAction(files, own, io)
      : onEachGpu({ command: own, files, options, io }, (parts) =>
          evaluateParts(files, { ...options, device: 'cpu', adapter: undefined }, io, parts),
        ),
  );
}

async function evaluateAction(files: string[], command: Command, io: Io): Promise<void> {
  const options = command.opts<Options>();
  const part = askedPart(options);
  if (part === null) return evaluateTo(files, options, io, { parts: null, again: commandAgain(command) });
  const file = checkPartOptions(files, options);
  requiredPolicies(options);
  checkAdapter(options);
  const { evaluatePart } = await import('../../evaluate.js');
  const asked = askedRun(files, command);
  const said = await withRun(
    { files, options, io },
    (log, common) =>
      writePartFile({ command: 'evaluate', part, asked, file, io }, (isThere) =>
        evaluatePart(evaluationOptions(log, options, common), { part, asked, counts: options.counts }, isThere),
      ),
    (work) => work(),
  );
  await tell(io, said);
}

/** The result of a run whose parts are there. @param options of the run, and those of whoever puts it together. */
export function evaluateParts(files: string[], options: object, io: Io, parts: StoredParts): Promise<void> {
  return evaluateTo(files, options as Options, io, { parts, again: parts.asked.command });
}

async function evaluateTo(
  files: string[],
  options: Options,
  io: Io,
  { parts, again }: Pick<ResultCommand, 'parts' | 'again'>,
): Promise<void> {
  const format = chooseFormat(options, RENDERER_NAMES, io);
  const { reader } = RENDERERS[format];
  const policies = requiredPolicies(options);
  checkAdapter(options);
  const { top = reader === 'people' ? TABLE_ROWS : 'all' } = options;
  await writeResult<EvaluationResult>(
    { files, set: policies, options, format, io, parts, again },
    {
      async run(log, common) {
        const { evaluate, evaluateStored } = await import('../../evaluate.js');
        const asked = evaluationOptions(log, options, common);
        return parts === null ? evaluate(asked) : evaluateStored(asked, parts);
      },
      render: (renderer, result, style) => renderer.evaluation(best(result, top), style),
      pictures: async (result) => (await import('../../report/html/page.js')).evaluationPictures(result),
    },
  );
}

function requiredPolicies({ policies }: Options): string {
  return required(policies, '--policies SET.json', 'hindcast evaluate LOG --policies SET.json');
}

/** What the library is asked for. */
function evaluationOptions(log: LogFiles, options: Options, common: CommonOptions): EvaluateOptions {
  const { estimator: estimators, interval, blockStatistics } = options;
  const { clip, switch: most, shrinkage, estimatePropensities } = options;
  return {
    ...{ log, policies: requiredPolicies(options), ...common, estimators, interval, blockStatistics },
    ...{ ...selectionOptions(options), ...levelOptions(options, options.top), ...sequenceOptions(options) },
    ...{ clip, switch: most, shrinkage, estimatePropensities },
    ...rewardModelOptions(options),
  };
}

/** The result with the best policies only, and the count of the others. */
function best(result: EvaluationResult, top: number | 'all'): EvaluationResult {
  if (top === 'all' || result.policies.length <= top) return result;
  return { ...result, omitted: result.policies.length - top, policies: result.policies.slice(0, top) };
}

/** `hindcast evaluate`: a log and a policy set in, a ranking out. */

import { Command, Option } from 'commander';
import { InputError } from '../../errors.js';
import type { EvaluationResult } from '../../report/result.js';
import { chooseFormat, outputStyle } from '../format.js';
import type { Io } from '../io.js';
import { addLogOptions, type LogOptions, logInput } from '../log-options.js';
import { withOutput } from '../output.js';
import { progressDisplay } from '../progress.js';
import { numberBetween, period, required, wholeNumber } from '../values.js';

interface Options extends LogOptions {
  policies?: string;
  validEvents?: number;
  interval?: string;
  confidence?: number;
  blocks?: number;
  blockPeriod?: number;
  blockUser?: number;
  blockStatistics?: boolean;
  assumeUniform?: boolean;
  device: 'auto' | 'gpu' | 'cpu';
  adapter?: string;
  threads?: number;
  /** `true`: the default number. */
  verify?: number | true;
  format?: string;
  out?: string;
  top?: number | 'all';
  quiet?: boolean;
}

const FORMATS = ['table', 'json', 'csv'] as const;

/** Rows of a table without `--top`; files hold every policy. */
const TABLE_ROWS = 20;

/** Policies that `--verify` compares without a number. */
const VERIFY_DEFAULT = 8;

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
      new Option('--valid-events <T>', 'stop each policy after T valid events (Algorithm 1)').argParser(
        wholeNumber('--valid-events', 1),
      ),
    )
    .option(
      '--interval <name>',
      'wilson, clopper-pearson, empirical-bernstein, normal or theorem-2 (default: by payoff)',
    )
    .addOption(
      new Option('--confidence <level>', 'confidence of the intervals (default: 0.95)').argParser(
        numberBetween('--confidence', 0, 1),
      ),
    )
    .addOption(
      new Option('--blocks <N>', 'cut the log into N runs of events (default: 64)')
        .argParser(wholeNumber('--blocks', 1, 1_000_000))
        .conflicts(['blockPeriod', 'blockUser']),
    )
    .addOption(
      new Option('--block-period <time>', 'cut it by period, e.g. 5m, 1h, 1d')
        .argParser(period('--block-period'))
        .conflicts('blockUser'),
    )
    .addOption(
      new Option('--block-user <N>', 'cut it into N groups of users').argParser(
        wholeNumber('--block-user', 1, 1_000_000),
      ),
    )
    .option('--block-statistics', 'include the statistics of every block (JSON)')
    .option('--assume-uniform', 'replay although the log does not look uniform')
    .optionsGroup('Engine:')
    .addOption(new Option('--device <name>', 'where to compute').choices(['auto', 'gpu', 'cpu']).default('auto'))
    .option('--adapter <name>', 'adapter by part of its name (see hindcast devices)')
    .option('--threads <N>', 'CPU threads (default: all)', wholeNumber('--threads', 1, 1024))
    .option('--verify [N]', `compare N policies with the CPU reference (${VERIFY_DEFAULT} without N)`, (text) =>
      wholeNumber('--verify', 1)(text),
    )
    .optionsGroup('Output:')
    .option('--format <name>', `${FORMATS.join(', ')} (default: by the ending of --out, else table)`)
    .option('--out <file>', 'write to a file, which appears only when it is complete')
    .option('--top <N>', `only the best N, or all (default: ${TABLE_ROWS} in a table, all in a file)`, (text) =>
      text === 'all' ? ('all' as const) : wholeNumber('--top', 1)(text),
    )
    .option('--quiet', 'no progress bar');
  return command.action((files: string[], options: Options) => evaluateAction(files, options, io));
}

async function evaluateAction(files: string[], options: Options, io: Io): Promise<void> {
  const format = chooseFormat(options.format, options.out, FORMATS);
  const policies = required(options.policies, '--policies SET.json', 'hindcast evaluate LOG --policies SET.json');
  if (options.adapter !== undefined && options.device === 'cpu') {
    throw new InputError({
      problem: '--adapter names a GPU adapter, and --device cpu uses none',
      got: `--adapter ${options.adapter} --device cpu`,
      hint: 'one of the two',
    });
  }
  await withOutput(options.out, [...files, policies], io, async () => {
    const progress = await progressDisplay(io, options.quiet === true);
    try {
      const { evaluate } = await import('../../evaluate.js');
      const result = await evaluate({
        log: { files, ...(await logInput(options)) },
        policies,
        device: options.device,
        adapter: options.adapter,
        threads: options.threads,
        validEvents: options.validEvents,
        interval: options.interval,
        confidence: options.confidence,
        blocks: blocksOf(options),
        blockStatistics: options.blockStatistics,
        assumeUniform: options.assumeUniform,
        verify: options.verify === true ? VERIFY_DEFAULT : options.verify,
        onProgress: (state) => progress.report(state),
        signal: io.signal,
      });
      return await render(best(result, options.top ?? (format === 'table' ? TABLE_ROWS : 'all')), format, options, io);
    } finally {
      progress.stop();
    }
  });
}

function blocksOf(options: Options): number | { period: number } | { users: number } | undefined {
  if (options.blockPeriod !== undefined) return { period: options.blockPeriod };
  if (options.blockUser !== undefined) return { users: options.blockUser };
  return options.blocks;
}

/** The result with the best policies only, and the count of the others. */
function best(result: EvaluationResult, top: number | 'all'): EvaluationResult {
  if (top === 'all' || result.policies.length <= top) return result;
  return { ...result, omitted: result.policies.length - top, policies: result.policies.slice(0, top) };
}

async function render(
  result: EvaluationResult,
  format: (typeof FORMATS)[number],
  options: Options,
  io: Io,
): Promise<string> {
  switch (format) {
    case 'json':
      return (await import('../../report/json.js')).toJson(result);
    case 'csv':
      return (await import('../../report/csv.js')).toCsv(result);
    case 'table':
      return (await import('../../report/table.js')).toTable(result, outputStyle(options.out, io));
  }
}

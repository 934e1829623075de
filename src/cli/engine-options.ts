/** Options of every command that replays a log: blocks, engine, output. */

import { type Command, Option } from 'commander';
import { InputError } from '../errors.js';
import { RENDERER_NAMES } from '../report/renderers.js';
import { parseMemory } from '../run/memory/plan.js';
import { PICTURES_OPTION } from './pictures.js';
import { leastShare, numberBetween, numberFrom, period, wholeNumber } from './values.js';

/** Values of the options, as parsed. */
export interface EngineOptions {
  validEvents?: number;
  confidence?: number;
  blocks?: number;
  blockEvents?: number;
  blockPeriod?: number;
  blockUser?: number;
  blockStatistics?: boolean;
  assumeUniform?: boolean;
  thin?: boolean;
  leastPropensity?: number;
  thinSeed?: number;
  /** `true`: all; false for `--no-verify`. */
  verify?: number | boolean;
  device: 'auto' | 'gpu' | 'cpu';
  adapter?: string;
  threads?: number;
  memory?: number;
  resume?: string;
  checkpointEvery?: number;
  format?: string;
  out?: string;
  pictures?: string;
  quiet?: boolean;
}

/** `--valid-events`. @param who whom Algorithm 1 stops. */
export function validEventsOption(who: string): Option {
  return new Option('--valid-events <T>', `stop each ${who} after T valid events (Algorithm 1)`).argParser(
    wholeNumber('--valid-events', 1),
  );
}

export function confidenceOption(): Option {
  return new Option('--confidence <level>', 'confidence of the intervals (default: 0.95)').argParser(
    numberBetween('--confidence', 0, 1),
  );
}

/** How the log is cut into blocks, and whether it must be uniform. */
export function addBlockOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--blocks <N>', 'cut the log into N runs of events (default: 64, and 256 for bands)')
        .argParser(wholeNumber('--blocks', 1, 1_000_000))
        .conflicts(['blockEvents', 'blockPeriod', 'blockUser']),
    )
    .addOption(
      new Option('--block-events <N>', 'cut it every N events, wherever the log ends')
        .argParser(wholeNumber('--block-events', 1, 2 ** 21))
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
    .option('--assume-uniform', 'replay although the log does not look uniform');
}

/** Logs that are not uniform. */
export function addThinningOptions(command: Command): Command {
  return command
    .optionsGroup('Logs with propensities that are not uniform:')
    .option('--thin', 'keep events with probability κ / (candidates × propensity): what is kept is a uniform log')
    .option(
      '--least-propensity <κ>',
      'the least of candidates × propensity that the logging policy gives any candidate; of an epsilon-greedy one epsilon (default: the least of the events, with a warning)',
      leastShare('--least-propensity'),
    )
    .option('--thin-seed <s>', 'seed of its draws (default: 0)', wholeNumber('--thin-seed', 0, 4294967295));
}

/** Where to compute. */
export function addDeviceOptions(command: Command): Command {
  return command
    .optionsGroup('Engine:')
    .addOption(new Option('--device <name>', 'where to compute').choices(['auto', 'gpu', 'cpu']).default('auto'))
    .option('--adapter <name>', 'adapter by part of its name (see hindcast devices)')
    .option('--threads <N>', 'CPU threads (default: all)', wholeNumber('--threads', 1, 1024));
}

export function addMemoryOption(command: Command): Command {
  return command
    .optionsGroup('Large logs:')
    .addOption(
      new Option(
        '--memory <size>',
        'take at most this much memory, e.g. 2GB; best with a log from hindcast convert',
      ).argParser(parseMemory),
    );
}

/** Logs larger than memory, and long runs. */
export function addStreamingOptions(command: Command): Command {
  return addMemoryOption(command)
    .option('--resume <file>', 'keep the state of the run in a file, and go on from it')
    .option('--checkpoint-every <seconds>', 'how often (default: 30)', numberFrom('--checkpoint-every', 0));
}

/** Format and file of the result. */
export function addOutputOptions(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--format <name>', `${RENDERER_NAMES.join(', ')} (default: by the ending of --out, else table)`)
    .addOption(outOption())
    .option(...PICTURES_OPTION);
}

/** `--out`. */
export function outOption(): Option {
  return new Option('--out <file>', 'write to a file, which appears only when it is complete (-: standard output)');
}

/** @throws InputError where an adapter is named that the CPU would not use. */
export function checkAdapter({ adapter, device }: EngineOptions): void {
  if (adapter === undefined || device !== 'cpu') return;
  throw new InputError({
    problem: '--adapter names a GPU adapter, and --device cpu uses none',
    got: `--adapter ${adapter} --device cpu`,
    hint: 'one of the two',
  });
}

/** The choice of blocks that the options stand for. */
export function blocksOf(
  options: EngineOptions,
): number | { events: number } | { period: number } | { users: number } | undefined {
  if (options.blockEvents !== undefined) return { events: options.blockEvents };
  if (options.blockPeriod !== undefined) return { period: options.blockPeriod };
  if (options.blockUser !== undefined) return { users: options.blockUser };
  return options.blocks;
}

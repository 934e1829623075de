/** Options that say how a log is read, shared by every command that reads one. */

import { type Command, Option } from 'commander';
import { names, range } from './values.js';

/** Values of the mapping options, as given. */
export interface LogOptions {
  logFormat?: string;
  mapping?: string;
  where?: string;
  skipBadRows?: boolean;
  arm?: string;
  payoff?: string;
  propensity?: string;
  onehot?: string[];
  numeric?: string[];
  intercept?: boolean;
  candidates?: string;
  time?: string;
  user?: string;
  payoffRange?: [number, number];
  payoffStep?: number;
  armsOrder?: string[];
}

/** Every option that is a part of a mapping: none of them goes with a mapping file. */
const PARTS: readonly Option[] = [
  new Option('--arm <column>', 'column of the logged arm'),
  new Option('--payoff <column>', 'column of the payoff'),
  new Option('--propensity <column>', "column of the logged arm's probability"),
  new Option('--onehot <columns>', 'context: categorical columns, one-hot encoded').argParser(names('--onehot')),
  new Option('--numeric <columns>', 'context: numeric columns').argParser(names('--numeric')),
  new Option('--intercept', 'context: a last column that is constantly 1'),
  new Option('--candidates <column>', 'list column of the arms that could be shown'),
  new Option('--time <column>', 'column of the time'),
  new Option('--user <column>', 'column of the user'),
  new Option('--payoff-range <low,high>', 'declared range of payoffs').argParser(range('--payoff-range')),
  new Option('--arms-order <ids>', 'every arm, in the order of their indices').argParser(names('--arms-order')),
];

/** Adds the log argument and the options of this file. */
export function addLogOptions(command: Command): Command {
  command
    .argument('<log...>', 'files of the log (.csv, .csv.gz, .parquet, .jsonl), read as one in this order')
    .addOption(new Option('--log-format <name>', 'preset of a known data set: obd').conflicts('mapping'))
    .option('--mapping <file>', 'JSON file that says which column is what')
    .optionsGroup('Mapping, in place of a file:');
  for (const part of PARTS) command.addOption(part.conflicts(['mapping', 'logFormat']));
  return command
    .optionsGroup('Rows:')
    .option('--where <sql>', 'only rows for which this SQL condition holds')
    .option('--skip-bad-rows', 'drop rows with bad values, and report them by kind');
}

/** How to read the log, from a file, a preset or the options. */
export async function logInput(options: LogOptions): Promise<Record<string, unknown>> {
  return { format: options.logFormat, where: options.where, skipBadRows: options.skipBadRows };
}

/** Options that say how a log is read, shared by every command that reads one. */

import { type Command, Option } from 'commander';
import { InputError } from '../errors.js';
import { ENCODINGS, type Encoding } from '../files/encodings.js';
import type { FormatName } from '../formats/index.js';
import type { Impute } from '../log/build/missing.js';
import { TIME_UNITS, type TimeUnit } from '../log/build/time-units.js';
import type { Mapping } from '../log/mapping.js';
import type { LogFiles } from '../open/open.js';
import { parseSize } from '../run/memory/plan.js';
import { namesIn } from './names.js';
import { imputes, line, names, number, range, wholeNumber } from './values.js';

/** Values of the options, as parsed. */
export interface LogOptions {
  logFormat?: FormatName;
  mapping?: string;
  where?: string;
  allowLeak?: string[];
  missingPayoff?: number;
  missingLevel?: boolean;
  impute?: Record<string, Impute>;
  skipBadRows?: boolean;
  maxLine?: number;
  encoding?: Encoding;
  decimalSeparator?: '.' | ',';
  strict?: boolean;
  distinctViews?: boolean;
  sortByTime?: boolean;
  dropRepeatedEvents?: boolean;
  affinities?: boolean;
  arm?: string;
  payoff?: string;
  propensity?: string;
  onehot?: string[];
  numeric?: string[];
  intercept?: boolean;
  candidates?: string;
  time?: string;
  timeUnit?: TimeUnit;
  user?: string;
  eventId?: string;
  payoffRange?: [number, number];
  armsOrder?: string[];
  features?: string[];
  featureLimit?: number;
  armId?: string;
  payoffFromCost?: { scale: number; offset: number };
}

/** Options that say which column is what: none of them goes with a mapping file. */
function mappingOptions(): Option[] {
  return [
    new Option('--arm <column>', 'column of the logged arm'),
    new Option('--payoff <column>', 'column of the payoff'),
    new Option('--propensity <column>', "column of the logged arm's probability"),
    new Option('--onehot <columns>', 'context: categorical columns, one-hot encoded').argParser(names('--onehot')),
    new Option('--numeric <columns>', 'context: numeric columns, after those').argParser(names('--numeric')),
    new Option('--intercept', 'context: a last column that is constantly 1'),
    new Option('--candidates <column>', 'list column of the arms that could be shown'),
    new Option('--time <column>', 'column of the time'),
    new Option(
      '--time-unit <unit>',
      'unit of a numeric time since 1970, or yyyymmdd (default: ms, of 1990 to 2099)',
    ).choices(TIME_UNITS),
    new Option('--user <column>', 'column of the user'),
    new Option('--event-id <column>', 'column of an id that each event has to itself'),
  ];
}

/** Options that say what a part of the data may lack; they override a mapping file's. */
function rangeOptions(): Option[] {
  return [
    new Option('--payoff-range <low,high>', 'declared range of payoffs').argParser(range('--payoff-range')),
    new Option('--arms-order <ids>', 'every arm, in the order of their indices').argParser(names('--arms-order')),
  ];
}

/** Options that say what missing values stand for; they go beside a mapping file. */
function missingOptions(): Option[] {
  return [
    new Option('--missing-payoff <x>', 'a missing payoff counts as x').argParser(number('--missing-payoff')),
    new Option('--missing-level', 'one-hot and key columns: missing values are a level, "(missing)"'),
    new Option(
      '--impute <column=how>',
      'a numeric context: missing values get the mean of the others, or zero (lists and * too)',
    ).argParser(imputes('--impute')),
  ];
}

/** Options of formats whose events have named features and a cost. */
function featureOptions(): Option[] {
  return [
    new Option('--features <names>', 'features that become columns, * for any text (default: all)').argParser(
      names('--features'),
    ),
    new Option('--feature-limit <n>', 'most columns of contexts, or of actions (default: 1000)').argParser(
      wholeNumber('--feature-limit', 0),
    ),
    new Option('--arm-id <name>', "what names an arm: tag, or e.g. 'Action^id=*' (default: its position)"),
    new Option('--payoff-from-cost <a,b>', 'payoff = a · cost + b (default: -1,0)').argParser(
      line('--payoff-from-cost'),
    ),
  ];
}

/** Adds the log argument and the options of this file. @param files what the argument names */
export function addLogOptions(
  command: Command,
  files = 'files of the log (.csv or .jsonl, also .gz or .zst; .parquet, .arrow, packed), read as one in this order; - is standard input, with --log-format; or a directory of the Open Bandit Dataset',
): Command {
  command
    .argument('<log...>', files)
    .option('--log-format <name>', `${namesIn('formats')} (default: by content)`)
    .option('--mapping <file>', 'JSON file that says which column is what')
    .option('--affinities', 'Open Bandit Dataset directory: user-item affinities as an arm feature')
    .optionsGroup('Mapping, in place of a file (lists are separated by commas):');
  for (const option of mappingOptions()) command.addOption(option.conflicts('mapping'));
  command.optionsGroup('Arms and payoffs (beside a mapping file too, which they override):');
  for (const option of rangeOptions()) command.addOption(option);
  command.optionsGroup('Missing values (errors by default; beside a mapping file too):');
  for (const option of missingOptions()) command.addOption(option);
  command.optionsGroup('VowpalWabbit logs (vw, dsjson):');
  for (const option of featureOptions()) command.addOption(option.conflicts('mapping'));
  return command
    .optionsGroup('Rows:')
    .option('--where <sql>', 'only rows for which this SQL condition holds')
    .addOption(
      new Option(
        '--allow-leak <columns>',
        'columns such as the payoff or the user that may be contexts or keys too',
      ).argParser(names('--allow-leak')),
    )
    .option('--skip-bad-rows', 'drop rows with bad values, and report them by kind')
    .addOption(
      new Option('--max-line <size>', 'longest line of a text file (default: 64MB; r6a, r6b: 1MiB)').argParser((size) =>
        parseSize('maxLine', size, 1, 'a size such as 100MB'),
      ),
    )
    .addOption(new Option('--encoding <name>', 'of CSV and JSON lines (default: utf-8)').choices(ENCODINGS))
    .addOption(
      new Option('--decimal-separator <sign>', 'of numbers in CSV and JSON text (default: .)').choices(['.', ',']),
    )
    .option('--strict', 'fail at the first deviation from the format, forgiven ones too')
    .option('--sort-by-time', 'put events in the order of their times, in memory')
    .option('--drop-repeated-events', 'leave out events whose id (--event-id; of dsjson EventId) was there before')
    .option('--distinct-views', "count a user's repeated views of an arm as one event");
}

/** How to read a log, as `readLog` and `evaluate` take it. */
export type LogInput = Omit<LogFiles, 'files'>;

/**
 * Reads the mapping file, or puts the mapping together from options.
 * @throws InputError where there is neither, and no preset to stand for them
 */
export async function logInput(files: readonly string[], options: LogOptions): Promise<LogInput> {
  const input: LogInput = {
    arms: options.armsOrder,
    payoffRange: options.payoffRange,
    format: options.logFormat,
    where: options.where,
    allowLeak: options.allowLeak,
    missingPayoff: options.missingPayoff,
    missingLevel: options.missingLevel,
    impute: options.impute,
    skipBadRows: options.skipBadRows,
    maxLine: options.maxLine,
    encoding: options.encoding,
    decimalSeparator: options.decimalSeparator,
    strict: options.strict,
    distinctViews: options.distinctViews,
    sortByTime: options.sortByTime,
    dropRepeatedEvents: options.dropRepeatedEvents,
    affinities: options.affinities,
    features: options.features,
    featureLimit: options.featureLimit,
    armId: options.armId,
    payoffFromCost: options.payoffFromCost,
  };
  if (options.mapping !== undefined) return { ...input, mapping: await mappingFile(options.mapping) };
  const parts = mappingParts(options);
  if (Object.values(parts).every((part) => part === undefined)) {
    if (await needsNoMapping(files, options)) return input;
    noMapping();
  }
  for (const key of ['arm', 'payoff'] as const) {
    if (options[key] !== undefined) continue;
    throw new InputError({
      problem: `option --${key} is missing`,
      got: `other parts of a mapping without --${key}`,
      needed: `the column of the ${key === 'arm' ? 'logged arm' : 'payoff'}`,
      hint: '--arm COLUMN --payoff COLUMN, or a mapping file with --mapping',
    });
  }
  const { parseMapping } = await import('../log/mapping.js');
  return { ...input, mapping: parseMapping(parts) };
}

/** Whether anything says which column is what: options, a mapping file, a preset, or the files themselves. */
export async function saysColumns(files: readonly string[], options: LogOptions): Promise<boolean> {
  if (options.mapping !== undefined) return true;
  if (Object.values(mappingParts(options)).some((part) => part !== undefined)) return true;
  return needsNoMapping(files, options);
}

/** True for presets and for formats that say themselves which field is what, by name or by content. */
async function needsNoMapping(
  files: readonly string[],
  { logFormat: format, encoding }: Pick<LogOptions, 'logFormat' | 'encoding'>,
): Promise<boolean> {
  const { eventFormatOf, PRESETS } = await import('../formats/index.js');
  if (format !== undefined && format in PRESETS) return true;
  const { obdDirectory } = await import('../formats/obd/obd-directory.js');
  if ((await obdDirectory(files, { format })) !== null) return true;
  const { readHead } = await import('../files/files.js');
  const heads = [];
  for (const file of files) heads.push(await readHead(file, encoding));
  return eventFormatOf(heads, { format }) !== null;
}

function noMapping(): never {
  throw new InputError({
    problem: 'nothing says which column is what',
    needed: 'at least the columns of the logged arm and the payoff: --arm COLUMN --payoff COLUMN',
    hint: 'hindcast inspect FILE lists the columns and proposes a mapping; --log-format obd for Open Bandit Dataset files',
  });
}

function mappingParts(options: LogOptions): { [K in keyof Mapping]: unknown } {
  const { onehot, numeric, time, timeUnit } = options;
  if (timeUnit !== undefined && time === undefined) {
    throw new InputError({ problem: '--time-unit goes with --time', hint: `--time COLUMN --time-unit ${timeUnit}` });
  }
  return {
    arm: options.arm,
    payoff: options.payoff,
    propensity: options.propensity,
    context: onehot === undefined && numeric === undefined ? undefined : { onehot, numeric },
    intercept: options.intercept,
    candidates: options.candidates,
    time: timeUnit === undefined ? time : { column: time, unit: timeUnit },
    user: options.user,
    eventId: options.eventId,
  };
}

async function mappingFile(file: string): Promise<Mapping> {
  const [{ MAPPING_EXAMPLE, parseMapping }, { fileError }, { parseJson }] = await Promise.all([
    import('../log/mapping.js'),
    import('../files/files.js'),
    import('../policy/json-text.js'),
  ]);
  const { MOST_TEXT, readRegular } = await import('../files/regular-file.js');
  const { hashOfBytes } = await import('../files/digest.js');
  const { fromFile, inputOf } = await import('../log/inputs.js');
  const bytes = await readRegular(file, MOST_TEXT).catch((error: unknown) => {
    throw error instanceof InputError ? error : fileError(file, error);
  });
  const text = bytes.toString('utf8');
  return fromFile(
    parseMapping(parseJson(text, file, `a mapping: ${MAPPING_EXAMPLE}`), file),
    inputOf('mapping', file, await hashOfBytes(bytes)),
  );
}

/** `hindcast simulate`: a log of visits to a made-up news page, and the truth about them. */

import { Command, Option } from 'commander';
import { InputError } from '../../errors.js';
import type { LoggingPolicy, WorldOptions } from '../../simulate/world/options.js';
import { type Io, tell } from '../io.js';
import { type OutputFile, withFiles } from '../output-files.js';
import { progressDisplay } from '../progress.js';
import { number, numberFrom, range, required, wholeNumber } from '../values.js';
import {
  type Dirtying,
  dirtOption,
  dirtRates,
  type LogFormatName,
  logFormatOf,
  mappingPath,
  tableFormatOf,
} from './simulate-files.js';

interface Options {
  events?: number;
  seed: number;
  kind?: 'r6a' | 'r6b';
  days?: number;
  pool?: [number, number];
  changesPerHour?: number;
  clickRates?: [number, number];
  drift?: number;
  users?: number;
  visitsPerSession?: number;
  traffic: number;
  logging: 'uniform' | 'epsilon-greedy' | 'softmax';
  epsilon?: number;
  temperature?: number;
  out?: string;
  logFormat?: LogFormatName;
  dirt?: Dirtying;
  truth?: string;
  quiet?: boolean;
}

const EXAMPLES = `
Examples:
  hindcast simulate --events 1e6 --out today.gz
  hindcast simulate --events 1e5 --kind r6b --out log.parquet --truth p.parquet
  hindcast evaluate log.parquet --mapping log.mapping.json --policies P.json
  hindcast simulate --events 1e7 --out big.parquet --log-format packed
  hindcast simulate --events 1e5 --out bad.gz --dirt crlf=0.01,shortArticle=0.02
`;

/** The command, ready to be parsed. */
export function simulateCommand(io: Io): Command {
  return new Command('simulate')
    .summary('make a log of a world whose truth is known')
    .description(
      'Simulates visits to a news page like the Yahoo! Today Module: about twenty articles, some replaced every hour, click rates that differ by user and drift. The same options give the same bytes on every machine.',
    )
    .option('--events <L>', 'visits, spread evenly over the days (required)', wholeNumber('--events', 0, 4_000_000_000))
    .addOption(
      new Option('--seed <s>', 'seed of every draw').argParser(wholeNumber('--seed', 0, 4294967295)).default(0),
    )
    .optionsGroup('World:')
    .addOption(
      new Option('--kind <kind>', 'users with 6 features (r6a, default) or 136 binary ones (r6b)').choices([
        'r6a',
        'r6b',
      ]),
    )
    .option('--days <n>', 'length of the world (default: 5)', number('--days'))
    .option('--pool <least,most>', 'articles on the page (default: 15,25)', sizes('--pool'))
    .option('--changes-per-hour <n>', 'articles that enter the page (default: 3)', number('--changes-per-hour'))
    .option('--click-rates <low,high>', 'range of probabilities (default: 0.02,0.1)', range('--click-rates'))
    .option('--drift <x>', 'how much click rates move, 0 to 1 (default: 0.5)', numberFrom('--drift', 0))
    .option('--users <n>', 'number of people (default: 100,000)', wholeNumber('--users', 1, 2 ** 24))
    .option('--visits-per-session <n>', 'mean visits in a row (default: 3)', number('--visits-per-session'))
    .addOption(
      new Option('--traffic <n>', 'other visits of the same people')
        .argParser(wholeNumber('--traffic', 0, 0xffff))
        .default(0),
    )
    .optionsGroup('Logging policy:')
    .addOption(
      new Option('--logging <policy>', 'how the article shown is chosen')
        .choices(['uniform', 'epsilon-greedy', 'softmax'])
        .default('uniform'),
    )
    .option('--epsilon <e>', 'share of random choices of epsilon-greedy', number('--epsilon'))
    .option('--temperature <t>', 'of softmax, in click rates: 0.01 is usual', number('--temperature'))
    .optionsGroup('Output:')
    .option('--out <file>', 'the log; it appears only when it is complete (required)')
    .addOption(
      new Option(
        '--log-format <name>',
        'text as in R6A or R6B; a packed log, which loads in no time; or a table, with a mapping file beside it (default: by the ending of --out, parquet or csv, else text; .gz compresses)',
      ).choices(['r6a', 'r6b', 'packed', 'parquet', 'csv']),
    )
    .option('--dirt <faults>', 'faults of Yahoo text: a share of lines for each, or name=share,…', dirtOption)
    .option('--truth <file>', 'click probability of every candidate of every visit (Parquet, or .csv)')
    .option('--quiet', 'no progress bar and no summary')
    .addHelpText('after', EXAMPLES)
    .action((options: Options) => simulateAction(options, io));
}

async function simulateAction(options: Options, io: Io): Promise<void> {
  const events = required(options.events, '--events L', 'hindcast simulate --events 1e6 --out today.gz');
  const out = required(options.out, '--out FILE', 'hindcast simulate --events 1e6 --out today.gz');
  const kind = kindOf(options);
  const format = logFormatOf(out, options.logFormat);
  const { truth, dirt } = options;
  if (dirt !== undefined && format !== 'yahoo') {
    throw new InputError({ problem: '--dirt is for Yahoo text', got: `${format} output`, hint: '--log-format r6a' });
  }
  const logging = loggingOf(options);
  if (format === 'yahoo' && logging.policy !== 'uniform') {
    throw new InputError({
      problem: 'Yahoo text has no place for the probability of what was shown',
      got: `--logging ${logging.policy}`,
      needed: 'uniform logging, or another format',
      hint: '--out log.parquet',
    });
  }
  const rates = dirt === undefined ? undefined : await dirtRates(dirt, kind);
  const { World } = await import('../../simulate/world/world.js');
  const { writePackedLog, writeTableLog, writeTruth, writeYahooLog } = await import('../../simulate/files/write.js');
  const { writing } = await import('../../packed/replace-file.js');
  const { seed, days, pool, changesPerHour, clickRates, drift, users, visitsPerSession } = options;
  const settings = { seed, kind, days, pool, changesPerHour, clickRates, drift, users, visitsPerSession, logging };
  const world = new World(settings satisfies WorldOptions);

  const mapping = format === 'yahoo' || format === 'packed' ? null : mappingPath(out);
  const files: OutputFile[] = [{ path: out, option: '--out' }];
  if (mapping !== null) files.push({ path: mapping, option: 'the mapping file beside --out' });
  if (truth !== undefined) files.push({ path: truth, option: '--truth' });
  const progress = await progressDisplay(io, options.quiet === true);
  const total = events * ((format === 'packed' ? 2 : 1) + (truth === undefined ? 0 : 1));
  let done = 0;
  const log = {
    world,
    visits: events,
    traffic: options.traffic,
    signal: io.signal,
    onEvents: (more: number): void => {
      done += more;
      progress.report({ phase: 'simulate', done, total });
    },
  };
  let summary: readonly [kind: string, count: number][] = [];
  try {
    await withFiles(files, io, async (paths, ready) => {
      const truthAt = truth === undefined ? paths.length : paths.length - 1;
      for (let file = 0; file < truthAt; file++) await ready(file);
      const write = async (): Promise<void> => {
        if (format === 'yahoo') {
          const soiled = await writeYahooLog(log, paths[0], { gzip: out.toLowerCase().endsWith('.gz'), dirt: rates });
          summary = [...(soiled?.counts ?? [])];
        } else if (format === 'packed') await writePackedLog(log, paths[0]);
        else await writeTableLog(log, paths[0], tableFormatOf(out, format), paths[1]);
      };
      await writing(out, write, paths[0]);
      if (truth === undefined) return;
      await ready(truthAt);
      await writing(truth, () => writeTruth(log, paths[truthAt], tableFormatOf(truth)), paths[truthAt]);
    });
  } finally {
    progress.stop();
  }
  if (options.quiet === true) return;
  const { simulateSummary } = await import('../../report/simulate-summary.js');
  const shape = {
    events,
    kind,
    days: world.settings.days,
    articles: world.arms.ids.length,
    pages: world.pages.articles.length,
  };
  // Never into the log itself, where that is a pipe.
  await tell(io, `${simulateSummary({ ...shape, files: files.map(({ path }) => path), faults: summary })}\n`);
}

/** `15,25`, or one number for a page that is always as long. */
function sizes(option: string): (text: string) => [number, number] {
  const whole = wholeNumber(option, 1, 10_000);
  return (text) => {
    const [least, most = least] = text.split(',').map(whole);
    if (text.split(',').length <= 2 && most >= least) return [least, most];
    throw new InputError({
      problem: `option ${option} is not valid`,
      got: text,
      needed: 'a number of articles, or the fewest and the most',
      hint: `${option} 15,25`,
    });
  };
}

/** The format of text says what users are like. */
function kindOf({ kind, logFormat }: Options): 'r6a' | 'r6b' {
  const said = logFormat === 'r6a' || logFormat === 'r6b' ? logFormat : undefined;
  if (kind === undefined || said === undefined || kind === said) return kind ?? said ?? 'r6a';
  throw new InputError({ problem: '--kind and --log-format do not agree', got: `--kind ${kind} --log-format ${said}` });
}

function loggingOf({ logging, epsilon, temperature }: Options): LoggingPolicy {
  const stray = logging !== 'epsilon-greedy' && epsilon !== undefined ? '--epsilon' : null;
  const other = logging !== 'softmax' && temperature !== undefined ? '--temperature' : stray;
  if (other !== null) {
    const goes = other === '--epsilon' ? 'epsilon-greedy' : 'softmax';
    throw new InputError({ problem: `${other} goes with --logging ${goes}`, got: `--logging ${logging}` });
  }
  if (logging === 'uniform') return { policy: 'uniform' };
  if (logging === 'softmax')
    return {
      policy: logging,
      temperature: required(temperature, '--temperature', `--logging ${logging} --temperature 0.01`),
    };
  return { policy: logging, epsilon: required(epsilon, '--epsilon', `--logging ${logging} --epsilon 0.2`) };
}

/** `hindcast inspect`: what a log holds, before anything is evaluated on it. */

import { Command } from 'commander';
import { VERSION } from '../../version.js';
import { outOption } from '../engine-options.js';
import { warnedInFlags } from '../flags.js';
import { chooseFormat, tableOrJson } from '../format.js';
import type { Io } from '../io.js';
import { addLogOptions, type LogOptions, logInput, saysColumns } from '../log-options.js';
import { withOutput } from '../output.js';
import { progressDisplay } from '../progress.js';
import { withLogFiles } from '../standard-input.js';

interface Options extends LogOptions {
  format?: string;
  out?: string;
  quiet?: boolean;
}

/** The command, ready to be parsed. */
export function inspectCommand(io: Io): Command {
  const command = new Command('inspect')
    .summary('describe a log: arms, payoffs, candidates, uniformity')
    .description(
      'Reads a log and describes it, with a test of whether its decisions were uniformly random. Without a word about its columns: lists them, and proposes a mapping.',
    );
  return addLogOptions(command)
    .optionsGroup('Output:')
    .option('--format <name>', 'table or json (default: by the ending of --out, else table)')
    .addOption(outOption())
    .option('--quiet', 'no progress bar')
    .action((files: string[], options: Options) => inspectAction(files, options, io));
}

async function inspectAction(files: string[], options: Options, io: Io): Promise<void> {
  chooseFormat(options, ['table', 'json'], io);
  const produce = async (files: string[]) => {
    if (!(await saysColumns(files, options))) return profile(files, options, io);
    const progress = await progressDisplay(io, options.quiet === true);
    try {
      const { readLog } = await import('../../formats/table/read/read.js');
      const { inspectLog } = await import('../../open/inspect.js');
      const { distinctViews, noUsers } = await import('../../log/views/distinct-views.js');
      const { inspectTable } = await import('../../report/inspect-table.js');
      const { distinctViews: distinct, ...input } = await logInput(files, options);
      if (distinct === true && input.mapping !== undefined && input.mapping.user === undefined) throw noUsers(files);
      const log = await readLog(files, {
        ...input,
        onProgress: (fraction, rows) =>
          progress.report({ phase: 'load', done: rows, total: fraction > 0 ? Math.round(rows / fraction) : null }),
        signal: io.signal,
      });
      // Both logs are looked at, for the effect on the rates.
      const inspection = warnedInFlags(distinct === true ? inspectLog(distinctViews(log), log) : inspectLog(log));
      return tableOrJson({ hindcast: VERSION, ...inspection }, inspectTable, options, io);
    } finally {
      progress.stop();
    }
  };
  await withOutput(options.out, files, io, () => withLogFiles(files, options.logFormat, io, produce));
}

/** Files of which nothing is known yet. */
async function profile(files: string[], options: Options, io: Io): Promise<string> {
  const { profileFiles } = await import('../../formats/table/profile/profile.js');
  const { profileTable } = await import('../../report/profile-table.js');
  const { logFormat: format, skipBadRows, encoding, decimalSeparator } = options;
  const found = await profileFiles(files, { format, skipBadRows, encoding, decimalSeparator, signal: io.signal });
  return tableOrJson({ hindcast: VERSION, ...found }, profileTable, options, io);
}

/** `hindcast convert`: a log in, a packed log out, whose next reading is a reading of columns. */

import { open } from 'node:fs/promises';
import { Command } from 'commander';
import { InputError } from '../../errors.js';
import type { Conversion } from '../../open/convert.js';
import { parseMemory } from '../../run/memory/plan.js';
import { VERSION } from '../../version.js';
import { warnedInFlags } from '../flags.js';
import { chooseFormat, tableOrJson } from '../format.js';
import { type Io, writeAll } from '../io.js';
import { addLogOptions, type LogOptions, logInput } from '../log-options.js';
import { checkTarget } from '../output.js';
import { withFiles } from '../output-files.js';
import { progressDisplay } from '../progress.js';
import { withLogFiles } from '../standard-input.js';
import { names } from '../values.js';

interface Options extends LogOptions {
  keys?: string[];
  memory?: number;
  format?: string;
  quiet?: boolean;
}

const EXAMPLES = `
Examples:
  hindcast convert day1.csv day2.csv log.parquet --mapping mapping.json
  hindcast evaluate log.parquet --policies set.json
`;

/** The command, ready to be parsed. */
export function convertCommand(io: Io): Command {
  const command = new Command('convert')
    .summary('write a log as a packed log, which loads in no time')
    .description(
      'Reads a log and writes it as a packed log: a Parquet file that every command reads without a mapping, a column at a time. It holds arms, candidate sets, arm features, payoffs and what was dropped; reading it gives the same log.',
    );
  return addLogOptions(command, 'files of the log, read as one in this order; last, the packed log to write')
    .option('--keys <columns>', 'columns to keep by value, for table policies and semp', names('--keys'))
    .optionsGroup('Large logs:')
    .option('--memory <size>', 'take about this much memory at most, e.g. 1GB', parseMemory)
    .optionsGroup('Output:')
    .option('--format <name>', 'of the summary: table or json (default: table)')
    .option('--quiet', 'no progress bar')
    .addHelpText('after', EXAMPLES)
    .action((files: string[], options: Options) => convertAction(files, options, io));
}

async function convertAction(paths: string[], options: Options, io: Io): Promise<void> {
  chooseFormat({ format: options.format }, ['table', 'json'], io);
  const files = paths.slice(0, -1);
  const out = paths[paths.length - 1];
  if (files.length === 0) {
    throw new InputError({
      problem: 'one file is named',
      got: out,
      needed: 'the files of the log, then the packed log to write',
      hint: `hindcast convert ${out} LOG.parquet`,
    });
  }
  await checkTarget(out, files, 'the packed log');
  const { checkReplaceable } = await import('../../packed/replace-file.js');
  await checkReplaceable(out, files);
  await withLogFiles(files, options.logFormat, io, (paths) => convertFiles(paths, out, options, io));
}

async function convertFiles(files: string[], out: string, options: Options, io: Io): Promise<void> {
  const { writing } = await import('../../packed/replace-file.js');
  const { convertTo, totalBytes } = await import('../../open/convert.js');
  const progress = await progressDisplay(io, options.quiet === true);
  let conversion: Conversion;
  let written = 0;
  try {
    const input = { files, ...(await logInput(files, options)) };
    conversion = await withFiles([{ path: out, option: 'the packed log' }], io, async ([path], ready) => {
      await ready(0);
      const file = await open(path, 'w');
      try {
        const made = await writing(out, () =>
          convertTo(input, file, {
            keys: options.keys,
            memory: options.memory,
            signal: io.signal,
            onProgress: (state) => progress.report(state),
          }),
        );
        written = (await file.stat()).size;
        return made;
      } finally {
        await file.close();
      }
    });
  } finally {
    progress.stop();
  }
  const { conversionTable } = await import('../../report/conversion-table.js');
  const report = {
    hindcast: VERSION,
    out,
    ...warnedInFlags(conversion),
    bytes: { read: await totalBytes(files), written },
  };
  await writeAll(io.stdout, tableOrJson(report, conversionTable, options, io));
}

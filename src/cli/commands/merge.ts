/** `hindcast merge`: the parts of a run in, the result of the run out. */

import { Command } from 'commander';
import { addDeviceOptions, addMemoryOption, addOutputOptions } from '../engine-options.js';
import type { Io } from '../io.js';
import { askedAgain, COUNTS_OPTION } from '../part-options.js';
import { withParts } from '../parts.js';
import { evaluateParts } from './evaluate.js';
import { replayParts } from './replay.js';

/** The command, ready to be parsed. */
export function mergeCommand(io: Io): Command {
  const command = new Command('merge')
    .summary('make one result of the parts of a run')
    .description(
      'Adds up the parts that evaluate or replay computed with --part, and makes the very result of the run. It reads the log and the files of policies or learners again, by the same paths, to be sure that they are the same.',
    )
    .argument('<part...>', 'all parts of the run, each once, in any order');
  command.option(...COUNTS_OPTION);
  addDeviceOptions(command);
  addMemoryOption(command);
  addOutputOptions(command).option('--quiet', 'no progress bar');
  return command.action((names: string[], { counts, ...own }: { counts?: string }) =>
    withParts(names, counts, (parts) => {
      const { files, options } = askedAgain(parts.asked);
      const merge = parts.command === 'evaluate' ? evaluateParts : replayParts;
      return merge(files, { ...options, ...own }, io, parts);
    }),
  );
}

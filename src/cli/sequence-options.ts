/** Options of confidence sequences. */

import type { Command } from 'commander';
import type { SequenceOptions } from '../run/sequence-options.js';
import { namesIn } from './names.js';
import { wholeNumber } from './values.js';

export function addSequenceOptions(command: Command): Command {
  return command
    .optionsGroup('Looking at a log that grows:')
    .option(
      '--sequence <name>',
      `intervals that hold at all looks at once, later runs on the longer log included: ${namesIn('sequences')}; looks by --block-events or --block-period`,
    )
    .option(
      '--sequence-at <N>',
      'events at which they are tightest, the same in every run (default: a quarter of the log)',
      wholeNumber('--sequence-at', 1),
    );
}

/** Of all options of a command those that are such. */
export function sequenceOptions({ sequence, sequenceAt }: SequenceOptions): SequenceOptions {
  return { sequence, sequenceAt };
}

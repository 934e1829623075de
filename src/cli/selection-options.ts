/** Options of statements about all policies at once. */

import type { Command } from 'commander';
import type { SelectionOptions } from '../run/selection.js';
import { number, wholeNumber } from './values.js';

/** @param noun what is compared: one, and several. */
export function addSelectionOptions(command: Command, [one, many]: readonly [string, string]): Command {
  return command
    .optionsGroup('Which one to ship:')
    .option('--bands', `statements that hold for all ${many} at once (default where there are two or more)`)
    .option('--no-bands', 'none: each interval by itself')
    .option(
      `--baseline <${one}>`,
      `name or index of the ${one} that runs now, or log: what the log itself earned; all are compared with it`,
    )
    .option('--margin <x>', `call a ${one} better where it is so by more than x (default: 0)`, number('--margin'))
    .option('--draws <D>', 'draws of the bootstrap (default: 10000)', wholeNumber('--draws', 1000, 100_000))
    .option('--draw-seed <s>', 'seed of the draws (default: 0)', wholeNumber('--draw-seed', 0, 4294967295));
}

/** Of all options of a command those that are such. */
export function selectionOptions({ bands, draws, drawSeed, baseline, margin }: SelectionOptions): SelectionOptions {
  return { bands, draws, drawSeed, baseline, margin };
}

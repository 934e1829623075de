/** Options of segments and of a hold-out. */

import { type Command, Option } from 'commander';
import { InputError } from '../errors.js';
import type { PartChoice } from '../estimate/blocks/parts.js';
import type { LevelOptions } from '../run/levels/level-choice.js';
import { names, wholeNumber } from './values.js';

/** Values of the options, as parsed. */
export interface LevelFlags {
  by?: string[];
  selectOn?: PartChoice;
}

export function addLevelOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--by <columns>',
        'key columns: what every policy is worth by segment, and whether the best differs there',
      ).argParser(names('--by')),
    )
    .option(
      '--select-on <part>',
      'pick on one part and evaluate the best on the other: a share (0.5; of the users, else days, else blocks), days (every other one) or blocks:K',
      partChoice,
    );
}

/** @param top of the ranking that is shown. */
export function levelOptions({ by, selectOn }: LevelFlags, top: number | 'all' | undefined): LevelOptions {
  return { by, selectOn, selectTop: selectOn === undefined || typeof top !== 'number' ? undefined : top };
}

/** `0.5`, `days`, `blocks:8` (or `blocks 8`, quoted). The range of a share is checked where it is read. */
function partChoice(text: string): PartChoice {
  if (text === 'days') return text;
  const [, blocks] = /^blocks[\s:=]\s*(\S+)$/.exec(text) ?? [];
  if (blocks !== undefined) return { blocks: wholeNumber('--select-on blocks:K', 1)(blocks) };
  const share = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(share)) return share;
  throw new InputError({
    problem: 'option --select-on is not valid',
    got: text,
    needed: 'a share between 0 and 1, days, or blocks:K',
    hint: /^block/.test(text) ? '--select-on blocks:8' : /^day/.test(text) ? '--select-on days' : '--select-on 0.5',
  });
}

/** The command that makes a result again: as it was typed, without the options that results do not depend on. */

import type { Command, Option } from 'commander';
import { commandLine } from './resumable.js';

/** Options that results do not depend on, and those of the file that is written. */
export const INCIDENTAL: readonly string[] = [
  ...['part', 'counts', 'out', 'format', 'pictures', 'device', 'adapter', 'gpus', 'threads', 'memory', 'resume'],
  ...['checkpointEvery', 'quiet', 'debug'],
];

/** @param command that is running. @returns a line for a POSIX shell, to be run in the same folder. */
export function commandAgain(command: Command): string {
  const incidental = command.options.filter((option) => INCIDENTAL.includes(option.attributeName()));
  return commandLine(typedWithout(typedWords(command), command.options, incidental));
}

/** What was typed: the name of the command, and what follows. */
export function typedWords({ parent }: Command): readonly string[] {
  // Commander keeps it, but does not declare it.
  return (parent as Command & { readonly rawArgs: readonly string[] }).rawArgs;
}

/** Words without some options and their values. @param all options of the command. */
export function typedWithout(words: readonly string[], all: readonly Option[], dropped: readonly Option[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < words.length; ) {
    if (words[i] === '--') return [...kept, ...words.slice(i)];
    const [flag] = words[i].split('=', 1);
    const option = all.find(({ long, short }) => flag === long || flag === short);
    // The value of an option, whatever it looks like.
    const taken = option?.required === true && words[i] === flag ? 2 : 1;
    if (option === undefined || !dropped.includes(option)) kept.push(...words.slice(i, i + taken));
    i += taken;
  }
  return kept;
}

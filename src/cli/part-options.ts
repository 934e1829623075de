/** `--part`: one part of a run, into a file; `--gpus`: all of them on one machine; and a run as its parts keep it. */

import { type Command, Option } from 'commander';
import { InputError } from '../errors.js';
import type { AskedRun } from '../run/parts/header.js';
import { checkPart, type PartNumber } from '../run/parts/plan.js';
import { commandAgain, INCIDENTAL } from './again.js';
import { isStandardOutput } from './io.js';
import { isStandardInput } from './standard-input.js';

export interface PartOptions {
  part?: PartNumber;
  counts?: string;
  gpus?: 'all';
}

/** Of a part, and of the merge. */
export const COUNTS_OPTION = [
  '--counts <file>',
  'what is counted of the whole log: the part that is first writes it, the others and the merge read it',
] as const;

/** Adds the options of this file. */
export function addPartOption(command: Command): Command {
  return command
    .optionsGroup('Several machines:')
    .addOption(
      new Option('--part <i/N>', 'compute part i of N into --out; hindcast merge makes the result of all').argParser(
        partNumber,
      ),
    )
    .addOption(
      new Option('--gpus <which>', 'a part on each GPU of this machine (or on each that --adapter names), merged')
        .choices(['all'])
        .conflicts(['part', 'counts', 'resume']),
    )
    .option(...COUNTS_OPTION);
}

/** @returns the part that is asked for; `null`: the whole run. @throws InputError for options of parts without one. */
export function askedPart({ part, counts }: PartOptions): PartNumber | null {
  if (part === undefined && counts !== undefined)
    throw new InputError({
      problem: 'option --counts belongs to parts of a run',
      got: 'no --part',
      needed: '--part i/N and --counts FILE, or neither',
    });
  return part ?? null;
}

function partNumber(text: string): PartNumber {
  const [, number, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (of === undefined)
    throw new InputError({
      problem: 'option --part is not valid',
      got: text,
      needed: 'which part of how many, such as 3/64',
      hint: '--part 1/64 to --part 64/64, each with an --out of its own',
    });
  const part = { number: Number(number), of: Number(of) };
  checkPart(part);
  return part;
}

/** Options that say where things are, by their names in a command. */
const PATHS = ['policies', 'learners', 'mapping', 'predictions'] as const;
/** A run as its parts keep it. @param log files of it. @param command that is running. */
export function askedRun(log: readonly string[], command: Command): AskedRun {
  const paths: Record<string, unknown> = { log };
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(command.opts())) {
    if ((PATHS as readonly string[]).includes(name)) paths[name] = value;
    else if (!INCIDENTAL.includes(name)) others[name] = value;
  }
  // As it comes back from a file.
  return JSON.parse(JSON.stringify({ command: commandAgain(command), paths, options: others })) as AskedRun;
}

/** Files that options name. */
export function pathsIn(options: object): string[] {
  return PATHS.flatMap((name) => {
    const path = (options as Readonly<Record<string, unknown>>)[name];
    return typeof path === 'string' ? [path] : [];
  });
}

/** Files and options of a command, of a run as its parts keep it. */
export function askedAgain({ paths: { log, ...paths }, options }: AskedRun): { files: string[]; options: object } {
  return { files: log as string[], options: { ...options, ...paths } };
}

/** @returns the file of the part. @throws InputError for options that do not go with a part. */
export function checkPartOptions(
  files: readonly string[],
  { out, format, pictures }: { readonly out?: string; readonly format?: string; readonly pictures?: string },
): string {
  const unfit = Object.entries({ format, pictures }).find(([, value]) => value !== undefined)?.[0];
  if (unfit !== undefined)
    throw new InputError({
      problem: `option ${unfit} does not go together with --part`,
      got: 'a part, which is no result',
      needed: `no --${unfit} here`,
      hint: `hindcast merge takes --${unfit}, and makes the result`,
    });
  if (files.some(isStandardInput))
    throw new InputError({
      problem: 'a part reads its log from files, since the other parts read it too',
      got: 'standard input',
      needed: 'a file that all parts, and the merge, can read',
    });
  if (isStandardOutput(out))
    throw new InputError({
      problem: 'a part needs a file to go into',
      got: 'no --out',
      needed: '--out FILE',
      hint: '--out parts/part-3.parquet',
    });
  return out;
}

/** What the library says, as the command line says it: options by the flags that were typed, not by their names in code. */

import type { Command } from 'commander';
import type { InputError } from '../errors.js';

/** Flag of each option, by its name in code. */
export type Flags = ReadonlyMap<string, string>;

/** Options that code calls otherwise than their flags do. */
const OTHERWISE = [
  ['arms', '--arms-order'],
  ['format', '--log-format'],
] as const;

/** The flags of commands. */
export function flagsOf(commands: readonly Command[]): Flags {
  const flags = new Map<string, string>();
  for (const { long, negate, attributeName } of commands.flatMap((command) => command.options.map(named))) {
    // Of an option and its --no-…, the option.
    if (!negate || !flags.has(attributeName)) flags.set(attributeName, long);
  }
  for (const [name, flag] of OTHERWISE) flags.set(name, flag);
  return flags;
}

function named(option: Command['options'][number]) {
  return { long: option.long ?? option.flags, negate: option.negate, attributeName: option.attributeName() };
}

/** A text that names a flag, without what the same is called in code. */
export function withoutCode(text: string): string {
  return text.replaceAll(/ \(in code: [^()]*\)/g, '');
}

/** Results say in their warnings what to do about them. */
export function warnedInFlags<Result extends { readonly warnings: readonly string[] }>(result: Result): Result {
  return { ...result, warnings: result.warnings.map(withoutCode) };
}

/** A text about options. */
export function inFlags(text: string, flags: Flags): string {
  return withoutCode(text).replaceAll(/\boption (\w+)(?= (?:is|does|belongs) )/g, (all, name) => {
    const flag = flags.get(name);
    return flag === undefined ? all : `option ${flag}`;
  });
}

/**
 * The message of an error about options; where they came from a file, they are called as they are there. The message was made when
 * the names of temporary files were known, so that it is changed and not made anew.
 */
export function errorInFlags({ message, fault }: InputError, flags: Flags): string {
  const text = inFlags(message, flags);
  const { path, file } = fault;
  if (path === undefined || file !== undefined || !text.startsWith(`${path}: `)) return text;
  const flag = flags.get(path.replace(/^(log|options|context|logging)\./, '').split(/[.[]/, 1)[0]);
  if (flag === undefined) return text;
  const rest = text.slice(path.length + 2);
  return rest.startsWith(`option ${flag} `) ? rest : `${flag}: ${rest}`;
}

/** Formats of a result, and how one is chosen. */

import { InputError } from '../errors.js';
import { printableLines } from '../printable.js';
import { toPrettyJson } from '../report/json.js';
import { PLAIN, type Style } from '../report/style.js';
import { type Io, styleFor } from './io.js';

/** The format asked for; else by the ending of `--out`; else a table. */
export function chooseFormat<F extends string>(
  asked: string | undefined,
  out: string | undefined,
  known: readonly F[],
): F | 'table' {
  if (asked !== undefined) {
    const found = known.find((name) => name === asked);
    if (found !== undefined) return found;
    throw new InputError({
      problem: 'option --format is not valid',
      got: asked,
      needed: `one of ${known.join(', ')}`,
    });
  }
  return known.find((name) => out?.toLowerCase().endsWith(`.${name}`)) ?? 'table';
}

/** Text of a result that is either a table or JSON. */
export function tableOrJson<T>(
  value: T,
  table: (value: T, style: Style) => string,
  options: { format?: string; out?: string },
  io: Io,
): string {
  if (chooseFormat(options.format, options.out, ['table', 'json'] as const) === 'json')
    return shown(toPrettyJson(value), options.out, io);
  return table(value, outputStyle(options.out, io));
}

/** CSV or JSON: exact in a file or a pipe; on a terminal nothing in it steers that (in JSON the same values, escaped). */
export function shown(text: string, out: string | undefined, io: Io): string {
  return out === undefined && io.stdout.isTTY === true ? printableLines(text) : text;
}

/** Colours go to a terminal, never into a file. */
export function outputStyle(out: string | undefined, io: Io): Style {
  return out === undefined ? styleFor(io.stdout, io.env) : PLAIN;
}

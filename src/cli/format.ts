/** Formats of a result, and how one is chosen. */

import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { InputError } from '../errors.js';
import { printableLines } from '../printable.js';
import { toPrettyJson } from '../report/json.js';
import { RENDERERS, type Renderer, type RendererName } from '../report/renderers.js';
import { PLAIN, type Style } from '../report/style.js';
import { type Io, isStandardOutput, styleFor } from './io.js';

/** Endings of files that say what is in them. */
const ENDINGS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(RENDERERS).flatMap(([name, { endings }]) => endings.map((end) => [end, name])),
);

/**
 * The format asked for; else by the ending of `--out`; else a table.
 *
 * @throws InputError where a file's ending says another format, or none that is known; where a terminal cannot show it.
 */
export function chooseFormat<F extends RendererName>(
  { format: asked, out }: { readonly format?: string; readonly out?: string },
  known: readonly F[],
  io: Io,
): F {
  const wanted = asked === undefined ? undefined : find(asked, known);
  if (isStandardOutput(out) && wanted !== undefined && !RENDERERS[wanted].isText && io.stdout.isTTY === true) {
    throw new InputError({
      problem: `the format ${wanted} is not for a terminal, which standard output is`,
      hint: `--out result${RENDERERS[wanted].endings[0]}`,
    });
  }
  // A device or a pipe says nothing by its name, and a folder is refused as such.
  if (isStandardOutput(out) || isOtherThanFile(out)) return wanted ?? known[0];
  const ending = extname(out).toLowerCase();
  const said = Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
  if (wanted !== undefined && (said === undefined || said === wanted)) return wanted;
  const format = known.find((name) => name === said);
  if (wanted === undefined && format !== undefined) return format;
  const endings = Object.keys(ENDINGS).filter((name) => known.some((format) => format === ENDINGS[name]));
  throw new InputError({
    file: out,
    problem:
      wanted === undefined
        ? 'the ending of --out names no format of this command'
        : `--out says ${said} and --format says ${wanted}`,
    got: ending === '' ? 'no ending' : ending,
    needed: `one of ${endings.join(', ')}${wanted === undefined ? '; or --format with any other ending' : ''}`,
    hint: wanted === undefined ? '--format table' : 'one of the two',
  });
}

function find<F extends string>(asked: string, known: readonly F[]): F {
  const found = known.find((name) => name === asked);
  if (found !== undefined) return found;
  throw new InputError({ problem: 'option --format is not valid', got: asked, needed: `one of ${known.join(', ')}` });
}

function isOtherThanFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
  } catch {
    // What cannot be looked at is refused by whoever writes to it, with the reason.
    return false;
  }
}

/** Text of a result that is either a table or JSON. */
export function tableOrJson<T>(
  value: T,
  table: (value: T, style: Style) => string,
  options: { format?: string; out?: string },
  io: Io,
): string {
  if (chooseFormat(options, ['table', 'json'] as const, io) === 'json')
    return shown(toPrettyJson(value), options.out, io);
  return table(value, outputStyle(options.out, io));
}

/** A rendered result as it is to be written: text for programs and tools is made fit for a terminal. */
export async function rendered(
  name: RendererName,
  render: (renderer: Renderer, style: Style) => Promise<string | Uint8Array>,
  out: string | undefined,
  io: Io,
): Promise<string | Uint8Array> {
  const renderer: Renderer = RENDERERS[name];
  const content = await render(renderer, outputStyle(out, io));
  return renderer.reader === 'people' || typeof content !== 'string' ? content : shown(content, out, io);
}

/** CSV or JSON: exact in a file or a pipe; on a terminal nothing in it steers that (in JSON the same values, escaped). */
function shown(text: string, out: string | undefined, io: Io): string {
  return isStandardOutput(out) && io.stdout.isTTY === true ? printableLines(text) : text;
}

/** Colours go to a terminal, never into a file. */
export function outputStyle(out: string | undefined, io: Io): Style {
  return isStandardOutput(out) ? styleFor(io.stdout, io.env) : PLAIN;
}

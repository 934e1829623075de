/** The formats by name, and how a file's format is told. */

import { InputError } from '../../errors.js';
import type { Mapping } from '../mapping.js';
import { listNames, nearestName } from '../order.js';
import type { ReadOptions } from '../read-options.js';
import { arrowKind } from './arrow/messages.js';
import { arrow } from './arrow.js';
import { csv } from './csv.js';
import { refuseDecisionOptions } from './decisions/options.js';
import { dsjson } from './dsjson/index.js';
import { type Head, isParquet } from './files.js';
import { jsonl } from './jsonl.js';
import { OBD_MAPPING } from './obd.js';
import { packed } from './packed.js';
import { parquet } from './parquet.js';
import type { EventFormat, Format } from './source.js';
import { vw, vwAdf, vwCb } from './vw/index.js';
import { r6a, r6b } from './yahoo/index.js';

/** Readers of files. */
export const FORMATS: readonly Format[] = [csv, parquet, jsonl, arrow];

/** Readers of formats that need no mapping, the more particular first. */
export const EVENT_FORMATS: readonly EventFormat[] = [packed, r6a, r6b, dsjson, vw, vwCb, vwAdf];

/** Mappings of known data sets. Their files have one of the formats above. */
export const PRESETS: Readonly<Record<string, Mapping>> = { obd: OBD_MAPPING };

/** Names that the `format` option takes. */
export const FORMAT_NAMES: readonly string[] = [
  ...[...FORMATS, ...EVENT_FORMATS].map(({ name }) => name),
  ...Object.keys(PRESETS),
];

/** @throws InputError for a name that is neither a format nor a preset. */
export function checkFormatName(name: string): void {
  if (FORMAT_NAMES.includes(name)) return;
  const near = nearestName(name, FORMAT_NAMES);
  throw new InputError({
    problem: 'unknown log format',
    got: JSON.stringify(name),
    needed: `one of ${listNames(FORMAT_NAMES)}`,
    hint: near === null ? undefined : `did you mean ${JSON.stringify(near)}?`,
  });
}

/**
 * The reader of files that need no mapping: the one named; where neither a format nor a mapping is given, the one that
 * knows the first file by its content. `null`: the files are for a mapping.
 *
 * @throws InputError where files of one log look like different formats.
 */
export function eventFormatOf(heads: readonly Head[], { format, mapping }: ReadOptions): EventFormat | null {
  if (format !== undefined) return EVENT_FORMATS.find(({ name }) => name === format) ?? null;
  if (mapping !== undefined) return null;
  const found = heads.map((head) => EVENT_FORMATS.find((one) => one.sniff(head)) ?? null);
  const other = found.findIndex((one) => one !== found[0]);
  if (other > 0 && found.some((one) => one !== null)) {
    throw new InputError({
      problem: 'the files look like different formats',
      got: `${found[0]?.name ?? 'no format that needs no mapping'} in the first file, ${found[other]?.name ?? 'none such'} in file ${other + 1}`,
      needed: 'files of one format',
      hint: 'name the format with --log-format',
    });
  }
  return found[0] ?? null;
}

/** @throws InputError for an option that only other formats than the log's take. `null`: the log has a mapping. */
export function checkFormatOptions(format: EventFormat | null, options: ReadOptions): void {
  if (format !== null && options.allowLeak !== undefined) {
    throw new InputError({
      problem: `option allowLeak does not go with the format ${format.name}`,
      needed: 'a log with a mapping, which gives columns their roles',
      hint: 'leave --allow-leak out',
    });
  }
  const takers = EVENT_FORMATS.filter(({ takes }) => takes !== undefined).map(({ name }) => name);
  refuseDecisionOptions(options, format?.takes ?? [], takers);
}

/** Largest limit of a line: buffers for such lines are a few times as long. */
const MOST_MAX_LINE = 400e6;

/** Formats without lines. */
const BINARY: ReadonlySet<string> = new Set([packed.name, parquet.name, arrow.name]);

/** @throws InputError for a limit that is none, or for a file that has no lines. */
export function checkMaxLine(
  files: readonly string[],
  heads: readonly Head[],
  format: EventFormat | null,
  { maxLine, format: name }: ReadOptions,
): void {
  if (maxLine === undefined) return;
  if (!(Number.isSafeInteger(maxLine) && maxLine >= 1 && maxLine <= MOST_MAX_LINE)) {
    throw new InputError({
      problem: 'option maxLine is not usable',
      got: String(maxLine),
      needed: `a number of bytes, at most ${MOST_MAX_LINE.toLocaleString('en')}`,
    });
  }
  const without = files.find((file, i) => BINARY.has((format ?? formatOf(file, heads[i], name)).name));
  if (without === undefined) return;
  throw new InputError({
    file: without,
    problem: 'option maxLine does not go with this format',
    needed: 'a log of text, which has lines',
    hint: 'leave the option out',
  });
}

/** The reader of a file: the one named, else by the ending of its name, else by its first bytes. */
export function formatOf(file: string, head: Head, name?: string): Format {
  const named = FORMATS.find((format) => format.name === name);
  if (named !== undefined) return named;
  const ending = /(\.[^./\\]+?)(?:\.gz|\.zst)?$/i.exec(file)?.[1].toLowerCase() ?? '';
  const byEnding = FORMATS.find((format) => format.extensions.includes(ending));
  if (isParquet(head.bytes)) return parquet;
  if (arrowKind(head.bytes) !== null) return arrow;
  if (byEnding !== undefined) return byEnding;
  return head.bytes.toString('utf8').trimStart().startsWith('{') ? jsonl : csv;
}

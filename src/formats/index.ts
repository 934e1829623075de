/** The formats by name, and how a file's format is told. */

import { InputError } from '../errors.js';
import type { Head } from '../files/files.js';
import type { Mapping } from '../log/mapping.js';
import type { ReadOptions } from '../log/read-options.js';
import { arrow } from './arrow/arrow.js';
import { refuseDecisionOptions } from './decisions/options.js';
import { dsjson } from './dsjson/index.js';
import type { EventFormat, Format } from './format.js';
import { OBD_MAPPING } from './obd/obd.js';
import { packed } from './packed/packed.js';
import { csv } from './table/csv.js';
import { jsonl } from './table/jsonl.js';
import { parquet } from './table/parquet.js';
import { vw, vwAdf, vwCb } from './vw/index.js';
import { r6a, r6b } from './yahoo/index.js';

const TABLES = [csv, parquet, jsonl, arrow] as const;
const EVENTS = [packed, r6a, r6b, dsjson, vw, vwCb, vwAdf] as const;
const MAPPINGS = { obd: OBD_MAPPING } as const;

/** Readers of files. */
export const FORMATS: readonly Format[] = TABLES;

/** Readers of formats that need no mapping, the more particular first. */
export const EVENT_FORMATS: readonly EventFormat[] = EVENTS;

/** Mappings of known data sets. Their files have one of the formats above. */
export const PRESETS: Readonly<Partial<Record<string, Mapping>>> = MAPPINGS;

/** A reader, or a preset that brings its mapping. */
export type FormatName = (typeof TABLES)[number]['name'] | (typeof EVENTS)[number]['name'] | keyof typeof MAPPINGS;

/** What the `format` option takes. */
export const FORMAT_NAMES: readonly FormatName[] = [...TABLES, ...EVENTS]
  .map(({ name }): FormatName => name)
  .concat(Object.keys(MAPPINGS) as (keyof typeof MAPPINGS)[]);

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

/** Options that say something of columns. */
const MAPPED_OPTIONS = ['allowLeak', 'missingPayoff', 'missingLevel', 'impute'] as const;

/** @throws InputError for an option that only other formats than the log's take. `null`: the log has a mapping. */
export function checkFormatOptions(format: EventFormat | null, options: ReadOptions): void {
  const ofMappings = MAPPED_OPTIONS.find((name) => options[name] !== undefined);
  if (format !== null && ofMappings !== undefined) {
    const flag = `--${ofMappings.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new InputError({
      problem: `option ${ofMappings} does not go with the format ${format.name}`,
      needed: 'a log with a mapping, which gives columns their roles',
      hint: format === packed ? `give ${flag} to hindcast convert, with the original log` : `leave ${flag} out`,
    });
  }
  const takers = EVENT_FORMATS.filter(({ takes }) => takes !== undefined).map(({ name }) => name);
  refuseDecisionOptions(options, format?.takes ?? [], takers);
}

/** @throws InputError for options of text in columns where a file is something else. */
export function checkTextOptions(
  files: readonly string[],
  heads: readonly Head[],
  event: EventFormat | null,
  { encoding, decimalSeparator, format }: ReadOptions,
): void {
  const option = encoding !== undefined ? 'encoding' : decimalSeparator !== undefined ? 'decimalSeparator' : null;
  if (option === null) return;
  for (const [i, file] of files.entries()) {
    const { name, isText } = event ?? formatOf(file, heads[i], format);
    if (event === null && isText) continue;
    throw new InputError({
      file,
      problem: `option ${option} does not go with the format ${name}`,
      needed: 'CSV or JSON lines',
      hint: `leave --${option === 'encoding' ? 'encoding' : 'decimal-separator'} out`,
    });
  }
}

/** Largest limit of a line: buffers for such lines are a few times as long. */
const MOST_MAX_LINE = 400e6;

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
  const without = files.find((file, i) => !(format ?? formatOf(file, heads[i], name)).isText);
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
  const found =
    FORMATS.find((format) => format.sniff?.(head)) ?? FORMATS.find((format) => format.extensions.includes(ending));
  if (found !== undefined) return found;
  return head.bytes.toString('utf8').trimStart().startsWith('{') ? jsonl : csv;
}

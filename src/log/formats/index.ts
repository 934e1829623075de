/** The formats by name, and how a file's format is told. */

import { InputError } from '../../errors.js';
import type { Mapping } from '../mapping.js';
import { listNames, nearestName } from '../order.js';
import { csv } from './csv.js';
import type { Head } from './files.js';
import { jsonl } from './jsonl.js';
import { OBD_MAPPING } from './obd.js';
import { parquet } from './parquet.js';
import type { Format } from './source.js';

/** Readers of files. */
export const FORMATS: readonly Format[] = [csv, parquet, jsonl];

/** Mappings of known data sets. Their files have one of the formats above. */
export const PRESETS: Readonly<Record<string, Mapping>> = { obd: OBD_MAPPING };

/** Names that the `format` option takes. */
export const FORMAT_NAMES: readonly string[] = [...FORMATS.map(({ name }) => name), ...Object.keys(PRESETS)];

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

/** The reader of a file: the one named, else by the ending of its name, else by its first bytes. */
export function formatOf(file: string, head: Head, name?: string): Format {
  const named = FORMATS.find((format) => format.name === name);
  if (named !== undefined) return named;
  const ending = /(\.[^./\\]+?)(?:\.gz)?$/i.exec(file)?.[1].toLowerCase() ?? '';
  const byEnding = FORMATS.find((format) => format.extensions.includes(ending));
  const isParquet = head.bytes.subarray(0, 4).toString('latin1') === 'PAR1';
  if (isParquet) return parquet;
  if (byEnding !== undefined) return byEnding;
  return head.bytes.toString('utf8').trimStart().startsWith('{') ? jsonl : csv;
}

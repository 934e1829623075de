/** Names and formats of the files that `hindcast simulate` writes, and the faults it puts into them. */

import { InputError } from '../../errors.js';
import type { TableFormat } from '../../simulate/files/table-file.js';
import type { YahooDirtOptions } from '../../simulate/yahoo-dirt.js';
import { probability } from '../values.js';

/** As the option names them: the text formats by name. */
export type LogFormatName = 'r6a' | 'r6b' | 'packed' | 'parquet' | 'csv';
export type LogFormat = 'yahoo' | 'packed' | 'parquet' | 'csv';

/** The format asked for; else by the ending of the file. */
export function logFormatOf(file: string, asked: LogFormatName | undefined): LogFormat {
  if (asked !== undefined) return asked === 'r6a' || asked === 'r6b' ? 'yahoo' : asked;
  const name = file.toLowerCase();
  if (name.endsWith('.parquet')) return 'parquet';
  return /\.csv(\.gz)?$/.test(name) ? 'csv' : 'yahoo';
}

/** CSV is compressed where the ending says so; the default is Parquet. */
export function tableFormatOf(file: string, format: LogFormat = logFormatOf(file, undefined)): TableFormat {
  if (format !== 'csv') return 'parquet';
  return file.toLowerCase().endsWith('.gz') ? 'csv.gz' : 'csv';
}

/** `clicks.parquet` → `clicks.mapping.json`. */
export function mappingPath(out: string): string {
  return `${out.replace(/\.(parquet|csv|csv\.gz)$/i, '')}.mapping.json`;
}

/** Shares of lines by name of the fault, or one share for each fault that the format can have. */
export type Dirtying = number | ReadonlyMap<string, number>;

/** Parses `0.001`, or `crlf=0.01,blank=0.02`. */
export function dirtOption(text: string): Dirtying {
  const share = probability('--dirt');
  if (!text.includes('=')) return share(text);
  const rates = new Map<string, number>();
  for (const part of text.split(',')) {
    const [name, value, ...more] = part.split('=').map((side) => side.trim());
    if (name === '' || value === undefined || more.length > 0 || rates.has(name)) {
      throw new InputError({
        problem: 'option --dirt is not valid',
        got: text,
        needed: 'one share, or name=share for each fault, separated by commas',
        hint: '--dirt crlf=0.01,blank=0.02',
      });
    }
    rates.set(name, share(value));
  }
  return rates;
}

/** @throws InputError for faults that the format cannot have. */
export async function dirtRates(dirt: Dirtying, kind: 'r6a' | 'r6b'): Promise<YahooDirtOptions['rates']> {
  const { YahooDirt, yahooDirts } = await import('../../simulate/yahoo-dirt.js');
  const rates =
    typeof dirt === 'number'
      ? Object.fromEntries(yahooDirts(kind).map((name) => [name, dirt]))
      : Object.fromEntries(dirt);
  // Refused here, before anything is written.
  new YahooDirt({ format: kind, seed: 0, rates });
  return rates;
}

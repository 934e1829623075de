/** Names of formats; the readers under them are in `index.ts`. */

/** What the `format` option takes: readers of files, formats that need no mapping, presets. */
export const FORMAT_NAMES = [
  'csv',
  'parquet',
  'jsonl',
  'arrow',
  'packed',
  'r6a',
  'r6b',
  'dsjson',
  'vw',
  'vw-cb',
  'vw-adf',
  'obd',
] as const;

/** A reader, or a preset that brings its mapping. */
export type FormatName = (typeof FORMAT_NAMES)[number];

/** What a log was read from; `columns`, `simulate`: made in code. */
export type LogFormat = FormatName | 'columns' | 'simulate';

/** A file of predictions as rows of numbers, whatever its format. */

import type { InputFile } from '../../log/inputs.js';

export interface PredictionSource {
  /** Name for messages, as the caller gave it. */
  readonly file: string;
  /** For results. */
  readonly input: InputFile;
  readonly format: 'npy' | 'parquet';
  readonly rows: number;
  /** Rows [from, to), row-major, K numbers each; what is returned may be written over by the next call. */
  read(from: number, to: number): Float64Array;
  close(): void;
}

/** What a file of predictions must hold. */
export interface PredictionShape {
  /** L */
  readonly events: number;
  /** Rows of the log's files, before its filter; `null`: not counted, or the log was made in code. */
  readonly sourceRows: number | null;
  /** Ids of the K arms, in order. */
  readonly arms: readonly string[];
  /** A column of the log has the row of each event; `null`: rows are those of events or source rows. */
  readonly column: string | null;
}

/** Which rows a file must have, in words. */
export function rowsNeeded({ events, sourceRows, column }: PredictionShape): string {
  if (column !== null) return `a row per value of ${JSON.stringify(column)}`;
  const source =
    sourceRows === null || sourceRows === events ? '' : `, or ${sourceRows}, one per row of the log's files`;
  return `${events}, one per event in the order of the log${source}`;
}

export function rowsFit(rows: number, { events, sourceRows, column }: PredictionShape): boolean {
  return column !== null || rows === events || rows === sourceRows;
}

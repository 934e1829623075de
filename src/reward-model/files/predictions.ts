/**
 * Predictions made elsewhere: q̂(x_t, a) from a file, a row per event and a column per arm. Whether an event's payoff had a part in
 * its own prediction cannot be told from a file.
 */

import type { Archive } from '../../archive.js';
import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import { keyedRows } from '../../policy/keyed-rows.js';
import type { Predictions, RewardModel, RewardModelDescription } from '../contract.js';
import { openNpy } from './npy-file.js';
import { openParquet } from './parquet-file.js';
import type { PredictionSource } from './source.js';

/** Numbers looked at, or rows of a filtered log read, at a time. */
const WINDOW = 2 ** 20;

/**
 * @param head of the log. @param events L of all of it.
 * @param column of the log that has the file's row of each event; `null`: a row per event.
 * @throws InputError for a file that cannot be read, has another shape or type, or whose numbers are none for arms that every event
 *   offers.
 */
export async function openPredictions(
  file: string,
  head: EventLog,
  events: number,
  column: string | null = null,
): Promise<RewardModel> {
  const sourceRows = head.source.rows;
  const needed = { events, sourceRows, arms: head.arms.ids, column };
  const source = await (/\.npy$/i.test(file) ? openNpy(file, needed) : openParquet(file, needed));
  try {
    return new FilePredictions(source, head, events, column);
  } catch (error) {
    source.close();
    throw error;
  }
}

class FilePredictions implements RewardModel {
  /** False while numbers that are none may yet be those of candidates: then the events are looked at. */
  fitted: boolean;
  readonly held: number;
  /** What is read lies in windows of its own. */
  readonly perEvent: number;
  readonly rows: number;
  readonly inputs: RewardModel['inputs'];
  private readonly arms: number;
  private readonly clean: boolean;
  /** Rows by the column; `null`: there is none. */
  private readonly keyed: ReturnType<typeof keyedRows> | null;
  private low = Number.POSITIVE_INFINITY;
  private high = Number.NEGATIVE_INFINITY;
  /** Rows [from, to) of the file as they were read last; for logs that do not take all of them. */
  private window: { from: number; to: number; values: Float64Array } = { from: 0, to: 0, values: new Float64Array(0) };
  private passes = 0;

  constructor(
    private readonly source: PredictionSource,
    private readonly head: EventLog,
    private readonly events: number,
    private readonly column: string | null,
  ) {
    const { file, rows } = source;
    this.keyed = column === null ? null : keyedRows({ what: 'the predictions', file, rows, column }, head);
    this.rows = column === null ? Number.POSITIVE_INFINITY : rows;
    this.arms = head.arms.ids.length;
    this.clean = this.scan();
    this.fitted = this.clean;
    this.inputs = [source.input];
    this.held = 24 * WINDOW;
    this.perEvent = column === null ? 8 * this.arms : 8;
  }

  /** Goes through the whole file. @returns whether all its numbers are finite. @throws InputError where one that must be is not. */
  private scan(): boolean {
    const { source, arms, head } = this;
    const step = Math.max(1, Math.floor(WINDOW / Math.max(1, arms)));
    const { offsets, count } = head.pools;
    // Every event offers every arm, and has a row of its own: no number is idle.
    const all = count === 1 && offsets[1] === arms && source.rows === this.events && this.keyed === null;
    let clean = true;
    for (let from = 0; from < source.rows; from += step) {
      const to = Math.min(source.rows, from + step);
      const values = source.read(from, to);
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        if (value - value === 0) {
          if (value < this.low) this.low = value;
          if (value > this.high) this.high = value;
          continue;
        }
        if (all) throw this.notFinite(from + Math.floor(i / arms), i % arms, value);
        clean = false;
      }
    }
    return clean;
  }

  add(batch: EventLog): void {
    this.predict(batch);
  }

  endPass(): boolean {
    this.passes++;
    this.fitted = true;
    return false;
  }

  predict(batch: EventLog): Predictions {
    const { source, arms, clean } = this;
    const { events } = batch;
    const rowOf = this.keyed?.rowsOf(batch) ?? this.rowsOf(batch);
    const first = (batch.firstEvent ?? 0) - (this.head.firstEvent ?? 0);
    const shared = rowOf === null || this.keyed === null ? null : sharedRows(rowOf);
    const rows = shared?.rows ?? rowOf;
    const values = rows === null ? source.read(first, first + events).slice() : this.gather(rows);
    if (!clean) {
      const { offsets, arms: offered, pool } = batch.pools;
      for (let t = 0; t < events; t++) {
        const set = pool === null ? 0 : pool[t];
        for (let i = offsets[set]; i < offsets[set + 1]; i++) {
          const value = values[(shared?.row[t] ?? t) * arms + offered[i]];
          if (value - value !== 0) throw this.notFinite(rowOf?.[t] ?? first + t, offered[i], value);
        }
      }
      for (let i = 0; i < values.length; i++) if (values[i] - values[i] !== 0) values[i] = 0;
    }
    return { values, rows: rows?.length ?? events, row: shared?.row ?? null };
  }

  /** Row of the file of each event; `null`: its index. @throws InputError where that is not clear. */
  private rowsOf({ events, firstEvent = 0, sourceRow }: EventLog): Uint32Array | null {
    const { source } = this;
    if (sourceRow === null) return null;
    if (source.rows !== this.events) return sourceRow;
    if (this.head.source.rows !== this.events) return null;
    for (let t = 0; t < events; t++) {
      if (sourceRow[t] === firstEvent + t) continue;
      throw new InputError({
        file: source.file,
        problem: `the ${source.rows} rows may be in the order of the log's events or of its files' rows, and these differ`,
        got: `event ${firstEvent + t} is row ${sourceRow[t]} of the files`,
        needed: 'one order for both',
        hint: 'evaluate the log in the order of its files, without --sort-by-time (in code: sortByTime)',
      });
    }
    return null;
  }

  private gather(rows: Uint32Array): Float64Array {
    const { source, arms } = this;
    const out = new Float64Array(rows.length * arms);
    const step = Math.max(1, Math.floor(WINDOW / Math.max(1, arms)));
    for (const t of byRow(rows)) {
      const row = rows[t];
      if (row < this.window.from || row >= this.window.to) {
        const to = Math.min(source.rows, row + step);
        this.window = { from: row, to, values: source.read(row, to) };
      }
      const at = (row - this.window.from) * arms;
      for (let a = 0; a < arms; a++) out[t * arms + a] = this.window.values[at + a];
    }
    return out;
  }

  private notFinite(row: number, arm: number, value: number): InputError {
    return new InputError({
      file: this.source.file,
      row,
      column: this.head.arms.ids[arm],
      problem: `the prediction for arm ${JSON.stringify(this.head.arms.ids[arm])}, a candidate there, is not finite`,
      got: String(value),
      needed: 'a predicted payoff for every candidate',
      hint: 'NaN is what is left where nothing was predicted: fill in the mean payoff, say',
    });
  }

  get description(): RewardModelDescription {
    return {
      name: 'predictions',
      parameters: {
        file: this.source.file,
        format: this.source.format,
        rows: this.source.rows,
        ...(this.column === null ? {} : { rowsOf: this.column }),
      },
      folds: null,
      crossFitted: null,
      passes: this.passes,
    };
  }

  warnings(): string[] {
    const { low, high } = this.head.payoff.scale;
    const range = high - low;
    const shown = (value: number): string => String(Number(value.toPrecision(4)));
    return [
      ...(this.keyed?.warnings ?? []),
      'the predictions come from a file, and were not checked for cross-fitting: if they were fitted to the payoffs of the events that they predict, corrections are too small, and dr, dr-clip, switch-dr, dros and sndr lean towards dm',
      ...(this.low < low - range || this.high > high + range
        ? [
            `the predictions reach from ${shown(this.low)} to ${shown(this.high)}, and payoffs lie in ${shown(low)} to ${shown(high)}: are they in units of the payoff, and not scores or log-odds?`,
          ]
        : []),
    ];
  }

  carry(archive: Archive): void {
    this.fitted = archive.flag(this.fitted);
    this.passes = archive.number(this.passes);
  }

  close(): void {
    this.source.close();
  }
}

/** The rows that some events have, each once, and which of them each event has. */
function sharedRows(rowOf: Uint32Array): { rows: Uint32Array; row: Uint32Array } {
  const rows = Uint32Array.from(new Set(rowOf)).sort();
  const at = new Map(Array.from(rows, (row, i) => [row, i]));
  return { rows, row: rowOf.map((row) => at.get(row) ?? 0) };
}

/** Events in the order of their rows, so that the file is gone through once. */
function byRow(rows: Uint32Array): Uint32Array {
  const order = Uint32Array.from(rows.keys());
  return rows.every((row, t) => t === 0 || row >= rows[t - 1]) ? order : order.sort((a, b) => rows[a] - rows[b]);
}

/** Reads files of examples into one log: what the readers of such formats share. */

import { stat } from 'node:fs/promises';
import { type Fault, InputError } from '../../../errors.js';
import type { EventLog } from '../../event-log.js';
import type { ReadOptions } from '../../read-options.js';
import { visitLines } from '../lines.js';
import type { HeadedFile } from '../source.js';
import { DecisionCollector, type EventPlace } from './collector.js';
import { finishDecisions } from './finish.js';
import { decisionOptions } from './options.js';
import { RowCounter, RowFault } from './rows.js';

/** The rows of the log as a parser sees them. */
export interface DecisionRows {
  readonly collector: DecisionCollector;
  /** Starts the next row, at a line of the current file. */
  begin(line: number): EventPlace;
  /** A row that is wrong: `fault` lies in `line`, if that is not the row's first. */
  bad(fault: Fault, line?: number): void;
  /** A row that is normal in such files, but no event. */
  leaveOut(fault: Fault): void;
  /** A deviation, in a line, that is read all the same. */
  repair(fault: Fault, line: number): void;
  /** Runs a part of a row's parser. Returns the fault that it ends with, or `null`. */
  attempt(parse: () => void): Fault | null;
}

/** Parses the lines of a format. */
export interface LineParser {
  line(text: string, number: number): void;
  badLine(fault: Fault, number: number): void;
  /** After the last line of each file. @param damaged the file broke off, in a row that is then no event. */
  endOfFile(damaged: boolean): void;
}

/**
 * @param format name of the reader.
 * @param parser of the lines of all files, one after the other.
 * @throws InputError
 */
export async function readDecisions(
  format: string,
  files: readonly HeadedFile[],
  options: ReadOptions,
  parser: (rows: DecisionRows) => LineParser,
): Promise<EventLog> {
  const checked = decisionOptions(format, options);
  const collector = new DecisionCollector(checked);
  const counter = new RowCounter(options);
  let place: EventPlace = { file: files[0].file, row: -1, line: 0 };
  /** Row of the current file's first one. */
  let base = 0;
  let file = files[0].file;
  const located = (fault: Fault, line = place.line): Fault => ({ file, row: place.row - base, line, ...fault });
  const rows: DecisionRows = {
    collector,
    begin(line) {
      place = { file, row: place.row + 1, line };
      return place;
    },
    bad: (fault, line) => counter.bad(located(fault, line)),
    leaveOut: (fault) => counter.leaveOut(located(fault)),
    repair: (fault, line) => counter.repair({ file, line, ...fault }),
    attempt(parse) {
      try {
        parse();
        return null;
      } catch (error) {
        if (error instanceof RowFault) return error.fault;
        throw error;
      }
    },
  };
  const lines = parser(rows);
  const progress = await progressOver(files, options.onProgress, () => place.row + 1);
  for (const [number, headed] of files.entries()) {
    file = headed.file;
    base = place.row + 1;
    let damage: Fault | null = null;
    try {
      await visitLines(headed, lines, { signal: options.signal, onBytes: progress.bytes });
    } catch (error) {
      // The end of a damaged file is lost. What came before it is used where bad rows are skipped, and the rest counted as one.
      if (!(error instanceof InputError && error.fault.problem.startsWith('the compressed file'))) throw error;
      damage = error.fault;
    }
    lines.endOfFile(damage !== null);
    if (damage !== null) counter.bad(damage);
    progress.fileDone(number);
  }
  const total = place.row + 1;
  if (collector.events === 0) throw noEvents(files, total, counter);
  const forgiven = counter.forgiven();
  return {
    ...finishDecisions(collector),
    sourceRow: collector.events === total ? null : collector.rowOf.column(),
    source: {
      files: files.map((one) => one.file),
      format,
      where: null,
      rows: total,
      badRows: counter.badRows(),
      ...(forgiven.length === 0 ? {} : { forgiven }),
      payoffFromCost: checked.payoffFromCost,
    },
  };
}

/** Progress by bytes; a gzip file counts when it is done, as its unpacked size is not known. */
async function progressOver(files: readonly HeadedFile[], told: ReadOptions['onProgress'], rows: () => number) {
  const sizes: number[] = [];
  for (const { file } of files) sizes.push((await stat(file)).size);
  const total = Math.max(
    1,
    sizes.reduce((a, b) => a + b, 0),
  );
  let before = 0;
  let current = 0;
  return {
    bytes(bytes: number): void {
      const read = files[current].head.gzip ? 0 : Math.min(bytes, sizes[current]);
      told?.(Math.min(1, (before + read) / total), rows());
    },
    fileDone(number: number): void {
      before += sizes[number];
      current = number + 1;
      told?.(Math.min(1, before / total), rows());
    },
  };
}

function noEvents(files: readonly HeadedFile[], rows: number, counter: RowCounter): InputError {
  const file = files.map((one) => one.file).join(', ');
  if (rows === 0) return new InputError({ file, problem: 'the log has no rows', needed: 'a row per event' });
  const kinds = counter.badRows();
  return new InputError({
    file,
    problem: 'no row of the log is an event',
    got: kinds
      .map(({ kind, count, first }) => `${count.toLocaleString('en')} × ${kind}; the first: ${first}`)
      .join('\n'),
    needed: 'events with an action, its cost and its probability',
  });
}

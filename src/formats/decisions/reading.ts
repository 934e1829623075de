/** Files of examples: bytes in, events to a collector. */

import { type Fault, InputError } from '../../errors.js';
import { type LineVisitor, TextLines } from '../../files/lines.js';
import { droppedWarnings, sourceWarnings } from '../../log/checks/dropped-warnings.js';
import type { LogSource } from '../../log/event-log.js';
import type { ReadOptions } from '../../log/read-options.js';
import { plural } from '../../words.js';
import type { DecisionCollector, EventPlace } from './collector.js';
import { RowCounter, RowFault } from './rows.js';

/** The rows of the log as a parser sees them. */
export interface DecisionRows {
  readonly collector: DecisionCollector;
  /** Events that come again are left out. */
  readonly dropsRepeated: boolean;
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
export interface LineParser extends LineVisitor {
  /** After the last line of each file. @param damaged the file broke off, in a row that is then no event. */
  endOfFile(damaged: boolean): void;
  /** About all events, for the log's source. */
  warnings?(): string[];
}

/** Kinds of rows that are named where no event is left. */
const NAMED_KINDS = 5;

/** Rates that are named. */
const NAMED_RATES = 5;

function rateWarnings(rates: readonly number[]): string[] {
  if (rates.length < 2) return [];
  const named = `${rates.slice(0, NAMED_RATES).join(', ')}${rates.length > NAMED_RATES ? `, … ${rates.at(-1)}` : ''}`;
  return [
    `events were dropped at ${rates.length} different rates before they were logged (pdrop ${named}): one that was kept counts 1/(1 − pdrop) in values, weights and errors`,
  ];
}

/** A source whose rows were counted. */
export type CountedSource = LogSource & { readonly rows: number };

export class DecisionReading {
  private readonly counter: RowCounter;
  private readonly skips: boolean;
  private readonly parser: LineParser;
  private readonly files: string[] = [];
  private file = '';
  private lines: TextLines | null = null;
  /** Of the row that was begun last, over all files. */
  private row = -1;
  private line = 0;
  /** Row of the current file's first one. */
  private base = 0;

  /**
   * @param format name of the reader.
   * @param parser of the lines of all files, one after the other.
   */
  constructor(
    private readonly format: string,
    private readonly options: ReadOptions,
    parser: (rows: DecisionRows) => LineParser,
    private readonly collector: DecisionCollector,
  ) {
    this.counter = new RowCounter(options);
    // Rows that are normal in such files and no events are left out without a request.
    this.skips = options.skipBadRows === true;
    this.parser = parser(this.rowsForParser(options.dropRepeatedEvents === true));
  }

  /** Rows so far. */
  get rows(): number {
    return this.row + 1;
  }

  /** Begins the next file. */
  open(file: string): void {
    this.files.push(file);
    this.file = file;
    this.base = this.rows;
    this.lines = new TextLines(this.parser, this.options.maxLine);
  }

  /** Takes the next bytes of the file, unpacked. @throws InputError for the first bad row, unless they are skipped. */
  push(part: Buffer): void {
    this.lines?.push(part);
  }

  /** Ends the file. @param damage why its end is lost; what came before it is used where bad rows are skipped. */
  close(damage: InputError | null = null): void {
    const line = this.lines?.end(damage !== null) ?? 0;
    this.parser.endOfFile(damage !== null);
    if (damage === null) return;
    const { got, hint, ...fault } = damage.fault;
    this.counter.broken({
      ...fault,
      line: line + 1,
      got: `${got ?? 'a broken end'}, after ${plural(line, 'whole line')}`,
      hint: `${hint}; --skip-bad-rows reads what comes before the damage`,
    });
  }

  /** What was read. @throws InputError where no event was found. */
  finish(): CountedSource {
    const { collector, counter, rows, files, format } = this;
    if (collector.events === 0) throw this.noEvents();
    const { payoffFromCost } = collector.options;
    const badRows = counter.finish();
    const rates = [...collector.dropRates].sort((a, b) => a - b);
    const warnings = sourceWarnings([
      ...(this.skips ? droppedWarnings(badRows, collector.events) : []),
      ...(this.parser.warnings?.() ?? []),
      ...rateWarnings(rates),
    ]);
    const dropRates = rates.some((rate) => rate > 0) ? { dropRates: rates } : {};
    return { files, format, where: null, rows, badRows, ...warnings, payoffFromCost, ...dropRates };
  }

  private rowsForParser(dropsRepeated: boolean): DecisionRows {
    const { collector, counter } = this;
    const located = (fault: Fault, line = this.line): Fault => ({
      file: this.file,
      row: this.row - this.base,
      line,
      ...fault,
    });
    return {
      collector,
      dropsRepeated,
      begin: (line) => {
        this.row++;
        this.line = line;
        return { file: this.file, row: this.row, line };
      },
      bad: (fault, line) => counter.bad(located(fault, line)),
      leaveOut: (fault) => counter.leaveOut(located(fault)),
      repair: (fault, line) => counter.repair({ file: this.file, line, ...fault }),
      attempt: (parse) => {
        try {
          parse();
          return null;
        } catch (error) {
          if (error instanceof RowFault) return error.fault;
          // What ends the reading as a whole may not know where it is.
          if (error instanceof InputError && error.fault.file === undefined)
            throw new InputError({ file: this.file, line: this.line, ...error.fault });
          throw error;
        }
      },
    };
  }

  private noEvents(): InputError {
    const file = this.files.join(', ');
    if (this.row < 0) return new InputError({ file, problem: 'the log has no rows', needed: 'a row per event' });
    const kinds = this.counter.finish().filter(({ lost }) => lost !== 'nothing');
    return new InputError({
      file,
      problem: 'no row of the log is an event',
      got: kinds
        .slice(0, NAMED_KINDS)
        .map(({ kind, count, first }) => `${count.toLocaleString('en')} × ${kind}; the first: ${first}`)
        .join('\n'),
      needed: 'events with an action, its cost and its probability',
    });
  }
}

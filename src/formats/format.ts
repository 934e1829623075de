/** What a format gives to the reader: a relation per file, and how to speak of its rows. */

import type { InputError } from '../errors.js';
import type { Database } from '../files/duckdb.js';
import type { Encoding } from '../files/encodings.js';
import type { Head } from '../files/files.js';
import type { EventLog } from '../log/event-log.js';
import type { ReadOptions } from '../log/read-options.js';
import type { BatchSink } from '../log/sink.js';

/** A column of a file. */
export interface SourceColumn {
  readonly name: string;
  /** DuckDB's type where the file has types (Parquet); `TEXT` where values are text as written (CSV, JSON). */
  readonly type: string;
  /** Expression of the value in `relation`. */
  readonly sql: string;
  /** A field of an object or struct, whose name has the dots of its path; patterns without dots leave it out. */
  readonly isNested?: boolean;
  /** What the file says of times of which only microseconds arrive, though it has nanoseconds: different ones may be one here. */
  readonly coarse?: string;
  /** Dates that are kept in milliseconds: those of whole days are written as such. */
  readonly isDay?: boolean;
}

/** A row that is no record: ragged, not UTF-8, not JSON. */
export interface Reject {
  /** Data row, 0-based over the file. */
  readonly row: number;
  readonly line: number | null;
  /** Short, stable kind, e.g. `too few columns`. */
  readonly kind: string;
  readonly got: string;
  readonly needed: string;
  readonly hint?: string;
  /** Where it is more than a row: the end of a file that broke off. */
  readonly lost?: 'stretch';
}

/** One file of a log. */
export interface SourceFile {
  /** As the caller named it. */
  readonly file: string;
  /** Name of its format. */
  readonly format: string;
  readonly columns: readonly SourceColumn[];
  /** Table expression. */
  readonly relation: string;
  /** The same rows in any order, read first. Default: `relation`. */
  readonly checkedRelation?: string;
  /** Expression of the 0-based number of a row among the rows of `relation`, in file order. */
  readonly rowNumber: string;
  /** Numbers in text are written as 1,5. */
  readonly decimalComma?: boolean;
  /** How many rows there are, those that are left out among them, counted without DuckDB; absent: the file says it itself. */
  readonly records?: number;
  /** Rows that `relation` leaves out; ascending. */
  rejects(): Promise<Reject[]>;
  /** Line of a data row (1-based), or `null` where a file has no lines. */
  line(row: number): Promise<number | null>;
  /** Translates a failure of DuckDB while it read this file. */
  failure(error: unknown): Promise<InputError>;
}

/** How a file is opened. */
export interface OpenOptions {
  readonly database: Database;
  /** Unique within the database, for names of helper tables. */
  readonly number: number;
  readonly head: Head;
  /** Bytes of the longest line of a text file; default: as the format has it. */
  readonly maxLine?: number;
  /** Of a text file; its head is decoded already. Default: UTF-8. */
  readonly encoding?: Encoding;
  /** Numbers of a text file are written as 1,5. */
  readonly decimalComma?: boolean;
  /** Leave rows out that are no records, and count them. */
  readonly skipBadRows: boolean;
  /** Whether a column of this name, or a field within it, may be read, for formats whose columns are unpacked by us. */
  reads(name: string): boolean;
}

/** What every reader says of its format. */
interface Described<Name extends string> {
  readonly name: Name;
  /** Whether files are text, made of lines. */
  readonly isText: boolean;
  /** Endings of file names, lower case, without `.gz` or `.zst`. */
  readonly extensions: readonly string[];
}

/** A reader. Adding a format: one file with one of these, and a line in `index.ts`. */
export interface Format<Name extends string = string> extends Described<Name> {
  /** Whether a file that begins so is of this format, whatever its name; must not throw. Absent: content does not tell. */
  sniff?(head: Head): boolean;
  open(file: string, options: OpenOptions): Promise<SourceFile>;
}

/** A file of a log, looked at. */
export interface HeadedFile {
  /** As the caller named it. */
  readonly file: string;
  readonly head: Head;
}

/**
 * A reader of a format whose lines say themselves which field is what: it needs no mapping and makes the event log
 * itself. Adding one: one file with one of these, and a line in `index.ts`.
 */
export interface EventFormat<Name extends string = string> extends Described<Name> {
  /** Options of `ReadOptions` that not every format takes and this one does. Default: none. */
  readonly takes?: readonly (keyof ReadOptions)[];
  /** Whether a file that begins so is of this format; must not throw. */
  sniff(head: Head): boolean;
  /**
   * Reads files as one log, in this order; all memory is bounded by the log and one line.
   *
   * @param sink takes the events as they are read; the log that is returned is then without them, and memory is bounded by
   *   its tables and a batch.
   * @throws InputError
   */
  read(files: readonly HeadedFile[], options: ReadOptions, sink: BatchSink | null): Promise<EventLog>;
}

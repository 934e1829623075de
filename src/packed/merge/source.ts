/** Where a log of several packed logs came from: files, rows, what was dropped. */

import type { BadRows, LogSource, MissingValues } from '../../log/event-log.js';
import type { PackedFile } from '../packed-file.js';
import type { Recoding } from '../recoding.js';
import { checkQuantities, mappingWarnings } from './mappings.js';
import { unlike } from './parts.js';

/** Where the log begins and came from, and how the rows of each file are counted. */
export interface MergedSource {
  readonly firstEvent: number | undefined;
  readonly source: LogSource;
  /** Whether events have source rows of their own; else event t is row t. */
  readonly hasRows: boolean;
  readonly rows: readonly Pick<Recoding, 'rowOffset' | 'firstRow'>[];
}

const MOST_ROWS = 2 ** 32;

/** @throws InputError where filters or costs differ, and for parts of a log that do not follow one another. */
export function mergeSources(files: readonly PackedFile[]): MergedSource {
  const isOneLog = areOneLog(files);
  const [{ header: first }] = files;
  const rows = isOneLog ? rowsOfOneLog(files) : wholeRows(files);
  const begin = first.firstEvent ?? 0;
  let events = begin;
  let hasRows = false;
  for (const [i, { header }] of files.entries()) {
    if (header.events > 0 && rows[i].firstRow !== events) hasRows = true;
    events += header.events;
  }
  const last = files[files.length - 1];
  const total = sum(files.map(({ header }) => header.source.rows ?? 0));
  if (hasRows && !isOneLog && total > MOST_ROWS) {
    throw unlike(files, {
      file: last.name,
      problem: 'the files have more rows than can be numbered',
      got: `${total} rows`,
      needed: `at most ${MOST_ROWS}`,
      hint: 'read fewer files at a time',
    });
  }
  return {
    firstEvent: first.firstEvent,
    source: { ...(isOneLog ? (first.source as LogSource) : joined(files)), inputs: files.map(({ input }) => input) },
    hasRows,
    rows,
  };
}

/** Whether the files are parts of one log, one after the other; else each is a log of its own. */
function areOneLog(files: readonly PackedFile[]): boolean {
  const begins = files.map(({ header }) => header.firstEvent ?? 0);
  if (begins.every((begin) => begin === 0)) return false;
  let expected = begins[0];
  const source = JSON.stringify(files[0].header.source);
  for (const [i, { name, header }] of files.entries()) {
    if (begins[i] !== expected || JSON.stringify(header.source) !== source) {
      throw unlike(files, {
        file: name,
        problem: 'parts of a longer log are read as one where they follow one another',
        got: begins[i] === expected ? 'a part of another log' : `a part from event ${begins[i]}`,
        needed: `the part from event ${expected} of the log that ${files[0].name} is of`,
        hint: 'name the files in order',
      });
    }
    expected += header.events;
  }
  return true;
}

/** Rows of parts of a log are those of the log. */
function rowsOfOneLog(files: readonly PackedFile[]): MergedSource['rows'] {
  return files.map(({ header }) => ({
    rowOffset: 0,
    firstRow: header.sourceRow.perEvent ? null : (header.firstEvent ?? 0),
  }));
}

/** Rows go on from file to file. */
function wholeRows(files: readonly PackedFile[]): MergedSource['rows'] {
  let rowOffset = 0;
  return files.map(({ name, header }, i) => {
    const rows = { rowOffset, firstRow: header.sourceRow.perEvent ? null : rowOffset };
    const { source } = header;
    if (source.rows === null && files.slice(i + 1).some((next) => next.header.events > 0)) {
      throw unlike(files, {
        file: name,
        problem:
          'the packed log does not say how many rows its original has, from which the rows of the next are counted',
        needed: 'source.rows, which every reader counts',
      });
    }
    rowOffset += source.rows ?? 0;
    return rows;
  });
}

function joined(files: readonly PackedFile[]): LogSource {
  const sources = files.map(({ header }) => header.source as LogSource);
  const [first] = sources;
  checkThinned(files);
  checkSame(files);
  checkQuantities(files);
  const rows = sources.map((source) => source.rows);
  const views = sources.some(({ distinctViews }) => distinctViews !== undefined);
  return {
    ...first,
    files: sources.flatMap((source) => source.files),
    rows: rows.includes(null) ? null : sum(rows.map((count) => count ?? 0)),
    badRows: badRows(sources.flatMap((source) => source.badRows)),
    ...common(sources),
    ...missing(files),
    ...warnings(files),
    ...(views
      ? {
          distinctViews: {
            events: sum(files.map((file, i) => sources[i].distinctViews?.events ?? file.header.events)),
          },
        }
      : {}),
  };
}

/** What files may differ in: each has its own, or (the format) readers of a log take the first's. */
const OWN: ReadonlySet<string> = new Set<keyof LogSource>([
  'files',
  'columns',
  'format',
  'rows',
  'badRows',
  'missing',
  'warnings',
  'distinctViews',
  'mapping',
  'uses',
  'options',
  'inputs',
]);

/** @throws InputError for logs that were thinned: each by its own κ, and with the same draws for the events of one index. */
function checkThinned(files: readonly PackedFile[]): void {
  const thinned = files.find(({ header }) => (header.source as LogSource).thinned !== undefined);
  if (thinned === undefined) return;
  throw unlike(files, {
    file: thinned.name,
    problem: 'the packed log was thinned, and thinned logs are not read as one',
    needed: 'one thinning over all files',
    hint: 'convert the logs as they were, and give --thin (in code: thin) with all of them',
  });
}

const MEANING: Readonly<Record<string, string>> = {
  where: 'a filter',
  payoffFromCost: 'the payoff of a cost',
  dropRates: 'the rates at which events were dropped (pdrop)',
};

/** @throws InputError for a filter, and whatever else says what events mean, that is not the same in every file. */
function checkSame(files: readonly PackedFile[]): void {
  const [first, ...others] = files.map(({ name, header }) => ({
    name,
    source: header.source as Record<string, unknown>,
  }));
  for (const { name, source } of others) {
    const names = new Set([...Object.keys(first.source), ...Object.keys(source)]);
    for (const key of names) {
      if (OWN.has(key) || JSON.stringify(source[key]) === JSON.stringify(first.source[key])) continue;
      throw unlike(files, {
        file: name,
        problem: `the packed logs were made with different options: ${MEANING[key] ?? `source.${key}`}`,
        got: text(source[key]),
        needed: `${text(first.source[key])}, as ${first.name} has`,
        ...(key === 'dropRates' ? {} : { hint: 'convert the original files with the same options' }),
      });
    }
  }
}

function text(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the files are told alike, and nothing of what they are not: a warning says so. */
function common(sources: readonly LogSource[]): Pick<LogSource, 'mapping' | 'uses' | 'options'> {
  const [first] = sources;
  const isSame = (key: 'mapping' | 'uses' | 'options'): boolean =>
    sources.every((source) => JSON.stringify(source[key]) === JSON.stringify(first[key]));
  const of = <Key extends 'mapping' | 'uses' | 'options'>(key: Key) => (isSame(key) ? first[key] : undefined);
  return { mapping: of('mapping'), uses: of('uses'), options: of('options') };
}

/** A sentence that several files share is said once. */
function warnings(files: readonly PackedFile[]): Pick<LogSource, 'warnings'> {
  const own = files.flatMap(({ header }) => (header.source as LogSource).warnings ?? []);
  const all = new Set([...mappingWarnings(files), ...own]);
  return all.size === 0 ? {} : { warnings: [...all] };
}

/**
 * Missing values of all files.
 *
 * @throws InputError where they were filled in otherwise than they would be in one log of all files.
 */
function missing(files: readonly PackedFile[]): Pick<LogSource, 'missing'> {
  const columns = new Map<string, MissingValues>();
  for (const { name, header } of files) {
    for (const one of (header.source as LogSource).missing ?? []) {
      const before = columns.get(one.column);
      const differs = before?.filled && one.filled && JSON.stringify(before.with) !== JSON.stringify(one.with);
      if (one.with?.isMean === true || differs) {
        throw unlike(files, {
          file: name,
          column: one.column,
          problem:
            one.with?.isMean === true
              ? 'missing values have the mean of this file alone'
              : 'missing values were filled in with something else than in the files before',
          got: `${one.filled} filled in with ${one.with?.level ?? one.with?.value}`,
          needed: 'the same in all files',
          hint: 'convert the original files together',
        });
      }
      columns.set(one.column, {
        ...(before?.filled ? before : one),
        rows: (before?.rows ?? 0) + one.rows,
        filled: (before?.filled ?? 0) + one.filled,
        first: before?.first ?? one.first,
      });
    }
  }
  return columns.size === 0 ? {} : { missing: [...columns.values()] };
}

/** Counts by kind; the first of a kind is that of the first file that has it. */
function badRows(all: readonly BadRows[]): BadRows[] {
  const kinds = new Map<string, BadRows>();
  for (const bad of all) {
    const known = kinds.get(bad.kind);
    kinds.set(bad.kind, known === undefined ? bad : { ...known, count: known.count + bad.count });
  }
  return [...kinds.values()];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

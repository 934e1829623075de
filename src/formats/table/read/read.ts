/** `readLog`: an event log from files. */

import { InputError } from '../../../errors.js';
import { FileDigest, hashOf } from '../../../files/digest.js';
import { type Database, openDatabase } from '../../../files/duckdb.js';
import { type Head, readHead } from '../../../files/files.js';
import { temporaryFolder } from '../../../files/temporary-folder.js';
import { alikeWarnings } from '../../../log/checks/look-alikes.js';
import { readingRecord } from '../../../log/column-uses.js';
import type { EventLog } from '../../../log/event-log.js';
import { type InputFile, inputOf, mappingInputs } from '../../../log/inputs.js';
import { type Mapping, parseMapping } from '../../../log/mapping.js';
import type { ReadOptions } from '../../../log/read-options.js';
import type { BatchSink } from '../../../log/sink.js';
import { distinctViews, noUsers } from '../../../log/views/distinct-views.js';
import { noTimes, sortByTime } from '../../../log/views/sort-by-time.js';
import { asCalled } from '../../../printable.js';
import type { SourceFile } from '../../format.js';
import {
  checkFormatOptions,
  checkMaxLine,
  checkTextOptions,
  eventFormatOf,
  FORMAT_NAMES,
  formatOf,
  PRESETS,
} from '../../index.js';
import { formatNamed } from '../../named.js';
import { obdDirectory } from '../../obd/obd-directory.js';
import { readItems } from '../../obd/obd-items.js';
import { packed } from '../../packed/packed.js';
import { alsoWarned, repeatedFiles } from '../../repeated-files.js';
import { readsColumn } from './plan.js';
import { readSources } from './read-sources.js';
import { type Filter, parseFilter } from './where.js';

/**
 * Reads files as one log, in the given order. Formats that bring their own meaning are recognized by content where neither
 * a format nor a mapping is given. Arms, one-hot levels and key levels are those of all rows of all files,
 * before `where`, so that arm indices and weights mean the same for every subset of a log.
 *
 * @throws InputError for the first thing that is wrong, with file, row, line, column and value.
 */
export async function readLog(paths: readonly string[], options: ReadOptions): Promise<EventLog> {
  const read = await readFiles(paths, options, null);
  const log = options.sortByTime === true ? sortByTime(read) : read;
  return options.distinctViews === true ? distinctViews(log) : log;
}

/**
 * Reads the files without a look at what users have seen before.
 *
 * @param sink takes the events as they are read; the log that is returned is then without them.
 */
export async function readFiles(
  paths: readonly string[],
  options: ReadOptions,
  sink: BatchSink | null,
): Promise<EventLog> {
  if (paths.length === 0) throw new InputError({ problem: 'no log file is given', needed: 'at least one file' });
  if (options.format !== undefined) formatNamed(options.format);
  options.signal?.throwIfAborted();
  const directory = await obdDirectory(paths, options);
  if (directory === null) {
    const log = await readPlain(paths, null, options, sink);
    const source = alsoWarned(log.source, await repeatedFiles(paths));
    const { files, warnings } = source;
    return {
      ...log,
      source: { ...source, files: files.map(asCalled), ...(warnings && { warnings: warnings.map(asCalled) }) },
    };
  }
  return readPlain([directory.log], directory.items, { ...options, format: 'obd' }, sink);
}

/** The log with what its result says of its files. */
async function recorded(
  log: EventLog,
  files: readonly { readonly file: string; readonly role: InputFile['role']; readonly digest?: FileDigest }[],
  options: ReadOptions,
): Promise<EventLog> {
  const inputs: InputFile[] = [];
  for (const { file, role, digest } of files) {
    inputs.push(inputOf(role, file, await (digest?.finish() ?? hashOf(file))));
  }
  options.signal?.throwIfAborted();
  return {
    ...log,
    source: {
      ...log.source,
      options: readingRecord(options, log.source.mapping !== undefined),
      inputs: [...inputs, ...mappingInputs(options.mapping)],
    },
  };
}

/** @param itemFile the description of the arms, in a directory of the Open Bandit Dataset. */
async function readPlain(
  paths: readonly string[],
  itemFile: string | null,
  options: ReadOptions,
  sink: BatchSink | null,
): Promise<EventLog> {
  if (itemFile === null && options.affinities === true) throw noDirectory(paths);
  // Looked at before the database is opened: a wrong path should be told at once.
  const heads: Head[] = [];
  for (const path of paths) heads.push(await readHead(path, options.encoding));
  const eventFormat = eventFormatOf(heads, options);
  checkFormatOptions(eventFormat, options);
  checkMaxLine(paths, heads, eventFormat, options);
  checkTextOptions(paths, heads, eventFormat, options);
  // A packed log has checksums of its own.
  if (eventFormat === packed) {
    const files = paths.map((file, number) => ({ file, head: heads[number] }));
    return eventFormat.read(files, options, sink);
  }
  const files: { file: string; head: Head; role: 'log'; digest: FileDigest }[] = [];
  for (const [number, file] of paths.entries()) {
    const digest = new FileDigest(file);
    files.push({ file, head: { ...heads[number], digest }, role: 'log', digest });
  }
  if (eventFormat !== null) {
    const log = await eventFormat.read(files, options, sink);
    return recorded({ ...log, source: alsoWarned(log.source, alikeWarnings(log)) }, files, options);
  }
  const mapping = chooseMapping(options);
  // Not after a long reading.
  if (options.sortByTime === true && mapping.time === undefined) throw noTimes(paths);
  if (options.distinctViews === true && mapping.user === undefined) throw noUsers(paths);
  const temporary = await temporaryFolder();
  let database: Database | null = null;
  try {
    database = await openDatabase(temporary.path, sink?.databaseMemory);
    const filter = await filterOf(database, options);
    const mapped = readsColumn(mapping, options);
    const sources: SourceFile[] = [];
    for (const [number, file] of paths.entries()) {
      const { head } = files[number];
      const format = formatOf(file, head, options.format);
      sources.push(
        await format.open(file, {
          database,
          number,
          head,
          maxLine: options.maxLine,
          encoding: options.encoding,
          decimalComma: options.decimalSeparator === ',',
          skipBadRows: options.skipBadRows ?? false,
          reads: (name) =>
            mapped(name) || (filter !== null && (filter.anyColumn || filter.names.has(name.toLowerCase()))),
        }),
      );
    }
    const items = itemFile === null ? null : await readItems(database, itemFile, sources.length);
    // The filter is the caller's SQL.
    await database.lock(itemFile === null ? paths : [...paths, itemFile]);
    const log = await readSources(database, sources, mapping, items, filter, options, sink);
    const all = itemFile === null ? files : [...files, { file: itemFile, role: 'items' as const }];
    return await recorded(log, all, options);
  } finally {
    database?.close();
    await temporary.remove();
  }
}

async function filterOf(database: Database, { where }: ReadOptions): Promise<Filter | null> {
  return where === undefined || where.trim() === '' ? null : parseFilter(database, where);
}

function noDirectory(paths: readonly string[]): InputError {
  return new InputError({
    file: paths.join(', '),
    problem: 'affinities are arm features, which come with a directory of the Open Bandit Dataset',
    needed: 'the directory with the log and its item_context.csv',
    hint: 'name the directory, or leave --affinities out',
  });
}

function chooseMapping({ format, mapping }: ReadOptions): Mapping {
  const preset = format === undefined ? undefined : PRESETS[format];
  if (preset !== undefined) {
    if (mapping === undefined) return preset;
    throw new InputError({
      problem: `the format ${format} brings its own mapping`,
      hint: 'give a format or a mapping, not both',
    });
  }
  if (mapping !== undefined) return parseMapping(mapping);
  throw new InputError({
    problem: 'nothing says which column is what',
    needed: `a mapping, e.g. { "arm": "action", "payoff": "click" }, or a format that has one (${Object.keys(PRESETS).join(', ')})`,
    hint: `formats are ${FORMAT_NAMES.join(', ')}`,
  });
}

/** `readLog`: an event log from files. */

import { InputError } from '../errors.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { armDictionary, idText } from './arms.js';
import { type ContextForm, inForm } from './context-stretches.js';
import { distinctViews, noUsers } from './distinct-views.js';
import type { ArmDictionary, EventLog, KeyColumn } from './event-log.js';
import { type Database, openDatabase } from './formats/duckdb.js';
import { type Head, readHead } from './formats/files.js';
import {
  checkFormatName,
  checkFormatOptions,
  eventFormatOf,
  FORMAT_NAMES,
  formatOf,
  PRESETS,
} from './formats/index.js';
import { AffinityTask, affinityColumn } from './formats/obd-affinities.js';
import { obdDirectory } from './formats/obd-directory.js';
import { type Items, itemFeatures, readItems } from './formats/obd-items.js';
import type { SourceFile } from './formats/source.js';
import { type Mapping, parseMapping } from './mapping.js';
import { sortIds } from './order.js';
import { everyArm } from './pools.js';
import { CandidatesTask, candidateArms } from './read/candidates-task.js';
import { type Dictionary, type FirstPass, firstPass } from './read/dictionary.js';
import { makePlan, type Plan, readsColumn, wantedColumns } from './read/plan.js';
import { MOST_BATCH_ROWS, secondPass } from './read/second-pass.js';
import { layoutOf, stretchEvents, stretchOf } from './read/stretches.js';
import { CodeTask, ContextTask, F64Task, PayoffTask } from './read/tasks.js';
import { TimeTask } from './read/time-task.js';
import { elementOf, findColumn } from './read/values.js';
import { bindFilter, type Filter, parseFilter } from './read/where.js';
import type { ReadOptions } from './read-options.js';
import type { StretchSink } from './stretch-sink.js';

/**
 * Reads files as one log, in the given order. Formats that bring their own meaning are recognized by content where neither
 * a format nor a mapping is given. Arms, one-hot levels and key levels are those of all rows of all files,
 * before `where`, so that arm indices and weights mean the same for every subset of a log.
 *
 * @throws InputError for the first thing that is wrong, with file, row, line, column and value.
 */
export async function readLog(paths: readonly string[], options: ReadOptions): Promise<EventLog> {
  const log = await readFiles(paths, options, null);
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
  sink: StretchSink | null,
): Promise<EventLog> {
  if (paths.length === 0) throw new InputError({ problem: 'no log file is given', needed: 'at least one file' });
  if (options.format !== undefined) checkFormatName(options.format);
  options.signal?.throwIfAborted();
  const directory = await obdDirectory(paths, options);
  if (directory === null) return readPlain(paths, null, options, sink);
  return readPlain([directory.log], directory.items, { ...options, format: 'obd' }, sink);
}

/** @param itemFile the description of the arms, in a directory of the Open Bandit Dataset. */
async function readPlain(
  paths: readonly string[],
  itemFile: string | null,
  options: ReadOptions,
  sink: StretchSink | null,
): Promise<EventLog> {
  if (itemFile === null && options.affinities === true) throw noDirectory(paths);
  // Looked at before the database is opened: a wrong path should be told at once.
  const heads: Head[] = [];
  for (const path of paths) heads.push(await readHead(path));
  const eventFormat = eventFormatOf(heads, options);
  checkFormatOptions(eventFormat, options);
  if (eventFormat !== null) {
    return eventFormat.read(
      paths.map((file, number) => ({ file, head: heads[number] })),
      options,
      sink,
    );
  }
  const mapping = chooseMapping(options);
  // Not after a long reading.
  if (options.distinctViews === true && mapping.user === undefined) throw noUsers(paths);
  const temporary = await temporaryFolder();
  let database: Database | null = null;
  try {
    database = await openDatabase(temporary.path, sink?.databaseMemory);
    const filter = await filterOf(database, options);
    const wanted = wantedColumns(mapping, options);
    const mapped = readsColumn(mapping, options);
    const sources: SourceFile[] = [];
    for (const [number, file] of paths.entries()) {
      const head = heads[number];
      const format = formatOf(file, head, options.format);
      sources.push(
        await format.open(file, {
          database,
          number,
          head,
          skipBadRows: options.skipBadRows ?? false,
          wanted,
          reads: (name) =>
            mapped(name) || (filter !== null && (filter.anyColumn || filter.names.has(name.toLowerCase()))),
        }),
      );
    }
    const items = itemFile === null ? null : await readItems(database, itemFile, sources.length);
    // The filter is the caller's SQL.
    await database.lock(itemFile === null ? paths : [...paths, itemFile]);
    return await readSources(database, sources, mapping, items, filter, options, sink);
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

async function readSources(
  database: Database,
  sources: readonly SourceFile[],
  mapping: Mapping,
  items: Items | null,
  filter: Filter | null,
  options: ReadOptions,
  sink: StretchSink | null,
): Promise<EventLog> {
  // All that could be shown are candidates, though a part of the data set may lack some.
  const known = options.arms ?? items?.ids;
  const more = options.affinities === true ? known?.map((id) => affinityColumn(idText(id))) : undefined;
  const plan = makePlan(mapping, { ...options, arms: known, more }, sources[0]);
  const found = await firstPass(database, sources, plan, filter);
  const capacity = found.rows.reduce((a, b) => a + b, 0);
  if (filter !== null) for (const source of sources) await bindFilter(database, source, found.types, filter);
  const arms = findArms(plan, sources, found);
  const features = items === null ? null : itemFeatures(items, arms);
  const affinities = options.affinities === true ? new AffinityTask(capacity, arms) : null;
  const hasRows = filter !== null || options.skipBadRows === true;
  const read = async (form: ContextForm | undefined) => {
    const most = stretchEvents(plan, found.dictionaries, form);
    const room = sink === null ? capacity : Math.min(capacity, most + MOST_BATCH_ROWS);
    const parts = makeTasks(plan, found, arms, room, form, items);
    await sink?.begin(layoutOf(arms, parts, form ?? 'table', hasRows));
    const result = await secondPass({
      database,
      sources,
      rows: found.rows,
      types: found.types,
      filter,
      skipBadRows: options.skipBadRows ?? false,
      tasks: affinities === null ? parts.tasks : [...parts.tasks, affinities],
      stretches: sink === null ? undefined : { events: most, take: (n, rows) => sink.take(stretchOf(parts, n, rows)) },
      onProgress: options.onProgress,
      signal: options.signal,
    });
    return { ...result, parts, contexts: parts.context.finish() };
  };
  const { parts, contexts, events, totalRows, sourceRow, badRows } = await (sink === null
    ? read(undefined)
    : inForm(read));
  if (totalRows === 0) {
    throw new InputError({
      file: sources.map(({ file }) => file).join(', '),
      problem: 'the log has no rows',
      needed: 'a row per event',
    });
  }
  const varying = features === null ? null : (affinities?.finish(features) ?? null);
  return {
    events: sink === null ? events : 0,
    arms,
    arm: parts.arm.finish(),
    payoff: parts.payoff.finish(),
    contexts,
    pools: varying?.pools ?? parts.candidates?.finish() ?? everyArm(arms.ids.length),
    propensity: parts.propensity?.finish() ?? null,
    time: parts.time?.finish() ?? null,
    user: parts.user === null ? null : finishKey(parts.user),
    keys: new Map(parts.keys.map((key) => [key.name, finishKey(key)])),
    armFeatures: varying?.armFeatures ?? features,
    sourceRow,
    source: {
      files: [...sources, ...(items === null ? [] : [items])].map(({ file }) => file),
      format: options.format ?? sources[0].format,
      where: filter?.sql ?? null,
      rows: totalRows,
      badRows,
      ...withWarnings(parts.time?.warnings() ?? []),
    },
  };
}

/** What a source says where there is something to say. */
function withWarnings(warnings: readonly string[]): { warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings };
}

/** Arms of all rows, logged or candidates, whatever the filter. */
function findArms(plan: Plan, sources: readonly SourceFile[], { dictionaries }: FirstPass): ArmDictionary {
  if (plan.arms !== undefined) return armDictionary([], plan.arms);
  const seen = new Set(dictionary(dictionaries, plan.arm).levels);
  const { candidates } = plan;
  if (candidates !== null) {
    const isList =
      candidates.kind === 'list' &&
      sources.every((source) => elementOf(findColumn(source, candidates.column, 'candidates'), 'e') !== null);
    for (const id of candidateArms(candidates, dictionary(dictionaries, candidates.column), isList)) seen.add(id);
  }
  return armDictionary(seen);
}

function dictionary(dictionaries: ReadonlyMap<string, Dictionary>, column: string): Dictionary {
  const found = dictionaries.get(column);
  if (found === undefined) throw new RangeError(`no dictionary of ${column}`);
  return found;
}

interface KeyTask {
  readonly name: string;
  readonly levels: readonly string[];
  readonly task: CodeTask;
}

/**
 * @param form of contexts that are handed on in stretches, as all else is then.
 * @param items what the arms are, in a directory of the Open Bandit Dataset.
 */
function makeTasks(
  plan: Plan,
  { dictionaries }: FirstPass,
  arms: ArmDictionary,
  capacity: number,
  form: ContextForm | undefined,
  items: Items | null,
) {
  const keyTask = (name: string, what: string): KeyTask => {
    const levels = sortIds([...dictionary(dictionaries, name).levels]);
    const order = new Map(levels.map((level, i) => [level, i]));
    return { name, levels, task: new CodeTask(capacity, dictionary(dictionaries, name), what, order) };
  };
  const { candidates: planned } = plan;
  const hint = items === null ? undefined : `it is no item of ${items.file}: are both from one campaign and policy?`;
  const arm = new CodeTask(capacity, dictionary(dictionaries, plan.arm), 'arm', arms.index, true, hint);
  const payoff = new PayoffTask(capacity, plan.payoff, plan.payoffRange, form !== undefined);
  const propensity = plan.propensity === null ? null : F64Task.propensity(capacity, plan.propensity);
  const context = new ContextTask(capacity, plan, dictionaries, form);
  const candidates =
    planned === null
      ? null
      : new CandidatesTask(capacity, planned, dictionary(dictionaries, planned.column), arms, arm);
  const time = plan.time === null ? null : new TimeTask(capacity, plan.time);
  const user = plan.user === null ? null : keyTask(plan.user, 'user');
  const keys = plan.keys.map((name) => keyTask(name, 'key'));
  const optional = [propensity, context, candidates, time, user?.task ?? null, ...keys.map(({ task }) => task)];
  return {
    arm,
    payoff,
    propensity,
    context,
    candidates,
    time,
    user,
    keys,
    tasks: [arm, payoff, ...optional.filter((task) => task !== null)],
  };
}

function finishKey({ levels, task }: KeyTask): KeyColumn {
  return { levels, code: task.finish() };
}

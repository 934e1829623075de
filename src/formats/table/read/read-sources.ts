/** One log of files that are open, under a mapping. */

import { atPlace, filesText, InputError } from '../../../errors.js';
import type { Database } from '../../../files/duckdb.js';
import { armDictionary, idText } from '../../../log/build/arms.js';
import { inForm } from '../../../log/build/context-form.js';
import { type Fill, filledWarnings } from '../../../log/build/missing.js';
import { droppedWarnings, sourceWarnings } from '../../../log/checks/dropped-warnings.js';
import type { ArmDictionary, EventLog, KeyColumn } from '../../../log/event-log.js';
import type { Mapping } from '../../../log/mapping.js';
import { everyArm } from '../../../log/pools.js';
import type { ReadOptions } from '../../../log/read-options.js';
import type { BatchSink } from '../../../log/sink.js';
import type { SourceFile } from '../../format.js';
import { AffinityTask, affinityColumn } from '../../obd/obd-affinities.js';
import { type Items, itemFeatures } from '../../obd/obd-items.js';
import { candidateArms } from './candidates-task.js';
import { columnUses, usedMapping } from './column-uses.js';
import { categoricalColumns, type FirstPass, firstPass } from './dictionary.js';
import type { DroppedRows } from './dropped-rows.js';
import { EventIdTask, repeatedIds } from './event-ids.js';
import { withLists } from './list-contexts.js';
import { batchOf, dictionary, eventsPerBatch, type KeyTask, layoutOf, makeTasks, type Parts } from './log-tasks.js';
import { lookAlikeWarnings } from './look-alikes.js';
import { fillsOf, missingOf } from './missing-parts.js';
import { makePlan, type Plan } from './plan.js';
import { roomFor, secondPass } from './second-pass.js';
import { elementOf, findColumn } from './values.js';
import { bindFilter, coarseWarnings, type Filter, removedArms } from './where.js';

/** What the values of categorical columns are, by the key of the mapping that names these. */
const NAMES: Readonly<Record<string, string>> = { arm: 'arms', user: 'users', context: 'levels', keys: 'values' };

/**
 * Reads files that are open, under a mapping.
 *
 * @param items what the arms are, in a directory of the Open Bandit Dataset.
 * @param sink takes the events as they are read; the log that is returned is then without them.
 */
export async function readSources(
  database: Database,
  sources: readonly SourceFile[],
  mapping: Mapping,
  items: Items | null,
  filter: Filter | null,
  options: ReadOptions,
  sink: BatchSink | null,
): Promise<EventLog> {
  // All that could be shown are candidates, though a part of the data set may lack some.
  const known = options.arms ?? items?.ids;
  const more = options.affinities === true ? known?.map((id) => affinityColumn(idText(id))) : undefined;
  const plan = await withLists(database, sources, makePlan(mapping, { ...options, arms: known, more }, sources[0]));
  const found = await firstPass(database, sources, plan, filter);
  const capacity = found.rows.reduce((a, b) => a + b, 0);
  if (filter !== null) for (const source of sources) await bindFilter(database, source, found.types, filter);
  const drops = options.dropRepeatedEvents === true;
  const hasRows = filter !== null || options.skipBadRows === true || drops;
  const ids = plan.eventId === null ? null : await repeatedIds(database, sources, plan.eventId);
  const read = (
    dictionaries: FirstPass['dictionaries'],
    dropped: DroppedRows | null,
    fills: ReadonlyMap<string, Fill>,
  ) =>
    inForm(sink !== null, async (form) => {
      const events = sink === null ? undefined : eventsPerBatch(plan, dictionaries, form);
      const arms = findArms(plan, sources, dictionaries);
      const parts = makeTasks(plan, dictionaries, arms, roomFor(capacity, events), fills, form, items);
      const affinities = options.affinities === true ? new AffinityTask(capacity, arms) : null;
      const eventIds = plan.eventId === null || ids === null ? null : new EventIdTask(plan, plan.eventId, ids, drops);
      await sink?.begin(layoutOf(arms, parts, form, hasRows));
      const result = await secondPass({
        database,
        sources,
        rows: found.rows,
        types: found.types,
        filter,
        skipBadRows: options.skipBadRows ?? false,
        dropped,
        dropRepeated: drops,
        tasks: [...parts.tasks, affinities, eventIds].filter((task) => task !== null),
        batches:
          sink === null || events === undefined
            ? undefined
            : { events, take: (n, rows) => sink.take(batchOf(parts, n, rows)) },
        onProgress: options.onProgress,
        signal: options.signal,
      });
      return { ...result, arms, parts, affinities, eventIds, contexts: parts.context.finish() };
    });
  const first = await read(found.dictionaries, null, fillsOf(plan, null));
  // Means are those of the rows that are left: where one is wanted, the rows are read again with it.
  const fills = fillsOf(plan, first.parts.context);
  // Rows that are dropped leave nothing behind: where they alone had a level, the others are read again without it.
  const left = first.dropped.any ? leftDictionaries(first.parts, found.dictionaries) : null;
  const isRead = left === null && [...fills.values()].every(({ isMean, value }) => !isMean || value === 0);
  const last = isRead ? first : await read(left ?? found.dictionaries, first.dropped, fills);
  const { arms, parts, affinities, contexts, events, totalRows, sourceRow } = last;
  const { badRows } = first;
  const alike: string[] = [];
  for (const [column, what] of categoricalColumns(plan)) {
    const dictionary = (left ?? found.dictionaries).get(column);
    if (dictionary === undefined || (what === 'candidates' && plan.candidates !== null)) continue;
    alike.push(
      ...(await lookAlikeWarnings(
        database,
        sources,
        column,
        NAMES[what] ?? 'values',
        what === 'arm' ? arms.ids : dictionary.levels,
      )),
    );
  }
  const missing = missingOf(first.missing, last.parts);
  const features = items === null ? null : itemFeatures(items, arms);
  const arm = parts.arm.take();
  const logged = new Set(parts.arm.dictionary.levels);
  const file = filesText(sources.map((source) => source.file));
  if (totalRows === 0) {
    throw new InputError({
      file,
      problem: 'the log has no rows',
      needed: 'a row per event',
    });
  }
  const varying = features === null ? null : (affinities?.finish(features) ?? null);
  return {
    // Those that were not handed on.
    events: arm.length,
    arms,
    arm,
    payoff: atPlace({ file, column: plan.payoff }, () => parts.payoff.finish()),
    contexts,
    pools: varying?.pools ?? parts.candidates?.finish() ?? everyArm(arms.ids.length),
    propensity: parts.propensity?.take() ?? null,
    time: parts.time?.take() ?? null,
    user: parts.user === null ? null : finishKey(parts.user),
    keys: new Map(parts.keys.map((key) => [key.name, finishKey(key)])),
    armFeatures: varying?.armFeatures ?? features,
    sourceRow,
    source: {
      files: [...sources, ...(items === null ? [] : [items])].map(({ file }) => file),
      format: options.format ?? sources[0].format,
      columns: {
        arm: plan.arm,
        payoff: plan.payoff,
        ...(plan.propensity === null ? {} : { propensity: plan.propensity }),
        ...(plan.time === null ? {} : { time: plan.time.column }),
        ...(plan.user === null ? {} : { user: plan.user }),
      },
      mapping: usedMapping(plan),
      uses: columnUses(plan, sources, filter),
      where: filter?.sql ?? null,
      rows: totalRows,
      badRows,
      ...(missing.length === 0 ? {} : { missing }),
      ...sourceWarnings([
        ...plan.warnings,
        ...alike,
        ...(filter === null
          ? []
          : [
              ...removedArms(filter.sql, arms.ids, (a) => logged.has(arms.ids[a]) && parts.arm.kept[a] === 0),
              ...coarseWarnings(sources, filter),
            ]),
        ...droppedWarnings(badRows, events),
        ...filledWarnings(missing, events, plan.payoff),
        ...(parts.time?.warnings() ?? []),
        ...(last.eventIds?.warnings() ?? []),
      ]),
    },
  };
}

/** Arms of all rows, logged or candidates, whatever the filter. */
function findArms(plan: Plan, sources: readonly SourceFile[], dictionaries: FirstPass['dictionaries']): ArmDictionary {
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

/** Dictionaries without what only dropped rows have; `null` where they have nothing of their own. */
function leftDictionaries(
  { arm, candidates, context, user, keys }: Parts,
  dictionaries: FirstPass['dictionaries'],
): FirstPass['dictionaries'] | null {
  const left = [
    arm.left(),
    ...(candidates === null ? [] : [candidates.left()]),
    ...context.left(),
    ...(user === null ? [] : [user.task.left()]),
    ...keys.map(({ task }) => task.left()),
  ];
  const byColumn = new Map([...dictionaries, ...left.map((one) => [one.column, one] as const)]);
  return [...byColumn].every(([column, one]) => one === dictionaries.get(column)) ? null : byColumn;
}

function finishKey({ levels, task }: KeyTask): KeyColumn {
  return { levels, code: task.take() };
}

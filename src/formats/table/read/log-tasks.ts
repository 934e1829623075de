/** The tasks of a log that is read under a mapping, and the batches that they make of it. */

import { type BatchLayout, batchEvents, type EventBatch, referTo } from '../../../log/batch.js';
import type { ContextForm } from '../../../log/build/context-form.js';
import type { Fill } from '../../../log/build/missing.js';
import type { ArmDictionary } from '../../../log/event-log.js';
import { sortIds } from '../../../names/order.js';
import type { Items } from '../../obd/obd-items.js';
import { CandidatesTask } from './candidates-task.js';
import { ContextTask } from './context-task.js';
import type { Dictionary, FirstPass } from './dictionary.js';
import type { Plan } from './plan.js';
import { CodeTask, F64Task, PayoffTask } from './tasks.js';
import { TimeTask } from './time-task.js';

export interface KeyTask {
  readonly name: string;
  readonly levels: readonly string[];
  readonly task: CodeTask;
}

/** The values of a column that is read as codes. */
export function dictionary(dictionaries: ReadonlyMap<string, Dictionary>, column: string): Dictionary {
  const found = dictionaries.get(column);
  if (found === undefined) throw new RangeError(`no dictionary of ${column}`);
  return found;
}

/**
 * @param fills what missing numbers of the context are filled in with.
 * @param form that the contexts are to have; `null`: the one that fits.
 * @param items what the arms are, in a directory of the Open Bandit Dataset.
 */
export function makeTasks(
  plan: Plan,
  dictionaries: FirstPass['dictionaries'],
  arms: ArmDictionary,
  capacity: number,
  fills: ReadonlyMap<string, Fill>,
  form: ContextForm | null,
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
  const payoff = new PayoffTask(capacity, plan.payoff, plan.payoffRange, plan.missingPayoff);
  const propensity = plan.propensity === null ? null : F64Task.propensity(capacity, plan.propensity);
  const context = new ContextTask(capacity, plan, dictionaries, fills, form);
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

/** The tasks of a log by what they collect. */
export type Parts = ReturnType<typeof makeTasks>;

/** Events of a batch: as many as a row group of the packed log has. */
export function eventsPerBatch(
  { context, intercept, propensity, time, candidates, user, keys }: Plan,
  dictionaries: ReadonlyMap<string, Dictionary>,
  form: ContextForm | null,
): number {
  let dimension = intercept ? 1 : 0;
  for (const { column, encode, length = 1 } of context)
    dimension += encode === 'numeric' ? length : (dictionaries.get(column)?.levels.length ?? 0);
  const reals = 1 + [propensity, time].filter((column) => column !== null).length;
  const codes = 2 + keys.length + [candidates, user].filter((column) => column !== null).length;
  return batchEvents(8 * reals + 4 * codes + (form === 'f64' ? 8 : 4) * dimension);
}

/** @param hasRows events may be other rows of the files than their numbers say. */
export function layoutOf(arms: ArmDictionary, parts: Parts, form: ContextForm | null, hasRows: boolean): BatchLayout {
  const columns = parts.context.names;
  return {
    arms: referTo(arms.ids),
    // Steps follow from payoffs once the scale is known.
    steps: false,
    propensity: parts.propensity !== null,
    time: parts.time !== null,
    pool: parts.candidates !== null,
    sourceRow: hasRows,
    user: parts.user === null ? null : referTo(parts.user.levels),
    keys: parts.keys.map(({ name, levels }) => ({ name, ...referTo(levels) })),
    contexts: {
      table: (form ?? 'table') === 'table' && columns.length > 0,
      values: form === 'f64' ? 'f64' : 'f32',
      columns,
    },
  };
}

/** What the tasks have collected since the last time. */
export function batchOf(parts: Parts, events: number, sourceRow: Uint32Array): EventBatch {
  const { values, row } = parts.context.take();
  return {
    events,
    arm: parts.arm.take(),
    payoff: parts.payoff.take(),
    steps: null,
    propensity: parts.propensity?.take() ?? null,
    time: parts.time?.take() ?? null,
    pool: parts.candidates?.takePools() ?? null,
    sourceRow,
    user: parts.user?.task.take() ?? null,
    keys: parts.keys.map(({ task }) => task.take()),
    context: values,
    contextRow: row,
  };
}

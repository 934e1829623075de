/** The stretches of a log that is read under a mapping. */

import { type BatchLayout, batchEvents, type EventBatch, referTo } from '../../../log/batch.js';
import type { ContextForm } from '../../../log/build/context-form.js';
import type { ArmDictionary } from '../../../log/event-log.js';
import type { CandidatesTask } from './candidates-task.js';
import type { ContextTask } from './context-task.js';
import type { Dictionary } from './dictionary.js';
import type { Plan } from './plan.js';
import type { CodeTask, F64Task, PayoffTask } from './tasks.js';
import type { TimeTask } from './time-task.js';

export interface KeyTask {
  readonly name: string;
  readonly levels: readonly string[];
  readonly task: CodeTask;
}

/** The tasks of a log by what they collect. */
export interface Parts {
  readonly arm: CodeTask;
  readonly payoff: PayoffTask;
  readonly propensity: F64Task | null;
  readonly context: ContextTask;
  readonly candidates: CandidatesTask | null;
  readonly time: TimeTask | null;
  readonly user: KeyTask | null;
  readonly keys: readonly KeyTask[];
}

/** Events of a stretch: as many as a row group of the packed log has. */
export function stretchEvents(
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
export function stretchOf(parts: Parts, events: number, sourceRow: Uint32Array): EventBatch {
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

/** What is made for a batch beside the columns that it has, and how many events it may therefore hold. Pure. */

import type { Estimates } from '../../estimate/estimates.js';
import type { EventLog } from '../../log/event-log.js';
import type { RewardModel } from '../../reward-model/contract.js';

/** Bytes of what is made for the events of a batch. */
export interface Made {
  /** For each event. */
  readonly perEvent: number;
  /** For each row of predictions, of which there are as many as events, but `rows` at most. */
  readonly perRow: number;
  readonly rows: number;
}

/**
 * What is made for estimators: columns, predictions, and what engines put together of these. Choices of policies are made too, but
 * not counted here: a function is asked for them once per context, and batches would ask it again.
 *
 * @param head of the log.
 * @param columns bytes of those of estimators. @param inOrder events are in that of blocks.
 */
export function madeOf(
  { contexts, arms }: EventLog,
  {
    columns,
    inOrder,
    model,
  }: {
    readonly columns: Estimates['columnBytes'];
    readonly inOrder: boolean;
    readonly model: RewardModel | null;
  },
): Made {
  // Of events that share contexts columns are added up, and those of others put in the order of blocks, beside what they are.
  const times = contexts.row === null && inOrder ? 1 : 2;
  return {
    perEvent: times * columns.perEvent + (model?.perEvent ?? 0),
    // Tables that share their rows are put together as one.
    perRow: 2 * columns.perRow + (model === null ? 0 : 8 * arms.ids.length),
    rows: model?.rows ?? 0,
  };
}

export const NOTHING_MADE: Made = { perEvent: 0, perRow: 0, rows: 0 };

/** Fewest events that are worth the overhead of a batch. */
export const FEWEST_EVENTS = 256;
/** Where more is made of a log, it is gone through in batches of so much: larger ones are no faster. */
const BATCH_BYTES = 200e6;
/** Events of a batch for each context of a log that repeats them, since what a policy does in one is decided batch by batch. */
const EVENTS_PER_CONTEXT = 16;

/** Most events for which `room` bytes hold what is made of them, and `bytes` more for each. */
export function eventsWithin(room: number, bytes: number, { perEvent, perRow, rows }: Made): number {
  const each = bytes + perEvent;
  const few = Math.floor(room / (each + perRow));
  return few <= rows ? few : Math.floor((room - rows * perRow) / each);
}

/**
 * Events of a batch, so that what is made for it stays small whatever the log's size; all of a log of which little is made.
 *
 * @param contexts in which the events of the log are; 0: each has its own.
 */
export function batchOfMade(events: number, made: Made, contexts: number): number {
  const most = Math.max(FEWEST_EVENTS, EVENTS_PER_CONTEXT * contexts, eventsWithin(BATCH_BYTES, 0, made));
  return Math.min(Math.max(1, events), most);
}

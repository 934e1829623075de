/** Decision-service events: a JSON object per line. */

import { type Fault, InputError } from '../../errors.js';
import { SeenIds } from '../../log/build/seen-ids.js';
import type { EventPlace } from '../decisions/collector.js';
import { propensityOf } from '../decisions/propensity.js';
import type { DecisionRows, LineParser } from '../decisions/reading.js';
import { badRow, shown } from '../decisions/rows.js';
import { type Actions, splitActions } from './actions.js';
import { dropRateOf } from './drop-rate.js';
import { addFeatures, refuseLabels } from './features.js';
import { isObject, type JsonObject, parseObject } from './json.js';
import { checkRanking, hasLabel, parseLabel } from './label.js';
import { RepeatedEvents } from './repeated-events.js';
import { hasTimestamp, MIXED_TIMES, timeOf } from './time.js';

/** @param ids of events so far: none. */
export function eventParser(rows: DecisionRows, ids = new SeenIds()): LineParser {
  const { collector } = rows;
  const repeated = new RepeatedEvents(ids);
  let timed: boolean | null = null;
  return {
    line(text, number) {
      if (text.trim() === '') return;
      const place = rows.begin(number);
      collector.abandon();
      const fault = rows.attempt(() => {
        const event = parseObject(text);
        refuseOtherProblems(event, place);
        const actions = isObject(event.c) ? splitActions(event.c) : null;
        const left = leftOut(event, actions);
        if (left !== null || actions === null) rows.leaveOut(left ?? NO_ACTIONS);
        else if (addEvent(event, actions, place, rows, repeated)) {
          const hasTime = hasTimestamp(event);
          timed ??= hasTime;
          if (hasTime !== timed) rows.repair(MIXED_TIMES, number);
        }
      });
      if (fault !== null) rows.bad(fault);
    },
    badLine(fault, number) {
      rows.begin(number);
      rows.bad(fault);
    },
    endOfFile() {},
    warnings: () => repeated.warnings(),
  };
}

/** @throws InputError for events with several decisions or continuous actions: the whole log is of another problem. */
function refuseOtherProblems(event: JsonObject, { file, line }: EventPlace): void {
  const c = isObject(event.c) ? event.c : {};
  const got =
    '_outcomes' in event || '_slots' in c
      ? 'slots (_slots, _outcomes): several decisions per event'
      : Object.keys(event).some((name) => /^_label_ca/i.test(name)) || 'pdf' in event
        ? 'continuous actions (_label_ca, pdf)'
        : null;
  if (got !== null) {
    throw new InputError({
      file,
      line,
      problem: 'the log is not one of contextual bandits',
      got,
      needed: 'one decision per event, among the actions of c._multi',
    });
  }
}

const NO_ACTIONS: Fault = { problem: 'event without actions', path: 'c._multi', needed: 'a list of actions' };

/**
 * Why an event is none to learn or evaluate from, as VowpalWabbit skips it; `null`: it is one.
 *
 * @throws RowFault for one that was chosen in and observed, and of which nothing says what could be chosen.
 */
function leftOut(event: JsonObject, actions: Actions | null): Fault | null {
  const { _skipLearn: skip } = event;
  if (skip !== undefined && skip !== null && typeof skip !== 'boolean')
    badRow({
      problem: '_skipLearn is not true or false',
      path: '_skipLearn',
      got: shown(JSON.stringify(skip)),
      needed: 'true or false',
    });
  if (skip === true) return { problem: 'event marked with _skipLearn', needed: 'an event to learn from' };
  const list = actions?.list ?? null;
  if (list !== null && !(Array.isArray(list) && list.length === 0)) return null;
  if (hasLabel(event)) {
    badRow({
      problem: 'label without actions',
      path: actions?.path ?? 'c._multi',
      got: list === null ? 'no list of actions in c' : 'an empty list',
      needed: 'the actions among which the labelled one was chosen',
    });
  }
  return NO_ACTIONS;
}

/** @returns false for an event that is left out. */
function addEvent(
  event: JsonObject,
  { list: actions, path, shared }: Actions,
  place: EventPlace,
  rows: DecisionRows,
  repeated: RepeatedEvents,
): boolean {
  const { collector } = rows;
  if (!Array.isArray(actions)) {
    badRow({
      problem: `${path} is not a list`,
      path,
      got: shown(JSON.stringify(actions)),
      needed: 'an object per action',
    });
  }
  const label = parseLabel(event, actions.length);
  if (label === null) {
    refuseLabels(shared, 'c');
    rows.leaveOut({
      problem: 'event without a label',
      path: '_label_cost',
      needed: '_label_cost and _label_probability',
    });
    return false;
  }
  const again = repeated.again(event);
  if (again !== null && rows.dropsRepeated) {
    rows.leaveOut(again.fault);
    return false;
  }
  if (checkRanking(event, label, actions.length))
    rows.repair(
      { problem: 'a counts actions from 0', path: 'a', got: shown(JSON.stringify(event.a)), needed: 'actions from 1' },
      place.line,
    );
  const written = { path: '_label_probability', got: String(label.probability) };
  const propensity = propensityOf(label.probability, rows, place.line, written);
  const dropRate = dropRateOf(event.pdrop);
  addFeatures(shared, '', 'c', collector.context);
  for (const [i, action] of actions.entries()) {
    if (!isObject(action)) {
      badRow({
        problem: 'action is not an object',
        path: `${path}[${i}]`,
        got: shown(JSON.stringify(action)),
        needed: 'an object of features',
      });
    }
    if ('__aid' in action) {
      badRow({
        problem: 'action refers to another line',
        path: `${path}[${i}].__aid`,
        needed: 'actions written out',
        hint: 'expand the deduplicated log before',
      });
    }
    addFeatures(action, '', `${path}[${i}]`, collector.action);
    collector.addAction(typeof action._tag === 'string' ? action._tag : '');
  }
  const decision = { cost: label.cost, propensity, time: timeOf(event.Timestamp), dropRate };
  collector.endOfActions(label.index, decision, place);
  repeated.take(event, place, again);
  return true;
}

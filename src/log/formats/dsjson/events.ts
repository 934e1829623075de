/** Decision-service events: a JSON object per line. */

import { type Fault, InputError } from '../../../errors.js';
import type { EventPlace } from '../decisions/collector.js';
import type { DecisionRows, LineParser } from '../decisions/reading.js';
import { badRow, shown } from '../decisions/rows.js';
import { addFeatures } from './features.js';
import { isObject, type JsonObject, parseObject } from './json.js';
import { checkRanking, parseLabel } from './label.js';

/** Probabilities that rounding of f32 puts above 1, which VowpalWabbit reads as 1. */
const ROUNDED_ABOVE_1 = 1 + 2 ** -20;

export function eventParser(rows: DecisionRows): LineParser {
  const { collector } = rows;
  const drops = new DropRate();
  let timed: boolean | null = null;
  return {
    line(text, number) {
      if (text.trim() === '') return;
      const place = rows.begin(number);
      collector.abandon();
      const fault = rows.attempt(() => {
        const event = parseObject(text);
        refuseOtherProblems(event, place);
        const left = leftOut(event);
        if (left !== null) rows.leaveOut(left);
        else if (addEvent(event, place, rows, drops)) {
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

/** Why an event is none to learn or evaluate from, as VowpalWabbit skips it; `null`: it is one. */
function leftOut(event: JsonObject): Fault | null {
  const { _skipLearn: skip, c } = event;
  if (skip !== undefined && skip !== null && typeof skip !== 'boolean')
    badRow({
      problem: '_skipLearn is not true or false',
      path: '_skipLearn',
      got: shown(JSON.stringify(skip)),
      needed: 'true or false',
    });
  if (skip === true) return { problem: 'event marked with _skipLearn', needed: 'an event to learn from' };
  const actions = isObject(c) ? c._multi : undefined;
  if (actions === undefined || actions === null || (Array.isArray(actions) && actions.length === 0))
    return { problem: 'event without actions', path: 'c._multi', needed: 'a list of actions' };
  return null;
}

/** @returns false for an event that is left out. */
function addEvent(event: JsonObject, place: EventPlace, rows: DecisionRows, drops: DropRate): boolean {
  const { collector } = rows;
  const c = event.c as JsonObject;
  const actions = c._multi;
  if (!Array.isArray(actions)) {
    badRow({
      problem: 'c._multi is not a list',
      path: 'c._multi',
      got: shown(JSON.stringify(actions)),
      needed: 'an object per action',
    });
  }
  const label = parseLabel(event, actions.length);
  if (label === null) {
    rows.leaveOut({
      problem: 'event without a label',
      path: '_label_cost',
      needed: '_label_cost and _label_probability',
    });
    return false;
  }
  if (checkRanking(event, label, actions.length))
    rows.repair(
      { problem: 'a counts actions from 0', path: 'a', got: shown(JSON.stringify(event.a)), needed: 'actions from 1' },
      place.line,
    );
  let { probability } = label;
  if (probability > 1 && probability <= ROUNDED_ABOVE_1) {
    rows.repair(
      {
        problem: 'probability is rounded above 1',
        path: '_label_probability',
        got: String(probability),
        needed: 'at most 1',
      },
      place.line,
    );
    probability = 1;
  }
  drops.check(event.pdrop, place);
  const { _multi, ...shared } = c;
  addFeatures(shared, '', 'c', collector.context);
  for (const [i, action] of actions.entries()) {
    if (!isObject(action)) {
      badRow({
        problem: 'action is not an object',
        path: `c._multi[${i}]`,
        got: shown(JSON.stringify(action)),
        needed: 'an object of features',
      });
    }
    if ('__aid' in action) {
      badRow({
        problem: 'action refers to another line',
        path: `c._multi[${i}].__aid`,
        needed: 'actions written out',
        hint: 'expand the deduplicated log before',
      });
    }
    addFeatures(action, '', `c._multi[${i}]`, collector.action);
    collector.addAction(typeof action._tag === 'string' ? action._tag : '');
  }
  const decision = { cost: label.cost, propensity: probability, time: timeOf(event.Timestamp) };
  collector.endOfActions(label.index, decision, place);
  return true;
}

const MIXED_TIMES: Fault = {
  problem: 'some events have a Timestamp and some have none, so the log has no times',
  needed: 'a Timestamp in all events, or in none',
};

function hasTimestamp({ Timestamp }: JsonObject): boolean {
  return Timestamp !== undefined && Timestamp !== null;
}

function timeOf(timestamp: unknown): number | null {
  if (timestamp === undefined || timestamp === null) return null;
  // An ISO time without a zone is local to JavaScript; these are UTC.
  const text = typeof timestamp === 'string' ? timestamp.trim() : '';
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  const whole = parts === null ? Number.NaN : Date.parse(`${parts[1]}${parts[3] ?? 'Z'}`);
  if (parts !== null && Number.isFinite(whole)) return whole + Math.round(Number(parts[2] ?? 0) * 1e6) / 1e3;
  return badRow({
    problem: 'Timestamp is not a time',
    path: 'Timestamp',
    got: shown(JSON.stringify(timestamp)),
    needed: 'e.g. 2021-02-04T16:31:29.2460000Z',
  });
}

/**
 * `pdrop`, the share of events that the service dropped. One rate for all is a fair sample; where rates differ, rates of
 * events, and so of payoffs, would be those of no traffic at all.
 */
class DropRate {
  private rate: number | null = null;

  /** @throws RowFault for no rate, InputError for another one than before. */
  check(pdrop: unknown, { file, line }: EventPlace): void {
    const rate = pdrop ?? 0;
    if (typeof rate !== 'number' || !(rate >= 0 && rate < 1))
      badRow({
        problem: 'pdrop is not a probability below 1',
        path: 'pdrop',
        got: shown(JSON.stringify(rate)),
        needed: '0 to 1, less than 1',
      });
    this.rate ??= rate;
    if (rate === this.rate) return;
    throw new InputError({
      file,
      line,
      path: 'pdrop',
      problem: 'events were dropped at different rates, so that they are no fair sample',
      got: `pdrop ${rate}, after ${this.rate} in the events before`,
      needed: 'one rate for all events of a log',
      hint: 'split the log by pdrop, and read each part by itself',
    });
  }
}

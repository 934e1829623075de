/** `--cb_adf` text: an optional line of shared features, a line per action, an empty line after each event. */

import type { Fault } from '../../errors.js';
import type { EventPlace } from '../decisions/collector.js';
import { propensityOf } from '../decisions/propensity.js';
import type { DecisionRows, LineParser } from '../decisions/reading.js';
import { badRow, shown } from '../decisions/rows.js';
import { unlabelled } from './events.js';
import { checkLine, refuseOtherProblems } from './example.js';
import { parseFeatures } from './features.js';
import { type CostLabel, observed, parseLabelPart } from './label.js';

/** Longest event, in characters. */
const LONGEST_EVENT = 16 * 2 ** 20;

/** What is known of an event in the middle of it. */
interface OpenEvent {
  readonly place: EventPlace;
  /** Its first fault. */
  fault: { fault: Fault; line: number } | null;
  length: number;
  lines: number;
  actions: number;
  /** The observed label, the 0-based position of its action and its line. */
  logged: { label: CostLabel & { cost: number; probability: number }; position: number; line: number } | null;
}

/** The action number of a label is ignored, as VowpalWabbit does: the labelled line is the logged action. */
export function multiLineParser(rows: DecisionRows): LineParser {
  const { collector } = rows;
  let event: OpenEvent | null = null;

  const opened = (line: number): OpenEvent => {
    if (event === null) {
      collector.abandon();
      event = { place: rows.begin(line), fault: null, length: 0, lines: 0, actions: 0, logged: null };
    }
    return event;
  };

  const end = (): void => {
    if (event === null) return;
    const { fault, logged, actions, place } = event;
    event = null;
    const found =
      fault ??
      located(
        rows.attempt(() => {
          if (actions === 0) badRow({ problem: 'event without actions', needed: 'a line per action' });
          if (logged === null) return rows.leaveOut(unlabelled('event', ''));
          const { label, position, line } = logged;
          const propensity = propensityOf(label.probability, rows, line, { got: shown(label.text) });
          const decision = { cost: label.cost, propensity, time: null };
          collector.endOfActions(position, decision, place);
        }),
        logged?.line ?? place.line,
      );
    if (found !== null) rows.bad(found.fault, found.line);
  };

  const parse = (current: OpenEvent, text: string, number: number): void => {
    current.length += text.length + 1;
    if (current.length > LONGEST_EVENT) {
      badRow({
        problem: 'event is too long',
        needed: `at most ${LONGEST_EVENT.toLocaleString('en')} characters from empty line to empty line`,
        hint: 'if every line is an event: --log-format vw-cb',
      });
    }
    const bar = checkLine(text);
    refuseOtherProblems(current.place.file, number, text.slice(0, bar));
    const { shared, costs, tag } = parseLabelPart(text.slice(0, bar));
    if (shared) {
      if (current.lines > 1)
        badRow({
          problem: 'shared features not at the beginning of an event',
          got: shown(text),
          needed: 'an empty line before it',
        });
      parseFeatures(text, bar, collector.context);
      return;
    }
    if (costs.length > 1)
      badRow({ problem: 'more than one label in a line', got: shown(text.slice(0, bar)), needed: 'one' });
    const label = observed(costs);
    if (label !== null) {
      if (current.logged !== null) {
        badRow({
          problem: 'more than one labelled action in an event',
          got: shown(label.text),
          needed: 'a label in one line of an event',
          hint: 'put an empty line between events; if every line is an event: --log-format vw-cb',
        });
      }
      current.logged = { label, position: current.actions, line: number };
    }
    parseFeatures(text, bar, collector.action);
    collector.addAction(tag);
    current.actions++;
  };

  return {
    line(text, number) {
      if (text === '') return end();
      if (text.trim() === '' && !text.includes('\0')) {
        // VowpalWabbit makes an action without features of it, which nobody means.
        rows.repair({ problem: 'line of spaces between events', got: shown(text), needed: 'an empty line' }, number);
        return end();
      }
      const current = opened(number);
      current.lines++;
      if (current.fault !== null) return;
      current.fault = located(
        rows.attempt(() => parse(current, text, number)),
        number,
      );
      if (current.fault !== null) collector.abandon();
    },
    badLine(fault, number) {
      const current = opened(number);
      current.lines++;
      current.fault ??= { fault, line: number };
    },
    endOfFile(damaged) {
      if (damaged) event = null;
      end();
    },
  };
}

function located(fault: Fault | null, line: number): { fault: Fault; line: number } | null {
  return fault === null ? null : { fault, line };
}

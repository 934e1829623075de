/** `--cb` text: one event per line, `action:cost:probability | features`. */

import { propensityOf } from '../decisions/propensity.js';
import type { DecisionRows, LineParser } from '../decisions/reading.js';
import { badRow, shown } from '../decisions/rows.js';
import { unlabelled } from './events.js';
import { checkLine, refuseOtherProblems } from './example.js';
import { parseFeatures } from './features.js';
import { observed, parseLabelPart } from './label.js';

/** Candidates are all actions of the log; where a line lists several, those. */
export function singleLineParser(rows: DecisionRows): LineParser {
  const { collector } = rows;
  return {
    line(text, number) {
      if (text.trim() === '') return;
      const place = rows.begin(number);
      collector.abandon();
      const fault = rows.attempt(() => {
        const bar = checkLine(text);
        refuseOtherProblems(place.file, number, text.slice(0, bar));
        const label = parseLabelPart(text.slice(0, bar));
        if (label.shared) adfLine('shared');
        const found = observed(label.costs);
        const ids = new Set<string>();
        for (const { action, text: word } of label.costs) {
          if (action === 0) adfLine(word);
          if (ids.has(String(action)))
            badRow({ problem: 'action is listed twice', got: shown(word), needed: 'each action once' });
          ids.add(String(action));
        }
        if (found === null) {
          rows.leaveOut(unlabelled('line', text.slice(0, bar)));
          return;
        }
        parseFeatures(text, bar, collector.context);
        const propensity = propensityOf(found.probability, rows, number, { got: shown(found.text) });
        const decision = { cost: found.cost, propensity, time: null };
        collector.endOfArms(String(found.action), ids.size > 1 ? [...ids] : null, decision, place);
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

function adfLine(word: string): never {
  badRow({
    problem: 'line belongs to an event of several lines',
    got: shown(word),
    needed: 'action:cost:probability | features, with actions from 1',
    hint: 'if each action has a line of its own: --log-format vw-adf',
  });
}

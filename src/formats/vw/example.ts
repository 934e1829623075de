/** Lines of VowpalWabbit text: what can be said of one by itself. */

import { InputError } from '../../errors.js';
import { badRow, shown } from '../decisions/rows.js';

/** Labels of problems with several decisions per event, or continuous actions. */
const OTHER_PROBLEMS = /^\s*(?:ccb|slates|ca)\s/;

/** Refuses what cannot be a line of contextual bandits. @returns place of the first bar. @throws RowFault */
export function checkLine(text: string): number {
  if (text.includes('\r') || text.includes('\0')) {
    badRow({
      problem: text.includes('\0') ? 'zero byte in a line' : 'carriage return in a line',
      got: shown(text),
      needed: 'text whose lines end with LF or CR LF',
    });
  }
  const bar = text.indexOf('|');
  if (bar >= 0) return bar;
  return badRow({ problem: 'no | in the line', got: shown(text), needed: 'a label, a space, | and features' });
}

/** Refuses the labels of other problems than contextual bandits, for the whole log. @throws InputError */
export function refuseOtherProblems(file: string, line: number, label: string): void {
  if (label === '' || !OTHER_PROBLEMS.test(label)) return;
  throw new InputError({
    file,
    line,
    problem: 'the log is not one of contextual bandits',
    got: `${shown(label)}: a problem with several decisions per event (ccb, slates), or with continuous actions (ca)`,
    needed: 'one decision per event, among listed actions: VowpalWabbit text for --cb or --cb_adf',
  });
}

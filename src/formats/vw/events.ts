/** What events of both kinds of VowpalWabbit text have in common. */

import type { Fault } from '../../errors.js';
import { shown } from '../decisions/rows.js';

/** An event without an observed cost: a test example of VowpalWabbit. */
export function unlabelled(what: 'line' | 'event', label: string): Fault {
  return {
    problem: 'event without a label',
    got: label.trim() === '' ? `no label in the ${what}` : shown(label.trim()),
    needed: 'action:cost:probability',
  };
}

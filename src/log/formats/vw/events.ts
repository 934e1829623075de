/** What events of both kinds of VowpalWabbit text have in common. */

import type { Fault } from '../../../errors.js';
import type { DecisionRows } from '../decisions/reading.js';
import { shown } from '../decisions/rows.js';
import { type CostLabel, ROUNDED_ABOVE_1 } from './label.js';

/** An event without an observed cost: a test example of VowpalWabbit. */
export function unlabelled(what: 'line' | 'event', label: string): Fault {
  return {
    problem: 'event without a label',
    got: label.trim() === '' ? `no label in the ${what}` : shown(label.trim()),
    needed: 'action:cost:probability',
  };
}

/** The probability of an observed label; what rounding puts above 1 is 1. */
export function propensityOf(label: CostLabel & { probability: number }, rows: DecisionRows, line: number): number {
  const { probability } = label;
  if (!(probability > 1 && probability <= ROUNDED_ABOVE_1)) return probability;
  rows.repair({ problem: 'probability is rounded above 1', got: shown(label.text), needed: 'at most 1' }, line);
  return 1;
}

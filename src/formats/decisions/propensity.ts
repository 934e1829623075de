/** Probabilities as they are written in f32. */

import type { Fault } from '../../errors.js';
import type { DecisionRows } from './reading.js';

/** What rounding puts above 1 is 1, as VowpalWabbit reads it. */
const ROUNDED_ABOVE_1 = 1 + 2 ** -20;

/** The probability itself, or 1 where it is rounded above 1, which is reported. @param place where it stands, and what stands there */
export function propensityOf(probability: number, rows: DecisionRows, line: number, place: Partial<Fault>): number {
  if (!(probability > 1 && probability <= ROUNDED_ABOVE_1)) return probability;
  rows.repair({ problem: 'probability is rounded above 1', needed: 'at most 1', ...place }, line);
  return 1;
}

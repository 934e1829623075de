/** Warns where a log's payoffs differ by so little that learners cannot tell them apart. */

import { basePayoff, type PayoffScale, stepSize } from '../../estimate/sums/payoff-scale.js';
import { TIE_TOLERANCE } from '../../learner/ties.js';

/** Ties that fit between the smallest and the largest payoff, at least: learners tell arms apart whose means differ by one. */
const FEWEST_TIES = 1000;

/** @param maxSteps of the largest payoff; steps are counted from 0, or from the smallest payoff below. */
export function spreadWarnings({ scale, maxSteps }: { scale: PayoffScale; maxSteps: number }): string[] {
  const steps = maxSteps * stepSize(scale);
  // The range is that of the payoffs unless it was declared, or widened to hold 0 and 1.
  const spread = Math.min(scale.high - scale.low, steps);
  const high = basePayoff(scale) + steps;
  const size = Math.max(1, Math.abs(high), Math.abs(high - spread));
  if (spread === 0 || spread >= FEWEST_TIES * TIE_TOLERANCE * size) return [];
  const shown = (value: number): string => String(Number(value.toPrecision(3)));
  return [
    `payoffs lie within ${shown(spread)} of each other (up to ${shown(high)}), which learners of real-valued scores hardly see: scores tie within ${shown(TIE_TOLERANCE * size)} by default, and exploration is made for payoffs that differ by about 1; shift and scale payoffs to about 0 to 1, or set tieTolerance and the parameters of exploration to their size`,
  ];
}

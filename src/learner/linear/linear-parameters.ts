/** Parameters and checks that linear learners share. */

import { z } from 'zod';
import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import type { Blame } from '../broken.js';
import { SCALE } from './conditioning.js';

/** λ */
export const ridge = z.number().positive().default(1).describe('Ridge λ: the matrix of an arm starts as λI');

/** What a score mean + factor · width comes from. @param setting what the factor comes from. */
export function blameLinear(mean: number, width: number, setting: string | null): Blame {
  if (setting !== null && Number.isFinite(mean) && Number.isFinite(width)) {
    return {
      setting,
      needed: `a bound, mean + ${setting} times a width, below 1e308`,
      hint: `a smaller ${setting}: it is in payoff units`,
    };
  }
  return {
    needed:
      'contexts and payoffs whose squares and products, added up over the log and divided by lambda, stay below 1e308',
    hint: `bring the context columns to sizes of about 1 with ${SCALE}, take payoffs of smaller units, or a lambda of size about 1`,
  };
}

/** @throws InputError where the log has no contexts. */
export function checkContexts(algorithm: string, log: EventLog): void {
  if (log.contexts.dimension > 0) return;
  throw new InputError({
    problem: `${algorithm} learns from contexts, and the log has none`,
    got: 'contexts of length d = 0',
    needed: 'at least one context column',
    hint: 'map context columns ("context": ["age", …]), or "intercept": true for a constant 1 (in code: context)',
  });
}

/** @throws InputError where a payoff may lie outside [0, 1], which a logistic model cannot explain. */
export function checkUnitPayoffs(algorithm: string, log: EventLog): void {
  const { low, high } = log.payoff.scale;
  if (low >= 0 && high <= 1) return;
  throw new InputError({
    problem: `${algorithm} models payoffs as probabilities`,
    got: `payoffs between ${low} and ${high}`,
    needed: 'payoffs in [0, 1]',
    hint: 'rescale the payoffs, or take linucb, which has no such need',
  });
}

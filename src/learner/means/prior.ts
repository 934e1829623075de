/** Prior trials of learners that compare sample means as integer fractions. */

import { z } from 'zod';
import { InputError } from '../../errors.js';
import { basePayoff, stepSize } from '../../estimate/sums/payoff-scale.js';
import type { EventLog } from '../../log/event-log.js';

/** Zod fields; `checkPriorKeys` goes with them. */
export const prior = {
  priorTrials: z
    .int()
    .min(0)
    .max(1e9)
    .default(0)
    .describe('Trials that every arm starts with; 0: arms that were never tried come first'),
  priorPayoff: z.number().default(0).describe('Total payoff of the prior trials'),
};

export type Prior = z.output<z.ZodObject<typeof prior>>;

/** For `superRefine`: no payoff without trials. */
export function checkPriorKeys({ priorTrials, priorPayoff }: Prior, context: z.core.$RefinementCtx): void {
  if (priorTrials > 0 || priorPayoff === 0) return;
  const message = 'a prior payoff needs prior trials';
  context.addIssue({ code: 'custom', path: ['priorPayoff'], message, params: { got: String(priorPayoff) } });
}

/**
 * Total of the prior trials in steps above the scale's origin.
 *
 * @throws InputError where it is not a whole number of them, or negative.
 */
export function priorSteps({ priorTrials, priorPayoff }: Prior, { payoff }: EventLog): number {
  const step = stepSize(payoff.scale);
  const base = basePayoff(payoff.scale);
  const exact = (priorPayoff - priorTrials * base) / step;
  const steps = Math.round(exact);
  // What rounding of the difference and of its terms may have changed; from 2⁵² steps on that is whole steps.
  const rounding = (4 * Number.EPSILON * (Math.abs(priorPayoff) + Math.abs(priorTrials * base))) / step;
  const whole = payoff.scale.rounded || Math.abs(exact - steps) <= Math.max(1e-9, rounding);
  if (whole && steps >= 0 && steps <= Number.MAX_SAFE_INTEGER) return steps;
  throw new InputError({
    problem: 'priorPayoff cannot be the total payoff of the prior trials',
    got: `${priorPayoff} from ${priorTrials} trials`,
    needed: `${priorTrials} × ${base} plus a whole number of payoff steps of ${step}`,
  });
}

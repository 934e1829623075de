/**
 * `gamma-poisson`: click rates that drift. The clicks of arm a in a period with v views are Poisson(v p_a), the rate
 * p_a ~ Gamma(α_a, γ_a) with mean α_a/γ_a; each view adds its payoff to α_a and 1 to γ_a, and each new period
 * multiplies both by the discount δ, which keeps the mean and forgets old evidence. The largest posterior mean is chosen.
 *
 * The dynamic Gamma-Poisson model of Agarwal, Chen & Elango, "Spatio-temporal models for estimating click-through
 * rate" (WWW 2009), §3, with one location. The default prior, mean 1 with the weight of one view, is optimistic, so that
 * new arms are tried.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import { parsePeriod, periodOf } from '../../policy/table/time.js';
import type { Blame } from '../broken.js';
import { LastChoice } from '../candidates.js';
import type { Algorithm, Candidates, Learner } from '../learner.js';
import { tieTolerance } from '../set/parameters.js';
import { chooseByScore } from '../ties.js';

const DEFAULT_PERIOD = '5m';

const schema = strict({
  alpha: z.number().min(0).max(1e12).default(1).describe('Prior α of every arm: payoff seen before'),
  gamma: z.number().positive().max(1e12).default(1).describe('Prior γ of every arm: views seen before'),
  discount: z.number().positive().max(1).default(0.99).describe('δ per period; 1: nothing is forgotten'),
  period: z
    .union([z.string(), z.number()])
    .refine((value) => parsePeriod(value) !== null, { error: 'not a period: "5m", "1h", "1d", or whole milliseconds' })
    .optional()
    .describe(`Length of a period in time: "5m", "1h", or milliseconds; default "${DEFAULT_PERIOD}"`),
  periodEvents: z.int().min(1).optional().describe('Length of a period in events of the log, in place of `period`'),
  tieTolerance,
}).superRefine(({ period, periodEvents }, context) => {
  if (period === undefined || periodEvents === undefined) return;
  const message = 'a period is given in time or in events, not both';
  context.addIssue({ code: 'custom', path: ['periodEvents'], message });
});

export type GammaPoissonParameters = z.output<typeof schema>;

/** Below this, a discount counts as this, so that γ stays above zero. */
const LEAST_DISCOUNT = 1e-100;

class GammaPoisson implements Learner {
  private readonly alpha: Float64Array;
  private readonly gamma: Float64Array;
  /** Period of each arm's α and γ; NaN before the first update of any arm. */
  private readonly period: Float64Array;
  private readonly scores: Float64Array;
  private readonly last = new LastChoice();
  private readonly milliseconds: number;

  constructor(
    private readonly parameters: GammaPoissonParameters,
    private readonly log: EventLog,
  ) {
    const arms = log.arms.ids.length;
    this.alpha = new Float64Array(arms).fill(parameters.alpha);
    this.gamma = new Float64Array(arms).fill(parameters.gamma);
    this.period = new Float64Array(arms).fill(Number.NaN);
    this.scores = new Float64Array(arms);
    this.milliseconds = parsePeriod(parameters.period ?? DEFAULT_PERIOD) ?? 0;
  }

  /** Number of the event's period. */
  private periodAt(event: number): number {
    const { periodEvents } = this.parameters;
    if (periodEvents !== undefined) return Math.floor(((this.log.firstEvent ?? 0) + event) / periodEvents);
    return periodOf(this.log.time?.[event] ?? 0, 0, this.milliseconds);
  }

  // A discount leaves the mean as it is, so it can wait for the arm's next update.
  choose(_event: number, candidates: Candidates): number {
    return this.last.get(candidates, (set) => {
      for (let i = set.from; i < set.to; i++) {
        const a = set.arms[i];
        this.scores[i - set.from] = this.alpha[a] / this.gamma[a];
      }
      return chooseByScore(this.scores, set, this.parameters.tieTolerance, (arm) => this.blame(arm));
    });
  }

  private blame(arm: number): Blame {
    const needed = 'a mean α/γ below 1e308';
    if (!Number.isFinite(this.alpha[arm])) return { needed, hint: 'payoffs of smaller units: their sum is α' };
    return { setting: 'gamma', needed, hint: 'a larger gamma or a smaller alpha: sizes about 1' };
  }

  update(event: number, arm: number, payoff: number): void {
    const now = this.periodAt(event);
    const passed = now - this.period[arm];
    // An arm's prior is not discounted before its first view; a log that goes back in time discounts nothing.
    if (passed > 0) {
      const factor = Math.max(this.parameters.discount ** passed, LEAST_DISCOUNT);
      this.alpha[arm] *= factor;
      this.gamma[arm] *= factor;
    }
    if (!(passed <= 0)) this.period[arm] = now;
    this.alpha[arm] += payoff;
    this.gamma[arm] += 1;
    this.last.forget();
  }

  carry(archive: Archive): void {
    archive.array(this.alpha);
    archive.array(this.gamma);
    archive.array(this.period);
    this.last.forget();
  }

  state() {
    const mean = Array.from(this.alpha, (alpha, a) => alpha / this.gamma[a]);
    return { alpha: [...this.alpha], gamma: [...this.gamma], mean };
  }
}

export const gammaPoisson: Algorithm<GammaPoissonParameters> = {
  name: 'gamma-poisson',
  summary: 'the largest posterior mean of click rates that are discounted period by period',
  source: 'Agarwal, Chen & Elango, WWW 2009, §3: the dynamic Gamma-Poisson model',
  schema,
  kind: 'real',
  check({ periodEvents }, log) {
    const { low } = log.payoff.scale;
    if (low < 0) {
      throw new InputError({
        problem: 'gamma-poisson needs payoffs that are not negative',
        got: `payoffs from ${low}`,
      });
    }
    if (log.time === null && periodEvents === undefined) {
      throw new InputError({
        problem: 'the log has no times, which the periods of gamma-poisson need',
        hint: 'name the time column when the log is read, or give periodEvents, the number of events of a period',
      });
    }
  },
  create: (parameters, log) => new GammaPoisson(parameters, log),
};

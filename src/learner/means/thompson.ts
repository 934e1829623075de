/**
 * `thompson`: Thompson sampling for 0/1 payoffs. Draw θ_a ~ Beta(a + S_a, b + F_a) for every candidate, where S_a and
 * F_a count the arm's ones and zeros so far, and choose the largest.
 *
 * Chapelle & Li, "An empirical evaluation of Thompson sampling" (NIPS 2011), Algorithm 2. `beta.ts` says how θ is drawn.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import { InputError } from '../../errors.js';
import { isBinary } from '../../estimate/sums/payoff-scale.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import { plural } from '../../words.js';
import type { Blame } from '../broken.js';
import type { Draws } from '../draws.js';
import type { Algorithm, Candidates } from '../learner.js';
import { ScoredLearner } from '../scored.js';
import { tieTolerance } from '../set/parameters.js';
import { betaCloseness, betaDraw, MOST_BETA_ARMS } from './beta.js';

/** A draw whose acceptance is farther than this from equality is the same in f32. */
const CLOSE = 1e-4;

/**
 * An acceptance test this far from equality counts as a score difference of a tenth of it: each of its terms comes from
 * a logarithm or a cosine, which f32 has to some tens of units in the last place.
 */
const ACCEPTANCE_WEIGHT = 0.1;

const shape = z.number().positive().max(1e9).default(1);

const schema = strict({
  a: shape.describe('Prior ones of every arm; 1 and 1: the uniform prior'),
  b: shape.describe('Prior zeros of every arm'),
  tieTolerance,
});

export type ThompsonParameters = z.output<typeof schema>;

class Thompson extends ScoredLearner {
  /** S_a */
  private readonly ones: Float64Array;
  /** F_a */
  private readonly zeros: Float64Array;
  private readonly a: number;
  private readonly b: number;
  private event = 0;

  constructor(
    { a, b, tieTolerance }: ThompsonParameters,
    log: EventLog,
    private readonly draws: Draws,
  ) {
    super(log.arms.ids.length, tieTolerance);
    this.a = a;
    this.b = b;
    this.ones = new Float64Array(log.arms.ids.length);
    this.zeros = new Float64Array(log.arms.ids.length);
  }

  protected prepare(event: number): void {
    this.event = event;
  }

  /** θ_a at the event */
  protected score(arm: number): number {
    return betaDraw(this.draws, this.event, arm, this.a + this.ones[arm], this.b + this.zeros[arm]);
  }

  protected blame(): Blame {
    return {
      setting: this.a <= this.b ? 'a' : 'b',
      needed: 'priors whose reciprocals stay below 1e308',
      hint: 'a and b of sizes about 1',
    };
  }

  /**
   * Of the scores, or where the draw of some candidate was accepted or rejected by a hair, of that: with the other outcome
   * θ is quite another number.
   */
  override margin(event: number, candidates: Candidates, arm: number): number {
    const margin = super.margin(event, candidates, arm);
    if (!Number.isFinite(margin)) return margin;
    const { arms, from, to } = candidates;
    let closest = CLOSE;
    for (let i = from; i < to; i++) {
      const k = arms[i];
      closest = Math.min(closest, betaCloseness(this.draws, event, k, this.a + this.ones[k], this.b + this.zeros[k]));
    }
    if (closest >= CLOSE) return margin;
    return Math.sign(margin) * Math.min(Math.abs(margin), ACCEPTANCE_WEIGHT * closest);
  }

  update(_event: number, arm: number, _payoff: number, steps: number): void {
    if (steps > 0) this.ones[arm]++;
    else this.zeros[arm]++;
  }

  carry(archive: Archive): void {
    archive.array(this.ones);
    archive.array(this.zeros);
  }

  state() {
    return { ones: [...this.ones], zeros: [...this.zeros] };
  }
}

export const thompson: Algorithm<ThompsonParameters> = {
  name: 'thompson',
  summary: 'Thompson sampling with Beta posteriors, for 0/1 payoffs',
  source: 'Chapelle & Li, NIPS 2011, Algorithm 2',
  schema,
  // The counts are integers, but which θ is the largest is decided in floating point.
  kind: 'real',
  check(_parameters, log) {
    const { scale, maxSteps } = log.payoff;
    if (!isBinary(scale, maxSteps)) {
      throw new InputError({
        problem: 'thompson needs payoffs of 0 and 1',
        got: `payoffs from ${scale.low} to ${scale.high}`,
        hint: 'use lin-thompson or ucb1, or a payoff column of 0 and 1',
      });
    }
    if (log.arms.ids.length > MOST_BETA_ARMS) {
      throw new InputError({
        problem: 'thompson has numbered draws for a limited number of arms',
        got: `${plural(log.arms.ids.length, 'arm')}`,
        needed: `at most ${MOST_BETA_ARMS}`,
      });
    }
  },
  create: (parameters, log, draws) => new Thompson(parameters, log, draws),
};

/**
 * `emp`: estimated most popular. Always the candidate with the largest sample mean; candidates that were never tried
 * first, in index order, unless there are prior trials.
 *
 * Li, Chu, Langford & Wang, WSDM 2011, §5.3: the EMP serving model, there fed from the whole exploration log
 * (`learn from all`) and refreshed every five minutes (`update every`); both are options of replay.
 */

import type { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import { LastChoice } from '../candidates.js';
import type { Algorithm, Candidates, Learner } from '../learner.js';
import { Means } from './means.js';
import { checkPriorKeys, prior, priorSteps } from './prior.js';

const schema = strict(prior).superRefine(checkPriorKeys);

export type EmpParameters = z.output<typeof schema>;

class MostPopular implements Learner {
  private readonly means: Means;
  private readonly last = new LastChoice();

  constructor(
    parameters: EmpParameters,
    private readonly log: EventLog,
  ) {
    this.means = new Means(log.arms.ids.length, parameters.priorTrials, priorSteps(parameters, log));
  }

  choose(_event: number, candidates: Candidates): number {
    return this.last.get(candidates, (set) => this.means.largest(set));
  }

  update(_event: number, arm: number, _payoff: number, steps: number): void {
    this.means.add(arm, steps);
    this.last.forget();
  }

  carry(archive: Archive): void {
    this.means.carry(archive);
    this.last.forget();
  }

  state() {
    return this.means.describe(this.log.payoff.scale);
  }
}

export const emp: Algorithm<EmpParameters> = {
  name: 'emp',
  summary: 'estimated most popular: the largest sample mean',
  source: 'Li, Chu, Langford & Wang, WSDM 2011, §5.3: EMP',
  schema,
  kind: 'integer',
  check: (parameters, log) => void priorSteps(parameters, log),
  create: (parameters, log) => new MostPopular(parameters, log),
};

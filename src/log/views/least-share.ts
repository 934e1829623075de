/** The least of candidates × propensity over the events of a log: 1 under uniform logging, and the most that κ of a thinning may be. */

import { filesText, InputError } from '../../errors.js';
import { PROPENSITY_TOLERANCE } from '../checks/uniform/propensity.js';
import type { EventLog, LogSource } from '../event-log.js';

export class LeastShare {
  /** |A_t| p_t of the event where it is least, and what it is made of; `share` of no events is infinite. */
  share = Number.POSITIVE_INFINITY;
  private candidates = 0;
  private propensity = 0;
  private row = 0;
  /** The least p_t. */
  leastPropensity = Number.POSITIVE_INFINITY;

  /** Takes an event. @param row over all files. */
  event(candidates: number, propensity: number, row: number): void {
    const share = candidates * propensity;
    if (propensity < this.leastPropensity) this.leastPropensity = propensity;
    if (share >= this.share) return;
    this.share = share;
    this.candidates = candidates;
    this.propensity = propensity;
    this.row = row;
  }

  /** Takes the next events. */
  add({ events, propensity, pools }: EventLog): this {
    if (propensity === null) return this;
    const { offsets, pool } = pools;
    for (let i = 0; i < events; i++) {
      const set = pool === null ? 0 : pool[i];
      this.event(offsets[set + 1] - offsets[set], propensity[i], i);
    }
    return this;
  }

  /** The κ that all events allow. @throws InputError where no event tells of a candidate as improbable as others must be. */
  observed({ files }: LogSource): number {
    const { share } = this;
    // Propensities of all candidates sum to 1, so that some are at most 1/|A_t|; a logged one that is so tells how far down they go.
    if (share <= 1 + PROPENSITY_TOLERANCE || share === Number.POSITIVE_INFINITY) return Math.min(1, share);
    throw new InputError({
      file: files.length === 0 ? undefined : filesText(files),
      problem:
        'every logged arm was likelier than by uniform choice, and nothing says how improbable those were that could have been logged',
      got: `candidates × propensity of at least ${this.product}`,
      needed: 'logged arms of at most 1 among them, or the least that the logging policy gives any candidate',
      hint: 'is the column really the probability of the logged arm? If it is, declare the least of candidates × propensity with --least-propensity (in code: leastPropensity); of a policy without chance only its own choices can be valued',
    });
  }

  /** @throws InputError where an event was less probable than κ says. */
  check(least: number, { files }: LogSource): void {
    const { share, row } = this;
    if (least <= share * (1 + PROPENSITY_TOLERANCE)) return;
    throw new InputError({
      file: files.length === 0 ? undefined : filesText(files),
      ...(files.length > 1 ? {} : { row }),
      problem: 'option leastPropensity is more than candidates × propensity of an event',
      got: `${least}, while ${files.length > 1 ? `row ${row} of all files` : 'this one'} has ${this.product}`,
      needed: `at most ${share}, which is the least of this log: candidates × propensity, of every candidate that could be logged`,
      hint: `--least-propensity ${share} (in code: leastPropensity), or less if rarer arms could be logged; of an epsilon-greedy logging policy it is epsilon`,
    });
  }

  private get product(): string {
    return `${this.candidates} × ${this.propensity} = ${this.share}`;
  }
}

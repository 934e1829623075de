/**
 * `semp`: segmented most popular. `emp` for each value of a key column: the candidate with the largest sample mean among
 * events of the same segment; candidates that were never tried in it first, in index order, unless there are prior trials.
 *
 * Li, Chu, Langford & Wang, WSDM 2011, §5.3: the SEMP serving model.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog, KeyColumn } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import type { Algorithm, Candidates, Learner } from '../learner.js';
import { Means } from './means.js';
import { checkPriorKeys, prior, priorSteps } from './prior.js';
import { segmentColumn } from './segments.js';

const schema = strict({
  segment: z.string().min(1).describe('Key column of the log whose values are the segments'),
  ...prior,
}).superRefine(checkPriorKeys);

export type SempParameters = z.output<typeof schema>;

class SegmentedMostPopular implements Learner {
  private readonly segments: KeyColumn;
  private readonly arms: number;
  /** Row of arm a in segment s: s · K + a. */
  private readonly means: Means;

  constructor(
    parameters: SempParameters,
    private readonly log: EventLog,
  ) {
    this.segments = segmentColumn(log, parameters.segment, 'semp', 'segment');
    this.arms = log.arms.ids.length;
    const rows = this.segments.levels.length * this.arms;
    this.means = new Means(rows, parameters.priorTrials, priorSteps(parameters, log));
  }

  private firstRow(event: number): number {
    return this.segments.code[event] * this.arms;
  }

  choose(event: number, candidates: Candidates): number {
    return this.means.largest(candidates, this.firstRow(event));
  }

  update(event: number, arm: number, _payoff: number, steps: number): void {
    this.means.add(this.firstRow(event) + arm, steps);
  }

  carry(archive: Archive): void {
    this.means.carry(archive);
  }

  state() {
    const { arms, means, log } = this;
    const segments = this.segments.levels.map((segment, s) => ({
      segment,
      ...means.describe(log.payoff.scale, s * arms, (s + 1) * arms),
    }));
    return { segments };
  }
}

export const semp: Algorithm<SempParameters> = {
  name: 'semp',
  summary: 'segmented most popular: the largest sample mean within the same value of a key column',
  source: 'Li, Chu, Langford & Wang, WSDM 2011, §5.3: SEMP',
  schema,
  kind: 'integer',
  keyColumns: ({ segment }) => [segment],
  check(parameters, log) {
    segmentColumn(log, parameters.segment, 'semp', 'segment');
    priorSteps(parameters, log);
  },
  arrays: ({ segment }, log) => {
    const arms = log.arms.ids.length;
    const { length } = segmentColumn(log, segment, 'semp', 'segment').levels;
    const product = `${length} segments × ${arms} arms × 24 bytes`;
    return [{ what: 'trials and payoffs', product, bytes: 24 * length * arms }];
  },
  create: (parameters, log) => new SegmentedMostPopular(parameters, log),
};

/** What the tests of uniformity need to know of events: counts, so that a log can be gone through batch by batch. */

import type { Archive, Carried } from '../../../archive.js';
import type { EventLog } from '../../event-log.js';
import { DependenceCounts, WINDOW } from './dependence.js';
import { PROPENSITY_TOLERANCE, saysUniform } from './propensity.js';
import { Entries, Slots } from './slots.js';

export class UniformityCounts implements Carried {
  events = 0;
  /** Events whose propensity does not say 1/|A_t|, smallest and largest p_t · |A_t|. */
  nonUniform = 0;
  minRatio = Number.POSITIVE_INFINITY;
  maxRatio = 0;
  /** Events at which an arm of a pool was logged, laid out as the pools' arms are. */
  readonly observed: Float64Array;
  readonly dependence: DependenceCounts;
  private readonly slots: Slots;
  private readonly places = new Entries();

  /**
   * @param log the whole log, or its head.
   * @param total L
   */
  constructor(log: EventLog, total: number) {
    this.observed = new Float64Array(log.pools.arms.length);
    this.slots = new Slots(log.pools);
    this.dependence = new DependenceCounts(log, total, this.slots);
  }

  /** Counts the events of a log, or of a batch of it; batches in order. */
  add(log: EventLog): this {
    const { observed, slots, dependence } = this;
    const entries = new Uint32Array(WINDOW);
    const bySlot = slots.arms === null ? new Uint32Array(WINDOW) : entries;
    for (let from = 0; from < log.events; ) {
      const to = Math.min(log.events, from + WINDOW - (this.events % WINDOW));
      this.places.fill(log, from, to, entries);
      for (let i = 0; i < to - from; i++) observed[entries[i]]++;
      if (slots.arms === null) slots.fill(log, from, to, entries, bySlot);
      dependence.addWindow(log, from, to, bySlot);
      this.events += to - from;
      from = to;
    }
    dependence.leave(log);
    if (log.propensity !== null) this.addPropensities(log, log.propensity);
    return this;
  }

  private addPropensities({ pools: { pool, offsets }, events }: EventLog, propensity: Float64Array): void {
    // Most events have the propensity and the number of candidates of one before them.
    let [known, knownSize, uniform] = [Number.NaN, 0, true];
    for (let t = 0; t < events; t++) {
      const s = pool === null ? 0 : pool[t];
      const size = offsets[s + 1] - offsets[s];
      if (propensity[t] !== known || size !== knownSize) {
        [known, knownSize] = [propensity[t], size];
        uniform = saysUniform(known, size);
      }
      if (!uniform) this.nonUniform++;
      const ratio = known * size;
      if (ratio < this.minRatio) this.minRatio = ratio;
      if (ratio > this.maxRatio) this.maxRatio = ratio;
    }
  }

  /**
   * Propensities say that some arms were likelier than others. Where all are 1/|A_t| by one factor, the log rather lacks candidates, or
   * they are no propensities.
   */
  get saysUneven(): boolean {
    return this.nonUniform > 0 && this.maxRatio - this.minRatio > PROPENSITY_TOLERANCE;
  }

  carry(archive: Archive): void {
    this.events = archive.number(this.events);
    this.nonUniform = archive.number(this.nonUniform);
    this.minRatio = archive.number(this.minRatio);
    this.maxRatio = archive.number(this.maxRatio);
    archive.array(this.observed);
    this.dependence.carry(archive);
  }
}

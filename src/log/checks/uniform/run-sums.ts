/** Runs of consecutive events as groups: too many for a table, so each is added to the test when it ends. */

import type { Archive, Carried } from '../../../archive.js';
import { plural } from '../../../words.js';
import { ALTERNATIVES, combined, Dirichlet, logMean, Pearson } from './evidence.js';
import type { FactorTest } from './factor-table.js';
import type { Slots } from './slots.js';

export class RunSums implements Carried {
  private readonly pending: Uint32Array;
  private count = 0;
  private events = 0;
  /** Σ over pairs of events of one run and stratum of [same arm] − 1/m, and of 1 − 1/m. */
  private excess = 0;
  private pairs = 0;
  private readonly pearson = new Pearson();
  private readonly logs = new Float64Array(ALTERNATIVES);
  /** Of the run that is being closed: events by slot and by stratum, Σ of squared counts by stratum. Zero in between. */
  private readonly bySlot: Uint32Array;
  private readonly byStratum: Uint32Array;
  private readonly squares: Float64Array;
  private readonly dirichlet: (Dirichlet | undefined)[];

  /** @param size events of a run: divides the windows that the log is gone through by. */
  constructor(
    readonly size: number,
    private readonly slots: Slots,
  ) {
    this.pending = new Uint32Array(size);
    this.bySlot = new Uint32Array(slots.width);
    this.byStratum = new Uint32Array(slots.strata);
    this.squares = new Float64Array(slots.strata);
    this.dirichlet = new Array<undefined>(slots.strata);
  }

  get name(): string {
    return `runs of ${plural(this.size, 'consecutive event')}`;
  }

  /** Takes the next `length` events; runs end where the index in the log, `first` for the first of them, is a multiple. */
  add(slots: Uint32Array, length: number, first: number): void {
    const { size, pending } = this;
    for (let i = 0; i < length; i++) {
      pending[this.count++] = slots[i];
      if ((first + i + 1) % size === 0) this.close();
    }
  }

  private close(): void {
    const { pending, count, bySlot, byStratum, squares, logs, dirichlet } = this;
    const { stratumOf, starts } = this.slots;
    for (let i = 0; i < count; i++) {
      bySlot[pending[i]]++;
      byStratum[stratumOf[pending[i]]]++;
    }
    for (let i = 0; i < count; i++) {
      const slot = pending[i];
      const shown = bySlot[slot];
      if (shown === 0) continue;
      bySlot[slot] = 0;
      const s = stratumOf[slot];
      dirichlet[s] ??= new Dirichlet(starts[s + 1] - starts[s]);
      dirichlet[s].addCount(shown, logs);
      squares[s] += shown * shown;
    }
    for (let i = 0; i < count; i++) {
      const s = stratumOf[pending[i]];
      const n = byStratum[s];
      if (n === 0) continue;
      const m = starts[s + 1] - starts[s];
      this.pearson.add(n, m, squares[s]);
      this.excess += (squares[s] - n) / 2 - (n * (n - 1)) / 2 / m;
      this.pairs += ((n * (n - 1)) / 2) * (1 - 1 / m);
      dirichlet[s]?.addTotal(n, logs);
      byStratum[s] = 0;
      squares[s] = 0;
    }
    this.events += count;
    this.count = 0;
  }

  /** Variance of counts of events beyond that of independent ones: 1 and the correlation with the other events of a run. */
  get inflation(): number {
    return this.pairs === 0 ? 1 : Math.max(1, 1 + ((this.size - 1) * this.excess) / this.pairs);
  }

  /** Ends the last run. */
  test(): FactorTest {
    this.close();
    const found = this.pearson.test();
    const log = logMean(this.logs);
    return {
      events: this.events,
      groups: Math.ceil(this.events / this.size),
      pearson: found,
      log,
      p: combined(found, log),
    };
  }

  carry(archive: Archive): void {
    this.count = archive.number(this.count);
    this.events = archive.number(this.events);
    this.excess = archive.number(this.excess);
    this.pairs = archive.number(this.pairs);
    archive.array(this.pending);
    archive.array(this.logs);
    this.pearson.carry(archive);
  }
}

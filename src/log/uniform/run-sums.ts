/** Runs of consecutive events as groups: too many for a table, so each is added to the test when it ends. */

import type { Archive, Carried } from '../../archive.js';
import { ALTERNATIVES, combined, Dirichlet, logMean, Pearson } from './evidence.js';
import type { FactorTest } from './factor-table.js';
import type { Slots } from './slots.js';

export class RunSums implements Carried {
  private readonly pending: Uint32Array;
  private count = 0;
  private events = 0;
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
    return `runs of ${this.size} consecutive events`;
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
      this.pearson.add(n, starts[s + 1] - starts[s], squares[s]);
      dirichlet[s]?.addTotal(n, logs);
      byStratum[s] = 0;
      squares[s] = 0;
    }
    this.events += count;
    this.count = 0;
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
    archive.array(this.pending);
    archive.array(this.logs);
    this.pearson.carry(archive);
  }
}

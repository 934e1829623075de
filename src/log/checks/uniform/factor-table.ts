/** Events counted by the group of a factor and by the logged arm, and the test whether the one depends on the other. */

import type { Archive, Carried } from '../../../archive.js';
import {
  ALTERNATIVES,
  addFavoured,
  combined,
  Dirichlet,
  FAVOURED,
  LogMean,
  logMean,
  Pearson,
  type PearsonTest,
} from './evidence.js';
import type { Factor } from './factor.js';
import type { Slots } from './slots.js';

export interface FactorTest {
  /** Events that were counted, and groups that have any. */
  readonly events: number;
  readonly groups: number;
  readonly pearson: PearsonTest | null;
  /** ln of the likelihood ratio. */
  readonly log: number;
  readonly p: number;
}

/** A cell whose share of events is far from its due. */
export interface WorstCell {
  group: string;
  /** Id of the arm, or its place among the candidates. */
  arm: string;
  /** Events of the group at which it was a candidate. */
  events: number;
  /** Of these, events that logged it, and how many were due. */
  shown: number;
  due: number;
}

export class FactorTable implements Carried {
  private readonly counts: Uint32Array;

  constructor(
    readonly factor: Factor,
    private readonly slots: Slots,
  ) {
    this.counts = new Uint32Array(factor.groups * slots.width);
  }

  /** Counts `length` events of these groups and slots. */
  add(groups: Uint32Array, slots: Uint32Array, length: number): void {
    const { counts } = this;
    const { width } = this.slots;
    for (let i = 0; i < length; i++) counts[groups[i] * width + slots[i]]++;
  }

  /** @param inflation of the counts' variance, where neighbouring events are not independent. */
  test(inflation = 1): FactorTest {
    const { counts, factor, slots } = this;
    const { starts, strata, width } = slots;
    const dirichlet = Array.from({ length: strata }, (_, s) => new Dirichlet(starts[s + 1] - starts[s]));
    const pearson = new Pearson();
    const every = new Float64Array(ALTERNATIVES);
    const one = new LogMean();
    const favoured = new LogMean();
    const logs = new Float64Array(ALTERNATIVES);
    let [events, groups, told, cells] = [0, 0, 0, 0];
    for (let g = 0; g < factor.groups; g++) {
      logs.fill(0);
      let some = factor.random === true;
      const before = events;
      for (let s = 0; s < strata; s++) {
        const [from, to] = [g * width + starts[s], g * width + starts[s + 1]];
        const m = to - from;
        let [n, squares] = [0, 0];
        for (let i = from; i < to; i++) {
          n += counts[i];
          squares += counts[i] * counts[i];
        }
        events += n;
        // A single event, or a single candidate, says nothing.
        if (n > 1 || some) cells += m;
        if (n < 2 || m < 2) continue;
        some = true;
        pearson.add(n, m, squares);
        for (let i = from; i < to; i++) {
          dirichlet[s].addCount(counts[i], logs);
          addFavoured(favoured, n, m, counts[i]);
        }
        dirichlet[s].addTotal(n, logs);
      }
      if (events > before) groups++;
      if (!some) continue;
      told++;
      for (let i = 0; i < ALTERNATIVES; i++) every[i] += logs[i];
      one.add(logMean(logs));
    }
    const ratios = [logMean(every), one.value(told), favoured.value(cells * FAVOURED)];
    const log = told === 0 ? 0 : logMean(ratios) / inflation;
    const found = pearson.test(inflation);
    return { events, groups, pearson: found, log, p: combined(found, log) };
  }

  /** The `most` cells that are furthest from their due, in standard deviations. @param ids of the arms. */
  worst(ids: readonly string[], most: number): WorstCell[] {
    const { counts, factor, slots } = this;
    const { starts, strata, width, arms } = slots;
    const found: (WorstCell & { z: number })[] = [];
    for (let g = 0; g < factor.groups; g++) {
      // Arms of several candidate sets are taken together.
      const cells = new Map<number, { events: number; shown: number; due: number; variance: number }>();
      for (let s = 0; s < strata; s++) {
        const m = starts[s + 1] - starts[s];
        let n = 0;
        for (let i = starts[s]; i < starts[s + 1]; i++) n += counts[g * width + i];
        if (n === 0 || m < 2) continue;
        for (let i = starts[s]; i < starts[s + 1]; i++) {
          const column = arms === null ? i - starts[s] : arms[i];
          const cell = cells.get(column) ?? { events: 0, shown: 0, due: 0, variance: 0 };
          cell.events += n;
          cell.shown += counts[g * width + i];
          cell.due += n / m;
          cell.variance += (n / m) * (1 - 1 / m);
          cells.set(column, cell);
        }
      }
      for (const [column, { events, shown, due, variance }] of cells) {
        const arm = arms === null ? `candidate ${column + 1}` : ids[column];
        found.push({ group: '', arm, events, shown, due, z: Math.abs(shown - due) / Math.sqrt(variance) });
        found[found.length - 1].group = String(g);
      }
      // Tables may have very many cells.
      if (found.length > 4096) keepMost(found, most);
    }
    keepMost(found, most);
    return found.map(({ group, arm, events, shown, due }) => ({
      group: factor.label(Number(group)),
      arm,
      events,
      shown,
      due,
    }));
  }

  carry(archive: Archive): void {
    archive.array(this.counts);
    this.factor.carry?.(archive);
  }
}

function keepMost(cells: { z: number }[], most: number): void {
  cells.sort((a, b) => b.z - a.z);
  cells.length = Math.min(cells.length, most);
}

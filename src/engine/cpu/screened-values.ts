/** Matches of scored policies and what choice tables have for their choices, event by event, in f32 where it can prove them. */

import type { Screen } from '../../policy/screen.js';
import { MatchSums } from '../match-sums.js';
import type { GatheredTable } from '../worklist.js';
import { summedTables, TABLES } from './groups/tables.js';
import type { CpuJob } from './job.js';
import { ScreenedQuads } from './screened-quads.js';

/** The tables of a job that are added up event by event; `null`: they are no such tables, or events share cells. */
export function tablesByEvent({ worklist }: Pick<CpuJob, 'worklist'>): GatheredTable | null {
  return worklist.entries.cell === null ? summedTables(worklist) : null;
}

export class ScreenedValues {
  private readonly quads: ScreenedQuads;
  private readonly sums: MatchSums;
  private start = 0;
  /** Entries that match, and those whose choices are looked up, with these. */
  private readonly entries: Uint32Array;
  private readonly lookedUp: Uint32Array;
  private readonly chosen: Uint32Array;

  /** @param chunk most events of a chunk. */
  constructor(
    private readonly job: CpuJob,
    private readonly screen: Screen,
    private readonly table: GatheredTable,
    chunk: number,
  ) {
    this.quads = new ScreenedQuads(screen, chunk, true);
    this.sums = new MatchSums(job.worklist);
    [this.entries, this.lookedUp, this.chosen] = [0, 1, 2].map(() => new Uint32Array(chunk));
  }

  /** Packs entries start..start+count−1, grouped by pool, with their rows of the tables; false where the groups are too small for that. */
  load(start: number, count: number): boolean {
    const { screen, quads } = this;
    const { entries, cellEvent } = this.job.worklist;
    const { pool } = screen.pools;
    const eventOf = (i: number): number => (cellEvent === null ? start + i : cellEvent[start + i]);
    if (!quads.load(count, (i) => (pool === null ? 0 : pool[eventOf(i)]), eventOf)) return false;
    this.start = start;
    const { words, stride, rows, arms } = this.table;
    const { logged, tables } = quads.kernel;
    const { slots } = quads.order;
    for (let s = 0; s < slots.length; s++) {
      if (slots[s] < 0) continue;
      const entry = start + slots[s];
      logged[s] = entries.arm[entry];
      const from = rows[entry] * arms * stride;
      words.forEach((table, n) => {
        let to = s * arms * TABLES + n;
        for (let a = 0, at = from; a < arms; a++, at += stride, to += TABLES) tables[to] = table[at];
      });
    }
    return true;
  }

  /** Adds the sums of policy p to the statistics at `at`; false where f32 cannot tell and nothing was added. */
  match(p: number, at: number): boolean {
    if (!this.quads.choose(p)) return false;
    this.add(p, at);
    return true;
  }

  /** Adds what was proved, and decides what was not. */
  private add(p: number, at: number): void {
    const { start, sums, entries, lookedUp, chosen, screen } = this;
    const { kernel, order } = this.quads;
    const { stats, worklist } = this.job;
    const { entries: all, cellEvent } = worklist;
    const [proved, doubts] = kernel.counts;
    let matches = 0;
    for (let i = 0; i < proved; i++) entries[matches++] = start + order.slots[kernel.matched[i]];
    for (let i = 0; i < doubts; i++) {
      const entry = start + order.slots[kernel.doubtful[i]];
      const choice = screen.choice(p, cellEvent === null ? entry : cellEvent[entry]);
      if (choice === all.arm[entry]) entries[matches++] = entry;
      lookedUp[i] = entry;
      chosen[i] = choice;
    }
    sums.addEvents(entries, matches);
    sums.gather(lookedUp, chosen, doubts);
    this.table.columns.forEach((column, n) => {
      sums.addTotal(column, kernel.sums[2 * n] + kernel.sums[2 * n + 1] * 2 ** 32);
    });
    sums.store(stats, at);
  }
}

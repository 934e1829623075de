/** Policies that score candidates, on the CPU: f32 where it can prove the answer, and f64 elsewhere. */

import type { ScoredPolicies } from '../../policy/compiled.js';
import { screenOf } from '../../policy/scored-families.js';
import { isWorthScreening } from '../../policy/screen.js';
import { MatchSums } from '../match-sums.js';
import { isByCell } from '../worklist.js';
import { ArmOrder } from './arm-order.js';
import { ScreenChooser } from './choose.js';
import type { CellChoices, Decider } from './decider.js';
import { exactOf } from './exact.js';
import type { ExactPolicies } from './exact-policies.js';
import type { CpuJob } from './job.js';
import { ScreenMatcher } from './screen.js';
import { ScreenedValues, tablesByEvent } from './screened-values.js';

/** Contexts of one chunk that stay in the second-level cache. */
const CHUNK_BYTES = 1 << 20;
const MAX_QUADS = 1024;
/** Choices that are held at a time to be compared. */
const MOST_CHOICES = 1 << 20;
/** Below this, what screening needs of a policy costs more than f64. */
const FEW_CELLS = 64;

export class ScoredTask implements Decider {
  readonly inLogOrder = false;
  private readonly exact: ExactPolicies;
  /** `null`: scores are computed directly. */
  private readonly matcher: ScreenMatcher | ScreenedValues | null;
  private readonly chooser: ScreenChooser | null;
  /** Events per chunk. */
  private readonly chunk: number;
  private readonly sums: MatchSums;
  /** Choices of policies at all cells, or at the entries of a chunk. */
  private choices = new Uint32Array(0);

  constructor(
    private readonly job: CpuJob,
    compiled: ScoredPolicies,
  ) {
    const screen = screenOf(compiled, job.log);
    const tables = job.worklist.gathered === null ? 0 : screen.rows * 64;
    const quads = Math.floor(CHUNK_BYTES / Math.max(1, screen.dimension * 32 + tables));
    this.chunk = 4 * Math.max(1, Math.min(MAX_QUADS, quads));
    // Events that share cells are decided cell by cell.
    const table = tablesByEvent(job);
    const byCell = isByCell(job.worklist) && table === null;
    this.sums = new MatchSums(job.worklist);
    this.exact = exactOf(job, compiled, screen, this.chunk);
    const screened = isWorthScreening(screen);
    this.matcher =
      !screened || byCell
        ? null
        : table === null
          ? new ScreenMatcher(job, screen, new ArmOrder(job.log.events, screen), this.chunk)
          : new ScreenedValues(job, screen, table, this.chunk);
    this.chooser = screened && byCell && job.worklist.cells >= FEW_CELLS ? new ScreenChooser(screen, this.chunk) : null;
  }

  matchBlock(b: number, policies: readonly [number, number]): void {
    const { worklist, stats } = this.job;
    const [from, to] = [worklist.entries.starts[b], worklist.entries.starts[b + 1]];
    for (let start = from; start < to; start += this.chunk) {
      const count = Math.min(to - start, this.chunk);
      const screened = this.matcher?.load(start, count) === true;
      const left: number[] = [];
      for (let p = policies[0]; p < policies[1]; p++) {
        if (!screened || this.matcher?.match(p, p * stats.blocks + b) !== true) left.push(p);
      }
      const together = Math.max(1, Math.floor(MOST_CHOICES / count));
      for (let i = 0; i < left.length; i += together) this.matchExactly(left.slice(i, i + together), b, start, count);
    }
  }

  private matchExactly(policies: readonly number[], b: number, start: number, count: number): void {
    const { stats, worklist } = this.job;
    const { arm } = worklist.entries;
    if (this.choices.length < policies.length * count) this.choices = new Uint32Array(policies.length * count);
    const { choices, sums } = this;
    const places = policies.map((_, n) => n * count);
    this.exact.choose(policies, start, count, choices, places);
    const entries = worklist.gathered === null ? choices : Uint32Array.from({ length: count }, (_, i) => start + i);
    policies.forEach((p, n) => {
      for (let i = 0; i < count; i++) if (choices[places[n] + i] === arm[start + i]) sums.add(start + i);
      if (worklist.gathered !== null) sums.gather(entries, choices.subarray(places[n], places[n] + count), count);
      sums.store(stats, p * stats.blocks + b);
    });
  }

  chooseCells([first, last]: readonly [number, number]): CellChoices {
    const { cells, cellEvent } = this.job.worklist;
    if (this.choices.length < (last - first) * cells) this.choices = new Uint32Array((last - first) * cells);
    const { choices } = this;
    for (let start = 0; start < cells; start += this.chunk) {
      const count = Math.min(cells - start, this.chunk);
      const eventOf = (i: number): number => (cellEvent === null ? start + i : cellEvent[start + i]);
      const screened = this.chooser?.load(count, eventOf) === true;
      const left: number[] = [];
      for (let p = first; p < last; p++) {
        const place = (p - first) * cells + start;
        if (!screened || this.chooser?.choose(p, choices, place) !== true) left.push(p);
      }
      const places = left.map((p) => (p - first) * cells + start);
      if (left.length > 0) this.exact.choose(left, start, count, choices, places);
    }
    return { choices, from: 0 };
  }
}

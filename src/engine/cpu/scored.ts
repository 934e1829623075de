/** Policies that score candidates, on the CPU: f32 where it can prove the answer, and f64 elsewhere. */

import type { ScoredBatch } from '../../policy/batch.js';
import { screenOf } from '../../policy/scored-families.js';
import { isWorthScreening } from '../../policy/screen.js';
import { isByCell } from '../worklist.js';
import { TrialOrder } from './arm-order.js';
import { ScreenChooser } from './choose.js';
import type { CellChoices, Decider } from './decider.js';
import { exactOf } from './exact.js';
import type { ExactPolicies } from './exact-policies.js';
import type { CpuJob } from './job.js';
import { ScreenMatcher } from './screen.js';

/** Contexts of one chunk that stay in the second-level cache. */
const CHUNK_BYTES = 1 << 20;
const MAX_QUADS = 1024;
/** Below this, what screening needs of a policy costs more than f64. */
const FEW_CELLS = 64;

export class ScoredTask implements Decider {
  readonly inLogOrder = false;
  private readonly exact: ExactPolicies;
  /** `null`: scores are computed directly. */
  private readonly matcher: ScreenMatcher | null;
  private readonly chooser: ScreenChooser | null;
  /** Events per chunk. */
  private readonly chunk: number;
  private choices = new Uint32Array(0);

  constructor(
    private readonly job: CpuJob,
    batch: ScoredBatch,
  ) {
    const screen = screenOf(batch, job.log);
    this.chunk = 4 * Math.max(1, Math.min(MAX_QUADS, Math.floor(CHUNK_BYTES / Math.max(1, screen.dimension * 32))));
    // Events that share cells are decided cell by cell.
    const byCell = isByCell(job.worklist);
    const trial = new TrialOrder(job.log.events, screen);
    this.exact = exactOf(job, batch, screen, trial, this.chunk);
    const screened = isWorthScreening(screen);
    this.matcher = screened && !byCell ? new ScreenMatcher(job, screen, trial, this.chunk) : null;
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
      if (left.length > 0) this.exact.match(left, b, start, count);
    }
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

/** Policies that score candidates, on the CPU: f32 where it can prove the answer, and f64 elsewhere. */

import type { ScoredBatch } from '../policy/batch.js';
import { isWorthScreening, type Screen } from '../policy/screen.js';
import { screenOf } from '../policy/screens.js';
import { ExactJoint } from './cpu-exact-joint.js';
import { ExactLinear } from './cpu-exact-linear.js';
import type { CpuJob } from './cpu-job.js';
import { ScreenMatcher } from './cpu-screen.js';
import type { ExactPolicies } from './exact-policies.js';
import { TrialOrder } from './trial-order.js';

/** Contexts of one chunk that stay in the second-level cache. */
const CHUNK_BYTES = 1 << 20;
const MAX_QUADS = 1024;

export class ScoredTask {
  private readonly exact: ExactPolicies;
  /** `null`: scores are computed directly. */
  private readonly matcher: ScreenMatcher | null;
  /** Events per chunk. */
  private readonly chunk: number;

  constructor(
    private readonly job: CpuJob,
    batch: ScoredBatch,
  ) {
    const screen = screenOf(batch, job.log);
    this.chunk = 4 * Math.max(1, Math.min(MAX_QUADS, Math.floor(CHUNK_BYTES / Math.max(1, screen.dimension * 32))));
    if (batch.kind === 'joint') {
      this.exact = new ExactJoint(job, batch);
      // Events that share cells are decided cell by cell, which f32 does not do here.
      const screened = job.worklist.entries.cell === null && isWorthScreening(screen);
      this.matcher = screened ? this.makeMatcher(screen, new TrialOrder(job.log.events, screen)) : null;
    } else {
      const trial = new TrialOrder(job.log.events, screen);
      this.exact = new ExactLinear(job, batch, screen, trial, this.chunk);
      this.matcher = this.makeMatcher(screen, trial);
    }
  }

  private makeMatcher(screen: Screen, trial: TrialOrder): ScreenMatcher {
    return new ScreenMatcher(this.job, screen, trial, this.chunk);
  }

  /** Adds the matches of policies in block b to the statistics. */
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

  /** Writes the choices (arms, or feature rows) of policies at every cell, [policies, C]. */
  chooseCells(policies: readonly [number, number], choices: Uint32Array): void {
    this.exact.chooseCells(policies, choices);
  }
}

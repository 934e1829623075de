/** The deciders of the kinds of policies: known choices, scores (`scored.ts`), draws. */

import type { MatrixPolicies, UniformPolicies } from '../../policy/compiled.js';
import { uniformChoice } from '../../policy/uniform/cpu.js';
import { MatchSums } from '../match-sums.js';
import type { CellChoices, Decider } from './decider.js';
import type { CpuJob } from './job.js';
import { ScoredTask } from './scored.js';

export function deciderOf(job: CpuJob): Decider {
  const { compiled } = job;
  switch (compiled.kind) {
    case 'matrix':
      return new KnownChoices(job, compiled);
    case 'scored':
      return new ScoredTask(job, compiled);
    case 'uniform':
      return new DrawnChoices(job, compiled);
  }
}

class KnownChoices implements Decider {
  readonly inLogOrder = true;
  private readonly sums: MatchSums;

  constructor(
    private readonly job: CpuJob,
    private readonly compiled: MatrixPolicies,
  ) {
    this.sums = new MatchSums(job.worklist);
  }

  chooseCells([first]: readonly [number, number]): CellChoices {
    const { choices, cells } = this.compiled;
    return { choices, from: first * cells.count };
  }

  matchBlock(b: number, [first, last]: readonly [number, number]): void {
    const { stats, worklist } = this.job;
    const { entries, cellEvent } = worklist;
    const { choices, cells } = this.compiled;
    const { sums } = this;
    for (let p = first; p < last; p++) {
      const row = p * cells.count;
      for (let i = entries.starts[b]; i < entries.starts[b + 1]; i++)
        if (choices[row + (cellEvent === null ? i : cellEvent[i])] === entries.arm[i]) sums.add(i);
      sums.store(stats, p * stats.blocks + b);
    }
  }
}

class DrawnChoices implements Decider {
  readonly inLogOrder = false;
  private readonly sums: MatchSums;
  private choices = new Uint32Array(0);

  constructor(
    private readonly job: CpuJob,
    private readonly compiled: UniformPolicies,
  ) {
    this.sums = new MatchSums(job.worklist);
  }

  chooseCells([first, last]: readonly [number, number]): CellChoices {
    const { compiled } = this;
    const { log, worklist } = this.job;
    const { cells, cellEvent } = worklist;
    if (this.choices.length < (last - first) * cells) this.choices = new Uint32Array((last - first) * cells);
    for (let p = first, at = 0; p < last; p++)
      for (let c = 0; c < cells; c++)
        this.choices[at++] = uniformChoice(compiled, log, p, cellEvent === null ? c : cellEvent[c]);
    return { choices: this.choices, from: 0 };
  }

  matchBlock(b: number, [first, last]: readonly [number, number]): void {
    const { compiled, sums } = this;
    const { log, stats, worklist } = this.job;
    const { entries, cellEvent } = worklist;
    for (let p = first; p < last; p++) {
      for (let i = entries.starts[b]; i < entries.starts[b + 1]; i++)
        if (uniformChoice(compiled, log, p, cellEvent === null ? i : cellEvent[i]) === entries.arm[i]) sums.add(i);
      sums.store(stats, p * stats.blocks + b);
    }
  }
}

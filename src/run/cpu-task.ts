/**
 * The CPU engine's work, cut into tasks that write to disjoint parts of the result, so that any number of threads
 * can take them in any order. Runs in worker threads and on the main thread alike.
 */

import type { BlockPlan } from '../estimate/blocks.js';
import type { PolicyBatch } from '../policy/batch.js';
import { uniformChoice } from '../policy/uniform/cpu.js';
import type { CpuJob } from './cpu-job.js';
import { ScoredTask } from './cpu-scored.js';
import { MatchSums } from './match-sums.js';

/** Tasks 0..count−1 of a job: policy tiles × block tiles, policy tiles fastest. */
export interface TaskGrid {
  readonly count: number;
  readonly policyTile: number;
  readonly blockTile: number;
}

/** Decisions per task that keep the hand-out cheap and the threads evenly loaded. */
const TASK_DECISIONS = 1 << 22;

/** Cuts a job into tasks. Cells that hold many events are decided once per policy, so there a task owns whole policies. */
export function taskGrid(job: CpuJob, plan: BlockPlan): TaskGrid {
  const { policies, blocks } = job.stats;
  const perPolicy =
    job.worklist.entries.cell === null ? job.log.events / plan.blocks : job.worklist.cells + job.worklist.entries.count;
  const policyTile = Math.max(1, Math.min(policies, Math.floor(TASK_DECISIONS / Math.max(1, perPolicy))));
  const blockTile = job.worklist.entries.cell === null ? 1 : blocks;
  return { count: Math.ceil(policies / policyTile) * Math.ceil(blocks / blockTile), policyTile, blockTile };
}

/** Policies and blocks of one task. */
export interface TaskRange {
  readonly policies: readonly [number, number];
  readonly blocks: readonly [number, number];
}

export function taskRange(job: CpuJob, grid: TaskGrid, task: number): TaskRange {
  const columns = Math.ceil(job.stats.policies / grid.policyTile);
  const p = (task % columns) * grid.policyTile;
  const b = Math.floor(task / columns) * grid.blockTile;
  return {
    policies: [p, Math.min(job.stats.policies, p + grid.policyTile)],
    blocks: [b, Math.min(job.stats.blocks, b + grid.blockTile)],
  };
}

/** Decisions (policies × events) that a task stands for. */
export function taskDecisions(job: CpuJob, range: TaskRange): number {
  let events = 0;
  for (let b = range.blocks[0]; b < range.blocks[1]; b++) events += job.stats.events[b];
  return events * (range.policies[1] - range.policies[0]);
}

/** Runs tasks of one job; keeps kernels and scratch memory between tasks. */
export class TaskRunner {
  private readonly scored: ScoredTask | null;
  /** Choices of a task's policies at every cell, [policies, C], where they must be computed. */
  private choices = new Uint32Array(0);

  constructor(private readonly job: CpuJob) {
    const { batch } = job;
    this.scored = batch.kind === 'linear' || batch.kind === 'joint' ? new ScoredTask(job, batch) : null;
  }

  run(range: TaskRange): void {
    const { batch, worklist } = this.job;
    if (this.scored !== null && worklist.entries.cell === null) {
      for (let b = range.blocks[0]; b < range.blocks[1]; b++) this.scored.matchBlock(b, range.policies);
      return;
    }
    const [first, last] = range.policies;
    if (this.scored !== null) {
      const size = (last - first) * worklist.cells;
      if (this.choices.length < size) this.choices = new Uint32Array(size);
      this.scored.chooseCells(range.policies, this.choices);
    }
    for (let p = first; p < last; p++) {
      for (let b = range.blocks[0]; b < range.blocks[1]; b++)
        this.countBlock(batch, p, b, (p - first) * worklist.cells);
    }
  }

  /** Adds the entries of block b at which policy p chooses the logged arm. */
  private countBlock(batch: PolicyBatch, p: number, b: number, scoredRow: number): void {
    const { log, stats, worklist } = this.job;
    const { entries } = worklist;
    const sums = new MatchSums(entries);
    const [from, to] = [entries.starts[b], entries.starts[b + 1]];
    if (batch.kind === 'uniform') {
      for (let i = from; i < to; i++) {
        const event = worklist.cellEvent === null ? i : worklist.cellEvent[i];
        if (uniformChoice(batch, log, p, event) === entries.arm[i]) sums.add(i);
      }
    } else {
      const choices = batch.kind === 'matrix' ? batch.choices : this.choices;
      const row = batch.kind === 'matrix' ? p * batch.cells.count : scoredRow;
      if (entries.cell === null) {
        // Every event is a cell of its own, in block order: cell c is event cellEvent[c].
        for (let i = from; i < to; i++) {
          const event = worklist.cellEvent === null ? i : worklist.cellEvent[i];
          if (choices[row + event] === entries.arm[i]) sums.add(i);
        }
      } else {
        for (let i = from; i < to; i++) if (choices[row + entries.cell[i]] === entries.arm[i]) sums.add(i);
      }
    }
    sums.store(stats, p * stats.blocks + b);
  }
}

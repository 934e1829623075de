/**
 * The CPU engine's work, cut into tasks that write to disjoint parts of the result, so that any number of threads
 * can take them in any order. Runs in worker threads and on the main thread alike.
 */

import type { BlockPlan } from '../../estimate/blocks/blocks.js';
import { poolPlace } from '../../log/feature-rows.js';
import { uniformChoice } from '../../policy/uniform/cpu.js';
import { MatchSums } from '../match-sums.js';
import { type Gathered, isByCell } from '../worklist.js';
import { ChoiceSums } from './cell-sums.js';
import type { CpuJob } from './job.js';
import { ScoredTask } from './scored.js';

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
  const { cells, entries } = job.worklist;
  const byCell = isByCell(job.worklist);
  const perPolicy = byCell ? cells + (job.cellSums?.cell.length ?? entries.count) : job.log.events / plan.blocks;
  const policyTile = Math.max(1, Math.min(policies, Math.floor(TASK_DECISIONS / Math.max(1, perPolicy))));
  const blockTile = byCell ? blocks : 1;
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
  private readonly sums: MatchSums;
  private readonly choiceSums: ChoiceSums | null;

  constructor(private readonly job: CpuJob) {
    const { batch } = job;
    this.sums = new MatchSums(job.worklist);
    this.choiceSums = job.cellSums === null ? null : new ChoiceSums(job.cellSums);
    this.scored = batch.kind === 'linear' || batch.kind === 'joint' ? new ScoredTask(job, batch) : null;
  }

  run(range: TaskRange): void {
    const { batch, stats, worklist } = this.job;
    const [first, last] = range.policies;
    const byCell = isByCell(worklist);
    if (this.scored !== null && !byCell) {
      for (let b = range.blocks[0]; b < range.blocks[1]; b++) this.scored.matchBlock(b, range.policies);
      return;
    }
    let choices: Uint16Array | Uint32Array = this.choices;
    if (batch.kind === 'matrix') choices = batch.choices;
    else if (byCell) {
      const size = (last - first) * worklist.cells;
      if (choices.length < size) this.choices = choices = new Uint32Array(size);
      this.chooseCells(range.policies);
    }
    if (this.choiceSums !== null) {
      const isKnown = batch.kind === 'matrix';
      const { cells } = worklist;
      this.choiceSums.load(last - first, cells, choices, isKnown ? first * cells : 0, cells);
      for (let b = range.blocks[0]; b < range.blocks[1]; b++) this.choiceSums.add(b, stats, first);
      return;
    }
    for (let b = range.blocks[0]; b < range.blocks[1]; b++) {
      for (let p = first; p < last; p++) {
        const row = batch.kind === 'matrix' ? p * batch.cells.count : (p - first) * worklist.cells;
        if (worklist.gathered !== null) this.gather(p, b, choices, row, worklist.gathered);
        else this.compare(p, b, choices, row);
      }
    }
  }

  private chooseCells(policies: readonly [number, number]): void {
    const { batch, log, worklist } = this.job;
    const { cells, cellEvent } = worklist;
    this.scored?.chooseCells(policies, this.choices);
    if (batch.kind !== 'uniform') return;
    for (let p = policies[0], at = 0; p < policies[1]; p++)
      for (let c = 0; c < cells; c++)
        this.choices[at++] = uniformChoice(batch, log, p, cellEvent === null ? c : cellEvent[c]);
  }

  /** Adds the entries of block b at which policy p chooses the logged arm. */
  private compare(p: number, b: number, choices: Uint16Array | Uint32Array, row: number): void {
    const { log, batch, stats, worklist } = this.job;
    const { entries, cellEvent } = worklist;
    const { sums } = this;
    const [from, to] = [entries.starts[b], entries.starts[b + 1]];
    const eventOf = (i: number): number => (cellEvent === null ? i : cellEvent[i]);
    if (batch.kind === 'uniform' && entries.cell === null) {
      for (let i = from; i < to; i++) if (uniformChoice(batch, log, p, eventOf(i)) === entries.arm[i]) sums.add(i);
    } else if (entries.cell === null) {
      // Every event is a cell of its own, in block order: cell c is event cellEvent[c].
      for (let i = from; i < to; i++) if (choices[row + eventOf(i)] === entries.arm[i]) sums.add(i);
    } else {
      for (let i = from; i < to; i++) if (choices[row + entries.cell[i]] === entries.arm[i]) sums.add(i);
    }
    sums.store(stats, p * stats.blocks + b);
  }

  /** Adds the entries of block b at which policy p chooses the logged arm, and what tables have for all its choices. */
  private gather(p: number, b: number, choices: Uint16Array | Uint32Array, row: number, { pool }: Gathered): void {
    const { log, batch, stats, worklist } = this.job;
    const { entries, cellEvent } = worklist;
    const { sums } = this;
    // Known choices of events are in the log's order, all others in that of cells.
    const byEvent = batch.kind === 'matrix' && entries.cell === null ? cellEvent : null;
    for (let i = entries.starts[b]; i < entries.starts[b + 1]; i++) {
      const cell = entries.cell === null ? (byEvent === null ? i : byEvent[i]) : entries.cell[i];
      const choice = choices[row + cell];
      if (choice === entries.arm[i]) sums.add(i);
      if (pool === null || poolPlace(log.pools, pool[i], choice) >= 0) sums.gather(i, choice);
    }
    sums.store(stats, p * stats.blocks + b);
  }
}

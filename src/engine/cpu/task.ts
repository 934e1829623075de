/**
 * The CPU engine's work, cut into tasks that write to disjoint parts of the result, so that any number of threads
 * can take them in any order. Runs in worker threads and on the main thread alike.
 */

import type { BlockPlan } from '../../estimate/blocks/blocks.js';
import { poolPlace } from '../../log/feature-rows.js';
import { MatchSums } from '../match-sums.js';
import { type Gathered, isByCell } from '../worklist.js';
import { numbersPerPolicy } from './choice-lists.js';
import { ChoiceSums } from './choice-sums.js';
import type { Decider } from './decider.js';
import { deciderOf } from './deciders.js';
import { type GroupMatcher, matcherOf } from './groups/matcher.js';
import { type Groups, slotNumbers } from './groups/trees.js';
import type { CpuJob } from './job.js';
import { tablesByEvent } from './screened-values.js';

/** Tasks 0..count−1 of a job: policy tiles × block tiles, policy tiles fastest. */
export interface TaskGrid {
  readonly count: number;
  readonly policyTile: number;
  readonly blockTile: number;
}

/** Decisions per task that keep the hand-out cheap and the threads evenly loaded. */
const TASK_DECISIONS = 1 << 22;

/** Cuts a job into tasks. Cells that hold many events are decided once per policy, so there a task owns whole policies. */
export function taskGrid(job: CpuJob, plan: BlockPlan, threads: number): TaskGrid {
  const { policies, blocks } = job.stats;
  if (job.groups !== null) {
    const { blockTile } = job.groups;
    const policyTile = groupPolicies(job, threads);
    return { count: Math.ceil(policies / policyTile) * Math.ceil(blocks / blockTile), policyTile, blockTile };
  }
  const { cells, entries } = job.worklist;
  const byCell = isByCell(job.worklist) && !isByEvent(job);
  const perPolicy = byCell
    ? cells + (job.lists === null ? entries.count : numbersPerPolicy(job.lists))
    : job.log.events / plan.blocks;
  const policyTile = Math.max(1, Math.min(policies, Math.floor(TASK_DECISIONS / Math.max(1, perPolicy))));
  const blockTile = byCell ? blocks : 1;
  return { count: Math.ceil(policies / policyTile) * Math.ceil(blocks / blockTile), policyTile, blockTile };
}

/** Bytes of sums that a task of groups holds, and its most policies: trees are copied to each task. */
const SUM_BYTES = 1 << 25;
const GROUP_POLICIES = 512;

/** Policies of a task where events are decided in groups. */
function groupPolicies({ groups, stats, worklist }: CpuJob, threads: number): number {
  const bytes = (groups?.blockTile ?? 1) * slotNumbers(worklist).blockPairs * 16;
  const most = Math.min(GROUP_POLICIES, Math.ceil(stats.policies / (2 * threads)), Math.floor(SUM_BYTES / bytes));
  return Math.max(1, most);
}

/** Scored policies whose tables are looked up event by event, as matches are. */
function isByEvent(job: CpuJob): boolean {
  return job.compiled.kind === 'scored' && tablesByEvent(job) !== null;
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

/** Ascending numbers as runs first..last−1. */
function runsOf(numbers: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const n of numbers) {
    const last = runs.at(-1);
    if (last?.[1] === n) last[1] = n + 1;
    else runs.push([n, n + 1]);
  }
  return runs;
}

/** Rows of choice tables that a core's cache holds, at some tens of arms and four tables. */
const ROWS_IN_CACHE = 512;

/** Runs tasks of one job; keeps kernels and scratch memory between tasks. */
export class TaskRunner {
  private readonly decider: Decider;
  private readonly sums: MatchSums;
  private readonly choiceSums: readonly ChoiceSums[] | null;
  /** Entries whose choices are looked up in tables, and these choices. */
  private readonly lookedUp = new Uint32Array(ROWS_IN_CACHE);
  private readonly chosen = new Uint32Array(ROWS_IN_CACHE);
  private readonly matched = new Uint32Array(ROWS_IN_CACHE);

  /** The matcher of the trees last used. */
  private groups: { readonly tile: number; readonly matcher: GroupMatcher } | null = null;

  constructor(
    private readonly job: CpuJob,
    private readonly grid: TaskGrid,
  ) {
    this.decider = deciderOf(job);
    this.sums = new MatchSums(job.worklist);
    this.choiceSums = job.lists?.map((lists) => new ChoiceSums(lists, job.stats.blocks)) ?? null;
  }

  run(range: TaskRange): void {
    if (this.job.groups === null) this.runPlainly(range);
    else
      for (const policies of runsOf(this.matchGroups(this.job.groups, range)))
        this.runPlainly({ policies, blocks: range.blocks });
  }

  /** Decides in groups; returns the policies that must be decided otherwise. */
  private matchGroups({ trees, decided }: Groups, { policies: [first, last], blocks }: TaskRange): number[] {
    const { job, grid } = this;
    const tile = Math.floor(blocks[0] / grid.blockTile);
    if (this.groups?.tile !== tile) this.groups = { tile, matcher: matcherOf(job, trees[tile], grid.policyTile) };
    const policies = Array.from({ length: last - first }, (_, i) => first + i);
    const own = decided.subarray(tile * job.stats.policies, (tile + 1) * job.stats.policies);
    return this.groups.matcher.match(policies, own);
  }

  private runPlainly({ policies, blocks }: TaskRange): void {
    const { stats, worklist } = this.job;
    const { cells, gathered } = worklist;
    const [first, last] = policies;
    if (!isByCell(worklist) || isByEvent(this.job)) {
      for (let b = blocks[0]; b < blocks[1]; b++) this.decider.matchBlock(b, policies);
      return;
    }
    const { choices, from } = this.decider.chooseCells(policies);
    if (this.choiceSums !== null) {
      for (const sums of this.choiceSums)
        for (let p = first; p < last; p++) sums.add(cells, choices, from + (p - first) * cells, stats, p);
      return;
    }
    for (let b = blocks[0]; b < blocks[1]; b++) {
      if (gathered !== null) {
        this.gather([first, last], b, choices, from, gathered);
        continue;
      }
      for (let p = first; p < last; p++) this.compare(p, b, choices, from + (p - first) * cells);
    }
  }

  /** Adds the entries of block b at which policy p chooses the logged arm. */
  private compare(p: number, b: number, choices: Uint16Array | Uint32Array, row: number): void {
    const { stats, worklist } = this.job;
    const { starts, arm, cell } = worklist.entries;
    const { sums } = this;
    if (cell !== null)
      for (let i = starts[b]; i < starts[b + 1]; i++) if (choices[row + cell[i]] === arm[i]) sums.add(i);
    sums.store(stats, p * stats.blocks + b);
  }

  /**
   * Adds the entries of block b at which policies choose the logged arm, and what tables have for all their choices: some entries
   * for all policies, then the next, so that these rows of tables stay in a cache.
   */
  private gather(
    [first, last]: readonly [number, number],
    b: number,
    choices: Uint16Array | Uint32Array,
    from: number,
    { pool }: Gathered,
  ): void {
    const { log, stats, worklist } = this.job;
    const { entries, cellEvent } = worklist;
    const { arm, starts } = entries;
    const { sums, lookedUp, chosen, matched } = this;
    const cells = entries.cell ?? (this.decider.inLogOrder ? cellEvent : null);
    for (let start = starts[b]; start < starts[b + 1]; start += ROWS_IN_CACHE) {
      const end = Math.min(starts[b + 1], start + ROWS_IN_CACHE);
      for (let p = first; p < last; p++) {
        const row = from + (p - first) * worklist.cells;
        let [count, matches] = [0, 0];
        for (let i = start; i < end; i++) {
          const choice = choices[row + (cells === null ? i : cells[i])];
          if (choice === arm[i]) matched[matches++] = i;
          if (pool !== null && poolPlace(log.pools, pool[i], choice) < 0) continue;
          lookedUp[count] = i;
          chosen[count++] = choice;
        }
        sums.addEvents(matched, matches);
        sums.gather(lookedUp, chosen, count);
        sums.store(stats, p * stats.blocks + b);
      }
    }
  }
}

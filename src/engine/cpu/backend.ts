/** The CPU engine: defines every answer, and stands in where there is no GPU. */

import { type BlockPlan, blockEvents } from '../../estimate/blocks/blocks.js';
import type { DrawMaxima, DrawProblem } from '../../estimate/selection/draws.js';
import { type BlockStatistics, emptyBlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { Summand } from '../../estimate/sums/summands.js';
import type { EventLog, PoolTable } from '../../log/event-log.js';
import { rowPools } from '../../log/feature-rows.js';
import { checkOptions, type OptionShape, option } from '../../options/check-options.js';
import { RUN_OPTIONS } from '../../options/option-shapes.js';
import type { CompiledPolicies } from '../../policy/compiled.js';
import { scoredFamily } from '../../policy/scored-families.js';
import { type Backend, type EngineReport, newReport, type RunOptions } from '../contract.js';
import { Pauses } from '../pauses.js';
import { shareArrays, sharedNumbers } from '../shared.js';
import { makeWorklist, type Worklist } from '../worklist.js';
import { choiceLists } from './choice-lists.js';
import { drawMaxima } from './draws.js';
import { makeGroups } from './groups/groups.js';
import type { CpuJob } from './job.js';
import { type Job, PROGRESS_UNIT } from './messages.js';
import { type TaskGrid, TaskRunner, taskDecisions, taskGrid, taskRange } from './task.js';
import { availableThreads, WorkerPool, workerBeside } from './worker-pool.js';

/** Options of the CPU engines. */
export interface CpuOptions {
  /** Worker threads; default: one per core. 1 runs on the calling thread. */
  threads?: number;
  /** Decisions from which threads are used; default: where they pay. */
  threadsFrom?: number;
  /** Text for the result, e.g. the processor's model. */
  description?: string;
  /** Whether events are decided in groups, where policies and summands are of the kind; default: where that pays. */
  groups?: boolean;
}

/** Checks the options of either CPU engine. @throws InputError */
export function checkCpuOptions(options: CpuOptions): void {
  checkOptions(options, CPU_OPTIONS, 'options');
}

const CPU_OPTIONS: OptionShape<CpuOptions> = {
  threads: RUN_OPTIONS.threads,
  threadsFrom: option.number,
  description: option.text,
  groups: option.flag,
};

/** Below this many decisions starting threads costs more than it saves. */
const THREADS_PAY_FROM = 2e6;

/** The CPU engine for fixed policies. @throws InputError for bad options. */
export class CpuBackend implements Backend {
  /** What it did so far. */
  readonly report: EngineReport;
  private readonly pool: WorkerPool;
  private readonly threadsFrom: number;
  private readonly groups: boolean | undefined;

  constructor(options: CpuOptions = {}) {
    checkCpuOptions(options);
    this.threadsFrom = options.threadsFrom ?? THREADS_PAY_FROM;
    this.groups = options.groups;
    const threads = options.threads ?? availableThreads();
    this.pool = new WorkerPool(
      threads,
      workerBeside(() => new URL('./cpu-worker.js', import.meta.url)),
    );
    this.report = newReport('cpu', options.description ?? 'CPU', threads);
  }

  /** As `Backend` says. */
  async evaluate(
    log: EventLog,
    plan: BlockPlan,
    compiled: CompiledPolicies,
    summands: readonly Summand[],
    options: RunOptions = {},
  ): Promise<BlockStatistics> {
    const started = performance.now();
    const decisions = compiled.policies * log.events;
    const parallel =
      this.report.threads > 1 && decisions >= this.threadsFrom && (await this.pool.start(options.bounded));
    const job = await this.makeJob(log, plan, compiled, makeWorklist(log, plan, compiled, summands, false), options);
    const grid = taskGrid(job, plan, parallel ? this.report.threads : 1);
    if (parallel) {
      const message: Job = { job: shareJob(job), grid };
      await this.pool.run(message, { ...options, unit: PROGRESS_UNIT });
    } else await runHere(job, grid, options);
    this.report.decisions += decisions;
    if (job.groups !== null) this.report.inGroups = (this.report.inGroups ?? 0) + sumOf(job.groups.decided);
    this.report.seconds += (performance.now() - started) / 1000;
    return job.stats;
  }

  /** What tasks read of a log and of policies, and statistics on shared memory. */
  private async makeJob(
    log: EventLog,
    plan: BlockPlan,
    compiled: CompiledPolicies,
    worklist: Worklist,
    options: RunOptions,
  ): Promise<CpuJob> {
    const job = {
      log: decisionLog(log, compiled),
      compiled,
      worklist,
      stats: emptyStatistics(plan, compiled, worklist),
    };
    // Trees are not counted in plans of memory.
    const isLeftOut = this.groups === false || (options.bounded === true && this.groups === undefined);
    const lists = choiceLists(worklist, candidatesOf(log, compiled));
    const groups = isLeftOut ? null : await makeGroups({ ...job, lists }, this.groups === true, new Pauses(options));
    return { ...job, groups, lists: groups === null ? lists : null };
  }

  /** As `Backend` says. */
  maxima(problem: DrawProblem, options?: Pick<RunOptions, 'signal'>): Promise<DrawMaxima> {
    return drawMaxima(problem, options);
  }

  /** Ends its threads. */
  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Runs every task on this thread, giving way to timers and signals now and then. */
async function runHere(job: CpuJob, grid: TaskGrid, options: RunOptions): Promise<void> {
  const runner = new TaskRunner(job, grid);
  const pauses = new Pauses(options);
  for (let task = 0; task < grid.count; task++) {
    const range = taskRange(job, grid, task);
    runner.run(range);
    if (pauses.count(taskDecisions(job, range))) await pauses.yieldToEventLoop();
  }
  pauses.report();
}

/** Candidates of each pool, as choices call them: arms, or feature rows. */
function candidatesOf(log: EventLog, compiled: CompiledPolicies): PoolTable {
  return scoresRows(compiled) ? rowPools(log) : log.pools;
}

function scoresRows(compiled: CompiledPolicies): boolean {
  return compiled.kind === 'scored' && scoredFamily(compiled).scores === 'rows';
}

/** What tasks read of a log. */
function decisionLog(
  { events, firstEvent, contexts, pools, armFeatures }: EventLog,
  compiled: CompiledPolicies,
): CpuJob['log'] {
  return {
    ...{ events, firstEvent, pools },
    contexts: { dimension: contexts.dimension, values: contexts.values, row: contexts.row },
    armFeatures: scoresRows(compiled) ? armFeatures : null,
  };
}

/** Statistics on shared memory. */
function emptyStatistics(plan: BlockPlan, { policies }: CompiledPolicies, { kinds }: Worklist): BlockStatistics {
  return emptyBlockStatistics(policies, blockEvents(plan), kinds, sharedNumbers);
}

/** A job for threads: its arrays on shared memory, without what they need not see. */
function shareJob(job: CpuJob): CpuJob {
  const { compiled } = job;
  // Names are for people; thousands of strings need not travel. Which cell an event is in, entries know.
  const bare = { ...compiled, names: [], warnings: [], columns: undefined };
  const own = 'cells' in bare ? { ...bare, cells: { ...bare.cells, of: null } } : bare;
  return shareArrays({ ...job, compiled: own });
}

function sumOf(numbers: Float64Array): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
